"""Serving pages at a port of this machine."""

import socket
from collections.abc import Callable
from typing import Any

import uvicorn


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that the port is known before the server runs."""
    listener = socket.create_server((host, port))
    listener.set_inheritable(True)
    return listener


def listen_as(host: str, port: int) -> tuple[socket.socket, str, set[str]]:
    """The same, with the address to open, and the values of ``Host`` that a page asked for there may bear."""
    listener = listen(host, port)
    port = listener.getsockname()[1]
    return listener, f"http://{host}:{port}", {f"{name}:{port}" for name in (host, "127.0.0.1", "localhost")}


class HttpServer(uvicorn.Server):
    """Serves an application until it is stopped.

    Args:
        app: The application.
        close: Called when the server is to stop: ends answers that have no end by themselves. Uvicorn would wait for them, then
            cancel them with a traceback each.
    """

    def __init__(self, app: Any, close: Callable[[], None]) -> None:
        super().__init__(uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=2))
        self._close = close

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends what is going on, then the server."""
        self._close()
        await super().shutdown(sockets)


def serve(app: Any, listener: socket.socket, close: Callable[[], None]) -> None:
    """Serves an application at a socket until somebody stops it."""
    HttpServer(app, close).run(sockets=[listener])

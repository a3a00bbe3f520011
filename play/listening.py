"""Serving pages at a port of this machine."""

import socket
from typing import Any


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


def serve(app: Any, listener: socket.socket, **settings: Any) -> None:
    """Serves an application until it is stopped; ``settings`` are those of Uvicorn besides the usual ones."""
    import uvicorn

    uvicorn.Server(uvicorn.Config(app, log_level="warning", server_header=False, **settings)).run(sockets=[listener])

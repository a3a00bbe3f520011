"""Listening at a port of this machine."""

import socket


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that the port is known before the server runs."""
    listener = socket.create_server((host, port))
    listener.set_inheritable(True)
    return listener

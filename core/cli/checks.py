"""What must hold before long work begins, so that none of it is lost."""

from __future__ import annotations

import errno
import os
import socket
import tempfile
from pathlib import Path

from ..errors import FogoError


class CheckError(FogoError, OSError):
    """A port that is taken, or a folder that cannot be written."""


def check_port(host: str, port: int) -> None:
    """Raise CheckError unless a server could listen there now (port 0: any)."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            if os.name != "nt":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        raise CheckError(_port_trouble(host, port, error)) from error


def _port_trouble(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        trouble, cure = "the port is taken", "--port 0 picks a free one"
    elif error.errno == errno.EACCES:
        trouble, cure = "the port may not be opened", "give a --port from 1024 up"
    else:
        reason = error.strerror or error
        trouble, cure = f"the address cannot be used ({reason})", "give another --host"
    return f"demo: {trouble}; host={host}, port={port}; {cure}"


def check_writable(folder: str | os.PathLike[str]) -> Path:
    """Make a folder if need be, write a file there and remove it; the folder's path.

    Raises CheckError when that fails.
    """
    path = Path(folder).expanduser()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path) as probe:
            probe.write(b"fogo")
    except OSError as error:
        raise CheckError(
            f"demo: the folder cannot be written ({error.strerror or error}); "
            f"out={path}; give another --out"
        ) from error
    return path

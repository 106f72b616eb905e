"""Serve a built site on this machine, with the headers WebGPU and threads need.

Loopback by default. Any other address needs a token: the printed address carries
it once, a cookie carries it from then on.
"""

from __future__ import annotations

import errno
import hmac
import http.server
import ipaddress
import os
import secrets
import socket
import socketserver
import threading
import urllib.parse
import webbrowser
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from fogo.errors import FogoError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".whl": "application/zip",
    ".zip": "application/zip",
    "": "application/octet-stream",
}
COOKIE = "fogo_token"
HEADERS = (
    # Cross-origin isolation: shared memory, and so threads, exist only with it.
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)


class ServeError(FogoError, OSError):
    """A site that cannot be served: the port, the address or the folder."""


class Server(http.server.ThreadingHTTPServer):
    """A site being served; `url` is the address to open.

    Example:
        >>> server = Server("site-out", port=0)  # doctest: +SKIP
        >>> server.start().url                   # doctest: +SKIP
        'http://127.0.0.1:49321/'
    """

    daemon_threads = True
    allow_reuse_address = os.name != "nt"

    def __init__(
        self,
        folder: str | os.PathLike[str],
        host: str = "127.0.0.1",
        port: int = 8000,
        token: str | None = None,
        quiet: bool = True,
    ) -> None:
        self.folder = os.path.realpath(folder)
        self.token = token
        self.quiet = quiet
        if not os.path.isfile(os.path.join(self.folder, "index.html")):
            raise ServeError(
                "serve: the folder must hold a built site; "
                f"{folder} has no index.html; build it with `fogo demo mnist`"
            )
        if not is_loopback(host) and not token:
            raise ServeError(
                "serve: an address that other machines reach needs a token; "
                f"host={host}; give token='auto' or serve on 127.0.0.1"
            )
        if token == "auto":
            self.token = secrets.token_urlsafe(16)
        if ":" in host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((host, port), Handler)
        except (OSError, OverflowError) as error:
            raise ServeError(_why(host, port, error)) from None

    def server_bind(self) -> None:
        """Bind without asking the name service who we are: that can take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name = str(self.server_address[0])
        self.server_port = int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address to open, with the token if there is one."""
        host = self.server_name
        if host in ("0.0.0.0", "::"):
            host = socket.gethostname()
        elif ":" in host:
            host = f"[{host}]"
        query = f"?token={self.token}" if self.token else ""
        return f"http://{host}:{self.server_port}/{query}"

    def start(self) -> Server:
        """Serve in a thread of its own and return at once."""
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self) -> None:
        """Stop serving and free the port."""
        self.shutdown()
        self.server_close()


class Handler(http.server.SimpleHTTPRequestHandler):
    """Answers GET and HEAD for files of the site, nothing else."""

    server: Server
    protocol_version = "HTTP/1.1"
    extensions_map = TYPES

    def __init__(self, request: Any, client_address: Any, server: Server) -> None:
        super().__init__(request, client_address, server, directory=server.folder)

    def do_GET(self) -> None:
        if self._allowed():
            super().do_GET()

    def do_HEAD(self) -> None:
        if self._allowed():
            super().do_HEAD()

    def list_directory(self, path: str | os.PathLike[str]) -> None:
        """Show no listings."""
        self.send_error(404)

    def end_headers(self) -> None:
        for name, value in HEADERS:
            self.send_header(name, value)
        # Ask each time, and get 304 while the file is unchanged.
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        if not self.server.quiet:
            super().log_message(format, *args)

    def _allowed(self) -> bool:
        token = self.server.token
        if token is None:
            return self._known_host()
        parts = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(parts.query)
        if same(query.pop("token", [""])[0], token):
            self._remember(token, parts.path, query)
            return False
        if same(self._cookie(), token):
            return True
        self.send_error(403, "Open the address with its token")
        return False

    def _known_host(self) -> bool:
        # A foreign name that resolves to loopback (DNS rebinding) gets nothing.
        try:
            host = urllib.parse.urlsplit("//" + self.headers.get("Host", "")).hostname
        except ValueError:
            host = None
        if host and is_loopback(host):
            return True
        self.send_error(403, "This server answers to localhost only")
        return False

    def _cookie(self) -> str:
        try:
            cookies = SimpleCookie(self.headers.get("Cookie", ""))
        except CookieError:
            return ""
        return cookies[COOKIE].value if COOKIE in cookies else ""

    def _remember(self, token: str, path: str, query: dict[str, list[str]]) -> None:
        # Keep the token in a cookie and out of the address bar.
        rest = urllib.parse.urlencode(query, doseq=True)
        self.send_response(303)
        cookie = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"
        self.send_header("Set-Cookie", cookie)
        # One leading slash only: "//host" would lead to another machine.
        self.send_header("Location", "/" + path.lstrip("/") + (rest and "?" + rest))
        self.send_header("Content-Length", "0")
        self.end_headers()


def same(given: str, token: str) -> bool:
    """Compare without telling by the time taken how much was right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def is_loopback(host: str) -> bool:
    """True for an address that only this machine reaches."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _why(host: str, port: int, error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code == errno.EADDRINUSE:
        rule = "the port must be free"
        cure = "stop the program that has it, or give port=0 to have one picked"
    elif code == errno.EACCES:
        rule = "the port must be one you may open"
        cure = "give a port from 1024 up, or port=0 to have one picked"
    elif isinstance(error, OverflowError):
        rule, cure = "a port is from 0 to 65535", "give port=0 to have one picked"
    else:
        rule = f"the address must be one of this machine ({error})"
        cure = "give host='127.0.0.1'"
    return f"serve: {rule}; host={host}, port={port}; {cure}"


def serve(
    folder: str | os.PathLike[str],
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    open_browser: bool = False,
    token: str | None = None,
    announce: Callable[[str], object] = print,
) -> None:
    """Serve a built site until interrupted, and tell `announce` its address.

    Raises ServeError if the folder is no site, the port is taken or refused, or the
    host is not loopback and there is no token ("auto" makes one).
    """
    server = Server(folder, host, port, token=token)
    announce(server.url)
    if open_browser:
        webbrowser.open(server.url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()

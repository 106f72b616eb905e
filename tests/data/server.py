"""A web server on loopback that serves given bytes, and misbehaves on demand."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Site:
    """What is served, what was asked, and how the server misbehaves.

    `breaks_at`: the connection ends after so many bytes of a body, once a path.
    `ranges`: whether Range is honoured. `lies`: answers to Range start elsewhere.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[tuple[str, str | None]] = []
        self.breaks_at: int | None = None
        self.broken: set[str] = set()
        self.ranges = True
        self.lies = False
        self.url = ""


class _Handler(http.server.BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        site, name = self.site, self.path.lstrip("/")
        wanted = self.headers.get("Range")
        site.asked.append((name, wanted))
        if name not in site.files:
            self.send_error(404)
            return
        body, start = site.files[name], 0
        if wanted and site.ranges:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            self.send_response(206)
            said = 0 if site.lies else start
            self.send_header("Content-Range", f"bytes {said}-{len(body)}/{len(body)}")
            start = said
        else:
            self.send_response(200)
        rest = body[start:]
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        if site.breaks_at is not None and name not in site.broken:
            site.broken.add(name)
            self.wfile.write(rest[: site.breaks_at])
            self.close_connection = True
            return
        self.wfile.write(rest)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Site]:
    """Serve `files` until the block ends."""
    site = Site(files)
    handler = type("Handler", (_Handler,), {"site": site})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

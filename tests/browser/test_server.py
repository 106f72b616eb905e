"""The site's server: what it sends, and whom it refuses. Needs no browser."""

from __future__ import annotations

import http.client
import socket
import urllib.error
import urllib.request

import pytest

from fogo.web.server import ServeError, Server


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "index.html").write_text("<!doctype html><title>site</title>")
    (tmp_path / "app.mjs").write_text("export {};")
    (tmp_path / "kernel.wasm").write_bytes(b"\0asm")
    (tmp_path / "sub").mkdir()
    return tmp_path


@pytest.fixture
def start(folder):
    running = []

    def begin(**options):
        running.append(Server(folder, port=0, **options).start())
        return running[-1]

    yield begin
    for server in running:
        server.stop()


def ask(server, path="/", **headers):
    """One request as it stands, following nothing."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    try:
        connection.request("GET", path, headers=headers)
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read()
    finally:
        connection.close()


def test_pages_are_isolated_and_typed(start):
    server = start()
    status, headers, body = ask(server)
    assert status == 200 and b"site" in body
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
    assert ask(server, "/app.mjs")[1]["Content-Type"].startswith("text/javascript")
    assert ask(server, "/kernel.wasm")[1]["Content-Type"] == "application/wasm"


def test_an_unchanged_file_is_not_sent_again(start):
    server = start()
    changed = ask(server, "/kernel.wasm")[1]["Last-Modified"]
    status, _, body = ask(server, "/kernel.wasm", **{"If-Modified-Since": changed})
    assert (status, body) == (304, b"")


def test_nothing_outside_the_folder_and_no_listing(start):
    server = start()
    assert ask(server, "/../../../../etc/passwd")[0] == 404
    assert ask(server, "/%2e%2e/%2e%2e/etc/passwd")[0] == 404
    assert ask(server, "/sub/")[0] == 404


def test_a_foreign_host_name_is_refused(start):
    assert ask(start(), "/", Host="evil.example")[0] == 403
    assert ask(start(), "/", Host="[::1")[0] == 403


def test_token_comes_by_address_and_stays_as_cookie(start):
    server = start(token="auto")
    assert ask(server)[0] == 403
    assert ask(server, "/?token=wrong")[0] == 403
    assert ask(server, "/", Cookie="fogo_token=wr\u00f6ng")[0] == 403
    status, headers, _ = ask(server, f"/?device=cpu&token={server.token}")
    assert status == 303 and headers["Location"] == "/?device=cpu"
    cookie = headers["Set-Cookie"].split(";")[0]
    assert ask(server, "/?device=cpu", Cookie=cookie)[0] == 200


def test_the_token_redirect_stays_on_this_server(start):
    server = start(token="secret")
    location = ask(server, "//evil.example/?token=secret")[1]["Location"]
    assert location.startswith("/") and not location.startswith("//")


def test_open_address_without_token_is_refused(folder):
    with pytest.raises(ServeError, match=r"needs a token; host=0\.0\.0\.0; give token"):
        Server(folder, host="0.0.0.0")


def test_port_in_use_names_the_port(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServeError, match=rf"free; .*port={port}; .*port=0"):
            Server(folder, port=port)


def test_impossible_port_and_foreign_address(folder):
    with pytest.raises(ServeError, match=r"from 0 to 65535; .*port=70000"):
        Server(folder, port=70000)
    with pytest.raises(ServeError, match="must be one of this machine"):
        Server(folder, host="192.0.2.1", port=0, token="auto")


def test_a_folder_without_site_is_refused(tmp_path):
    with pytest.raises(ServeError, match=r"has no index\.html; build it"):
        Server(tmp_path)


def test_a_browser_opens_the_printed_address(start):
    server = start(token="auto")
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(server.url, timeout=5) as page:
        assert page.status == 200 and "token" not in page.url
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/", timeout=5)

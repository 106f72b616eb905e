"""Downloads from a server on loopback that breaks off, lies or is not there."""

from __future__ import annotations

import hashlib
import random
import socket
import time
from pathlib import Path

import pytest

from fogo.data.download import DownloadError, RemoteFile, fetch
from tests.data.server import Site, serving

BODY = random.Random(5).randbytes(200_000)
FILE = RemoteFile("thing.bin", len(BODY), hashlib.sha256(BODY).hexdigest())


def quiet(_: str) -> None:
    pass


def get(site: Site | str, folder: Path, *more: str) -> Path:
    first = site if isinstance(site, str) else site.url
    return fetch(FILE, [first, *more], folder, timeout_s=2, notify=quiet)


def test_fetches_once_and_leaves_no_part(tmp_path: Path) -> None:
    said: list[str] = []
    with serving({"thing.bin": BODY}) as site:
        path = fetch(FILE, [site.url], tmp_path / "new", notify=said.append)
        assert path.read_bytes() == BODY
        assert get(site, tmp_path / "new") == path
        assert site.asked == [("thing.bin", None)]
    assert [p.name for p in path.parent.iterdir()] == ["thing.bin"]
    assert len(said) == 1 and "0.2 MB" in said[0] and site.url in said[0]


@pytest.mark.parametrize("ranges", [True, False])
def test_resumes_where_it_broke_off(tmp_path: Path, ranges: bool) -> None:
    with serving({"thing.bin": BODY}) as site:
        site.breaks_at, site.ranges = 70_000, ranges
        with pytest.raises(DownloadError, match=f"70000 of {len(BODY)}"):
            get(site, tmp_path)
        assert (tmp_path / "thing.bin.part").stat().st_size == 70_000
        assert not (tmp_path / "thing.bin").exists()
        assert get(site, tmp_path).read_bytes() == BODY
        assert site.asked[1] == ("thing.bin", "bytes=70000-")


def test_the_next_mirror_goes_on_with_the_part(tmp_path: Path) -> None:
    with serving({"thing.bin": BODY}) as first, serving(first.files) as second:
        first.breaks_at = 1000
        assert get(first, tmp_path, second.url).read_bytes() == BODY
        assert second.asked == [("thing.bin", "bytes=1000-")]


def test_an_answer_that_starts_elsewhere_is_not_appended(tmp_path: Path) -> None:
    with serving({"thing.bin": BODY}) as site:
        site.lies = True
        (tmp_path / "thing.bin.part").write_bytes(BODY[:500])
        assert get(site, tmp_path).read_bytes() == BODY


@pytest.mark.parametrize(
    "wrong", [BODY[:-1] + b"?", BODY + b"more"], ids=["changed", "longer"]
)
def test_wrong_contents_are_thrown_away(tmp_path: Path, wrong: bytes) -> None:
    with serving({"thing.bin": wrong}) as site:
        with pytest.raises(DownloadError, match="not the 200000 bytes of SHA-256"):
            get(site, tmp_path)
        assert list(tmp_path.iterdir()) == []
        site.files["thing.bin"] = BODY
        assert get(site, tmp_path).read_bytes() == BODY


def test_a_wrong_part_is_found_out_and_fetched_anew(tmp_path: Path) -> None:
    (tmp_path / "thing.bin.part").write_bytes(bytes(1000))
    with serving({"thing.bin": BODY}) as site:
        assert get(site, tmp_path, site.url).read_bytes() == BODY
        assert [asked[1] for asked in site.asked] == ["bytes=1000-", None]


def test_a_whole_part_needs_no_server(tmp_path: Path) -> None:
    (tmp_path / "thing.bin.part").write_bytes(BODY)
    assert get("http://127.0.0.1:9", tmp_path).read_bytes() == BODY


def test_names_every_mirror_and_reason(tmp_path: Path) -> None:
    with serving({}) as site, pytest.raises(DownloadError) as caught:
        get(site, tmp_path, "http://127.0.0.1:9/", "nonsense")
    message = str(caught.value)
    assert f"{site.url}/thing.bin: Not Found" in message
    assert "http://127.0.0.1:9/thing.bin:" in message
    assert "nonsense/thing.bin: unknown url type" in message


def test_a_silent_server_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        begun = time.monotonic()
        with pytest.raises(DownloadError, match="timed out"):
            fetch(FILE, [url], tmp_path, timeout_s=0.2, notify=quiet)
    assert time.monotonic() - begun < 2


def test_the_whole_is_bounded_too(tmp_path: Path) -> None:
    with serving({"thing.bin": BODY}) as site:
        with pytest.raises(DownloadError, match="took too long"):
            fetch(FILE, [site.url], tmp_path, limit_s=-1, notify=quiet)

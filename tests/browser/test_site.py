"""Building the static site, and packing our wheel for it. Needs no browser."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fogo.errors import FormatError
from fogo.web import assets, site
from fogo.web.assets import AssetError
from fogo.web.site import SiteError, build_site
from fogo.web.wheel import pack
from tests.browser.conftest import WEIGHTS


@pytest.fixture
def weights(tmp_path):
    return Path(shutil.copy(WEIGHTS, tmp_path))


@pytest.fixture
def no_pyodide(monkeypatch, tmp_path):
    """A machine with an empty cache and no npm packages."""
    monkeypatch.setenv("FOGO_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FOGO_NODE_MODULES", raising=False)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")


@pytest.fixture
def fake_assets(monkeypatch, tmp_path):
    """Pyodide and micropip as small files, so that a build fetches nothing."""
    folder = tmp_path / "fake"
    folder.mkdir()
    for name in assets.PYODIDE_FILES:
        (folder / name).write_text("x" * 10)
    (folder / "micropip-1-py3-none-any.whl").write_text("m")
    monkeypatch.setattr(site, "pyodide_folder", lambda say: folder)
    wheel = folder / "micropip-1-py3-none-any.whl"
    monkeypatch.setattr(site, "micropip_wheel", lambda say: wheel)


def test_a_site_has_all_its_files_and_says_so(tmp_path, weights, fake_assets):
    said = []
    out = build_site(tmp_path / "new" / "site", weights, progress=said.append)
    manifest = json.loads((out / "site.json").read_text())
    assert (out / manifest["wheel"]).is_file()
    assert (out / manifest["weights"]).read_bytes() == weights.read_bytes()
    assert (out / manifest["micropip"]).is_file()
    assert manifest["pyodide"]["url"] == "./pyodide/"
    assert manifest["bytes"]["pyodide.asm.wasm"] == 10
    for name in ("index.html", "app.js", "worker.js", "player.js", "style.css"):
        assert (out / name).is_file()
    assert said[-1] == f"site in {out}"


def test_a_site_from_the_cdn_needs_no_pyodide_here(tmp_path, weights, no_pyodide):
    out = build_site(tmp_path / "site", weights, cdn=True)
    manifest = json.loads((out / "site.json").read_text())
    assert manifest["pyodide"]["url"].startswith("https://")
    assert assets.PYODIDE in manifest["pyodide"]["url"]
    assert manifest["micropip"] == "micropip"
    assert not (out / "pyodide").exists()


def test_building_again_replaces_the_site(tmp_path, weights, fake_assets):
    out = build_site(tmp_path / "site", weights)
    (out / "left-over.txt").write_text("old")
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    build_site(out, weights)
    assert not (out / "left-over.txt").exists()
    assert (out / "weights.safetensors").read_bytes() == weights.read_bytes()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".site")] == []


def test_a_failed_build_leaves_the_old_site(
    tmp_path, weights, fake_assets, monkeypatch
):
    out = build_site(tmp_path / "site", weights)
    before = {p.name for p in out.iterdir()}

    def fail(say):
        raise AssetError("build_site: no network")

    monkeypatch.setattr(site, "micropip_wheel", fail)
    with pytest.raises(AssetError):
        build_site(out, weights)
    assert {p.name for p in out.iterdir()} == before
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".site")] == []


def test_a_folder_with_other_files_is_not_touched(tmp_path, weights):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("...")
    with pytest.raises(SiteError, match="holds other files; give another folder"):
        build_site(tmp_path / "thesis", weights)
    assert (tmp_path / "thesis" / "chapter1.tex").is_file()


def test_missing_weights_are_named_before_anything_is_done(tmp_path):
    with pytest.raises(SiteError, match=r"weights=.*none\.safetensors; train them"):
        build_site(tmp_path / "site", tmp_path / "none.safetensors")
    assert not (tmp_path / "site").exists()


def test_weights_of_another_network_are_refused(tmp_path, weights):
    weights.write_bytes(b"\2\0\0\0\0\0\0\0{}")
    with pytest.raises(FormatError, match=r"missing \(.*conv1\.weight"):
        build_site(tmp_path / "site", weights)
    weights.write_bytes(b"\xff" * 64)
    with pytest.raises(FormatError, match="safetensors: "):
        build_site(tmp_path / "site", weights)
    assert not (tmp_path / "site").exists()


def test_a_target_that_cannot_be_written(tmp_path, weights):
    (tmp_path / "file").write_text("")
    with pytest.raises(SiteError, match="must be a folder; .* is a file"):
        build_site(tmp_path / "file", weights)
    with pytest.raises(SiteError, match="must be writable; .*give another folder"):
        build_site(tmp_path / "file" / "site", weights)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_an_unwritable_folder(tmp_path, weights):
    (tmp_path / "locked").mkdir(mode=0o555)
    with pytest.raises(SiteError, match="must be writable; .*give another folder"):
        build_site(tmp_path / "locked" / "site", weights)


def test_without_npm_it_names_the_cdn(tmp_path, weights, no_pyodide, monkeypatch):
    monkeypatch.setattr(assets.shutil, "which", lambda name: None)
    with pytest.raises(AssetError, match="there is no npm here; .*--cdn"):
        build_site(tmp_path / "site", weights)
    assert not (tmp_path / "site").exists()


def test_a_registry_out_of_reach_says_what_it_said(
    tmp_path, weights, no_pyodide, monkeypatch
):
    failing = [sys.executable, "-c", "import sys; sys.exit('ENOTFOUND registry')"]
    run = subprocess.run
    monkeypatch.setattr(assets.shutil, "which", lambda name: name)
    monkeypatch.setattr(
        assets.subprocess, "run", lambda command, **options: run(failing, **options)
    )
    with pytest.raises(AssetError, match=r"Pyodide could not be fetched; .*ENOTFOUND"):
        build_site(tmp_path / "site", weights)


def test_the_cache_may_be_unwritable(tmp_path, weights, no_pyodide, monkeypatch):
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setattr(assets.shutil, "which", lambda name: name)
    with pytest.raises(AssetError, match="cache must be writable; .*FOGO_CACHE"):
        build_site(tmp_path / "site", weights)


def test_the_wheel_is_what_runs_here(tmp_path):
    path = pack(tmp_path)
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        assert {"fogo/errors.py", "fogo/web/static/player.js"} <= set(names)
        assert not [name for name in names if "__pycache__" in name]
        info = path.name.removesuffix("-py3-none-any.whl") + ".dist-info"
        record = wheel.read(f"{info}/RECORD").decode()
        for name, digest, size in csv.reader(io.StringIO(record)):
            if name != f"{info}/RECORD":
                data = wheel.read(name)
                found = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
                assert digest == "sha256=" + found.decode().rstrip("=")
                assert int(size) == len(data)
        assert "Name: fogo" in wheel.read(f"{info}/METADATA").decode()
    assert path.stat().st_size < 900_000  # all of the API; a page of one's own: later
    assert not [name for name in names if name.startswith("fogo/native/")]
    (tmp_path / "again").mkdir()
    assert pack(tmp_path / "again").read_bytes() == path.read_bytes()


def test_the_packed_wheel_imports_by_itself(tmp_path):
    path = pack(tmp_path)
    program = "import fogo, fogo.web.server; print(fogo.__file__)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env=dict(os.environ, PYTHONPATH=str(path)),
        capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert path.name in done.stdout, done.stderr

"""The `fogo` command: what goes wrong is told in one line, before work is lost."""

from __future__ import annotations

import gzip
import os
import re
import socket
import struct
from pathlib import Path

import pytest

import fogo
from fogo.cli import main
from fogo.cli import mnist as command


@pytest.fixture
def untrained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test if anything gets as far as training."""

    def train(*_: object, **__: object) -> None:
        pytest.fail("training began")

    monkeypatch.setattr(command, "train_mnist", train)


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the only line on stderr."""
    text = capsys.readouterr().err
    assert text.startswith("fogo: ") and text.endswith("\n")
    assert text.count("\n") == 1
    return text


def demo(tmp_path: Path, *more: str) -> int:
    return main(["demo", "mnist", "--out", str(tmp_path / "out"), "--cdn", *more])


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"fogo {fogo.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "required: command"),
        (["train"], "invalid choice: 'train'"),
        (["demo", "cifar"], "invalid choice: 'cifar'"),
        (["demo", "mnist", "--epochs", "0"], "from 1 up; given '0'"),
        (["demo", "mnist", "--port", "65536"], "0 to 65535; given '65536'"),
        (["demo", "mnist", "--ports", "1"], "unrecognized arguments: --ports"),
    ],
)
def test_a_wrong_command_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], text: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert text in one_line(capsys)


def test_devices_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(fogo.devices()) + 1
    for line, (name, kind, _) in zip(lines, fogo.devices()):
        assert line.split()[:2] == [name, kind]
    best = fogo.best_device()
    assert lines[-1] == f"best: {best.name} ({best.reason})"


def test_a_taken_port_stops_it_before_training(
    tmp_path: Path, untrained: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert demo(tmp_path, "--port", str(port)) == 2
    assert f"the port is taken; host=127.0.0.1, port={port}" in one_line(capsys)


def test_an_unwritable_folder_stops_it_before_training(
    tmp_path: Path, untrained: None, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("in the way")
    assert demo(tmp_path, "--port", "0") == 2
    assert "the folder cannot be written" in one_line(capsys)


def test_a_folder_with_other_files_stops_it_before_training(
    tmp_path: Path, untrained: None, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out" / "site").mkdir(parents=True)
    (tmp_path / "out" / "site" / "thesis.txt").write_text("years of work")
    assert demo(tmp_path, "--port", "0") == 2
    assert "holds other files" in one_line(capsys)
    assert (tmp_path / "out/site/thesis.txt").read_text() == "years of work"


def test_an_unknown_device_stops_it_before_training(
    tmp_path: Path, untrained: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo(tmp_path, "--port", "0", "--device", "abacus") == 2
    assert "no such device; given 'abacus'" in one_line(capsys)


@pytest.mark.parametrize("lie", ["truncated", "claims 2^60"])
def test_a_damaged_digits_file_stops_it_before_training(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    lie: str,
) -> None:
    folder = tmp_path / "cache" / "mnist"
    folder.mkdir(parents=True)
    sizes = (2**20,) * 3 if lie == "claims 2^60" else (3, 28, 28)
    images = struct.pack(">4B3I", 0, 0, 8, 3, *sizes) + bytes(100)
    (folder / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
    labels = struct.pack(">4BI", 0, 0, 8, 1, 3) + bytes(3)
    (folder / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels))
    monkeypatch.setenv("FOGO_CACHE", str(tmp_path / "cache"))
    assert demo(tmp_path, "--no-serve", "--device", "python") == 2
    line = one_line(capsys)
    assert "train-images-idx3-ubyte.gz" in line and "offset=" in line
    assert not (tmp_path / "out" / "mnist.safetensors").exists()


def test_the_traceback_is_there_for_those_who_ask(
    tmp_path: Path,
    untrained: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FOGO_DEBUG", "1")
    assert demo(tmp_path, "--port", "0", "--device", "abacus") == 2
    text = capsys.readouterr().err
    assert "Traceback" in text and "DeviceError" in text
    assert text.splitlines()[-1].startswith("fogo: device: no such device")


def test_our_own_bugs_are_one_line_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "train_mnist", lambda *_, **__: 1 / 0)
    assert demo(tmp_path, "--no-serve", "--device", "python") == 1
    assert "internal: ZeroDivisionError: division by zero" in one_line(capsys)


def test_an_interrupt_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "train_mnist", stop)
    assert demo(tmp_path, "--no-serve", "--device", "python") == 130
    assert one_line(capsys) == "fogo: stopped\n"


def test_the_installed_command_starts(tmp_path: Path) -> None:
    import subprocess
    import sys

    found = subprocess.run(
        [sys.executable, "-m", "fogo", "demo", "mnist", "--help"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    for option in "device epochs seed host port out cdn no-serve no-browser".split():
        assert re.search(rf"^  --{option}\b", found.stdout, re.MULTILINE)

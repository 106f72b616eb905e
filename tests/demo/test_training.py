"""Training the demo's network: accuracy, the weights' file, seeds and Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import fogo
from fogo.cli import main
from fogo.data import DataLoader, MnistDataset
from fogo.demo.net import MnistNet
from fogo.demo.training import train_mnist
from fogo.store import load_safetensors
from fogo.train import measure

Digits = tuple[MnistDataset, MnistDataset]
Process = subprocess.Popen[str]


def test_a_third_of_the_demos_training_reads_nearly_all(
    digits: Digits, tmp_path: Path
) -> None:
    """Eight epochs; the demo takes 24. The bar is the one for the whole demo."""
    weights = tmp_path / "mnist.safetensors"
    trained = train_mnist(fogo.device("numpy"), weights, epochs=8, data=digits)
    found = trained.history.accuracies[-1]
    print(f"accuracy: {found:.1%}")
    assert found >= 0.965
    # What was written, in float16, reads as well as what was trained.
    net = MnistNet(device="numpy")
    net.load_state_dict(load_safetensors(weights, "numpy"))
    batches = DataLoader(digits[1], 500, device="numpy")
    assert abs(measure(net, batches) - found) <= 0.003


def header(path: Path) -> dict[str, dict[str, object]]:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    found = json.loads(data[8 : 8 + length])
    found.pop("__metadata__", None)
    return found


def run(out: Path, seed: int) -> Path:
    command = ["demo", "mnist", "--device", "numpy", "--no-serve", "--cdn"]
    command += ["--epochs", "1", "--seed", str(seed), "--out", str(out)]
    assert main(command) == 0
    return out / "mnist.safetensors"


def test_the_command_trains_and_builds(
    small_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = run(tmp_path / "out", seed=0)
    said = capsys.readouterr().out
    assert "device: numpy (asked for)" in said
    assert "training MnistNet (21,118 parameters): 1 epoch of 10 batches" in said
    assert "% of the held-out digits right" in said
    kinds = {entry["dtype"] for entry in header(weights).values()}
    assert "F16" in kinds and "F32" not in kinds
    assert weights.stat().st_size < 60_000
    site = tmp_path / "out" / "site"
    assert (site / "index.html").is_file()
    assert (site / "weights.safetensors").read_bytes() == weights.read_bytes()


def test_the_seed_fixes_the_weights(small_cache: Path, tmp_path: Path) -> None:
    one = run(tmp_path / "a", seed=5).read_bytes()
    assert run(tmp_path / "b", seed=5).read_bytes() == one
    assert run(tmp_path / "c", seed=6).read_bytes() != one


@pytest.fixture
def start(small_cache: Path, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Start the demo as a user does; it is stopped at the end, if need be."""
    started: list[Process] = []

    def run(*options: str) -> Process:
        command = [sys.executable, "-m", "fogo", "demo", "mnist", "--device", "numpy"]
        command += ["--cdn", "--out", str(tmp_path / "out"), *options]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "FOGO_CACHE": str(small_cache)},
        )  # fmt: skip
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def line_of(process: Process, start: str) -> str:
    """Read up to the line that begins so, and return it."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(start):
            return line
    pytest.fail(f"the demo ended without saying {start!r}")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send there")
def test_ctrl_c_leaves_the_network_so_far(
    start: Callable[..., Process], tmp_path: Path
) -> None:
    process = start("--no-serve", "--epochs", "500")
    line_of(process, "epoch 1/500")
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == "fogo: stopped\n"
    left = tmp_path / "out" / "mnist-part.safetensors"
    assert f"stopped; the network so far is in {left}" in said
    report = MnistNet(device="python").load_state_dict(load_safetensors(left, "python"))
    assert report.missing_keys == report.unexpected_keys == []
    assert not (tmp_path / "out" / "mnist.safetensors").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send there")
def test_it_serves_until_interrupted(start: Callable[..., Process]) -> None:
    process = start("--port", "0", "--no-browser", "--epochs", "1")
    url = line_of(process, "draw digits at ").split()[3]
    with urllib.request.urlopen(url, timeout=10) as reply:
        page = reply.read().decode()
        # WebGPU needs neither, threads need both.
        assert reply.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert reply.headers["Cross-Origin-Embedder-Policy"] == "require-corp"
    assert page.lstrip().lower().startswith("<!doctype html>")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")

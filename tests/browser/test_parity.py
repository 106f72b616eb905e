"""Training in Chromium, on WebGPU from Pyodide, agrees with NumPy step by step."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fogo.data import DownloadError
from tests.parity import digits8
from tests.parity.compare import worst_gradient, worst_loss
from tests.parity.data import load_digits8

if TYPE_CHECKING:
    from tests.browser.pyodide import Pyodide

PROGRAM = """
import json, sys
import fogo.webgpu
sys.path.insert(0, "/parity")
import digits8
gpu = await fogo.webgpu.open_gpu()
data = json.load(open("/parity/data.json"))
[await digits8.losses("webgpu", "sgd", data),
 await digits8.losses("webgpu", "adam", data),
 await digits8.gradients("webgpu", data)]
"""


def test_training_in_the_browser_agrees(python: Pyodide) -> None:
    try:
        data = load_digits8(digits8.ROWS)
    except DownloadError as error:
        pytest.skip(f"the 8x8 digits cannot be fetched: {error}")
    files = {
        "/parity/digits8.py": Path(digits8.__file__).read_bytes(),
        "/parity/data.json": json.dumps(data).encode(),
    }
    sgd, adam, gradients = python.run(PROGRAM, files, timeout_s=600).value
    for name, found in (("sgd", sgd), ("adam", adam)):
        # Playwright's loop counts as running: this one runs in a thread of its own.
        expected = in_thread(digits8.losses("numpy", name, data))
        print(f"chromium {name}: {worst_loss(found, expected):.1e} from numpy")
        assert worst_loss(found, expected) < 1e-5
        assert sum(found[-5:]) / 5 < found[0] / 2
    expected = in_thread(digits8.gradients("numpy", data))
    assert worst_gradient([tuple(pair) for pair in gradients], expected) < 1e-5


def in_thread(coroutine):
    """Run a coroutine to its end in another thread."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()

"""What `dir` lists, and so what a shell completes."""

from __future__ import annotations

import subprocess
import sys

import fogo


def test_a_shell_can_complete_what_is_not_loaded_yet() -> None:
    code = "import fogo; print(*dir(fogo)); print(*dir(fogo.tensor(1.0)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    names, methods = [line.split() for line in done.stdout.splitlines()]
    assert {"exp", "arange", "nn", "no_grad", "tensor", "Tensor"} <= set(names)
    assert {"exp", "sum", "reshape", "numpy", "shape"} <= set(methods)
    assert not {"arange", "stack"} & set(methods)
    for name in names:
        assert getattr(fogo, name) is not None, name

"""What `dir` lists, and so what a shell completes."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

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
    assert not {"annotations", "_HOMES", "backend", "methods"} & set(names)
    for name in names:
        assert getattr(fogo, name) is not None or name == "newaxis", name


@pytest.mark.parametrize(
    ("room", "some"),
    [
        (fogo.nn, {"Linear", "Conv2d", "CrossEntropyLoss", "Module", "init"}),
        (fogo.optim, {"SGD", "AdamW", "StepLR", "clip_grad_norm_"}),
        (fogo.train, {"fit", "measure"}),
        (fogo.data, {"DataLoader", "TensorDataset"}),
        (fogo.store, {"load_safetensors", "save_safetensors"}),
    ],
)
def test_rooms_list_what_is_in_them(room: ModuleType, some: set[str]) -> None:
    names = set(dir(room))
    assert some <= names
    assert not {"annotations", "_FILES", "linear", "sgd", "loop", "header"} & names
    for name in names:
        assert getattr(room, name) is not None, name

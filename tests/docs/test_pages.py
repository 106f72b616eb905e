"""The code of the pages runs, and what they say of PyTorch and of fogo is so."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import fogo
from docs.tools.rows import unresolved
from fogo import nn, optim
from tests.support.runtimes import ROOT

PAGES = ROOT / "docs"


def blocks(page: str) -> list[str]:
    text = (PAGES / page).read_text()
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def table(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading, without its first two lines."""
    text = (PAGES / page).read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[c.strip() for c in line[1:-1].split(" | ")] for line in lines[2:]]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("page", ["index.md", "quickstart.md"])
def test_programs_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = blocks(page)
    assert found
    exec("\n".join(found), {"__name__": page})


VALUES = np.array([[1.5, 4.0, 2.5], [3.0, 0.5, 6.0]], np.float32)


def names_of_torch() -> dict[str, Any]:
    w = torch.tensor(VALUES, requires_grad=True)
    i = torch.arange(3)
    names = {"torch": torch, "x": torch.tensor(VALUES), "w": w, "i": i, "io": io}
    return names | {"model": torch.nn.Linear(3, 1)}


def names_of_fogo() -> dict[str, Any]:
    device = fogo.device("cpu").autodiff()
    w = fogo.tensor(VALUES.tolist(), device=device).requires_grad_()
    model = nn.Linear(3, 1, device=device)
    names = {"w": w, "model": model, "grads": model(w).sum().backward()}
    return names | {
        "fogo": fogo, "torch": fogo, "nn": nn, "optim": optim,
        "x": fogo.tensor(VALUES.tolist()), "i": fogo.arange(3),
    }  # fmt: skip


SAME = [code(cells[1])[0] for cells in table("pytorch.md", "The same")]


@pytest.mark.parametrize("text", SAME)
def test_the_same_as_pytorch(text: str) -> None:
    theirs = eval(text, names_of_torch()).detach().numpy()
    ours = eval(text, names_of_fogo())
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(np.array(ours.tolist()), theirs, 1e-5, 1e-6)


@pytest.mark.parametrize("cells", table("pytorch.md", "Different"), ids=lambda c: c[1])
def test_different_from_pytorch(cells: list[str]) -> None:
    """What is in the columns runs; a comparison is true; results are as said."""
    theirs, ours, why = cells
    assert why
    for text in code(theirs):
        assert eval(text, names_of_torch()) is not False, text
    for text in code(ours):
        assert eval(text, names_of_fogo()) is not False, text


def test_values_do_not_change_under_views() -> None:
    x = fogo.zeros((2, 3))
    v = x[0]
    v[0] = 1
    assert x.sum().item() == 0
    x[0, 0] = 1
    assert x.sum().item() == 1 and v.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    "heading", ["Ideas", "Tensors", "Modules", "Layers and losses", "Optimisers"]
)
def test_what_burn_users_find_is_there(heading: str) -> None:
    names = names_of_fogo()
    for theirs, ours, *_ in table("burn.md", heading):
        assert code(theirs), theirs
        for text in code(ours):  # what is not code says so without backquotes
            if re.search(r"[\[(=<>]", text):
                exec(text, dict(names))
            else:
                assert unresolved(text) is None, text

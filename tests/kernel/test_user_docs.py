"""What docs/kernels.md shows runs as it stands, on every device."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import fogo
from tests.support.runtimes import ROOT

PAGE = (ROOT / "docs" / "kernels.md").read_text()


@pytest.fixture
def as_default(device: fogo.Device) -> Iterator[fogo.Device]:
    before = fogo.default_device()
    fogo.set_default_device(device)
    yield device
    fogo.set_default_device(before)


def test_the_page_runs(as_default: fogo.Device) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) > 5
    space: dict[str, Any] = {}
    for block in blocks:
        line = PAGE[: PAGE.index(block)].count("\n")
        exec(compile("\n" * line + block, "docs/kernels.md", "exec"), space)


def test_the_page_names_every_operation() -> None:
    """The tables list what the language has, and nothing else."""
    from fogo.kernel.group import ATOMICS, SUBGROUP
    from fogo.kernel.ir import Kernel

    made = {"emit", "fresh", "param", "bindings", "begin_groups"}
    public = {n for n in dir(Kernel) if not n.startswith("_")} - made
    shown = set(re.findall(r"`(?:with )?k\.(\w+)", PAGE))
    assert public - shown == set()
    assert shown - public <= {"local"}
    for name in ATOMICS + SUBGROUP:
        assert re.search(rf"[` ]{name}[` ]", PAGE), name

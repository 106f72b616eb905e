"""The README's program runs as it is printed there, and its second command is ours."""

from __future__ import annotations

import re

import fogo
from tests.support.runtimes import ROOT

README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_programs_learn_xor() -> None:
    plain, captured = blocks("python")
    names: dict[str, fogo.Tensor] = {}
    fogo.manual_seed(0)
    exec(plain, names)
    assert names["loss"].item() < 1e-3
    if "webgpu" not in [name for name, kind, _ in fogo.devices() if kind != "missing"]:
        captured = captured.replace("webgpu", "cpu")
    fogo.manual_seed(0)
    exec(captured, names)
    assert names["loss"].item() < 1e-2


def test_the_second_command_is_the_test_command() -> None:
    assert blocks("sh")[1].split() == ["tests/run"]
    assert "exec tests/run" in (ROOT / ".ci" / "run").read_text()

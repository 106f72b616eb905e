"""The programs of docs/array-api.md run, in order, as one."""

from __future__ import annotations

import re
from typing import Any

from tests.support.runtimes import ROOT


def test_the_page_runs() -> None:
    text = (ROOT / "docs" / "array-api.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)

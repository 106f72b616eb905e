"""What FOGO_EXPECT names is here: an absent backend fails instead of skipping."""

from __future__ import annotations

import pytest

from tests.support import runtimes


@pytest.mark.parametrize("name", runtimes.expected() or ["python"])
def test_is_present(name: str) -> None:
    assert runtimes.why_absent(name) is None

"""Options of printing by PyTorch's names: long rows, exponents."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import fogo


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """Put the options back."""
    yield
    fogo.set_printoptions(4, 1000, 3, 0, "auto")


def test_long_rows_go_on_in_the_next_line() -> None:
    x = fogo.arange(7, dtype="float32", device="python")
    fogo.set_printoptions(linewidth=20)
    assert repr(x) == (
        "tensor([0., 1., 2.,\n        3., 4., 5.,\n        6.], device=python)"
    )


def test_exponents() -> None:
    x = fogo.tensor([1.5, 1e-7], device="python")
    assert repr(x) == "tensor([    1.5000, 1.0000e-07], device=python)"
    fogo.set_printoptions(precision=2, sci_mode=True)
    assert repr(x) == "tensor([1.50e+00, 1.00e-07], device=python)"
    fogo.set_printoptions(sci_mode=False)
    assert repr(x) == "tensor([1.50, 0.00], device=python)"


def test_items_that_stay() -> None:
    fogo.set_printoptions(threshold=3, edgeitems=1)
    x = fogo.arange(9, device="python").astype("int32")
    assert repr(x) == "tensor([0, ..., 8], dtype=int32, device=python)"

"""fogo.gradcheck itself: right gradients pass, wrong ones do not."""

from __future__ import annotations

import pytest

import fogo

HELD = ("python", "numpy")


def wrong(factor: float) -> fogo.custom_vjp:
    """x squared, with a gradient that is `factor` times too large."""
    f = fogo.custom_vjp(lambda x: x * x)
    f.defvjp(lambda x: (x * x, x), lambda x, g: (g * x * (2.0 * factor),))
    return f


@pytest.mark.parametrize("name", HELD)
def test_right_gradients_pass(name: str) -> None:
    x = fogo.tensor([[0.5, 1.5], [2.5, -0.5]], dtype="float64", device=name)
    y = fogo.tensor([1.0, 2.0], dtype="float64", device=name)
    assert fogo.gradcheck(lambda x, y: (x @ y, (x * y).sin()), (x, y))
    assert fogo.gradgradcheck(lambda x, y: (x @ y) ** 3, (x, y))
    assert fogo.gradcheck(wrong(1.0), x)


@pytest.mark.parametrize("name", HELD)
def test_wrong_gradients_do_not(name: str) -> None:
    x = fogo.tensor([0.5, 1.5], dtype="float64", device=name)
    with pytest.raises(fogo.AutodiffError, match="output 0, element 0, by input 0"):
        fogo.gradcheck(wrong(1.01), x)
    assert fogo.gradcheck(wrong(1.01), x, raise_exception=False) is False
    assert fogo.gradgradcheck(wrong(1.01), x, raise_exception=False)


def test_float64_is_needed() -> None:
    with pytest.raises(fogo.DTypeError, match="need float64"):
        fogo.gradcheck(fogo.sin, fogo.ones(2, device="python"))

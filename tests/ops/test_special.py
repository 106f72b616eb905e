"""Special functions where the grid has no values: negative arguments, tails, by hand.

The numbers are mpmath's in 30 digits.
"""

from __future__ import annotations

import math

import pytest

import fogo


def gradient(function: object, value: float, device: fogo.Device) -> float:
    x = fogo.tensor([value], device=device.autodiff()).requires_grad_()
    return float(function(x).sum().backward()[x].item())  # type: ignore[operator]


@pytest.mark.parametrize(
    ("value", "log_gamma", "digamma", "trigamma"),
    [
        (-0.5, 1.2655121234846454, 0.03648997397857652, 8.934802200544679),
        (-2.5, -0.056243716497674054, 1.1031566406452431, 9.539246644989123),
        (1.0, 0.0, -0.5772156649015329, math.pi**2 / 6),
        (0.5, math.log(math.pi) / 2, -1.9635100260214235, math.pi**2 / 2),
    ],
)
def test_gamma_functions(
    value: float,
    log_gamma: float,
    digamma: float,
    trigamma: float,
    device: fogo.Device,
) -> None:
    x = fogo.tensor([value], device=device)
    assert fogo.lgamma(x).item() == pytest.approx(log_gamma, rel=3e-6, abs=2e-6)
    assert fogo.digamma(x).item() == pytest.approx(digamma, rel=1e-5, abs=3e-6)
    assert gradient(fogo.lgamma, value, device) == pytest.approx(digamma, abs=1e-5)
    assert gradient(fogo.digamma, value, device) == pytest.approx(trigamma, rel=1e-5)


def test_erfc_holds_its_digits_in_the_tail(device: fogo.Device) -> None:
    found = fogo.erfc(fogo.tensor([2.0, 5.0, 8.0], device=device)).tolist()
    wanted = [0.004677734981047266, 1.5374597944280349e-12, 1.1224297172982928e-29]
    assert found == pytest.approx(wanted, rel=1e-5)


def test_erfinv_near_its_ends(device: fogo.Device) -> None:
    """The nearest float32 to 1 below it, and 1 itself."""
    ends = fogo.tensor([1.0 - 2.0**-24, 1.0, -1.0, 2.0], device=device)
    near, one, minus, beyond = fogo.erfinv(ends).tolist()
    assert near == pytest.approx(3.832506856900711, rel=1e-6)
    assert (one, minus) == (math.inf, -math.inf) and math.isnan(beyond)


@pytest.mark.parametrize(
    ("p", "wanted"),
    [(math.inf, [[4.0, 0.0]]), (0.0, [[2.0, 0.0]]), (2.0, [[5.0, 0.0]])],
)
def test_cdist_of_rows_that_meet(
    p: float, wanted: list[list[float]], device: fogo.Device
) -> None:
    """Its gradient is 0, not nan, where two rows are one."""
    x = fogo.tensor([[3.0, 4.0]], device=device.autodiff()).requires_grad_()
    others = fogo.tensor([[0.0, 0.0], [3.0, 4.0]], device=device)
    found = fogo.cdist(x, others, p)
    assert found.tolist() == wanted
    if p == 2.0:
        slope = found.sum().backward()[x].tolist()[0]
        assert slope == pytest.approx([0.6, 0.8])

"""Difference quotients for every function with a gradient, and for its gradient."""

from __future__ import annotations

from typing import Any

import pytest

import fogo
from fogo.backend import autodiff
from fogo.ops.record import REGISTRY, Op
from fogo.optim import update
from fogo.tree import flatten, unflatten
from tests.ops import grid
from tests.ops.rows import ROWS, Row, load
from tests.ops.test_coverage import ELSEWHERE as LAYERS
from tests.ops.test_coverage import linear_algebra
from tests.shared import cases
from tests.support import sampling

load()
DEVICE = "numpy"
NAMES = sorted(
    n
    for n, r in ROWS.items()
    if r.torch is not None and not r.creates and "float64" in r.dtypes
)
LARGEST = 40  # elements of all inputs: a quotient takes two runs for each
SMALLEST = 12  # for second derivatives
# The gradient is no function of the input alone, or has a jump where it is tried.
ROUGH = {
    "astype": "to float16: rounding is a staircase",
    "mode": "an element that moves is no longer one of the equal ones",
}
# Ops whose gradients are checked by other tests.
ELSEWHERE = {
    "cast_float64": "from a narrower float: the grid of astype",
    "ctc_alignment_grad": "raises on purpose: a first derivative only",
    "narrow_bfloat16": "a staircase: tests/shared/test_bfloat16.py",
    "widen_bfloat16": "from bfloat16: tests/shared/test_bfloat16.py",
    "transducer_grad": "raises on purpose: a first derivative only",
}


def small(row: Row, most: int) -> list[Any]:
    """The row's plain cases whose inputs are small; the smallest, if none is."""
    if not row.samples:
        return []
    if row.elementwise:
        made = [grid._drawn(row, "float64", "odd", list(row.samples), ((2, 3),) * 3)]
    else:
        made = [
            grid._sample(row, "float64", s, f"{i}-plain", "plain")
            for i, s in enumerate(row.samples)
        ]
    sizes = [sum(getattr(a, "size", 1) for a in c["arrays"]) for c in made]
    order = sorted(range(len(made)), key=lambda i: sizes[i])
    return [made[i] for i in order if sizes[i] <= most] or [made[order[0]]]


def function(row: Row, case: Any) -> tuple[Any, list[Any]]:
    """The function of the case's float64 tensors, and these tensors."""
    from tests.ops import expect

    spec = expect.complete(row, "float64", case)
    device = fogo.device(DEVICE)
    inputs = [cases.build(s, device) for s in spec["inputs"]]
    places = [
        i
        for i, x in enumerate(inputs)
        if isinstance(x, fogo.Tensor) and x.dtype is fogo.float64
    ]

    def call(*given: Any) -> list[Any]:
        cases.restart(spec, device)
        args = list(inputs)
        for i, x in zip(places, given):
            args[i] = x
        outs = cases.call(spec, args, device)
        return [outs[i] for i in carry] if carry is not None else outs

    carry: list[int] | None = None
    points = [inputs[i] for i in places]
    tracked = call(*[x.to(device.autodiff()).requires_grad_() for x in points])
    carry = [i for i, y in enumerate(tracked) if y.requires_grad]
    return call, points


def kept(test: str) -> bool:
    return sampling.keep(test, sampling.fraction() ** 0.5)


def run(name: str, check: Any, most: int) -> int:
    """Check the gradients of a row's small cases; returns how many there were."""
    row = ROWS[name]
    done = 0
    for case in small(row, most):
        call, points = function(row, case)
        if not points or not call(*points):
            continue
        check(call, tuple(points), eps=1e-5, atol=2e-5, rtol=1e-4)
        done += 1
    return done


@pytest.mark.parametrize("name", NAMES)
def test_gradcheck(name: str) -> None:
    if kept(f"first-{name}") and name not in ROUGH:
        run(name, fogo.gradcheck, LARGEST)


@pytest.mark.parametrize("name", [n for n in NAMES if ROWS[n].second])
def test_gradgradcheck(name: str) -> None:
    if kept(f"second-{name}") and name not in ROUGH:
        run(name, fogo.gradgradcheck, SMALLEST)


def slices(x: fogo.Tensor) -> fogo.Tensor:
    """Parts of one tensor, whose gradients are put together by one op."""
    return x[:2, :2] * x[2:, 2:].exp()


def test_slices_of_one_tensor() -> None:
    x = fogo.arange(16.0, dtype="float64", device=DEVICE).reshape(4, 4) * 0.1
    assert fogo.gradcheck(slices, x)
    assert fogo.gradgradcheck(slices, x)


def differentiable(op: Op) -> bool:
    """Say whether an op has a gradient, written or derived."""
    if op.grad is not None:
        return True
    if op.formula is None:
        return False
    try:
        dtypes = [fogo.float64] * op.formula.__code__.co_argcount
        dtypes = [fogo.bool_] * op.promote_from + dtypes[op.promote_from :]
        return any(op.gradient(i, dtypes) is not None for i in range(len(dtypes)))
    except (fogo.FogoError, TypeError):
        return False


def test_every_differentiable_op_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No op of the registry has a gradient that no check above goes through."""
    seen: set[str] = set()
    original = autodiff._gradients

    def gradients(node: Any, *rest: Any) -> Any:
        seen.add(node.op.name)
        return original(node, *rest)

    monkeypatch.setattr(autodiff, "_gradients", gradients)
    walk(slices, [fogo.ones(4, 4, dtype="float64", device=DEVICE)], second=True)
    for name in NAMES:
        for case in small(ROWS[name], 10**6):
            call, points = function(ROWS[name], case)
            if points and call(*points):
                walk(call, points, ROWS[name].second)
    ops = {n: op for n, op in REGISTRY.items() if differentiable(op)}
    assert len(ops) > 100
    known = seen | set(update.NAMES) | set(ELSEWHERE) | set(LAYERS) | linear_algebra()
    known |= {"cast_" + d.name for d in fogo.dtypes.ALL}  # made on demand
    missing = sorted(set(ops) - known)
    assert not missing, f"no gradient is checked of {missing}"


def walk(call: Any, points: list[Any], second: bool) -> None:
    """Go back through a function, and through its gradient."""

    outs = list(flatten(call(*points))[0])
    count = len(outs)
    given = [y * 0 + 1 for y in outs]

    def slopes(*both: Any) -> Any:
        made, back = fogo.vjp(call, *both[count:])
        return back(unflatten(flatten(made)[1], both[:count]))

    if not second:
        slopes(*given, *points)
        return
    grads, back = fogo.vjp(slopes, *given, *points)
    back(tuple(g * 0 + 1 for g in grads))

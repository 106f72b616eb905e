"""vmap and jvp of every function of the grid, beside NumPy and PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from tests.ops import grid
from tests.ops.data import kind
from tests.ops.rows import ROWS, Row, load
from tests.shared import cases
from tests.shared.tolerances import FORWARD, GRADIENT, lookup
from tests.support import sampling

load()
NAMES = sorted(n for n, r in ROWS.items() if not r.creates and not r.host)
# Forward mode goes through the gradient's own gradient, which these do not have.
ONE_WAY = {"ctc_loss", "rnnt_loss"}
FIRST = {"forward": FORWARD, "gradient": GRADIENT}


def kept(test: str) -> bool:
    """The large grid is tests/ops: a sample of it takes a smaller one of this."""
    return sampling.keep(test, sampling.fraction() ** 1.5)


def dtype_of(row: Row) -> str:
    """float32, else one that a GPU holds, else the first."""
    for name in ("float32", "int32", "bool"):
        if name in row.dtypes:
            return name
    return row.dtypes[0]


def twins(row: Row, dtype: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs of cases that differ in their numbers alone."""
    from tests.ops import expect

    if not row.samples:
        return []
    labels = ("odd", "twin")
    found = []
    if row.elementwise:
        shapes = grid.SHAPES["odd"]
        made = [
            grid._drawn(row, dtype, label, list(row.samples), shapes)
            for label in labels
        ]
        groups = [made]
    else:
        groups = []
        for i, sample in enumerate(row.samples):
            if len(groups) < 3:
                groups.append(
                    [
                        grid._sample(row, dtype, sample, f"{i}{j}-plain", "plain")
                        for j in (0, 1)
                    ]
                )
    for group in groups:
        for case in group:
            if kind(dtype) == "float":
                case["level"] = 1
        a, b = [expect.complete(row, dtype, c) for c in group]
        same = [o["shape"] for o in a["outputs"]] == [o["shape"] for o in b["outputs"]]
        if same:
            found.append((a, b))
    return found


def build(case: dict[str, Any], device: fogo.Device) -> list[Any]:
    return [cases.build(spec, device) for spec in case["inputs"]]


def numbers(values: Any, shape: Any) -> Any:
    return np.array(cases.numbers(values), "float64").reshape(shape)


def close(case: Any, out: fogo.Tensor, want: Any, table: str) -> None:
    name = out.device.base().name.split(":")[0]
    factor = case.get("factor", 1.0) * (4.0 if table == "gradient" else 1.0)
    rtol, atol = lookup(FIRST[table], name, out.dtype.name, factor)
    got = np.array(out.tolist(), "float64").reshape(out.shape)
    assert got.shape == want.shape, (case["id"], got.shape, want.shape)
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, err_msg=case["id"])


def pairs(name: str, device: fogo.Device) -> Any:
    row = ROWS[name]
    dtype = dtype_of(row)
    found = twins(row, dtype)
    for a, b in found:
        if not cases.not_held(a, device):
            yield a, b


class Mapped:
    """A pair of cases, their tensors stacked, and the function of one of them."""

    def __init__(self, a: Any, b: Any, device: fogo.Device) -> None:
        self.case, self.device = a, device
        self.inputs = build(a, device)
        self.tensors = places(self.inputs)
        other = build(b, device)
        self.both = [fogo.stack([self.inputs[i], other[i]]) for i in self.tensors]
        self.wanted = [i for i, g in enumerate(a.get("grads") or []) if g is not None]

    def one(self, *given: Any) -> Any:
        """The outputs for these tensors."""
        cases.restart(self.case, self.device)
        args = list(self.inputs)
        for i, x in zip(self.tensors, given):
            args[i] = x
        return cases.call(self.case, args, self.device)

    def slope(self, *given: Any) -> Any:
        """The gradients of the grid's loss."""
        chosen = tuple(self.tensors.index(i) for i in self.wanted)
        return fogo.grad(lambda *x: cases.loss(self.one(*x)), argnums=chosen)(*given)

    def total(self, carry: list[int], leaves: Any) -> Any:
        """The grid's loss of the outputs that carry gradients, by the wanted inputs."""
        given = [self.inputs[i] for i in self.tensors]
        for i, x in zip(self.wanted, leaves):
            given[self.tensors.index(i)] = x
        outs = self.one(*given)
        parts = [outs[j] * cases.weight(outs[j].size, True, outs[j]) for j in carry]
        return sum(p.sum() for p in parts)

    def carrying(self) -> list[int]:
        """Which outputs have a gradient."""
        cases.restart(self.case, self.device)
        leaves = cases.tracked(self.inputs, self.device.autodiff())
        outs = cases.call(self.case, leaves, self.device.autodiff())
        return [i for i, y in enumerate(outs) if y.dtype.is_float and y.requires_grad]


def places(inputs: list[Any]) -> list[int]:
    return [i for i, x in enumerate(inputs) if isinstance(x, fogo.Tensor)]


@pytest.mark.parametrize("name", NAMES)
def test_vmap(name: str, device: fogo.Device) -> None:
    """Two examples at once give what each gives alone, gradients too."""
    if not kept(f"vmap-{name}"):
        return
    for a, b in pairs(name, device):
        made = Mapped(a, b, device)
        outs = fogo.vmap(made.one, randomness="same")(*made.both)
        for j, out in enumerate(outs):
            want = [
                numbers(c["outputs"][j]["values"], c["outputs"][j]["shape"])
                for c in (a, b)
            ]
            close(a, out, np.stack(want), "forward")
        if not made.wanted:
            continue
        grads = fogo.vmap(made.slope, randomness="same")(*made.both)
        for i, g in zip(made.wanted, grads):
            want = [numbers(c["grads"][i], made.inputs[i].shape) for c in (a, b)]
            close(a, g, np.stack(want), "gradient")


@pytest.mark.parametrize("name", NAMES)
def test_vmap_with_a_shared_argument(name: str, device: fogo.Device) -> None:
    """Only the first tensor is mapped; the others are the same for all."""
    if not kept(f"shared-{name}"):
        return
    for a, _ in pairs(name, device):
        made = Mapped(a, a, device)
        if len(made.tensors) < 2:
            return
        for mapped in range(len(made.tensors)):
            given = [made.inputs[i] for i in made.tensors]
            given[mapped] = made.both[mapped]
            axes = tuple(0 if i == mapped else None for i in range(len(given)))
            outs = fogo.vmap(made.one, in_axes=axes, randomness="same")(*given)
            for spec, out in zip(a["outputs"], outs):
                want = numbers(spec["values"], spec["shape"])
                close(a, out, np.stack([want, want]), "forward")


def test_the_exceptions_are_rows() -> None:
    assert set(NAMES) >= ONE_WAY


@pytest.mark.parametrize(
    "name", [n for n in NAMES if ROWS[n].torch is not None and n not in ONE_WAY]
)
def test_jvp(name: str, device: fogo.Device) -> None:
    """A derivative along a direction is PyTorch's gradient times the direction."""
    if not kept(f"jvp-{name}"):
        return
    for a, _ in pairs(name, device):
        made = Mapped(a, a, device)
        if not made.wanted:
            continue
        rng = np.random.default_rng(5)
        points = [made.inputs[i] for i in made.wanted]
        moves = [rng.uniform(-1, 1, x.shape) for x in points]
        tangents = [fogo.tensor(m, dtype="float32", device=device) for m in moves]
        carry = made.carrying()
        _, t = fogo.jvp(
            lambda *x, made=made, carry=carry: made.total(carry, x),
            tuple(points),
            tuple(tangents),
        )
        parts = [
            numbers(a["grads"][i], x.shape) * m
            for i, x, m in zip(made.wanted, points, moves)
        ]
        want = sum(p.sum() for p in parts)
        bound = 3e-3 * sum(np.abs(p).sum() for p in parts) + 1e-4
        assert abs(t.item() - want) <= bound, (a["id"], t.item(), want)

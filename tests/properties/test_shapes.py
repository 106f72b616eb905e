"""Broadcasting, promotion of operands and reductions over any axes, beside NumPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fogo
from tests.properties.drawing import numbered, same, shapes, tried


@st.composite
def alike(draw: Any) -> list[tuple[int, ...]]:
    """Two or three shapes that broadcast, or that nearly do."""
    whole = draw(shapes())
    found = []
    for _ in range(draw(st.integers(2, 3))):
        kept = whole[draw(st.integers(0, len(whole))) :]
        found.append(tuple(1 if draw(st.integers(0, 2)) == 0 else n for n in kept))
    if draw(st.integers(0, 4)) == 0:
        found[0] = draw(shapes())
    return found


def test_broadcasting(device: fogo.Device) -> None:
    @given(alike())
    def check(given_shapes: Any) -> None:
        arrays = [numbered(s) for s in given_shapes]
        tensors = [fogo.tensor(a, device=device) for a in arrays]
        try:
            wide = np.broadcast_arrays(*arrays)
        except ValueError:
            with pytest.raises(fogo.ShapeError):
                fogo.broadcast_arrays(*tensors)
            with pytest.raises(fogo.ShapeError):
                total(tensors)
            return
        for t, a in zip(fogo.broadcast_arrays(*tensors), wide):
            same(t, a)
        same(total(tensors), total(arrays))
        even = fogo.where(tensors[0] % 2 == 0, tensors[0], tensors[-1])
        same(even, np.where(arrays[0] % 2 == 0, arrays[0], arrays[-1]))

    tried(check, device, 0.3)


def total(operands: Any) -> Any:
    found = operands[0]
    for other in operands[1:]:
        found = found * 3 + other
    return found


def test_broadcast_gradients_have_the_operands_shapes(device: fogo.Device) -> None:
    @given(alike())
    def check(given_shapes: Any) -> None:
        try:
            wide = np.broadcast_shapes(*given_shapes)
        except ValueError:
            return
        leaves = [
            fogo.zeros(s, device=device.autodiff()).requires_grad_()
            for s in given_shapes
        ]
        grads = total(leaves).sum().backward()
        for place, leaf in enumerate(leaves):
            times = 3 ** (len(leaves) - 1 - place)
            count = np.prod(wide) / max(np.prod(leaf.shape), 1)
            same(grads[leaf], np.full(leaf.shape, times * count, "float32"))

    tried(check, device, 0.1)


@st.composite
def reductions(draw: Any) -> tuple[Any, Any, bool]:
    """An array, axes of it (None, one, several, none at all), keepdims."""
    shape = draw(shapes())
    rank = len(shape)
    axes: Any = None
    if rank and draw(st.booleans()):
        axes = draw(st.integers(-rank, rank - 1))
    elif draw(st.booleans()):
        some = draw(st.lists(st.integers(0, max(rank - 1, 0)), unique=True))
        axes = tuple(a - rank * draw(st.booleans()) for a in some) if rank else ()
    return numbered(shape), axes, draw(st.booleans())


NAMES = ("sum", "prod", "max", "min", "mean", "any", "all", "count_nonzero", "var")


def test_reductions(device: fogo.Device) -> None:
    @given(reductions(), st.sampled_from(NAMES), st.booleans())
    def check(question: Any, name: str, turned: bool) -> None:
        array, axes, keepdims = question
        array = array % 3 if name in ("prod", "any", "all") else array
        tensor = fogo.tensor(array, device=device)
        if turned:
            array, tensor = array.T, tensor.permute(range(array.ndim)[::-1])
        options = {"axis": axes, "keepdims": keepdims}
        if name in ("mean", "var"):
            reduced_floats(tensor, array, name, options)
            return
        try:
            want = getattr(np, name)(array, **options)
        except ValueError:  # the extreme of nothing
            with pytest.raises(fogo.ShapeError):
                getattr(fogo, name)(tensor, **options)
            return
        if name in ("sum", "prod"):  # GPUs have 32 bits
            want = np.asarray(want).astype(f"int{device.default_int.bits}")
        same(getattr(fogo, name)(tensor, **options), want)

    tried(check, device, 0.4)


def reduced_floats(tensor: Any, array: Any, name: str, options: Any) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = getattr(np, name)(array.astype("float64"), **options)
    got = getattr(fogo, name)(tensor.astype("float32"), **options)
    assert got.shape == np.shape(want)
    assert np.allclose(got.numpy(), want, rtol=1e-5, equal_nan=True)

"""What property tests draw: shapes, arrays, keys; and how many examples a run tries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st

import fogo
from tests.support import sampling

# Examples of a whole run on each backend: GPUs compile a kernel for each new pattern.
EXAMPLES = {"numpy": 5000, "python": 2000, "wasm": 1000, "webgpu": 1000}


def examples(device: fogo.Device, share: float = 1.0) -> int:
    """How many examples this run tries on a device."""
    kind = device.base().name.split(":")[0]
    return max(int(EXAMPLES.get(kind, 300) * share * sampling.fraction()), 10)


def tried(check: Callable[..., Any], device: fogo.Device, share: float = 1.0) -> None:
    """Run a `@given` test as often as this run's sample says."""
    often = settings(
        max_examples=examples(device, share),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    often(seed(sampling.seed())(check))()


def shapes(most: int = 4, largest: int = 5, least: int = 0) -> Any:
    """Shapes of up to `most` axes; sizes of 0 and 1 are there too."""
    sizes = st.sampled_from([0, 1, 1, *range(2, largest + 1), 3, 4])
    return st.lists(sizes, min_size=least, max_size=most).map(tuple)


def numbered(shape: tuple[int, ...], dtype: str = "int32") -> Any:
    """An array whose elements all differ."""
    return np.arange(math.prod(shape), dtype=dtype).reshape(shape)


def slices(size: int) -> Any:
    """Slices of an axis, with bounds also far outside, and steps of both signs."""
    bound = st.none() | st.integers(-size - 3, size + 3)
    step = st.sampled_from([None, None, 1, 2, 3, -1, -1, -2])
    return st.builds(slice, bound, bound, step)


@st.composite
def keys(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Keys of all kinds: integers, slices, None, dots, index arrays and masks."""
    advanced = draw(st.booleans())
    wide = draw(st.sampled_from([(3,), (2, 1), (1,), (2, 3), (), (0,)]))
    used = draw(st.integers(0, len(shape)))
    dots = draw(st.integers(0, used)) if draw(st.booleans()) else None
    axis = 0
    key: list[Any] = []
    while axis < used:
        if draw(st.integers(0, 5)) == 0:
            key.append(None)
        if dots is not None and axis >= dots:
            key.append(Ellipsis)
            dots = None
            axis += len(shape) - used
            used = len(shape)
            continue
        part, taken = draw(items(shape, axis, used, wide, advanced))
        key.append(part)
        axis += taken
    if dots is not None:
        key.append(Ellipsis)
    return tuple(key)


@st.composite
def items(
    draw: Any,
    shape: tuple[int, ...],
    axis: int,
    used: int,
    wide: tuple[int, ...],
    advanced: bool,
) -> tuple[Any, int]:
    """One item of a key, and how many axes it stands for."""
    size = shape[axis]
    kinds = ["integer", "slice", "slice"] + ["array", "array", "mask"] * advanced
    kind = draw(st.sampled_from(kinds))
    if kind == "integer":
        return draw(st.integers(-size - 1, size)), 1
    if kind == "slice":
        return draw(slices(size)), 1
    if kind == "mask":
        count = draw(st.integers(1, used - axis))
        sizes = shape[axis : axis + count]
        bits = st.lists(
            st.booleans(), min_size=math.prod(sizes), max_size=math.prod(sizes)
        )
        return np.array(draw(bits), bool).reshape(sizes), count
    lying = draw(st.sampled_from([wide, wide[-1:], ()]))
    if size == 0:
        return np.zeros((0,), "int32"), 1
    values = st.lists(
        st.integers(-size, size - 1),
        min_size=math.prod(lying),
        max_size=math.prod(lying),
    )
    return np.array(draw(values), "int32").reshape(lying), 1


def on(device: fogo.Device, key: Any) -> Any:
    """A key with its arrays as tensors of a device."""
    if isinstance(key, tuple):
        return tuple(on(device, k) for k in key)
    return fogo.tensor(key, device=device) if isinstance(key, np.ndarray) else key


def same(tensor: Any, array: Any) -> None:
    """The tensor has the array's shape and values."""
    assert tensor.shape == np.shape(array), (tensor.shape, np.shape(array))
    assert np.array_equal(tensor.numpy(), array), (tensor.numpy(), array)

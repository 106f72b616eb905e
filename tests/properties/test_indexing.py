"""Reading and writing by any key is what NumPy does; nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fogo
from tests.properties.drawing import keys, numbered, on, same, shapes, tried


@st.composite
def questions(draw: Any) -> tuple[Any, Any]:
    """An array and a key for it."""
    array = numbered(draw(shapes()))
    return array, draw(keys(array.shape))


def asked(array: Any, key: Any) -> Any:
    """NumPy's answer, or None where the key is none."""
    try:
        return np.array(array[key])
    except IndexError:
        return None


def test_reading(device: fogo.Device) -> None:
    @given(questions())
    def check(question: Any) -> None:
        array, key = question
        tensor = fogo.tensor(array, device=device)
        want = asked(array, key)
        if want is None:
            with pytest.raises(fogo.ShapeError):
                tensor[on(device, key)]
        else:
            same(tensor[on(device, key)], want)
        same(tensor, array)

    tried(check, device)


def test_writing(device: fogo.Device) -> None:
    @given(questions(), st.integers(0, 3), st.booleans())
    def check(question: Any, fewer: int, ones: bool) -> None:
        array, key = question
        want = asked(array, key)
        if want is None:
            return
        shape = want.shape[fewer:]
        value = numbered((1,) * len(shape) if ones else shape) + 1000
        tensor = fogo.tensor(array, device=device)
        before, view = tensor[...], tensor.reshape((-1,))
        written = array.copy()
        written[key] = value
        tensor[on(device, key)] = fogo.tensor(value, device=device)
        same(tensor, written)
        same(before, array)
        same(view, array.reshape(-1))

    tried(check, device, 0.4)


def test_slices_of_slices(device: fogo.Device) -> None:
    """Views of views of views, and assignment to one of them."""

    @given(st.data())
    def check(data: Any) -> None:
        array = numbered(data.draw(shapes(3)))
        tensor = fogo.tensor(array, device=device)
        for _ in range(3):
            key = data.draw(keys(array.shape))
            if asked(array, key) is None or [k for k in key if hasattr(k, "dtype")]:
                continue
            array, tensor = np.array(array[key]), tensor[key]
            same(tensor, array)
            if array.ndim:
                order = data.draw(st.permutations(range(array.ndim)))
                array, tensor = array.transpose(order), tensor.permute(order)
                same(tensor, array)

    tried(check, device, 0.2)

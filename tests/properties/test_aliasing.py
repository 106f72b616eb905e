"""Assigning to a tensor changes that tensor, and no other that came from the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import fogo
from tests.properties.drawing import numbered, same, shapes, tried

# Every way to a tensor with (some of) the same values: name, how here, how in NumPy.
WAYS: list[tuple[str, Any, Any]] = [
    ("x[...]", lambda x: x[...], lambda a: a),
    ("x[:]", lambda x: x[:], lambda a: a),
    ("x[::-1]", lambda x: x[::-1], lambda a: a[::-1]),
    ("x[:1]", lambda x: x[:1], lambda a: a[:1]),
    ("x[None]", lambda x: x[None], lambda a: a[None]),
    ("reshape", lambda x: fogo.reshape(x, x.shape), lambda a: a),
    ("flat", lambda x: fogo.reshape(x, (-1,)), lambda a: a.reshape(-1)),
    ("copy", lambda x: fogo.reshape(x, x.shape, copy=True), lambda a: a),
    ("permute", lambda x: x.permute(range(x.ndim)), lambda a: a),
    ("transpose", lambda x: x.permute(range(x.ndim)[::-1]), lambda a: a.T),
    ("expand", lambda x: fogo.broadcast_to(x, x.shape), lambda a: a),
    (
        "wide",
        lambda x: fogo.broadcast_to(x, (2, *x.shape)),
        lambda a: np.broadcast_to(a, (2, *a.shape)),
    ),
    ("flip", fogo.flip, np.flip),
    ("squeeze", fogo.squeeze, np.squeeze),
    ("astype", lambda x: x.astype(x.dtype), lambda a: a),
    ("asarray", lambda x: fogo.asarray(x, copy=True), lambda a: a),
    ("positive", lambda x: +x, lambda a: a),
    ("concat", lambda x: fogo.concat([x]), lambda a: a),
    ("stack", lambda x: fogo.stack([x]), lambda a: a[None]),
    ("roll", lambda x: fogo.roll(x, 0), lambda a: a),
    ("tile", lambda x: fogo.tile(x, (1,)), lambda a: a),
    ("repeat", lambda x: fogo.repeat(x, 1, axis=0), lambda a: a),
    ("clip", fogo.clip, lambda a: a),
    ("sum", lambda x: fogo.sum(x, axis=()), lambda a: a),
    ("max", lambda x: fogo.max(x, axis=()), lambda a: a),
    ("moveaxis", lambda x: fogo.moveaxis(x, 0, 0), lambda a: a),
    ("round", fogo.round, lambda a: a),
    ("real", fogo.real, lambda a: a),
    ("conj", fogo.conj, lambda a: a),
    ("diff", lambda x: fogo.diff(x, n=0), lambda a: a),
    ("sort", lambda x: fogo.sort(x, axis=0), lambda a: np.sort(a, 0)),
    ("detach", lambda x: x.detach(), lambda a: a),
    ("contiguous", lambda x: x.contiguous(), lambda a: a),
    ("split", lambda x: fogo.split(x, 2)[0], lambda a: a[:2]),
    ("unstack", lambda x: fogo.unstack(x)[0], lambda a: a[0]),
]


def assigned(array: Any, tensor: Any, value: int) -> Any:
    """Write a value to the first half of the first axis (or the one element)."""
    written = np.array(array)
    if array.ndim:
        written[: (len(written) + 1) // 2] = value
        tensor[: (len(written) + 1) // 2] = value
    else:
        written[()] = value
        tensor[()] = value
    return written


def test_views_and_what_they_are_of(device: fogo.Device) -> None:
    """Any way, then an assignment to one of the two; and the same after another way."""

    @given(st.data())
    def check(data: Any) -> None:
        array = numbered(data.draw(shapes(3, 4, 1).filter(lambda s: s[0] > 0)))
        tensor = fogo.tensor(array, device=device)
        known = [(array, tensor)]
        for step in range(data.draw(st.integers(1, 4))):
            _, ours, numpys = data.draw(st.sampled_from(WAYS))
            source, handle = known[data.draw(st.integers(0, len(known) - 1))]
            if not source.ndim or not source.shape[0]:
                continue
            known.append((np.array(numpys(source)), ours(handle)))
            place = data.draw(st.integers(0, len(known) - 1))
            source, handle = known[place]
            known[place] = (assigned(source, handle, 1000 + step), handle)
            for a, t in known:
                same(t, a)

    tried(check, device, 0.4)


def test_each_way_once(device: fogo.Device) -> None:
    for name, ours, numpys in WAYS:
        for first in (True, False):
            array = numbered((3, 4))
            tensor = fogo.tensor(array, device=device)
            other = ours(tensor)
            want = np.array(numpys(array))
            if first:
                array = assigned(array, tensor, 1000)
            else:
                want = assigned(want, other, 1000)
            assert np.array_equal(tensor.numpy(), array), name
            assert np.array_equal(other.numpy(), want), name


def test_operators_in_place_make_new_values(device: fogo.Device) -> None:
    x = fogo.tensor([1.0, 2.0], device=device)
    y, view = x, x[:1]
    x += 1
    x *= 2
    assert (x.tolist(), y.tolist(), view.tolist()) == ([4.0, 6.0], [1.0, 2.0], [1.0])

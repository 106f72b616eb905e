"""Indexing and assignment beside NumPy: listed keys and drawn ones, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo

X = (3, 4, 5)
I1 = np.array([0, 2, -1, 2], "int32")
I2 = np.array([[0, 1], [2, -3]], "int32")
I8 = np.array([0, 2, 1], "uint8")
ROWS = np.array([True, False, True])
COLUMNS = np.array([True, True, False, True])
HALF = np.arange(12).reshape(3, 4) % 3 == 1
EVERY = np.arange(60).reshape(X) % 4 == 1
NOW = np.newaxis

KEYS: list[tuple[tuple[int, ...], Any]] = [
    *[((5,), key) for key in (3, -1, np.s_[1:4], np.s_[::-1], np.s_[4:0:-2], ())],
    *[((5,), key) for key in (np.s_[10:2], Ellipsis, None, np.s_[:], np.s_[-2:])],
    *[(X, key) for key in (1, np.s_[1, ..., ::2], np.s_[:, NOW, 2], np.s_[..., 2])],
    (X, np.s_[::-1, 3::-2, NOW, -1]),
    *[(X, key) for key in (I1, np.s_[:, I1], np.s_[:, :, I1], (I1, I1), (I2, I2[0]))],
    *[(X, key) for key in (np.s_[I1, :, I1], np.s_[0, :, I1], np.s_[:, 1, I1])],
    *[(X, key) for key in (np.s_[I1, NOW, 1], np.s_[1:3, I2], np.s_[..., I2, 0:4:2])],
    *[(X, key) for key in (np.s_[::-1, I2, :], np.s_[NOW, ..., I1, NOW])],
    *[(X, key) for key in (np.array(1), np.s_[np.array(1), :, I1], I8)],
    *[(X, key) for key in (ROWS, np.s_[ROWS, 1], np.s_[ROWS, :, 2], np.s_[:, COLUMNS])],
    *[(X, key) for key in (np.s_[:, COLUMNS, [0, 1, 2]], HALF, EVERY, (HALF, 0))],
    *[
        (X, key)
        for key in (np.s_[HALF, ::-2], np.s_[0, EVERY[0]], np.s_[..., EVERY[0]])
    ],
    ((0, 3), np.s_[:, I1[:1]]),
    ((3,), I1[:0]),
    ((3,), ROWS & False),
    ((3, 4), np.zeros((3, 4), bool)),
    ((3, 4), np.s_[2:1]),
    # `...` that stands for no axis parts index arrays all the same.
    *[(X, key) for key in (np.s_[0, ..., I1, :], np.s_[I1, ..., I1, I1])],
    *[(X, key) for key in (np.s_[NOW, 0, ..., I1, NOW, :], np.s_[..., I1, I1, I1])],
    *[(X, key) for key in (True, False, np.s_[1, True], np.s_[..., True, I1])],
]


def drawn(seed: int) -> tuple[tuple[int, ...], Any]:
    """A shape and a key of slices, integers, index arrays, None and dots."""
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(1, 5, random.integers(1, 5)))
    used = int(random.integers(0, len(shape) + 1))
    dots = int(random.integers(0, used + 1)) if random.random() < 0.4 else used
    axes = [i if i < dots else len(shape) - used + i for i in range(used)]
    wide = [(3,), (2, 1), (1,), (2, 3)][int(random.integers(4))]
    key: list[Any] = []
    for i, axis in enumerate(axes):
        if random.random() < 0.2:
            key.append(None)
        if i == dots:
            key.append(Ellipsis)
        key.append(item(random, shape[axis], wide))
    return shape, tuple(key)


def item(random: np.random.Generator, n: int, wide: tuple[int, ...]) -> Any:
    kind = random.random()
    if kind < 0.25:
        return int(random.integers(-n, n))
    if kind < 0.6:
        ends = [None if random.random() < 0.4 else int(random.integers(-5, 6))] * 2
        return slice(*ends, [None, 1, 2, -1, -2][int(random.integers(5))])
    shape = [wide, wide[-1:], ()][int(random.integers(3))]
    return random.integers(-n, n, shape).astype("int32")


def ours(key: Any, device: fogo.Device) -> Any:
    """The key with its arrays on a device; those of int64 as they are."""
    if isinstance(key, tuple):
        return tuple(ours(k, device) for k in key)
    if not isinstance(key, np.ndarray) or key.dtype == "int64":
        return key
    return fogo.tensor(key, device=device)


def numbers(shape: Any, first: int = 1) -> Any:
    """Small whole numbers: sums of them are exact in float32."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 7 + first) % 23 - 11.0).reshape(shape).astype("float32")


def check_reading(shape: Any, key: Any, device: fogo.Device) -> None:
    x = numbers(shape)
    want = x[key]
    t = fogo.tensor(x, device=device.autodiff()).requires_grad_()
    got = t[ours(key, device)]
    assert got.shape == want.shape
    assert np.array_equal(got.numpy(), want)
    if not got.size:
        return
    g = numbers(want.shape, 2)
    expected = np.zeros(shape, "float32")
    np.add.at(expected, key, g)
    grads = got.backward(fogo.tensor(g, device=device))
    assert np.array_equal(grads[t].numpy(), expected)


def check_writing(shape: Any, key: Any, value_shape: Any, device: fogo.Device) -> None:
    x, value = numbers(shape), numbers(value_shape, 3)
    want = x.copy()
    want[key] = value
    t = fogo.tensor(x, device=device)
    before = t[...]
    t[ours(key, device)] = fogo.tensor(value, device=device)
    assert np.array_equal(t.numpy(), want)
    assert np.array_equal(before.numpy(), x)
    check_writing_gradients(x, key, value, device)


def check_writing_gradients(x: Any, key: Any, value: Any, device: fogo.Device) -> None:
    """What was overwritten learns nothing; a value learns where it was read last."""
    a = fogo.tensor(x, device=device.autodiff()).requires_grad_()
    v = fogo.tensor(value, device=device.autodiff()).requires_grad_()
    y = a * 1.0
    y[ours(key, device)] = v
    if not x.size:
        return
    g = numbers(x.shape, 2)
    grads = y.backward(fogo.tensor(g, device=device))
    kept = np.ones(x.shape, "float32")
    kept[key] = 0
    assert np.array_equal(grads[a].numpy(), g * kept)
    if not x[key].size:
        return
    source = np.full(x.shape, -1)
    source[key] = np.arange(x[key].size).reshape(x[key].shape)
    each = np.zeros(x[key].size, "float32")
    each[source[source >= 0]] = g[source >= 0]
    assert np.array_equal(grads[v].numpy(), folded(each.reshape(x[key].shape), value))


def folded(each: Any, value: Any) -> Any:
    """Sum over what broadcasting `value` repeats."""
    each = each.reshape((1,) * (value.ndim - each.ndim) + each.shape)
    each = each.sum(tuple(range(each.ndim - value.ndim)))
    ones = tuple(a for a in range(value.ndim) if value.shape[a] == 1)
    return each.sum(ones, keepdims=True)


def check(shape: Any, key: Any, device: fogo.Device) -> None:
    check_reading(shape, key, device)
    whole = numbers(shape)[key].shape
    for value_shape in dict.fromkeys([whole, (), whole[1:], (1,) * len(whole)]):
        check_writing(shape, key, value_shape, device)


@pytest.mark.parametrize("place", range(len(KEYS)))
def test_listed_keys(place: int, device: fogo.Device) -> None:
    check(*KEYS[place], device)


@pytest.mark.parametrize("seed", range(8))
def test_drawn_keys(seed: int, device: fogo.Device) -> None:
    for i in range(5):
        check(*drawn(100 * seed + i), device)


def test_a_value_that_does_not_fit_is_refused(device: fogo.Device) -> None:
    x = fogo.zeros(3, 4, device=device)
    for key, size in ((0, 3), (x >= 0, 3), (ours(I1, device), 3)):
        with pytest.raises(fogo.ShapeError, match="index"):
            x[key] = fogo.ones(size, device=device)
    assert x.sum().item() == 0


def test_a_tracked_value_needs_a_tracked_tensor(device: fogo.Device) -> None:
    x = fogo.zeros(2, device=device)
    value = fogo.ones(2, device=device.autodiff()).requires_grad_()
    with pytest.raises(fogo.AutodiffError, match="move x there"):
        x[:] = value


def test_integers_of_numpy_are_integers(device: fogo.Device) -> None:
    x = fogo.arange(4, device=device)
    assert x[np.int64(2)].item() == 2
    assert x[np.int32(1) : np.int32(3)].tolist() == [1, 2]

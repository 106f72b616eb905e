"""fogo.testing says what differs, and fogo.read reads everything after one wait."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fogo
from fogo.testing import assert_close, assert_equal, assert_within, compare

NAN = math.nan


def test_a_report_names_the_worst_elements(device: fogo.Device) -> None:
    x = fogo.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device=device)
    y = [[1.0, 2.5, 3.0], [4.0, 5.0, 8.0]]
    report = compare(x, y, rtol=0.0, atol=0.1)
    assert not report.ok and report.count == 6 and report.differing == 2
    assert report.worst == [((1, 2), 6.0, 8.0, 2.0), ((0, 1), 2.0, 2.5, 0.5)]
    with pytest.raises(
        AssertionError, match=r"(?s)2 of 6 .*at \[1, 2\]: 6.0 instead of"
    ):
        assert_close(x, y, rtol=0.0, atol=0.1)


def test_bounds_are_as_in_pytorch(device: fogo.Device) -> None:
    """|a - b| <= atol + rtol * |b|, at the bound itself and beyond it."""
    x = fogo.tensor([1.5], device=device)
    assert_close(x, [1.0], rtol=0.25, atol=0.25)
    with pytest.raises(AssertionError):
        assert_close(x, [1.0], rtol=0.25, atol=0.125)
    assert_close(fogo.tensor([1.0], device=device), [1.00001])
    with pytest.raises(AssertionError):
        assert_close(fogo.tensor([1.0], device=device), [1.0001])


def test_shapes_and_dtypes(device: fogo.Device) -> None:
    x = fogo.tensor([1, 2], device=device)
    with pytest.raises(AssertionError, match=r"shapes differ: \[2\] instead of \[1\]"):
        assert_close(x, [1])
    other = fogo.tensor([1.0, 2.0], device=device)
    with pytest.raises(AssertionError, match="dtypes differ"):
        assert_close(x, other)
    assert_close(x, other, check_dtype=False)
    assert_close(x, np.array([1, 2]))
    with pytest.raises(AssertionError):
        assert_equal(x, [1, 3])


def test_what_is_no_number(device: fogo.Device) -> None:
    x = fogo.tensor([NAN, math.inf], device=device)
    assert_close(x, [NAN, math.inf], equal_nan=True)
    assert_equal(x, x)
    for wrong in ([NAN, math.inf], [0.0, math.inf]):
        with pytest.raises(AssertionError, match="1 of 2"):
            assert_close(x, wrong)
    with pytest.raises(AssertionError, match="off by inf"):
        assert_close(fogo.tensor([1.0], device=device), [math.inf], rtol=1.0)


def test_several_tensors(device: fogo.Device) -> None:
    x = [fogo.ones(2, device=device), fogo.zeros(1, device=device)]
    assert_close(x, [[1.0, 1.0], [0.0]])
    with pytest.raises(AssertionError, match="tensor 1: 1 of 1"):
        assert_close(x, [[1.0, 1.0], [0.5]])
    with pytest.raises(AssertionError, match="2 tensors instead of 1"):
        assert_close(x, [[1.0, 1.0]])


def test_within(device: fogo.Device) -> None:
    x = fogo.tensor([0.0, 1.0, 2.0], device=device)
    assert_within(x, 0.0, 2.0)
    with pytest.raises(AssertionError, match=r"1 of 3 elements lie outside \[0, 1\]"):
        assert_within(x, 0.0, 1.0)


def test_many_reads_after_one_wait(device: fogo.Device) -> None:
    backend = device.base().backend
    x = fogo.tensor([1.0, 2.0], device=device) * 2.0
    y = (x > 2.0).all()
    other = fogo.arange(3, device="python")
    before = backend.reads
    assert fogo.read(x, other, y) == [[2.0, 4.0], [0, 1, 2], False]
    if device.name != "python":
        assert backend.reads == before + 1
    assert fogo.read() == []
    with pytest.raises(fogo.DTypeError, match=r"read: tensors; given .*list"):
        fogo.read([x, y])  # type: ignore[arg-type]


async def test_many_reads_in_a_coroutine(device: fogo.Device) -> None:
    x = fogo.tensor([1.0, 2.0], device=device.autodiff())
    assert await fogo.read_async(x, x.sum()) == [[1.0, 2.0], 3.0]


async def test_where_a_thread_cannot_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The messages name the awaitable forms, and these work."""
    device = fogo.Device("page", type(fogo.device("python").backend)())
    x = fogo.tensor([1, 0, 1], device=device)

    def read(handles: object) -> object:
        raise fogo.DeviceError("read: this thread cannot wait; given a page; use await")

    plain = device.backend.read

    async def read_async(handles: object) -> object:
        return plain(handles)

    monkeypatch.setattr(device.backend, "read", read)
    monkeypatch.setattr(device.backend, "read_async", read_async)
    for function in ("read", "bincount", "unique", "argwhere"):
        with pytest.raises(fogo.DeviceError, match=r"await fogo\.\w+_async"):
            getattr(fogo, function)(x)
    values, counts = await fogo.unique_async(x, return_counts=True)
    found = await fogo.bincount_async(x), await fogo.argwhere_async(x), values, counts

    async def host(t: fogo.Tensor) -> object:
        return await t.data_async()

    assert [await host(t) for t in found] == [[1, 2], [[0], [2]], [0, 1], [1, 2]]

"""The DataLoader: its order, its thread, and the tensors it makes."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import fogo
from fogo.data import DataLoader, ImageDataset, TensorDataset
from fogo.errors import DTypeError, ShapeError


class Numbers:
    """The numbers below n; asking for `bad` raises; `threads` remembers who asked."""

    def __init__(self, n: int, bad: int = -1) -> None:
        self.n = n
        self.bad = bad
        self.threads: set[str] = set()

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> int:
        self.threads.add(threading.current_thread().name)
        if i == self.bad:
            raise KeyError("number not found")
        return i


def loader(n: int = 10, size: int = 3, **more: Any) -> DataLoader:
    return DataLoader(Numbers(n, more.pop("bad", -1)), size, collate=list, **more)


def workers() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "fogo-loader"]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    assert workers() == []


@pytest.mark.parametrize("prefetch", [0, 1, 5])
def test_every_item_once_in_seeded_order(prefetch: int) -> None:
    batches = loader(prefetch=prefetch)
    first, second = list(batches), list(batches)
    assert [len(b) for b in first] == [3, 3, 3, 1]
    assert sorted(sum(first, [])) == list(range(10))
    assert sum(first, []) != list(range(10))
    assert first != second  # another epoch, another order
    again = loader(prefetch=0)
    assert [list(again), list(again)] == [first, second]
    assert list(loader(seed=1)) != first


def test_the_epoch_can_be_set() -> None:
    batches, other = loader(), loader()
    _, second = list(batches), list(batches)
    other.epoch = 1
    assert list(other) == second


def test_unshuffled_and_without_the_rest() -> None:
    assert list(loader(shuffle=False)) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert list(loader(shuffle=False, drop_last=True))[-1] == [6, 7, 8]


@pytest.mark.parametrize(
    ("n", "size", "drop", "batches"),
    [
        (10, 3, False, 4),
        (10, 3, True, 3),
        (9, 3, False, 3),
        (2, 3, True, 0),
        (0, 3, False, 0),
    ],
)
def test_len(n: int, size: int, drop: bool, batches: int) -> None:
    made = loader(n, size, drop_last=drop)
    assert len(made) == batches == len(list(made))


def test_items_are_read_by_the_thread() -> None:
    ahead, inline = loader(prefetch=2), loader(prefetch=0)
    list(ahead), list(inline)
    assert ahead.dataset.threads == {"fogo-loader"}
    assert inline.dataset.threads == {threading.current_thread().name}


def test_collate_runs_in_the_callers_thread() -> None:
    seen = set()

    def collate(items: list[int]) -> list[int]:
        seen.add(threading.current_thread())
        return items

    list(DataLoader(Numbers(5), 2, collate=collate))
    assert seen == {threading.current_thread()}


def test_reads_ahead_but_only_so_far() -> None:
    batches = loader(100, 1, shuffle=False, prefetch=3)
    asked: list[int] = []
    read = batches.dataset.__getitem__
    batches.dataset = type("Spy", (Numbers,), {
        "__getitem__": lambda self, i: (asked.append(i), read(i))[1]
    })(100)  # fmt: skip
    walk = iter(batches)
    assert next(walk) == [0]
    deadline = time.monotonic() + 5
    while len(asked) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert len(asked) == 5  # one given, three waiting, one in hand
    walk.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("prefetch", [0, 2])
def test_an_error_surfaces_where_it_is_awaited(prefetch: int) -> None:
    got = []
    with pytest.raises(KeyError, match="number not found"):
        for batch in loader(shuffle=False, bad=7, prefetch=prefetch):
            got.append(batch)
    assert got == [[0, 1, 2], [3, 4, 5]]


def test_the_thread_ends_when_the_caller_stops_early() -> None:
    for batch in loader(1000, 1):
        assert len(batch) == 1
        assert len(workers()) == 1
        break
    # Leaving the loop drops the iterator, which ends the thread.
    assert workers() == []


def test_without_threads_it_reads_inline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    expected = list(loader())
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert list(loader()) == expected
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert list(loader()) == expected


@pytest.mark.parametrize("wrong", [{"size": 0}, {"prefetch": -1}, {"size": 2.5}])
def test_sizes_that_make_no_sense(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="DataLoader: batch_size must be a whole"):
        loader(**wrong)


def test_images_become_floats_from_0_to_1() -> None:
    pixels = bytes(range(24))
    images = ImageDataset(pixels, bytes([3, 1, 2]), (1, 2, 4))
    (x, y), (last, label) = DataLoader(images, 2, shuffle=False, device="python")
    assert (x.shape, y.shape, last.shape) == ((2, 1, 2, 4), (2,), (1, 1, 2, 4))
    assert x.dtype is fogo.float32 and y.dtype is y.device.default_int
    expected = [i / 255 for i in range(16)]
    assert x.reshape((16,)).tolist() == pytest.approx(expected, rel=1e-6)
    assert (y.tolist(), label.tolist()) == ([3, 1], [2])


def test_images_are_augmented_by_batch_and_epoch() -> None:
    draws = []

    def brighter(pixels: bytes, rng: random.Random) -> bytes:
        draws.append(rng.random())
        return bytes(p + 1 for p in pixels)

    images = ImageDataset(bytes(8), bytes(4), (1, 1, 2), augment=brighter)
    batches = DataLoader(images, 2, device="python")
    values = [x.tolist() for _ in range(2) for x, _ in batches]
    assert values == [[[[[pytest.approx(1 / 255)] * 2]]] * 2] * 4
    assert len(set(draws)) == 4
    assert images[0] == (bytes(2), 0)  # items stay as they are
    again, draws[:] = list(draws), []
    list(DataLoader(images, 2, device="python"))
    assert draws == again[:2]


def test_pixels_that_do_not_fit_their_labels() -> None:
    with pytest.raises(ShapeError, match=r"3 labels .*\[1, 2, 2\] need 12 bytes"):
        ImageDataset(bytes(8), [0, 1, 2], (1, 2, 2))


def test_rows_of_tensors_go_together() -> None:
    x = fogo.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], device="python")
    y = fogo.tensor([0, 1, 2], device="python")
    rows = TensorDataset(x, y)
    assert len(rows) == 3
    assert [part.tolist() for part in rows[1]] == [[2.0, 3.0], 1]
    for features, targets in DataLoader(rows, 2, seed=4):
        doubled = [[2.0 * t, 2.0 * t + 1] for t in targets.tolist()]
        assert features.tolist() == doubled


def test_tensors_of_different_sizes() -> None:
    x, y = fogo.tensor([1, 2], device="python"), fogo.tensor([1], device="python")
    with pytest.raises(ShapeError, match=r"one first size; given \[2\], \[1\]"):
        TensorDataset(x, y)
    with pytest.raises(ShapeError, match="given none"):
        TensorDataset()


def test_other_items_are_stacked() -> None:
    items = [(1.5, [1, 2], fogo.tensor([True], device="python")),
             (2.5, [3, 4], fogo.tensor([False], device="python"))]  # fmt: skip
    (batch,) = DataLoader(items, 2, shuffle=False, device="python")
    assert [t.tolist() for t in batch] == [
        [1.5, 2.5],
        [[1, 2], [3, 4]],
        [[True], [False]],
    ]


def test_items_that_cannot_be_stacked() -> None:
    with pytest.raises(DTypeError, match="given str; give a collate"):
        list(DataLoader(["a", "b"], 2))
    with pytest.raises(ShapeError, match="tuples of one length"):
        list(DataLoader([(1, 2), (1,)], 2, shuffle=False))

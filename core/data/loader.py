"""Batches in a reproducible order, read ahead by a thread where there are threads."""

from __future__ import annotations

import queue
import random
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .batches import stack_items, to_tensors
from .images import ImageDataset
from .tensors import TensorDataset

if TYPE_CHECKING:
    from ..device import Device

_END = object()


class DataLoader:
    """Walk through a dataset in batches; each walk is one epoch.

    The order depends on `seed` and the epoch alone. An image dataset gives
    (images float32 [N, C, H, W] from 0 to 1, labels integer [N]); a TensorDataset
    gives its tensors' rows; anything else has its items stacked, or handed as a list
    to `collate`. `prefetch` batches are read ahead by a thread (0: none); tensors are
    made by the caller's thread, on `device` or the default one.

        for images, labels in DataLoader(MnistDataset("train"), 64):
            ...

    Example:
        >>> import fogo
        >>> rows = fogo.data.TensorDataset(fogo.arange(3))
        >>> loader = fogo.data.DataLoader(rows, batch_size=2, shuffle=False)
        >>> [batch[0].tolist() for batch in loader]
        [[0, 1], [2]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
        collate: Callable[[list[Any]], Any] | None = None,
        prefetch: int = 2,
        *,
        device: Device | str | None = None,
    ) -> None:
        whole = isinstance(batch_size, int) and isinstance(prefetch, int)
        if not whole or batch_size < 1 or prefetch < 0:
            raise ValueError(
                "DataLoader: batch_size must be a whole number of at least 1, prefetch "
                f"one of at least 0; {batch_size=}, {prefetch=}"
            )
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        self.collate = collate
        self.prefetch = prefetch
        self.device = device
        self.epoch = 0

    def __len__(self) -> int:
        """Count the batches of an epoch."""
        full, rest = divmod(len(self.dataset), self.batch_size)
        return full + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        epoch, self.epoch = self.epoch, self.epoch + 1
        batches = self._batches(epoch)
        ahead = self.prefetch and sys.platform != "emscripten"
        for batch in _read_ahead(batches, self.prefetch) if ahead else batches:
            yield self._finish(batch)

    def _batches(self, epoch: int) -> Iterator[Any]:
        """Give each batch as host data: the part of the work a thread may do."""
        order = list(range(len(self.dataset)))
        if self.shuffle:
            random.Random(f"{self.seed}/{epoch}").shuffle(order)
        for number in range(len(self)):
            start = number * self.batch_size
            rng = random.Random(f"{self.seed}/{epoch}/{number}")
            yield self._read(order[start : start + self.batch_size], rng)

    def _read(self, indices: Sequence[int], rng: random.Random) -> Any:
        if self.collate is None:
            if isinstance(self.dataset, ImageDataset):
                return self.dataset.gather(indices, rng)
            if isinstance(self.dataset, TensorDataset):
                return indices
        return [self.dataset[i] for i in indices]

    def _finish(self, batch: Any) -> Any:
        if self.collate is not None:
            return self.collate(batch)
        if isinstance(self.dataset, ImageDataset):
            pixels, labels = batch
            return to_tensors(pixels, labels, self.dataset.shape, self.device)
        if isinstance(self.dataset, TensorDataset):
            return self.dataset.rows(batch)
        return stack_items(batch, self.device)


def _read_ahead(source: Iterator[Any], depth: int) -> Iterator[Any]:
    """Run `source` in a thread, up to `depth` items ahead; its errors surface here.

    When the caller stops early, the thread ends with it.
    """
    ready: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue(depth)
    stop = threading.Event()
    worker = threading.Thread(
        target=_fill, args=(source, ready, stop), name="fogo-loader", daemon=True
    )
    try:
        worker.start()
    except RuntimeError:  # this Python has no threads
        yield from source
        return
    try:
        while True:
            item, error = ready.get()
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
    finally:
        stop.set()
        # Make room, so that a thread that waits to put sees the event.
        while worker.is_alive():
            _drain(ready)
            worker.join(0.05)


def _fill(
    source: Iterator[Any],
    ready: queue.Queue[tuple[Any, BaseException | None]],
    stop: threading.Event,
) -> None:
    try:
        for item in source:
            ready.put((item, None))
            if stop.is_set():
                return
        ready.put((_END, None))
    except BaseException as error:  # handed over, whatever it is
        ready.put((None, error))


def _drain(ready: queue.Queue[Any]) -> None:
    try:
        while True:
            ready.get_nowait()
    except queue.Empty:
        pass

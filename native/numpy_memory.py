"""Host memory that is used again: writing to fresh pages runs at 2-3 GB/s.

Large arrays are slices of blocks that come back when the last array on them is gone.
Small ones are NumPy's own: its allocator keeps those.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

LARGE = 1 << 20  # bytes from which on a block is kept
SPARE = 256 << 20  # bytes kept for later at most, or as much as is in use
STEPS = 8  # sizes of blocks to each power of two


class Lease(np.ndarray[Any, Any]):
    """The bytes of a block, lent to the arrays made on it (they hold it as base)."""

    pool: Pool | None = None

    def __del__(self) -> None:
        if self.pool is not None:
            self.pool.come_back(self)


class Pool:
    """Lends blocks by size class and takes them back."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # __del__ may run in the middle of anything
        self.idle: dict[int, list[Any]] = {}
        self.in_use = 0
        self.spare = 0
        self.lent = 0
        self.peak = 0
        self.peak_used = 0

    def take(self, count: int, dtype: str) -> Any:
        """Return a flat, writable array of undefined values."""
        kind = np.dtype(dtype)
        nbytes = count * kind.itemsize
        if nbytes < LARGE:
            return np.empty(count, kind)
        size = size_class(nbytes)
        with self.lock:
            kept = self.idle.get(size)
            block = kept.pop() if kept else None
            if block is not None:
                self.spare -= size
            self.in_use += size
            self.lent += 1
            self.peak_used = max(self.peak_used, self.in_use)
            self.peak = max(self.peak, self.in_use + self.spare)
        if block is None:
            block = np.empty(size, np.uint8)
        lease: Any = block.view(Lease)
        lease.pool = self
        # Made over a memoryview, the array's base is the lease, not the block.
        return np.frombuffer(memoryview(lease), kind, count)

    def come_back(self, lease: Any) -> None:
        """Keep the block of a lease that is gone."""
        lease.pool = None
        with self.lock:
            size = lease.nbytes
            self.in_use -= size
            self.lent -= 1
            if self.spare + size <= max(SPARE, self.in_use):
                self.idle.setdefault(size, []).append(lease.base)
                self.spare += size

    def trim(self, keep: int = 0) -> None:
        """Let go of blocks, largest first, until at most `keep` bytes are spare."""
        with self.lock:
            for size in sorted(self.idle, reverse=True):
                while self.idle[size] and self.spare > keep:
                    self.idle[size].pop()
                    self.spare -= size

    def stats(self) -> dict[str, int]:
        """What fogo.memory_stats tells; arrays below a mebibyte are not counted."""
        with self.lock:
            kept = sum(len(blocks) for blocks in self.idle.values())
            return {
                "in_use": self.in_use,
                "reserved": self.in_use + self.spare,
                "peak_in_use": self.peak_used,
                "peak_reserved": self.peak,
                "buffers": self.lent + kept,
            }

    def reset_peak(self) -> None:
        """Count peaks from now on."""
        with self.lock:
            self.peak_used, self.peak = self.in_use, self.in_use + self.spare


def size_class(nbytes: int) -> int:
    """Round up to one of a few steps to each power of two."""
    step = 1 << max(0, nbytes.bit_length() - 1 - STEPS.bit_length() + 1)
    return (nbytes + step - 1) // step * step

"""Memory of the CUDA player: a pool of its own, and the ways to the host and back.

Everything is ordered by one stream: what is dropped may be used again at once, for the
commands that used it come before. The host's side of a transfer is page-locked, so that
neither waits for the other; larger ones go as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fogo.errors import DeviceError

if TYPE_CHECKING:
    from .cuda_player import Player

TO_GPU, TO_HOST, ACROSS = 1, 2, 3  # cudaMemcpyKind
LOCKED_BYTES = 16 << 20  # the most that a transfer locks
IDLE_BYTES = 256 << 20  # of what is freed, kept from the driver


class Memory:
    """Allocates and moves bytes on a stream."""

    def __init__(self, cupy: Any, stream: Any) -> None:
        self.cupy = cupy
        self.stream = stream
        self.pool = cupy.cuda.MemoryPool()
        self.move = cupy.cuda.runtime.memcpyAsync
        self.staged: list[Any] = []  # page-locked memory that this batch writes from
        self.waiting: list[tuple[Any, list[Any]]] = []  # … of batches: (event, those)

    def take(self, size: int) -> Any:
        """Memory of so many bytes, with its address as `ptr`; raises MemoryError."""
        return self.pool.malloc(size)

    def settle(self, keep: int = IDLE_BYTES) -> None:
        """Give what is free back to the driver, if it is more than `keep` bytes."""
        if self.pool.free_bytes() > keep:
            self.pool.free_all_blocks()

    def copy(self, source: int, target: int, size: int, how: int) -> None:
        """Copy bytes between addresses, in order with all else."""
        self.move(target, source, size, how, self.stream.ptr)

    def write(self, target: int, blob: Any, size: int) -> None:
        """Copy bytes of the host to an address."""
        source = np.frombuffer(blob, np.uint8, size)
        if size <= LOCKED_BYTES:
            locked = self._locked(size)
            locked[:] = source
            source = locked
            self.staged.append(locked)
        self.copy(source.ctypes.data, target, size, TO_GPU)

    def read(self, source: int, size: int) -> Any:
        """Ask for bytes: they are in what this returns once the stream is there."""
        if not size:
            return b""
        host = self._locked(size) if size <= LOCKED_BYTES else np.empty(size, np.uint8)
        self.copy(source, host.ctypes.data, size, TO_HOST)
        return host

    def _locked(self, size: int) -> Any:
        return np.frombuffer(self.cupy.cuda.alloc_pinned_memory(size), np.uint8, size)

    def sent(self) -> None:
        """The batch is with the GPU."""
        if self.staged:
            self.waiting.append((self.stream.record(), self.staged))
            self.staged = []

    def recycle(self) -> None:
        """Give up what batches that are done have written from."""
        while self.waiting and self.waiting[0][0].done:
            self.waiting.pop(0)


class Pending:
    """The reads of a batch: `wait()` for them, or await `result()`."""

    def __init__(self, player: Player, reads: list[Any], event: Any) -> None:
        self.player = player
        self.reads = reads  # None for one that failed
        self.event = event

    def wait(self) -> list[Any]:
        """Return the bytes of each read; raises DeviceError if the GPU objected."""
        problem = self.player.take_problem()
        if problem is not None:
            raise problem
        if self.event is not None:
            try:
                self.event.synchronize()
            except self.player.errors as error:
                raise DeviceError(f"cuda: reading failed: {error}") from None
        if [r for r in self.reads if r is None]:
            raise DeviceError(
                "cuda: reading failed, for a reason that another read was told"
            )
        return self.reads

    async def result(self) -> list[Any]:
        """Return what `wait` does: it takes no waiting elsewhere."""
        return self.wait()

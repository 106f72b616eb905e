"""Reading back through wgpu-py: the wait for a batch's READs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fogo.errors import DeviceError

if TYPE_CHECKING:
    from .wgpu_player import Player

MAP_READ = 1  # a map mode, and a buffer's usage
COPY_DST = 8
LEAST_BYTES = 1 << 16  # of a buffer to read through
KEEP_BYTES = 1 << 24  # larger ones are not kept


class Staging:
    """Buffers that reads go through; a few are kept, the smallest first."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.idle: list[Any] = []

    def take(self, size: int) -> Any:
        """Return a buffer of at least `size` bytes."""
        for i, buffer in enumerate(self.idle):
            if buffer.size >= size:
                return self.idle.pop(i)
        return self.device.create_buffer(
            size=max(LEAST_BYTES, size), usage=MAP_READ | COPY_DST
        )

    def recycle(self, buffer: Any) -> None:
        """Take a buffer back."""
        if buffer.size > KEEP_BYTES or len(self.idle) >= 4:
            buffer.destroy()
            return
        self.idle.append(buffer)
        self.idle.sort(key=lambda b: b.size)


class Chunk:
    """READs that follow each other: the buffer they go through, words of each."""

    __slots__ = ("staging", "counts")

    def __init__(self, staging: Any, counts: list[int]) -> None:
        self.staging = staging
        self.counts = counts


class Pending:
    """The reads of a batch: `wait()` for them, or await `result()`."""

    def __init__(self, player: Player, chunks: list[Chunk]) -> None:
        self.player = player
        self.chunks = chunks

    def wait(self) -> list[Any]:
        """Return the bytes of each read; raises DeviceError if the GPU objected."""
        for staging in self._begin():
            try:
                staging.map_sync(MAP_READ)
            except self.player.errors as error:
                raise DeviceError(f"webgpu: reading failed: {error}") from None
        return self._parts()

    async def result(self) -> list[Any]:
        """Await what `wait` returns."""
        for staging in self._begin():
            try:
                await staging.map_async(MAP_READ)
            except self.player.errors as error:
                raise DeviceError(f"webgpu: reading failed: {error}") from None
        return self._parts()

    def _begin(self) -> list[Any]:
        """Raise what went wrong; list the buffers to map."""
        problem = self.player.take_problem()
        if problem is not None:
            raise problem
        return [c.staging for c in self.chunks if c.staging is not None]

    def _parts(self) -> list[Any]:
        parts: list[Any] = []
        chunks, self.chunks = self.chunks, []
        for chunk in chunks:
            if chunk.staging is None:
                parts += [b"" for _ in chunk.counts]
                continue
            whole = chunk.staging.read_mapped()
            chunk.staging.unmap()
            self.player.staging.recycle(chunk.staging)
            at = 0
            for count in chunk.counts:
                parts.append(whole[at : at + count * 4])
                at += padded(count)
        return parts


def padded(count: int) -> int:
    """Bytes that `count` words take in the staging buffer: a multiple of 8."""
    return (count * 4 + 7) // 8 * 8

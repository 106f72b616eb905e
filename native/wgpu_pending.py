"""Reading back through wgpu-py: the wait for a batch's READs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fogo.errors import DeviceError

if TYPE_CHECKING:
    from .wgpu_player import Player

MAP_READ = 1  # a map mode


class Pending:
    """The reads of a batch: `wait()` for them, or await `result()`."""

    def __init__(
        self, player: Player, reads: list[tuple[int, int, int]], staging: Any
    ) -> None:
        self.player = player
        self.reads = reads
        self.staging = staging

    def wait(self) -> list[Any]:
        """Return the bytes of each read; raises DeviceError if the GPU objected."""
        if self._begin():
            try:
                self.staging.map_sync(MAP_READ)
            except self.player.errors as error:
                raise DeviceError(f"webgpu: reading failed: {error}") from None
        return self._parts()

    async def result(self) -> list[Any]:
        """Await what `wait` returns."""
        if self._begin():
            try:
                await self.staging.map_async(MAP_READ)
            except self.player.errors as error:
                raise DeviceError(f"webgpu: reading failed: {error}") from None
        return self._parts()

    def _begin(self) -> bool:
        """Raise what went wrong; say whether there is a buffer to map."""
        problem = self.player.take_problem()
        if problem is not None:
            raise problem
        return self.staging is not None

    def _parts(self) -> list[Any]:
        if self.staging is None:
            return [b"" for _ in self.reads]
        whole = self.staging.read_mapped()
        self.staging.unmap()
        self.player.recycle(self.staging)
        self.staging = None
        parts, at = [], 0
        for _, _, count in self.reads:
            parts.append(whole[at : at + count * 4])
            at += padded(count)
        return parts


def padded(count: int) -> int:
    """Bytes that `count` words take in the staging buffer: a multiple of 8."""
    return (count * 4 + 7) // 8 * 8

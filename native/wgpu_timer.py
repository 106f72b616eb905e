"""Device time of every dispatch: timestamp queries around passes of one dispatch."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 4096  # queries in a set: WebGPU's limit
MAP_READ, COPY_SRC, COPY_DST, QUERY_RESOLVE = 0x1, 0x4, 0x8, 0x200

# A dispatch that was timed: its kernel, its grid and parameters, nanoseconds that it
# took, and when it began on the device's clock.
Timing = tuple[int, tuple[int, ...], float, float]


class Timer:
    """Times the dispatches of a player while it is the player's `timer`.

    tick: nanoseconds of one unit of the device's clock.
    """

    def __init__(self, device: Any, tick: float) -> None:
        self.device = device
        self.tick = tick
        self.queries = device.create_query_set(type="timestamp", count=MOST)
        self.resolved = device.create_buffer(
            size=MOST * 8, usage=QUERY_RESOLVE | COPY_SRC
        )
        self.keys: list[tuple[int, tuple[int, ...]]] = []  # of the open encoder
        self.waiting: list[tuple[list[tuple[int, tuple[int, ...]]], Any]] = []

    @property
    def full(self) -> bool:
        """Say whether the open encoder must be sent before another dispatch."""
        return len(self.keys) * 2 >= MOST

    def writes(self) -> dict[str, Any]:
        """Return the `timestamp_writes` of the pass of the next dispatch."""
        at = len(self.keys) * 2
        return {
            "query_set": self.queries,
            "beginning_of_pass_write_index": at,
            "end_of_pass_write_index": at + 1,
        }

    def note(self, kernel: int, words: Sequence[int]) -> None:
        """Remember which dispatch the pass held that has just ended."""
        self.keys.append((kernel, tuple(words)))

    def resolve(self, encoder: Any) -> None:
        """Add to an encoder, before it is sent, what saves its times."""
        if not self.keys:
            return
        count = len(self.keys) * 2
        staging = self.device.create_buffer(size=count * 8, usage=MAP_READ | COPY_DST)
        encoder.resolve_query_set(self.queries, 0, count, self.resolved, 0)
        encoder.copy_buffer_to_buffer(self.resolved, 0, staging, 0, count * 8)
        self.waiting.append((self.keys, staging))
        self.keys = []

    def collect(self) -> list[Timing]:
        """Wait for the times of everything sent since the last call, in order."""
        found: list[Timing] = []
        waiting, self.waiting = self.waiting, []
        for keys, staging in waiting:
            staging.map_sync(MAP_READ)
            ticks = array("Q", bytes(staging.read_mapped()))
            staging.unmap()
            staging.destroy()
            for i, (kernel, words) in enumerate(keys):
                spent = max(0, ticks[2 * i + 1] - ticks[2 * i])
                began = ticks[2 * i] * self.tick
                found.append((kernel, words, spent * self.tick, began))
        return found

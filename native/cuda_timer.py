"""Device time of every kernel launch: CUDA events before and behind it.

An event takes its time when the GPU reaches it. Were the GPU idle, that would be long
before the host has sent the kernel behind it; so while launches are timed, a kernel
that only waits goes ahead of every few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .cuda_rtc import OPTIONS

if TYPE_CHECKING:
    from .wgpu_timer import Timing

AHEAD = 32  # launches behind one that waits
WAIT = 400_000  # nanoseconds: longer than the host takes to send them
SPIN = """
extern "C" __global__ void wait_kernel(long long ns) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < ns);
}
"""


class Timer:
    """Times the launches of a player while it is the player's `timer`."""

    def __init__(self, cupy: Any, stream: Any) -> None:
        self.cupy = cupy
        self.stream = stream
        module = cupy.RawModule(code=SPIN, options=OPTIONS)
        self.spin = module.get_function("wait_kernel")
        self.start = stream.record()
        self.left = 0  # launches that the last wait is good for
        self.open: Any = None
        self.found: list[tuple[int, tuple[int, ...], Any, Any]] = []

    def begin(self) -> None:
        """A kernel is about to be launched."""
        if not self.left:
            with self.stream:
                self.spin((1,), (1,), (self.cupy.int64(WAIT),))
            self.left = AHEAD
        self.left -= 1
        self.open = self.stream.record()

    def end(self, kernel: int, words: tuple[int, ...]) -> None:
        """It was launched: its number, its grid and parameters."""
        self.found.append((kernel, words, self.open, self.stream.record()))

    def collect(self) -> list[Timing]:
        """Wait for the times of everything sent since the last call, in order."""
        found, self.found = self.found, []
        self.left = 0
        times: list[Timing] = []
        if found:
            found[-1][3].synchronize()
        between = self.cupy.cuda.get_elapsed_time  # in milliseconds
        for kernel, words, begin, end in found:
            spent, began = between(begin, end), between(self.start, begin)
            times.append((kernel, words, spent * 1e6, began * 1e6))
        return times

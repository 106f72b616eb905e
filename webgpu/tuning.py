"""`Bench`: how fogo.autotune measures kernels on a GPU, whatever else is under way."""

from __future__ import annotations

from ..backend.base import RawBackend

try:
    from time import perf_counter
except ImportError:  # MicroPython
    from time import time as perf_counter

BATCH = 0.004  # seconds that a batch should take where only such can be timed
MOST = 32  # runs in it


class Bench:
    """Measures on one backend. A program that is being captured sees nothing of it."""

    def __init__(self, backend):
        self.backend = backend
        self.busy = False
        self.fine = False  # whether the device's own clock is read
        self.empty = 0.0  # seconds that waiting alone takes

    def name(self):
        """What a choice is good for: the device, its driver, and who drives it."""
        gpu = self.backend.gpu
        info = gpu.info
        driver = info.get("driver") or info.get("kind", "")
        return "%s; %s; %s" % (info["name"], driver, type(gpu).__name__)

    def begin(self):
        """Make room: True, or False where nothing can be measured now.

        Raises: DeviceError with what had gone wrong before.
        """
        gpu = self.backend.gpu
        can_wait = getattr(gpu, "can_wait", None)
        if self.busy or (can_wait is not None and not can_wait()):
            return False
        backend = self.backend
        self.before = (backend.tape, backend.names)
        backend.tape = None
        try:
            backend.sync()
            start = perf_counter()
            backend.sync()
        except BaseException:
            self._restore()
            raise
        self.empty = perf_counter() - start
        backend.names = {}
        self.busy = True
        profile = getattr(gpu, "profile", None)
        idle = profile is not None and not gpu.profiling and gpu.precise
        self.fine = idle and profile(True)
        return True

    def end(self):
        """Leave everything as it was."""
        if self.fine:
            self.backend.gpu.profile(False)
        self.busy = self.fine = False
        self._restore()

    def _restore(self):
        backend = self.backend
        backend.tape, backend.names = self.before

    def run(self, candidate, handles, outs):
        """Run a candidate once; its outputs are dropped."""
        if candidate.run is not None:
            candidate.run(self.backend, handles, outs)
        else:
            RawBackend.run(self.backend, candidate.op, handles, candidate.attrs, outs)

    def wait(self):
        """Wait for the device; raises what it objected to."""
        self.backend.sync()
        if self.fine:
            self.backend.gpu.timings()  # of what is not to be counted

    def time(self, candidate, handles, outs):
        """Seconds that one run takes."""
        if self.fine:
            self.run(candidate, handles, outs)
            self.backend.sync()
            timings = self.backend.gpu.timings()
            return sum([t[2] for t in timings]) * 1e-9
        once = self._batch(candidate, handles, outs, 1)
        count = int(min(MOST, BATCH / max(once, 1e-6)))
        if count < 2:
            return once
        return self._batch(candidate, handles, outs, count)

    def _batch(self, candidate, handles, outs, count):
        start = perf_counter()
        for _ in range(count):
            self.run(candidate, handles, outs)
        self.backend.sync()
        return max(0.0, perf_counter() - start - self.empty) / count

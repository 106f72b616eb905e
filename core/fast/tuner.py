"""Measures candidates against each other on the device: see fogo.autotune.

The inputs are the op's own where they have buffers, else scratch ones of the same
layouts (their numbers do not matter); outputs are dropped. Times are the device's own
clock's where a host offers a fine one, else those of batches that are waited for.
"""

from __future__ import annotations

from .. import autotune
from ..backend.base import Handle
from ..errors import DeviceError
from ..kernel.lower import aligned, pattern

try:
    from time import perf_counter
except ImportError:  # MicroPython
    from time import time as perf_counter

FEW, MANY = 3, 9  # runs of a candidate
SLICE, LEAST = 0.03, 0.004  # seconds that a candidate may run after its first runs
LONG = 0.1  # ... and for these, too
KEY_SECONDS = 0.25  # for all candidates of a key, without compiling them
COMPILE_SECONDS = 3.0  # for all candidates of a key, with compiling
TOTAL_SECONDS = 60.0  # in a process: then first candidates are taken
WORSE = 2.0  # a candidate that takes this much longer is measured no further
GAIN = 0.97  # the share of the first candidate's time that another must reach
SCRATCH = 2 << 30  # bytes of scratch inputs, at most
WARM = 0.02  # seconds of work before the first measurement: clocks rise


class Tuner:
    """Picks among candidates for one backend."""

    def __init__(self, backend, caps):
        self.backend = backend
        self.bench = backend.bench()
        self.caps = caps
        self.spent = 0.0
        self.measured = 0  # keys
        self.slice = SLICE
        self.reached = 0  # candidates that had their turn

    def pick(self, op, inputs, attrs, outs, offered):
        """Return the fastest of `offered` as far as is known, or the first."""
        mode = autotune.mode_for(self.caps.software)
        if mode == "off" or len(offered) < 2:
            return offered[0]
        device = self.bench.name()
        key = class_of(op, inputs, attrs, outs)
        names = [c.name for c in offered]
        entry = autotune.STORE.known(device, key)
        field, tried = offered, []
        if entry is not None and entry["best"] in names:
            tried = entry["of"]
            best = offered[names.index(entry["best"])]
            field = [best] + [c for c in offered if c.name not in tried]
        if len(field) < 2:
            return field[0]
        if mode == "cached" or self.spent > TOTAL_SECONDS:
            return field[0]
        times = self._measure(inputs, outs, field)
        if times is None:
            return field[0]
        best = winner(field, times)
        for c in field[: self.reached]:  # for the others, the next process has time
            if c.name not in tried:
                tried = tried + [c.name]
        autotune.STORE.remember(device, key, best.name, tried)
        return best

    def _measure(self, inputs, outs, offered):
        """Seconds of each candidate; None where nothing can be measured now."""
        begin = perf_counter()
        if not self.bench.begin():
            return None
        try:
            handles = self._scratch(inputs)
            if handles is None:
                return None
            self.slice = max(LEAST, min(SLICE, KEY_SECONDS / len(offered)))
            times = self._race(handles, outs, offered, begin)
        finally:
            self.bench.end()
            self.spent += perf_counter() - begin
        self.measured += 1
        return times if [t for t in times if t is not None] else None

    def _race(self, handles, outs, offered, begin):
        """Seconds of each candidate; None for those that failed or were left out."""
        times = [None] * len(offered)
        running = 0.0
        best = None
        for i, candidate in enumerate(offered):
            left = perf_counter() - begin < COMPILE_SECONDS and running < KEY_SECONDS
            if best is not None and not left:
                break
            self.reached = i + 1
            try:
                self.bench.run(candidate, handles, outs)
                self.bench.wait()
                if best is None:
                    self._warm(candidate, handles, outs)
                spent = perf_counter()
                times[i] = self._time(candidate, handles, outs, best)
                running += perf_counter() - spent
            except DeviceError:
                continue  # one that this device refuses, or has no memory for
            best = times[i] if best is None else min(best, times[i])
        return times

    def _warm(self, candidate, handles, outs):
        start = perf_counter()
        while perf_counter() - start < WARM:
            self.bench.run(candidate, handles, outs)
            self.bench.wait()

    def _time(self, candidate, handles, outs, best):
        """The least of several runs: others only add what does not belong."""
        least = None
        start = perf_counter()
        for i in range(MANY):
            spent = self.bench.time(candidate, handles, outs)
            least = spent if least is None else min(least, spent)
            if best is not None and i and least > WORSE * best:
                break
            passed = perf_counter() - start
            if passed > (self.slice if i + 1 >= FEW else LONG):
                break
        return least

    def _scratch(self, inputs):
        """Handles to read from, or None where that would take too much memory."""
        made = []
        total = 0
        for h in inputs:
            buffer = getattr(h, "buffer", None)
            if buffer is None:
                count = extent(h.layout)
                total += count * h.dtype.itemsize
                if total > SCRATCH:
                    return None
                try:
                    buffer = self.backend.allocate(count, h.dtype)
                except DeviceError:
                    return None
            made.append(Handle(buffer, h.layout, h.dtype))
        return tuple(made)


def winner(offered, times):
    """The fastest; the first unless another is clearly faster."""
    at = 0
    for i, spent in enumerate(times):
        if spent is not None and (times[at] is None or spent < times[at]):
            at = i
    if times[0] is not None and times[at] > GAIN * times[0]:
        at = 0
    return offered[at]


def extent(layout):
    """Elements that a buffer must have for a layout."""
    last = layout.offset
    for n, stride in zip(layout.shape, layout.strides):
        if n == 0:
            return 1
        if stride > 0:
            last += (n - 1) * stride
    return last + 1


def class_of(op, inputs, attrs, outs):
    """The key of these operands: sizes in classes, dtypes, what layouts look like."""
    parts = [op.name, _attrs(attrs)]
    for h in inputs:
        layout = h.layout
        kinds = "".join([str(n) for n in pattern(layout)[0]])
        wide = "a" if aligned(layout) else "u"
        parts.append("%s[%s]%s%s" % (h.dtype.name, _sizes(layout.shape), kinds, wide))
    for o in outs:
        parts.append("%s[%s]" % (o.dtype.name, _sizes(o.shape)))
    return " ".join(parts)


def _attrs(attrs):
    found = []
    for a in attrs:
        found.append(getattr(a, "name", None) or str(a).replace(" ", ""))
    return ";".join(found)


def _sizes(shape):
    return ",".join([str(bucket(n)) for n in shape])


def bucket(n):
    """A size's class: small ones as they are, others by half powers of two."""
    if n <= 16:
        return n
    power = 16
    while power * 2 <= n:
        power *= 2
    return power if n < power * 3 // 2 else power * 3 // 2

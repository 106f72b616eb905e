"""`fogo.profile`: what every kernel took, moved and computed, beside what is possible.

    with fogo.profile() as p:  # or one device: fogo.profile("webgpu")
        step()
    print(p.table())
    p.trace("step.json")  # for chrome://tracing or ui.perfetto.dev

On GPUs each dispatch gets a pass and two timestamps of its own (so the whole takes
longer than without); where a GPU has none, each kernel is waited for. On CPUs the time
is that of each op, without the ops inside it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .device import DEVICES
from .device import device as device_of
from .meters import bottom, meter_for

if TYPE_CHECKING:
    from .device import Device


class Record:
    """One kernel that ran: seconds it took, when it began, and on which device."""

    __slots__ = ("name", "seconds", "start", "bytes", "flops", "device")

    def __init__(self, name, seconds, start, nbytes, flops, device=None):
        self.name = name
        self.seconds = seconds
        self.start = start
        self.bytes = nbytes
        self.flops = flops
        self.device = device

    def __repr__(self) -> str:
        return "<%s: %.3f ms, %d bytes, %d operations>" % (
            self.name, 1e3 * self.seconds, self.bytes, self.flops,
        )  # fmt: skip


class Profile:
    """Measures what runs on devices inside a `with` block.

    records   one for each kernel, device by device: name, seconds, start, bytes, flops
    how       how the seconds were found, for people
    devices   those that were watched: without `device`, all that were open

    `table()` returns the records as text, `trace(path)` writes them for a viewer.
    """

    def __init__(self, device: Device | str | None = None) -> None:
        self.device = device_of(device)
        self.devices = [self.device]
        self.records: list[Any] = []
        self.how = ""
        self._every = device is None
        self._meters: list[Any] = []  # (device, meter)

    def __repr__(self) -> str:
        found = "use it in a `with` statement"
        if self.how:
            found = self._found(self.records)
        names = ", ".join([repr(d) for d in self.devices])
        return "<profile of %s: %s>" % (names, found)

    def _found(self, records):
        n = len(records)
        if n == 0:
            names = [d.name for d in self.devices]
            return "nothing ran on %s; give the device that computes: %s" % (
                " or ".join(names), "fogo.profile(x.device)",
            )  # fmt: skip
        spent = 1e3 * sum([r.seconds for r in records])
        return "%d kernel%s, %.3f ms (%s)" % (n, "" if n == 1 else "s", spent, self.how)

    def __enter__(self) -> Profile:
        if self._every:
            self.devices = _open(self.device)
        hows = []
        for device in self.devices:
            device.sync()
            meter = meter_for(device)
            if meter.how not in hows:
                hows.append(meter.how)
            meter.start()
            self._meters.append((device, meter))
        self.how = ", ".join(hows)
        return self

    def __exit__(self, *error: Any) -> None:
        meters, self._meters = self._meters, []
        failed = None
        for device, meter in meters:
            try:
                if error[0] is None:
                    device.sync()
            except Exception as caught:  # the others are ended first
                failed = failed or caught
            for name, seconds, start, nbytes, flops in meter.stop():
                self.records.append(
                    Record(name, seconds, start, nbytes, flops, device)
                )  # fmt: skip
        if failed is not None:
            raise failed

    def _by_device(self):
        """[(device, its records)] where there are any."""
        found = []
        for device in self.devices:
            mine = [r for r in self.records if (r.device or self.device) is device]
            if mine:
                found.append((device, mine))
        return found

    @property
    def seconds(self) -> float:
        """The time of all kernels together."""
        return float(sum([r.seconds for r in self.records]))

    def table(self, rows: int = 30) -> str:
        """Return a table, kernels of one name together, the longest first.

        Bytes are those of inputs and outputs, operations are counted in the kernels
        (an exp is one, a multiply-add two); the shares are of what the device reaches
        at its best, measured once: copying, and multiply-adds.
        """
        found = [self._table(d, mine, rows) for d, mine in self._by_device()]
        return "\n".join(found or [self._found([])])

    def _table(self, device, records, rows):
        best = ceilings(device)
        lines = [
            "%-36s %6s %10s %6s %8s %6s %9s %6s"
            % ("kernel", "calls", "ms", "time", "GB/s", "peak", "GFLOP/s", "peak")
        ]
        whole = sum([r.seconds for r in records]) or 1e-12
        groups = sorted(_groups(records).values(), key=_longest)
        for group in groups[:rows]:
            lines.append(_line(group, whole, best))
        if len(groups) > rows:
            lines.append("… and %d more" % (len(groups) - rows))
        lines.append(
            "%s; copy %.2f GB/s, multiply-add %.2f GFLOP/s on %s"
            % (self._found(records), best[0] / 1e9, best[1] / 1e9, device.describe())
        )
        return "\n".join(lines)

    def trace(self, path: str) -> None:
        """Write the kernels on a time line, in Chrome's format (Perfetto reads it)."""
        events = []
        for number, (device, records) in enumerate(self._by_device()):
            first = min([r.start for r in records])
            text = "%s: %s" % (device.name, device.describe())
            events.append(
                {"name": "process_name", "ph": "M", "pid": number,
                 "args": {"name": text}}
            )  # fmt: skip
            for r in records:
                events.append(
                    {"name": r.name, "cat": "kernel", "ph": "X", "pid": number,
                     "tid": 0, "ts": 1e6 * (r.start - first), "dur": 1e6 * r.seconds,
                     "args": {"bytes": r.bytes, "flops": r.flops}}
                )  # fmt: skip
        with open(path, "w") as file:
            file.write(json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}))


def _open(first):
    """`first`, and every other device that is open; one of each backend."""
    found = [first]
    seen = [bottom(first)]
    for name in sorted(DEVICES):
        if bottom(DEVICES[name]) not in seen:
            seen.append(bottom(DEVICES[name]))
            found.append(DEVICES[name])
    return found


def _groups(records):
    """name -> [name, calls, seconds, bytes, flops]"""
    found = {}
    for r in records:
        group = found.setdefault(r.name, [r.name, 0, 0.0, 0, 0])
        group[1] += 1
        group[2] += r.seconds
        group[3] += r.bytes
        group[4] += r.flops
    return found


def _longest(group):
    return -group[2]


def _line(group, whole, best):
    name, calls, seconds, nbytes, flops = group
    spent = seconds or 1e-12
    shown = name if len(name) <= 36 else name[:35] + "…"
    return "%-36s %6d %10.3f %5.1f%% %8.2f %5.1f%% %9.2f %5.1f%%" % (
        shown, calls, 1e3 * seconds, 100 * seconds / whole, nbytes / spent / 1e9,
        100 * nbytes / spent / best[0], flops / spent / 1e9,
        100 * flops / spent / best[1],
    )  # fmt: skip


def profile(device: Device | str | None = None) -> Profile:
    """Return a profile of a device, or of all that are open: use it in a `with` block.

    Afterwards its `table()` returns what each kernel took beside the device's best, its
    `trace(path)` writes a time line for Perfetto, its `records` are the kernels
    themselves.

    Example:
        >>> import fogo
        >>> x = fogo.ones((256, 256), device="numpy")
        >>> with fogo.profile("numpy") as p:
        ...     y = x @ x
        >>> [(r.name, r.flops) for r in p.records]
        [('matmul', 33554432)]
    """
    return Profile(device)


_CEILINGS: dict[Any, tuple[float, float]] = {}  # backend -> (bytes/s, operations/s)


def ceilings(device: Device | str | None = None) -> tuple[float, float]:
    """Return the bytes and the operations a second that a device reaches at its best.

    A copy of many elements, and multiply-adds in registers (in a matrix product where
    a library computes those); the best of several runs, measured once a process.
    """
    base = device_of(device).base()
    found = _CEILINGS.get(base)
    if found is None:
        found = _CEILINGS[base] = _measured(base)
    return found


def _measured(base):
    """Both ceilings; the memory that this takes is not the program's."""
    from .memory import memory_cleanup
    from .meters import best_copy, best_multiply_add, bottom

    pool = getattr(bottom(base), "pool", None)
    if not hasattr(pool, "stats"):
        return best_copy(base), best_multiply_add(base)
    peaks = (pool.peak, pool.peak_used)
    try:
        return best_copy(base), best_multiply_add(base)
    finally:
        memory_cleanup(base)
        pool.peak, pool.peak_used = peaks

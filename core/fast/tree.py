"""Pieces that tuned kernels share: combining over threads, loops in big steps."""

from __future__ import annotations

from ..dtypes import float16, float32, int32, uint32
from ..expr import INDEX, call, cast, literal

GROUP = 256  # threads of a group, at most (all that browsers promise)
FEW = 8  # the same on a CPU that plays GPU: it does threads one by one
FAN = 16  # values that a thread combines between two barriers, at most


def most_threads(caps):
    """The largest group that pays on a device."""
    return min(GROUP, limit_threads(caps))


def limit_threads(caps):
    """The largest group that a device takes (a few, where it is a CPU)."""
    limit = caps.limits.get("maxComputeInvocationsPerWorkgroup", GROUP)
    return FEW if caps.software else min(1024, limit)


def wide_dtype(dtype):
    """The dtype that adds up a dtype: float32 for float16."""
    return float32 if dtype is float16 else dtype


def combine(k, parts, threads, lanes):
    """Combine values over every `lanes` neighbouring threads; all get the results.

    parts: list of (name of a binary primitive, value). `lanes` is a power of two, at
    most `threads`, the size of the group. Every thread must come by.
    """
    return combine_by(k, _joining(parts), [v for _, v in parts], threads, lanes)


def combine_by(k, join, values, threads, lanes):
    """`combine` for values that belong together: join(list, list) -> list."""
    if lanes == 1:
        return values
    first, own = segment(k, threads, lanes)
    rooms = _put(k, values, threads)
    k.barrier()
    left = lanes
    while left > FAN:
        fan = min(FAN, left // FAN)
        left //= fan
        with k.when(own < left):
            found = _fold(k, join, values, rooms, first + own, left, fan)
            _update(k, rooms, found)
        k.barrier()
    return _fold(k, join, values, rooms, first, 1, left)


def combine_down(k, parts, across, down):
    """Combine over `down` rows of `across` threads each; the first row gets all.

    parts: list of (name of a binary primitive, value). Every thread must come by.
    """
    return combine_down_by(k, _joining(parts), [v for _, v in parts], across, down)


def combine_down_by(k, join, values, across, down):
    """`combine_down` for values that belong together."""
    if down == 1:
        return values
    rooms = _put(k, values, across * down)
    left = down
    while left > 1:
        fan = min(FAN, left)
        left //= fan
        k.barrier()
        with k.when(k.local < left * across):
            found = _fold(k, join, values, rooms, k.local, left * across, fan)
            _update(k, rooms, found)
    return [cast(room[k.local], value.dtype) for value, room in zip(values, rooms)]


def _joining(parts):
    names = [name for name, _ in parts]

    def join(a, b):
        return [apply(name, x, y) for name, x, y in zip(names, a, b)]

    return join


def _put(k, values, threads):
    """Shared memory with the value of each thread, for each of the values."""
    rooms = []
    for value in values:
        room = k.shared(_roomy(value.dtype), threads)
        room[k.local] = cast(value, room.dtype)
        rooms.append(room)
    return rooms


def _update(k, rooms, values):
    for room, value in zip(rooms, values):
        room[k.local] = cast(value, room.dtype)


def _fold(k, join, values, rooms, start, step, count):
    """Join `count` lots of values, `step` apart, pair by pair."""
    lots = []
    for i in range(count):
        lot = [cast(r[start + i * step], v.dtype) for r, v in zip(rooms, values)]
        lots.append(lot)
    while len(lots) > 1:
        half = [join(lots[i], lots[i + 1]) for i in range(0, len(lots) - 1, 2)]
        lots = half + lots[len(half) * 2 :]
    return [k.let(v) for v in lots[0]]


def place_row(k, shape, threads, lanes):
    """The row of this thread, where `lanes` threads of a group share one.

    Returns (its coordinates in `shape`, the thread's place in the row, whether there
    is such a row, or None: there always is). Declares the groups.
    """
    if lanes == threads:
        return k.groups(shape, threads), k.local, None
    at_once = threads // lanes
    rows = total(shape)
    (group,) = k.groups(((rows + (at_once - 1)) // at_once,), threads)
    first, own = segment(k, threads, lanes)
    row = k.let(group * at_once + k.local // lanes)
    real = k.let(row < rows)
    return unravel(k, k.let(call("min", row, rows - 1)), shape), own, real


def segment(k, threads, lanes):
    """(number of the first thread that shares this thread's task, place after it)."""
    if lanes == threads:
        return literal(0, INDEX), k.local
    own = k.let(k.local % lanes)
    return k.let(k.local - own), own


def apply(name, a, b):
    """A binary primitive by its name, or a function of two Exprs."""
    return call(name, a, b) if isinstance(name, str) else name(a, b)


def fold(k, name, values):
    """Combine a list of values pair by pair."""
    while len(values) > 1:
        half = [
            apply(name, values[i], values[i + 1]) for i in range(0, len(values) - 1, 2)
        ]
        values = half + values[len(half) * 2 :]
    return k.let(values[0])


def _roomy(dtype):
    """A dtype of whole words, to be kept in shared memory."""
    if dtype is float16:
        return float32
    if dtype.is_bool or dtype.bits < 32:
        return uint32 if dtype.kind == "uint" else int32
    return dtype


def strided(k, stop, start, step, turns, body):
    """Run `body(places)` over `range(start, stop, step)`, `turns` places at once.

    `start` is below `step`. The last few places come one by one.
    """
    if turns > 1:
        full = k.let(stop // (step * turns) * (step * turns))
        with k.loop(full, start, step * turns) as j:
            body([j + i * step for i in range(turns)])
        start = full + start
    with k.loop(stop, start, step) as j:
        body([j])


def unravel(k, j, shape):
    """Coordinates of element number j of a shape, row-major; 0 where the size is 1."""
    real = [d for d, n in enumerate(shape) if not is_one(n)]
    out = [literal(0, INDEX)] * len(shape)
    for d in reversed(real[1:]):
        out[d] = k.let(j % shape[d])
        j = k.let(j // shape[d])
    if real:
        out[real[0]] = j
    return tuple(out)


def total(shape):
    """The number of elements of a symbolic shape."""
    n = literal(1, INDEX)
    for size in shape:
        n = n * size
    return n


def is_one(size):
    """Say whether a symbolic size is plainly 1."""
    return size.op == "const" and size.args[0] == 1


def power(n, most):
    """The smallest power of two that is at least n, and at most `most`."""
    p = 1
    while p < n and p < most:
        p *= 2
    return p

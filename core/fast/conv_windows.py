"""What convolutions look at: the places under taps, by counting along k or by axis."""

from __future__ import annotations

from ..expr import call, where


def count(sizes):
    """The product of sizes: Python ints or Exprs."""
    total = 1
    for n in sizes:
        total = n * total
    return total


def unravel(k, index, sizes):
    """Coordinates of element `index` of a shape, row-major; the first is unbounded."""
    out = []
    for n in reversed(sizes[1:]):
        rest = k.let(index // n)
        out.append(k.let(index - rest * n))
        index = rest
    return [index] + list(reversed(out))


class Depth:
    """What a place along k stands for: a channel of the group, and a tap."""

    def __init__(self, k, channels, taps, by_tap):
        self.k = k
        self.channels = channels
        self.taps = taps
        self.by_tap = by_tap
        self.known = {}  # id of an index -> (it, what it stands for)

    def size(self):
        """How far k goes."""
        return self.channels * count(self.taps)

    def begin(self, at):
        """A step begins: with `by_tap` it is of one tap."""
        if id(at) in self.known:
            return
        self.known = {id(at): (at, None)}
        if self.by_tap:
            tap = self.k.let(at // self.channels)
            self.skipped = self.k.let(tap * self.channels)
            self.tap = unravel(self.k, tap, self.taps)

    def split(self, kk):
        """(channel, tap) of one place."""
        if self.by_tap:
            return kk - self.skipped, self.tap
        found = self.known.get(id(kk))
        if found is None:
            channel = self.k.let(kk // count(self.taps))
            rest = self.k.let(kk - channel * count(self.taps))
            found = (kk, (channel, unravel(self.k, rest, self.taps)))
            self.known[id(kk)] = found
        return found[1]


class Windows:
    """Finds the elements of a picture under the taps, 0 outside; remembers them."""

    def __init__(self, k, array, find):
        self.k = k
        self.array = array
        self.find = find  # (place along an axis, tap, axis) -> (index, condition)
        self.known = {}

    def read(self, lead, places, taps):
        key = (id(places), id(taps))
        found = self.known.get(key)
        if found is None:
            found = self._find(places, taps) + (places, taps)
            self.known[key] = found
        at, inside = found[:2]
        value = self.array[lead + at]
        return value if inside is None else where(inside, value, 0.0)

    def _find(self, places, taps):
        at, inside = [], None
        for axis, (place, tap) in enumerate(zip(places, taps)):
            index, here = self.find(place, tap, axis)
            at.append(index)
            if here is not None:
                inside = here if inside is None else inside & here
        if inside is not None:
            inside = self.k.let(inside)
            at = [where(inside, i, 0) for i in at]
        return tuple([self.k.let(i) for i in at]), inside


def under(k, array, padding, dilation):
    """Find in the input: from the first place of a window (places are moved up by
    the padding) to that of a tap."""

    def find(place, tap, axis):
        before, after = padding[axis]
        size = array.shape[axis + 2]
        at = k.let(place + tap * dilation[axis] - before)
        inside = at >= 0 if before > 0 else None
        if after > 0:
            below = at < size
            inside = below if inside is None else inside & below
        return at, inside

    return find


def behind(k, array, stride, reach):
    """Find in the output: what a tap, counted from the last one, took from a place.

    reach: per axis (dilation, places ahead of the first output, a multiple of stride).
    """

    def find(place, tap, axis):
        step, (dilation, ahead) = stride[axis], reach[axis]
        at = k.let(place + tap * dilation)
        out = at if step == 1 else k.let(at // step)
        index = out - ahead // step
        inside = (index >= 0) & (index < array.shape[axis + 2])
        if step > 1:
            inside = inside & call("eq", out * step, at)
        return index, inside

    return find


def reach_of(taps, stride, padding, dilation):
    """Per axis (dilation, multiple of stride that keeps places positive), and what to
    add to a place so that counting taps from the last one adds their dilation."""
    reach, shift = [], []
    for n, s, (before, _), d in zip(taps, stride, padding, dilation):
        ahead = ((n - 1) * d + s - 1) // s * s
        reach.append((d, ahead))
        shift.append(before + ahead - (n - 1) * d)
    return reach, shift

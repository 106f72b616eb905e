"""Which kernel computes a convolution or one of its gradients."""

from __future__ import annotations

from ..dtypes import float16, float32
from ..ops.record import Op
from ..shapes import is_contiguous, size
from . import Candidate, conv_direct, conv_tile
from .conv_windows import count
from .matmul import cost, even
from .matmul_tile import Tile
from .matmul_total import in_parts

_OPTIONS = ("stride", "padding", "dilation", "groups", "taps")
_TILED = ("tile", "by_tap", "flat", "exact", "whole", "rows")
_DIRECT = ("ro", "rq", "whole")
FORWARD = Op("conv_tiled", kernel=conv_tile.forward, attrs=_OPTIONS + _TILED)
TO_INPUT = Op(
    "conv_input_tiled", kernel=conv_tile.to_input, attrs=("size",) + _OPTIONS + _TILED
)
TO_WEIGHT = Op(
    "conv_weight_tiled", kernel=conv_tile.to_weight,
    attrs=("size",) + _OPTIONS + ("tile", "exact", "rows", "split"),
)  # fmt: skip
FORWARD_DIRECT = Op("conv_direct", kernel=conv_direct.forward, attrs=_OPTIONS + _DIRECT)
INPUT_DIRECT = Op(
    "conv_input_direct", kernel=conv_direct.to_input,
    attrs=("size",) + _OPTIONS + _DIRECT,
)  # fmt: skip
WEIGHT_DIRECT = Op(
    "conv_weight_direct", kernel=conv_direct.to_weight,
    attrs=("size",) + _OPTIONS + ("ro", "split"),
)  # fmt: skip

# As in matmul.py: the arguments of Tile, and the share of the arithmetic they reach;
# for results whose columns are places, and for weights.
PLACES = (
    ((64, 128, 16, 8, 8, 0, 8, 16), 0.52),
    ((64, 128, 8, 8, 8, 1, 8, 8), 0.48),
    ((128, 128, 8, 8, 8, 1, 8, 8), 0.45),
    ((64, 64, 16, 4, 4, 0, 8, 8), 0.37),
    ((32, 64, 16, 4, 4, 0, 8, 8), 0.3),
    ((32, 32, 16, 4, 4, 0, 8, 8), 0.27),
    ((16, 64, 16, 4, 4, 0, 8, 8), 0.25),
)
WEIGHTS = (
    ((64, 64, 16, 8, 4, 1, 8, 8), 0.37),
    ((64, 64, 8, 8, 4, 1, 8, 8), 0.36),
    ((64, 64, 16, 4, 4, 0, 8, 8), 0.33),
    ((32, 64, 16, 4, 4, 0, 8, 8), 0.27),
    ((32, 32, 16, 4, 4, 0, 8, 8), 0.25),
    ((16, 64, 16, 4, 4, 0, 8, 8), 0.22),
)
SPLITS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
WAIT, LAUNCH = 100, 10000  # as in matmul.py: windows take longer, sums have no choice
MOST = 8  # candidates
FEW = 4  # channels up to which the direct kernels are better
SMALL = 1 << 19  # results for which a large GPU has more threads than work
WORK = 16  # results of a thread in the direct kernels


class Sizes:
    """A product's sizes, as `cost` takes them."""

    def __init__(self, m, n, k, batch):
        self.m, self.n, self.k, self.batch = m, n, k, batch


def candidates(op, inputs, attrs, outs, caps):
    """Kernels for this convolution, best guess first; empty for its own."""
    a, b = inputs
    if a.dtype is not float32 and not (
        a.dtype is float16 and "shader-f16" in caps.features
    ):
        return []
    if 0 in tuple(a.shape) + tuple(b.shape) + tuple(outs[0].shape):
        return []
    if op.name == "conv":
        return _forward(a, b, attrs, outs[0], caps)
    if op.name == "conv_input_grad":
        return _to_input(a, b, attrs, outs[0], caps)
    return _to_weight(a, b, attrs, outs[0], caps)


def _forward(x, w, attrs, out, caps):
    groups, taps = attrs[3], tuple(w.shape[2:])
    s = Sizes(
        out.shape[1] // groups, out.shape[0] * count(out.shape[2:]),
        w.shape[1] * count(taps), groups,
    )  # fmt: skip
    attrs = attrs + (taps,)
    direct = _direct(FORWARD_DIRECT, attrs, s.m, out, caps)
    if caps.software or w.shape[1] < FEW or s.m < FEW:
        return direct
    flat = _flat(w)
    return _places(FORWARD, attrs, s, w.shape[1], flat, out, caps) + direct[:1]


def _to_input(g, w, attrs, out, caps):
    groups, taps = attrs[4], tuple(w.shape[2:])
    of_group = g.shape[1] // groups
    s = Sizes(
        w.shape[1], out.shape[0] * count(out.shape[2:]), of_group * count(taps), groups
    )
    attrs = attrs + (taps,)
    direct = _direct(INPUT_DIRECT, attrs, s.m, out, caps)
    if caps.software or of_group < FEW or s.m < FEW:
        return direct
    found = _places(TO_INPUT, attrs, s, of_group, False, out, caps)
    if max(attrs[1]) > 1 and of_group % 16:  # most windows would be empty
        return direct[:1] + found
    return found + direct[:1]


def _flat(w):
    """Whether the weights of an output channel can be read four at a time."""
    taps = count(w.shape[2:])
    line, strides = tuple(w.shape[1:]), tuple(w.layout.strides)
    if w.layout.offset % 4 or strides[0] % 4 or taps * w.shape[1] % 4:
        return False
    # The kernel counts along the axis of stride 1: the last one, or the channels.
    return is_contiguous(line, strides[1:]) and (taps == 1 or w.shape[-1] > 1)


def _direct(op, attrs, mine, out, caps):
    """Kernels without shared memory, by shapes of a thread's results."""
    found = []
    shapes = ((4, 4), (2, 4), (8, 4), (1, 4), (8, 1), (4, 1))
    if not caps.software and size(out.shape) < SMALL:
        shapes = ((2, 4), (4, 4), (1, 4), (4, 1))
    for ro, rq in shapes:
        ro = min(ro, mine)
        if ro * rq > max(WORK, 8 * mine) or (rq == 4 and out.shape[-1] < 4):
            continue
        whole = rq == 4 and out.shape[-1] % 4 == 0
        name = "direct %dx%d" % (ro, rq)
        if name not in [c.name for c in found]:
            found.append(Candidate(name, op, attrs + (ro, rq, whole)))
    return found


def _ranked(s, caps, tiles, splits):
    """(tile, split) by what they should take, for a product of these sizes."""
    found = []
    for numbers, share in tiles:
        tile = Tile(*numbers)
        if not tile.fits(caps.limits):
            continue
        for split in splits:
            if split == 1 or s.k >= split * 2 * tile.k:
                steps = cost(s, tile, share, split, WAIT, LAUNCH)
                found.append((steps, len(found), numbers, split))
    found.sort()
    return [(numbers, split) for _, _, numbers, split in found]


def _places(op, attrs, s, channels, flat, out, caps):
    """Tiles whose columns are the places of the result."""
    found = []
    whole = out.shape[-1] % 4 == 0
    for numbers, _ in _ranked(s, caps, PLACES, (1,)):
        m, n, depth = numbers[:3]
        exact = (s.m % m == 0, s.n % n == 0, s.k % depth == 0)
        name = "tile %dx%dx%d %dx%d/%d" % numbers[:6]
        wide = flat and m * depth >= 4 * Tile(*numbers).threads
        by_tap = channels % depth == 0
        if by_tap and count(attrs[-1]) > 1:
            wide = False  # the weights of one tap lie apart
        more = (numbers, by_tap, wide, exact, whole, 1)
        name += " by tap" if by_tap else ""
        found.append(Candidate(name, op, attrs + more))
    return found[: MOST - 1]


def _to_weight(x, g, attrs, out, caps):
    groups, taps = attrs[4], tuple(out.shape[2:])
    s = Sizes(
        out.shape[0] // groups, out.shape[1] * count(taps),
        g.shape[0] * count(g.shape[2:]), groups,
    )  # fmt: skip
    attrs = attrs + (taps,)
    if caps.software or s.m < 2:
        return _weight_direct(attrs, s.m, x.shape[0], out)
    found = []
    for numbers, split in _ranked(s, caps, WEIGHTS, SPLITS):
        m, n = numbers[:2]
        turn = Tile(*numbers).turn
        exact = (s.m % m == 0, s.n % n == 0, even(s.k, turn, split))
        name = "tile %dx%dx%d %dx%d/%d split %d" % (numbers[:6] + (split,))
        more = attrs + (numbers, exact, 1, split)
        found.append(_split(name, TO_WEIGHT, more, split, out))
    return found[:MOST]


def _weight_direct(attrs, mine, pictures, out):
    found = []
    for ro, split in ((8, 8), (4, 8), (4, 1), (2, 4), (1, 8)):
        ro, split = min(ro, mine), min(split, pictures)
        name = "direct %d split %d" % (ro, split)
        if name not in [c.name for c in found]:
            found.append(_split(name, WEIGHT_DIRECT, attrs + (ro, split), split, out))
    return found


def _split(name, op, attrs, split, out):
    if split == 1:
        return Candidate(name, op, attrs)
    return in_parts(name, op, attrs, split, out)

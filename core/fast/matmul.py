"""Which kernel multiplies two matrices: chosen by shapes, strides and the device."""

from __future__ import annotations

from ..dtypes import float16, float32
from ..ops.record import Op
from ..shapes import size
from . import Candidate
from .matmul_kernels import registers, tiled
from .matmul_thin import columns, rows
from .matmul_tile import Tile
from .matmul_total import in_parts
from .matmul_units import units_candidates

TILED = Op(
    "matmul_tiled", kernel=tiled, attrs=("tile", "sides", "exact", "rows", "split")
)
BY_REGISTERS = Op(
    "matmul_registers", kernel=registers,
    attrs=("rm", "rn", "sides", "exact", "unroll"),
)  # fmt: skip
ROWS = Op(
    "matmul_rows", kernel=rows,
    attrs=("count", "flip", "sides", "lanes", "threads", "unroll"),
)  # fmt: skip
COLUMNS = Op(
    "matmul_columns", kernel=columns,
    attrs=("count", "flip", "sides", "lanes", "threads", "unroll", "split"),
)  # fmt: skip

# (m, n, k, rm, rn, stages, warp, unroll), and what share of the arithmetic a busy
# processor gets done with it (measured on an H200, by wgpu and Dawn).
TILES = (
    ((128, 128, 8, 8, 8, 3, 8, 8), 0.66),
    ((64, 128, 8, 8, 8, 3, 8, 8), 0.64),
    ((128, 256, 8, 8, 16, 3, 8, 8), 0.63),
    ((64, 64, 8, 8, 4, 1, 8, 8), 0.56),
    ((32, 64, 16, 4, 4, 1, 8, 8), 0.41),
    ((32, 32, 16, 4, 4, 1, 8, 8), 0.37),
)
PROCESSORS = 132  # of a large GPU
LANES = 128  # products a processor does at once
ALONE = 1.12  # how much longer a tile takes that does not share a processor
REGISTERS = 1 << 16  # of a processor
BEHIND = 8  # registers of a thread for what is done with results, about
WAIT = 70  # steps of a processor until the next k, where a tile is alone with it
TOGETHER = 4  # tiles that a processor holds: they wait at the same time
LAUNCH = 20000  # steps until a second kernel is under way
TRAFFIC = 2000  # bytes that memory gives in a step, to all processors
ROUNDS = 8  # tiles that a processor computes one after the other, when k is split
THIN = 8  # vectors at most for the kernels of matmul_thin,
SHORT = 2048  # or twice as many where the results are few lines of this length
MOST = 8  # candidates


class Shape:
    """What the choice depends on: sizes, and how each matrix is read."""

    def __init__(self, x, y, out):
        self.m, self.n = out.shape[-2:]
        self.k = x.shape[-1]
        self.batch = size(out.shape[:-2])
        a, b = x.layout, y.layout
        self.left = side(a.shape, a.strides, a.offset, 1)
        self.right = side(b.shape, b.strides, b.offset, 2)


def side(shape, strides, offset, inner):
    """("k" or "o", 4 or 1): how a matrix is read; k is axis -inner."""
    last, other = strides[-1], strides[-2]
    for along, at in ((-1, -2), (-2, -1)):
        if strides[along] == 1 and shape[along] % 4 == 0 and offset % 4 == 0:
            rest = [
                s
                for i, (n, s) in enumerate(zip(shape, strides))
                if n > 1 and i != len(shape) + along
            ]
            if not [s for s in rest if s % 4]:
                return ("k" if along == -inner else "o"), 4
        del at
    near = -1 if last == 1 or abs(last) <= abs(other) else -2
    return ("k" if near == -inner else "o"), 1


def candidates(op, inputs, attrs, outs, caps):
    """Kernels for this product, best guess first; empty for its own."""
    x, y = inputs
    if x.dtype is not float32 and not (
        x.dtype is float16 and "shader-f16" in caps.features
    ):
        return []
    s = Shape(x, y, outs[0])
    if not (s.m and s.n and s.k and s.batch):
        return []
    if caps.software:
        return _by_registers(s)
    thin = _thin(s, caps, outs[0])
    if thin:
        return thin[:MOST]
    found = units_candidates(s, x.dtype, caps) + _tiles(s, caps, outs[0])
    return found[:MOST]


def _by_registers(s):
    """For CPUs that play a GPU: several shapes of a thread's own tile."""
    out = []
    for rm, rn in ((8, 8), (4, 8), (4, 4), (8, 4)):
        rm, rn = min(rm, s.m), rn if s.n >= 4 else s.n
        exact = (s.m % rm == 0, s.n % rn == 0, s.n % 4 == 0 and rn % 4 == 0)
        attrs = (rm, rn, (s.left, s.right), exact, 4)
        name = "registers %dx%d" % (rm, rn)
        if name not in [c.name for c in out]:
            out.append(Candidate(name, BY_REGISTERS, attrs))
    return out


def _tiles(s, caps, out):
    """Tiles by what they should take, one entry for each that fits the device."""
    ranked = []
    for numbers, share in TILES:
        tile = Tile(*numbers)
        if not tile.fits(caps.limits):
            continue
        for split in splits(s, tile):
            steps = cost(s, tile, share, split)
            ranked.append((steps, len(ranked), numbers, split))
    ranked.sort()
    best = _varied([(numbers, split) for _, _, numbers, split in ranked])
    found = [_tile(s, numbers, split, out) for numbers, split in best]
    whole = [
        (c, crowded(s, Tile(*numbers)))
        for c, (numbers, split) in zip(found, best)
        if split == 1
    ]
    roomy = [c for c, out_of_room in whole if not out_of_room]
    for c, out_of_room in whole:
        c.behind = roomy[0] if out_of_room and roomy else None
    return found


def crowded(s, tile):
    """Say whether work behind a tile costs a processor one of the groups it holds."""
    fewer = tile.resident(REGISTERS, BEHIND)
    lost = fewer < tile.resident(REGISTERS)
    return lost and groups_of(s, tile) > fewer * PROCESSORS


def _varied(ranked):
    """Each tile at its best split first, then the rest, in order."""
    seen, first, later = [], [], []
    for numbers, split in ranked:
        if numbers in seen:
            later.append((numbers, split))
        else:
            seen.append(numbers)
            first.append((numbers, split))
    return first + later


def splits(s, tile):
    """In how many parts k may be cut: 1, or so that each round fills the processors."""
    tiles, most = groups_of(s, tile), s.k // (8 * tile.k)
    out = [1]
    for rounds in range(1, ROUNDS + 1):
        split = min(rounds * PROCESSORS // tiles, most)
        if split > out[-1]:
            out.append(split)
    return out


def groups_of(s, tile):
    """How many tiles the results take."""
    return -(-s.m // tile.m) * -(-s.n // tile.n) * s.batch


def cost(s, tile, share, split, wait=WAIT, launch=LAUNCH):
    """About how many steps of a processor a product takes by these tiles."""
    depth = part_of(s.k, tile.turn, split)
    rounds = -(-groups_of(s, tile) * split // PROCESSORS)
    alone = rounds % tile.resident(REGISTERS)
    work = (rounds + (ALONE - 1) * alone) * tile.m * tile.n * depth / (LANES * share)
    waiting = wait * depth * -(-rounds // TOGETHER)
    total = max(work, waiting) + 0.1 * work
    if split > 1:  # partial sums are written and read again
        total += launch + split * s.m * s.n * s.batch * 8 / TRAFFIC
    return total


def part_of(depth, turn, split):
    """How much of k each of `split` parts has: whole turns of the loop."""
    return -(-depth // (turn * split)) * turn


def even(depth, turn, split):
    """Whether turns of a loop fill each of the parts of k, of which none is empty."""
    return depth % turn == 0 and part_of(depth, turn, split) * (split - 1) < depth


def _tile(s, numbers, split, out):
    if numbers[5] == 3 and s.k % (2 * numbers[2]):  # one step would be half of a turn
        numbers = numbers[:5] + (1,) + numbers[6:]
    m, n = numbers[:2]
    exact = (
        s.m % m == 0, s.n % n == 0, even(s.k, Tile(*numbers).turn, split), s.n % 4 == 0,
    )  # fmt: skip
    tall = -(-s.m // m)
    attrs = (numbers, (s.left, s.right), exact, 8 if tall > 8 else 1, split)
    name = "tile %dx%dx%d %dx%d/%d" % numbers[:6]
    if split == 1:
        return Candidate(name, TILED, attrs)
    return in_parts("%s split %d" % (name, split), TILED, attrs, split, out)


def _thin(s, caps, out):
    """For few rows or columns; else empty."""
    if min(s.m, s.n) > (THIN if max(s.m, s.n) > SHORT else 2 * THIN):
        return []
    flip = s.n < s.m
    count = s.n if flip else s.m
    matrix, vectors = (s.left, s.right) if flip else (s.right, s.left)
    also = 4 if vectors == ("k", 4) else 1
    most = caps.limits.get("maxComputeWorkgroupStorageSize", 16384)
    sides = (matrix, (vectors[0], also))
    if matrix[0] == "k":
        return _by_rows(s, count, flip, sides, most)
    return _by_columns(s, count, flip, sides, caps.limits, out)


def _by_rows(s, count, flip, sides, most):
    out = []
    short = s.k // sides[0][1]  # loads a row
    for lanes, threads, unroll in (
        (64, 256, 4), (32, 128, 4), (128, 256, 4), (16, 128, 2), (32, 256, 8),
        (8, 64, 1),
    ):  # fmt: skip
        if threads * count * 4 <= most and (lanes <= short or lanes == 8):
            attrs = (count, flip, sides, lanes, threads, unroll)
            out.append(Candidate("rows %d/%d x%d" % attrs[3:], ROWS, attrs))
    return out


def _by_columns(s, count, flip, sides, limits, out):
    found = []
    most = limits.get("maxComputeInvocationsPerWorkgroup", 256)
    for lanes, threads, unroll, split in (
        (8, 512, 8, 1), (4, 256, 8, 1), (16, 1024, 8, 1), (32, 256, 8, 8),
        (32, 64, 4, 1),
    ):  # fmt: skip
        slices = threads // lanes
        if threads > most or (split > 1 and s.k < split * slices * unroll):
            continue
        attrs = (count, flip, sides, lanes, threads, unroll, split)
        name = "columns %d/%d x%d split %d" % attrs[3:]
        if split > 1:
            found.append(in_parts(name, COLUMNS, attrs, split, out))
        else:
            found.append(Candidate(name, COLUMNS, attrs))
    return found

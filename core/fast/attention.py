"""Attention without the scores in memory: forward, and the choice of tiles.

A group takes a block of queries and walks over the keys, a tile at a time, with the
largest score so far, the sum of exponentials and the weighted sum of values of each
query (Dao et al., FlashAttention, arXiv 2205.14135). The weights of a tile take the
place of its keys in shared memory. Exponentials are powers of two: queries are scaled
by log2(e) as well.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast, where
from ..ops.record import Op
from ..shapes import Layout, size
from . import Candidate
from .attention_room import WIDE, Ahead, Room, Source
from .attention_tile import LOWEST, Grid, Tile, score, wide_arrays

# Threads across and down, rows and columns of a thread's patch, steps: see Tile. The
# first that fit the device are offered. An H200 does 28.8 TFLOP/s forward by the first
# (heads of 64), 33.5 and 31.4 backward; 22 to 27 by the next two.
TILES = (
    (16, 16, 4, 4, 16),
    (8, 16, 4, 8, 4),
    (16, 8, 8, 4, 2),
    (8, 16, 4, 4, 4),
    (8, 8, 4, 4, 4),
    (8, 8, 4, 2, 4),
    (4, 8, 4, 4, 4),
    (4, 4, 4, 4, 4),
    (4, 4, 4, 2, 4),
    (4, 4, 2, 1, 4),
)
SMALL = ((4, 4, 2, 2, 1), (4, 4, 2, 1, 1))  # for CPUs that play GPU
OFFERED = 3  # tiles to choose from, at most
MOST = 256  # elements of a head, at most
LOG2_E = 1.4426950408889634


def forward(k, q, key, v, mask, out, total, causal, scale, tile):
    """out = softmax(q @ key.T * scale) @ v; total = logsumexp of the scores."""
    k.trusted = True  # every place is clamped; the inner loops are short of time
    grid = Grid(k, tile, out.shape[:-2], q.shape[-2], causal)
    sizes = (q.shape[-2], key.shape[-2])
    powers = Powers(mask)
    memory = [k.shared(float32, words) for words in tile.forward_words()]
    head, depth = (tile.head, tile.head_room), (tile.depth, tile.depth_room)
    queries = Room(grid, memory[0], tile.own, tile.head_room, tile.rows)
    source = Source(grid, q, head, tile.wide[0], powers.factor(k, scale))
    queries.fill(source, grid.first)
    weights = Room(grid, memory[1], tile.own, tile.other, tile.rows)
    keys = Room(grid, memory[1], tile.other, tile.head_room, tile.columns)
    keys = Ahead(keys, Source(grid, key, head, tile.wide[1]))
    values = Room(grid, memory[2], tile.other, tile.depth_room, tile.columns)
    values = Ahead(values, Source(grid, v, depth, tile.wide[2]))
    rows = _Rows(grid, memory[2], powers)
    sums = grid.zeros(tile.depth_room // tile.across)
    stop = sizes[1]
    if causal:
        stop = k.let(call("min", stop, grid.first + tile.own))
    keys.begin(0)
    with k.loop(stop, 0, tile.other) as first:
        k.barrier()
        keys.put(first)
        values.start(first)
        k.barrier()
        cells = grid.scores(queries, keys.room)
        patch = _masked(k, grid, cells, mask, first, sizes, causal)
        grid.put(weights, rows.update(patch, sums))
        k.barrier()
        values.put(first)
        after = k.let(first + tile.other)
        keys.next(after, after < stop)
        k.barrier()
        grid.add_product(sums, weights, values.room)
    grid.store(out, rows.finish(total, sums), tile.depth, tile.wide[-2])


class Powers:
    """How exponentials are taken: of scores that a mask adds to as they are, else of
    those that have been multiplied by log2(e)."""

    def __init__(self, mask):
        self.binary = mask is None or mask.dtype.is_bool

    def factor(self, k, scale):
        """What queries are multiplied by."""
        return k.let(scale * LOG2_E) if self.binary else scale

    def of(self, value):
        """e to the power of a difference of scores."""
        return call("exp2_near", value if self.binary else value * LOG2_E)

    def natural(self, value):
        """A score as it is without log2(e)."""
        return value * (1 / LOG2_E) if self.binary else value

    def scaled(self, value):
        """A score as the kernel has it."""
        return value * LOG2_E if self.binary else value


def _masked(k, grid, cells, mask, first, sizes, causal):
    patch = []
    even = grid.tile.even
    for i, row in enumerate(cells):
        query = k.let(grid.first + grid.row + i)
        patch.append([])
        for j, cell in enumerate(row):
            at = (grid.batch, query, k.let(first + grid.column + j))
            patch[i].append(score(k, cell, None, mask, at, sizes, causal, even))
    return patch


class _Rows:
    """The running softmax of a group's queries; each thread has those of its patch.

    The largest scores of a row's threads meet on a board in shared memory; sums of
    exponentials are each thread's own until the end.
    """

    def __init__(self, grid, memory, powers):
        self.grid, self.memory, self.powers = grid, memory, powers
        k, rows = grid.k, range(grid.tile.rows)
        self.tops = [k.cell(LOWEST, float32) for _ in rows]
        self.sums = [k.cell(0.0, float32) for _ in rows]

    def _together(self, name, values):
        """Combine a value for each row over the threads that share the rows."""
        k, tile = self.grid.k, self.grid.tile
        stride = tile.own + WIDE
        n = min(WIDE, tile.rows)
        at = k.let(self.grid.x * stride + self.grid.row)
        for i in range(0, tile.rows, n):
            self.memory.put_wide(at + i, values[i : i + n])
        k.barrier()
        found = values
        for x in range(tile.across):
            theirs = []
            for i in range(0, tile.rows, n):
                theirs += self.memory.wide(self.grid.row + (x * stride + i), n)
            found = [k.let(call(name, a, b)) for a, b in zip(found, theirs)]
            if name == "add" and x == 0:
                found = theirs
        return found

    def update(self, patch, sums):
        """Turn scores into exponentials; shrink what was summed so far to match."""
        k, of = self.grid.k, self.powers.of
        largest = []
        for row in patch:
            top = row[0]
            for value in row[1:]:
                top = k.let(call("max_near", top, value))
            largest.append(top)
        largest = self._together("max_near", largest)
        out = []
        for i, row in enumerate(patch):
            before = k.let(self.tops[i] + 0.0)
            top = k.let(call("max_near", before, largest[i]))
            self.tops[i].set(top)
            base = k.let(where(call("eq", top, LOWEST), 0.0, top))
            shrink = k.let(of(before - base))
            out.append([k.let(of(value - base)) for value in row])
            more = out[i][0]
            for value in out[i][1:]:
                more = more + value
            self.sums[i].set(self.sums[i] * shrink + more)
            for cell in sums[i]:
                cell.set(cell * shrink)
        return out

    def finish(self, total, sums):
        """Store the logsumexp of each row; returns sums over those of weights."""
        k, grid = self.grid.k, self.grid
        k.barrier()
        wholes = self._together("add", [k.let(s + 0.0) for s in self.sums])
        out = []
        for i, whole in enumerate(wholes):
            # Without a pair that takes part: nan counts as one.
            none = k.let(call("eq", self.tops[i], LOWEST) & (whole < 1e38))
            whole = k.let(where(none, 1.0, whole))
            at = k.let(grid.first + grid.row + i)
            with k.when((grid.x < 1) & (at < total.shape[-1])):
                log = self.powers.natural(self.tops[i])
                log = where(none, LOWEST, log + call("log", whole))
                total[grid.batch + (at,)] = cast(log, total.dtype)
            factor = k.let(where(none, 0.0, 1.0 / whole))
            out.append([k.let(cell * factor) for cell in sums[i]])
        return out


def _kernel(k, *given):
    arrays, (causal, scale, sizes) = given[:-3], given[-3:]
    q, key, v = arrays[:3]
    mask = arrays[3] if len(arrays) == 6 else None
    tile = Tile(*sizes)
    forward(k, q, key, v, mask, arrays[-2], arrays[-1], causal, scale, tile)


ATTENTION = Op(
    "attention_tiles", kernel=_kernel, attrs=("causal", "scale", "tile"),
    runtime=(("scale", float32),), cost="compute",
)  # fmt: skip


def tiles(layouts, dtypes, sizes, caps, backward=False):
    """The tiles that fit a device, best first, as attributes: see `Tile`.

    sizes: (queries, keys, elements of a key, of a value). Backward these are pairs: for
    blocks of queries, and of keys.
    """
    wide = wide_arrays(layouts, dtypes)
    length, keys, head, depth = sizes
    snug, loose = [], []
    for numbers in SMALL if caps.software else TILES:
        tile = Tile(numbers, wide, False, head, depth)
        words = tile.backward_words() if backward else tile.forward_words()
        if not fits(tile, words, caps.limits):
            continue
        even = length % tile.own == 0 and keys % tile.other == 0
        found = (numbers, wide, even, head, depth)
        if backward:
            kept = Tile(numbers, wide, even, head, depth, True)
            kept = fits(tile, kept.backward_words(True), caps.limits)
            even = keys % tile.own == 0 and length % tile.other == 0
            found = (found + (kept,), (numbers, wide, even, head, depth))
        padded = tile.head_room + tile.depth_room > 1.5 * (head + depth)
        (loose if padded else snug).append(found)
    return (snug + loose)[:OFFERED]


def fits(tile, words, limits):
    """Whether a device runs a tile, with so many words of shared memory."""
    return (
        sum(words) * 4 <= limits.get("maxComputeWorkgroupStorageSize", 16384)
        and tile.threads <= limits.get("maxComputeInvocationsPerWorkgroup", 256)
        and tile.threads <= limits.get("maxComputeWorkgroupSizeX", 256)
    )


def candidates(op, inputs, attrs, outs, caps):
    """One kernel forward; two backward."""
    head, depth = inputs[0].shape[-1], inputs[2].shape[-1]
    if not (0 < head <= MOST and 0 < depth <= MOST) or size(outs[0].shape) == 0:
        return []
    if inputs[1].shape[-2] == 0 or inputs[0].dtype.bits > 32:
        return []
    if op.name == "attention_grad":
        from .attention_grad import backward_candidates

        return backward_candidates(inputs, attrs, outs, caps)
    layouts = [h.layout for h in inputs] + [Layout(o.shape) for o in outs]
    dtypes = [h.dtype for h in inputs] + [o.dtype for o in outs]
    sizes = (inputs[0].shape[-2], inputs[1].shape[-2], head, depth)
    return [
        Candidate(named(found), ATTENTION, attrs + (found,))
        for found in tiles(layouts, dtypes, sizes, caps)
    ]


def named(found):
    """What people call a tile."""
    return "tiles %dx%d of %dx%d" % found[0][:4]

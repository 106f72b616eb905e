"""Attention without the scores in memory: forward, and the choice of tiles.

A group takes a block of queries and walks over the keys, a tile at a time, with the
largest score so far, the sum of exponentials and the weighted sum of values of each
query (Dao et al., FlashAttention, arXiv 2205.14135). Scores of a tile go through shared
memory once: there threads turn from patches to rows.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast, where
from ..ops.record import Op
from ..shapes import Layout, size
from . import Candidate
from .attention_tile import LOWEST, WIDE, Grid, Room, Tile, score, wide_arrays
from .tree import fold

# Threads across and down, rows and columns of a thread's patch: the first that fit the
# device's shared memory (an H200 does 13.5 TFLOP/s forward by the first of them, 11.7
# backward by the second, which is the first to fit there).
TILES = (
    (16, 16, 4, 2),
    (16, 8, 4, 2),
    (8, 8, 4, 4),
    (8, 16, 4, 4),
    (16, 8, 8, 2),
    (8, 8, 8, 4),
    (8, 8, 4, 2),
    (4, 4, 4, 4),
    (4, 4, 4, 2),
)
SMALL = ((4, 4, 2, 2), (4, 4, 2, 1))  # for CPUs that play GPU, and small memories
OFFERED = 6  # tiles to choose from, at most
MOST = 256  # elements of a head, at most


def forward(k, q, key, v, mask, out, total, causal, scale, tile):
    """out = softmax(q @ key.T * scale) @ v; total = logsumexp of the scores."""
    k.trusted = True  # every place is clamped; the inner loops are short of time
    grid = Grid(k, tile, out.shape[:-2], q.shape[-2])
    sizes = (q.shape[-2], key.shape[-2])
    queries = Room(k, tile, tile.own, tile.head_room)
    longest = max(tile.head_room, tile.depth_room)
    keys = Room(k, tile, tile.other, longest)
    keys.width = tile.head_room
    weights = Room(k, tile, tile.own, tile.other)
    queries.fill(q, grid.batch, grid.first, tile.head, tile.wide[0])
    rows = _Rows(k, tile, weights)
    sums = grid.zeros(tile.depth_room // tile.across)
    stop = sizes[1]
    if causal:
        stop = call("min", stop, grid.first + tile.own)
    with k.loop(stop, 0, tile.other) as first:
        k.barrier()
        keys.width = tile.head_room
        keys.fill(key, grid.batch, first, tile.head, tile.wide[1])
        k.barrier()
        cells = grid.scores(queries, keys)
        patch = _masked(k, grid, cells, scale, mask, first, sizes, causal)
        grid.put(weights, patch)
        k.barrier()
        keys.width = tile.depth_room
        keys.fill(v, grid.batch, first, tile.depth, tile.wide[2])
        rows.update()
        k.barrier()
        rows.rescale(grid, sums)
        grid.add_product(sums, weights, keys)
    rows.finish(grid, total)
    results = rows.divided(grid, sums)
    grid.store(out, results, tile.depth, tile.wide[-2])


def _masked(k, grid, cells, scale, mask, first, sizes, causal):
    patch = []
    for i, row in enumerate(cells):
        query = k.let(grid.first + grid.row(i))
        patch.append([])
        for j, cell in enumerate(row):
            key = k.let(first + grid.x + grid.tile.across * j)
            at = (grid.batch, query, key)
            patch[i].append(score(k, cell, scale, mask, at, sizes, causal))
    return patch


class _Rows:
    """The running softmax of a group's queries: `share` threads take a row."""

    def __init__(self, k, tile, weights):
        self.k = k
        self.tile = tile
        self.weights = weights
        self.share = tile.threads // tile.own
        self.row = k.let(k.local // self.share)
        self.part = k.let(k.local % self.share)
        self.top = k.cell(LOWEST, float32)
        self.sum = k.cell(0.0, float32)
        self.factors = k.shared(float32, tile.own)
        self.parts = k.shared(float32, tile.threads) if self.share > 1 else None

    def _together(self, name, value):
        """Combine a value over the threads of a row."""
        if self.share == 1:
            return value
        self.parts[self.k.local] = value
        self.k.barrier()
        first = self.row * self.share
        return fold(self.k, name, [self.parts[first + i] for i in range(self.share)])

    def update(self):
        """Turn scores into exponentials, and note by what the sums so far shrink."""
        k = self.k
        places = []
        for i in range(self.tile.other // WIDE // self.share):
            places.append((self.part + i * self.share) * WIDE)
        loads = [self.weights.wide(self.row, at) for at in places]
        largest = fold(k, "max", [v for four in loads for v in four])
        largest = self._together("max", largest)
        before = k.let(self.top + 0.0)
        top = k.let(call("max", before, largest))
        base = k.let(where(call("eq", top, LOWEST), 0.0, top))
        shrink = k.let(call("exp", before - base))
        self.top.set(top)
        powers = [[k.let(call("exp", v - base)) for v in four] for four in loads]
        for at, four in zip(places, powers):
            self.weights.memory.put_wide(self.row * self.weights.stride + at, four)
        more = fold(k, "add", [v for four in powers for v in four])
        self.sum.set(self.sum * shrink + more)
        self._note(shrink)

    def _note(self, factor):
        """Give a factor of the row to the threads that hold its sums."""
        with self.k.when(self.part < 1):
            self.factors[self.row] = factor

    def rescale(self, grid, sums):
        """Multiply what has been summed so far."""
        for i, row in enumerate(sums):
            factor = self.factors[grid.row(i)]
            for cell in row:
                cell.set(cell * factor)

    def finish(self, grid, total):
        """Store the logsumexp of each row, and note what to divide by."""
        k = self.k
        k.barrier()
        whole = self._together("add", k.let(self.sum + 0.0))
        empty = k.let(call("eq", whole, 0.0))
        at = k.let(grid.first + self.row)
        with k.when((self.part < 1) & (at < total.shape[-1])):
            log = self.top + call("log", where(empty, 1.0, whole))
            total[grid.batch + (at,)] = cast(where(empty, LOWEST, log), total.dtype)
        self._note(1.0 / where(empty, 1.0, whole))
        k.barrier()

    def divided(self, grid, sums):
        """The weighted sums over the sums of weights."""
        out = []
        for i, row in enumerate(sums):
            factor = self.factors[grid.row(i)]
            out.append([self.k.let(cell * factor) for cell in row])
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


def tiles(layouts, dtypes, head, depth, caps, backward=False):
    """The tiles that fit a device, best first, as attributes: see `Tile`."""
    wide = wide_arrays(layouts, dtypes)
    room = caps.limits.get("maxComputeWorkgroupStorageSize", 16384)
    snug, loose = [], []
    for numbers in SMALL if caps.software else TILES + SMALL:
        tile = Tile(numbers, wide, head, depth)
        need = tile.backward_bytes() if backward else tile.forward_bytes()
        if need <= room and (backward or tile.rows_are_shared()):
            padded = tile.head_room + tile.depth_room > 1.5 * (head + depth)
            (loose if padded else snug).append((numbers, wide, head, depth))
    return (snug + loose)[:OFFERED]


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
    return [
        Candidate("tiles %dx%d of %dx%d" % found[0], ATTENTION, attrs + (found,))
        for found in tiles(layouts, dtypes, head, depth, caps)
    ]

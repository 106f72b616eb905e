"""Gradients of attention: the scores are computed again, tile by tile.

Kernels of one outline. `own` rows of a group are queries (with the gradients of
their results), which meet the keys and values tile by tile and gather the gradient of
the queries; or they are keys and values, which meet the queries and gather theirs. No
two groups write to one place. With P the weights and G the gradient of the result:
dV = P.T @ G, dS = P * (G @ V.T - rowsum(G * out)), dQ = dS @ K, dK = dS.T @ Q.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast, where
from ..ops.record import Op
from ..shapes import Layout
from . import Candidate
from .attention_tile import LOWEST, WIDE, Grid, Room, Tile, score


class _Side:
    """Queries and gradients of results, or keys and values: rows of both arrays."""

    def __init__(self, k, tile, rows, arrays, wide):
        self.arrays = arrays
        self.wide = wide
        self.sizes = (tile.head, tile.depth)
        self.rooms = (
            Room(k, tile, rows, tile.head_room),
            Room(k, tile, rows, tile.depth_room),
        )

    def fill(self, batch, first):
        """Copy rows of both arrays to shared memory."""
        for room, array, size, wide in zip(
            self.rooms, self.arrays, self.sizes, self.wide
        ):
            room.fill(array, batch, first, size, wide)


def backward(k, arrays, outs, causal, scale, tile, parts):
    """Trace a kernel for the gradients named by `parts`: "q", "kv", "k" or "v".

    arrays: q, key, v, g, total, spread, mask or None.
    """
    k.trusted = True  # as going forward
    of_queries = parts == "q"
    q, key, v, g, total, spread, mask = arrays
    grid = Grid(k, tile, q.shape[:-2], (q if of_queries else key).shape[-2])
    sizes = (q.shape[-2], key.shape[-2])
    queries, keys = ((q, g), (tile.wide[0], tile.wide[3])), ((key, v), tile.wide[1:3])
    ours, theirs = (queries, keys) if of_queries else (keys, queries)
    own = _Side(k, tile, tile.own, *ours)
    other = _Side(k, tile, tile.other, *theirs)
    gathers = []
    if parts != "v":
        gathers.append(_Gather(grid, 0, tile.head_room))
    if "v" in parts:
        gathers.append(_Gather(grid, 1, tile.depth_room))
    own.fill(grid.batch, grid.first)
    known = _Known(k, grid, total, spread, of_queries)
    start, stop = _span(k, grid, sizes, causal, of_queries)
    with k.loop(stop, start, tile.other) as first:
        k.barrier()
        other.fill(grid.batch, first)
        k.barrier()
        cells = grid.scores(own.rooms[0], other.rooms[0])
        products = grid.scores(own.rooms[1], other.rooms[1])
        patch = known.patch(cells, products, scale, mask, first, sizes, causal)
        for gather in gathers:
            gather.put(patch)
        k.barrier()
        for gather in gathers:
            grid.add_product(gather.sums, gather.room, other.rooms[gather.which])
    for out, gather in zip(outs, gathers):
        length = other.sizes[gather.which]
        grid.store(out, gather.sums, length, length % WIDE == 0)


class _Gather:
    """A gradient being summed: of the first array by slopes, of the second by weights.

    Its rows are sums over the other side's rows of that array.
    """

    def __init__(self, grid, which, width):
        tile = grid.tile
        self.grid = grid
        self.which = which
        self.room = Room(grid.k, tile, tile.own, tile.other)
        self.sums = grid.zeros(width // tile.across)

    def put(self, patch):
        """Write its factors to shared memory, from pairs (slope, weight)."""
        factors = [[pair[self.which] for pair in row] for row in patch]
        self.grid.put(self.room, factors)


def _span(k, grid, sizes, causal, of_queries):
    """The rows of the other side that a group meets: (start, stop)."""
    if of_queries:
        stop = sizes[1]
        if causal:
            stop = call("min", stop, grid.first + grid.tile.own)
        return 0, stop
    start = 0
    if causal:
        start = k.let(grid.first // grid.tile.other * grid.tile.other)
    return start, sizes[0]


class _Known:
    """What is known of each query: the logsumexp of its scores, and rowsum(g * out)."""

    def __init__(self, k, grid, total, spread, of_queries):
        self.k = k
        self.grid = grid
        self.arrays = (total, spread)
        self.of_queries = of_queries
        self.own = []
        if of_queries:
            for i in range(grid.tile.rows):
                self.own.append(self.load(grid.first + grid.row(i)))

    def load(self, query):
        """(query, logsumexp or 0 where there is none, spread)."""
        k = self.k
        query = k.let(query)
        last = self.arrays[0].shape[-1] - 1
        at = self.grid.batch + (call("min", query, last),)
        total = cast(self.arrays[0][at], float32)
        total = k.let(where(call("eq", total, LOWEST), 0.0, total))
        return query, total, cast(self.arrays[1][at], float32)

    def patch(self, cells, products, scale, mask, first, sizes, causal):
        """(gradient of the score, weight) for each score of the thread's patch."""
        k, grid, tile = self.k, self.grid, self.grid.tile
        other = [first + grid.x + tile.across * j for j in range(tile.columns)]
        if not self.of_queries:
            other = [self.load(place) for place in other]
        out = []
        for i in range(tile.rows):
            mine = k.let(grid.first + grid.row(i))
            out.append([])
            for j in range(tile.columns):
                if self.of_queries:
                    (query, total, spread), key = self.own[i], other[j]
                else:
                    (query, total, spread), key = other[j], mine
                at = (grid.batch, query, key)
                s = score(k, cells[i][j], scale, mask, at, sizes, causal)
                weight = k.let(call("exp", s - total))
                slope = k.let(weight * (products[i][j] - spread) * scale)
                out[i].append((slope, weight))
        return out


def _op(name, parts):
    def kernel(k, *given):
        arrays, (causal, scale, sizes) = given[:-3], given[-3:]
        count = len(parts)
        inputs, outs = list(arrays[:-count]), arrays[-count:]
        if len(inputs) == 6:
            inputs.append(None)
        backward(k, inputs, outs, causal, scale, Tile(*sizes), parts)

    return Op(
        name, kernel=kernel, attrs=("causal", "scale", "tile"), cost="compute",
        runtime=(("scale", float32),),
    )  # fmt: skip


OF_QUERIES = _op("attention_of_queries", "q")
OF_BOTH = _op("attention_of_keys_and_values", "kv")
OF_KEYS = _op("attention_of_keys", "k")
OF_VALUES = _op("attention_of_values", "v")


def backward_candidates(inputs, attrs, outs, caps):
    """The kernels, with each of the tiles that fit."""
    from .attention import tiles

    layouts = [h.layout for h in inputs] + [Layout(o.shape) for o in outs]
    dtypes = [h.dtype for h in inputs] + [o.dtype for o in outs]
    head, depth = inputs[0].shape[-1], inputs[2].shape[-1]
    buffers = caps.limits.get("maxStorageBuffersPerShaderStage", 8)
    ops = (OF_QUERIES, OF_BOTH)
    if len(inputs) + 2 > buffers:
        ops = (OF_QUERIES, OF_KEYS, OF_VALUES)
    return [
        Candidate("tiles %dx%d of %dx%d" % found[0], run=_run(ops, attrs + (found,)))
        for found in tiles(layouts, dtypes, head, depth, caps, True)
    ]


def _run(ops, attrs):
    def run(backend, inputs, outs):
        found = ()
        for i, op in enumerate(ops):
            last = i + 1 if op is not OF_BOTH else i + 2
            found += tuple(backend.run(op, inputs, attrs, tuple(outs[i:last])))
        return found

    return run

"""Gradients of attention: the scores are computed again, tile by tile.

Two kernels, or three. `own` rows of a group are queries (with the gradients of
their results), which meet the keys and values tile by tile and gather the gradient of
the queries; or they are keys and values, which meet the queries and gather theirs. No
two groups write to one place. With P the weights and G the gradient of the result:
dV = P.T @ G, dS = P * (G @ V.T - rowsum(G * out)), dQ = dS @ K, dK = dS.T @ Q.

Shared memory holds one array of the group's rows at a time, and P or dS in its place:
what is needed again is fetched again, from a cache most likely.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast, where
from ..ops.record import Op
from ..shapes import Layout
from . import Candidate
from .attention import Powers, named, tiles
from .attention_room import WIDE, Ahead, Room, Source
from .attention_tile import LOWEST, Grid, Tile, score


class _Problem:
    """The arrays of a kernel, and its tiles of them in shared memory."""

    def __init__(self, k, arrays, causal, scale, tile, parts):
        q, key, v, g, total, spread, mask = arrays
        self.k, self.tile, self.causal, self.mask = k, tile, causal, mask
        self.of_queries = parts == "q"
        length = (q if self.of_queries else key).shape[-2]
        late = causal and self.of_queries
        self.grid = Grid(k, tile, q.shape[:-2], length, late)
        self.sizes = (q.shape[-2], key.shape[-2])
        self.powers = Powers(mask)
        self.factor = self.powers.factor(k, scale)
        words = tile.backward_words(self.of_queries)
        ours = k.shared(float32, words[0])
        heads = k.shared(float32, words[1])
        rest = k.shared(float32, words[2]) if words[2] else None
        ours_head, depths = ours, rest
        if self.of_queries:
            depths = heads
            if tile.kept:
                ours_head = rest
        sizes = (tile.head_room, tile.depth_room)
        mine = [self._room(m, n, True) for m, n in zip((ours_head, ours), sizes)]
        theirs = [self._room(m, n, False) for m, n in zip((heads, depths), sizes)]
        queries, keys = (mine, theirs) if self.of_queries else (theirs, mine)
        self.q = self._ahead(queries[0], q, 0, self.factor)
        self.key = self._ahead(keys[0], key, 1)
        self.v = self._ahead(keys[1], v, 2)
        self.g = self._ahead(queries[1], g, 3)
        self.weights = Room(self.grid, ours, tile.own, tile.other, tile.rows)
        self.known = _Known(self, total, spread)

    def _room(self, memory, width, own):
        tile = self.tile
        if own:
            return Room(self.grid, memory, tile.own, width, tile.rows)
        return Room(self.grid, memory, tile.other, width, tile.columns)

    def _ahead(self, room, array, which, factor=None):
        tile = self.tile
        sizes = (tile.depth, tile.depth_room)
        if which < 2:
            sizes = (tile.head, tile.head_room)
        wide = tile.wide[which]
        return Ahead(room, Source(self.grid, array, sizes, wide, factor))

    def add(self, sums, patch, room, ready=False):
        """sums += patch @ the rows that are met; ready: the patch's memory is free."""
        if not ready:
            self.k.barrier()
        self.grid.put(self.weights, patch)
        self.k.barrier()
        self.grid.add_product(sums, self.weights, room)

    def span(self):
        """The rows of the other side that a group meets: (start, stop)."""
        first, tile = self.grid.first, self.tile
        if self.of_queries:
            stop = self.sizes[1]
            if self.causal:
                stop = self.k.let(call("min", stop, first + tile.own))
            return 0, stop
        start = 0
        if self.causal:
            start = self.k.let(first // tile.other * tile.other)
        return start, self.sizes[0]


def backward(k, arrays, outs, causal, scale, tile, parts):
    """Trace a kernel for the gradients named by `parts`: "q", "kv", "k" or "v".

    arrays: q, key, v, g, total, spread, mask or None.
    """
    k.trusted = True  # as going forward
    p = _Problem(k, arrays, causal, scale, tile, parts)
    if parts == "q":
        _of_queries(p, outs[0], scale)
    else:
        _of_others(p, list(outs), parts)


def _of_queries(p, out, scale):
    """Trace the gradient of a group's queries."""
    k, tile, grid = p.k, p.tile, p.grid
    if tile.kept:
        p.q.room.fill(p.q.source, grid.first)
    sums = grid.zeros(tile.head_room // tile.across)
    start, stop = p.span()
    p.v.begin(start)
    p.g.begin(grid.first)
    with k.loop(stop, start, tile.other) as first:
        k.barrier()
        p.g.put(grid.first)
        p.v.put(first)
        p.key.start(first)
        k.barrier()
        products = grid.scores(p.g.room, p.v.room)
        k.barrier()
        if not tile.kept:
            p.q.room.fill(p.q.source, grid.first)
        p.key.put(first)
        k.barrier()
        patch = p.known.patch(grid.scores(p.q.room, p.key.room), products, first)
        after = k.let(first + tile.other)
        p.v.next(after, after < stop)
        p.g.next(grid.first, after < stop)
        p.add(sums, _part(patch, 0), p.key.room, tile.kept)
    _store(p, out, sums, scale, tile.head)


def _of_others(p, outs, parts):
    """Trace the gradients of a group's keys and values, or of one of them."""
    k, tile, grid = p.k, p.tile, p.grid
    slopes = grid.zeros(tile.head_room // tile.across) if "k" in parts else None
    weights = grid.zeros(tile.depth_room // tile.across) if "v" in parts else None
    start, stop = p.span()
    begin = start
    if p.causal:  # there may be no query to meet
        last = (stop + (tile.other - 1)) // tile.other * tile.other - tile.other
        begin = k.let(call("min", start, last))
    p.q.begin(begin)
    p.g.begin(begin)
    if slopes:
        p.v.begin(grid.first)
    with k.loop(stop, start, tile.other) as first:
        k.barrier()
        p.q.put(first)
        p.g.put(first)
        products = None
        if slopes:
            p.v.put(grid.first)
            p.key.start(grid.first)
            k.barrier()
            products = grid.scores(p.v.room, p.g.room)
            k.barrier()
        else:
            p.key.start(grid.first)
        p.key.put(grid.first)
        k.barrier()
        patch = p.known.patch(grid.scores(p.key.room, p.q.room), products, first)
        if weights and slopes:
            p.add(weights, _part(patch, 1), p.g.room)
        after = k.let(first + tile.other)
        p.q.next(after, after < stop)
        p.g.next(after, after < stop)
        if slopes:
            p.v.next(grid.first, after < stop)
        if slopes:
            p.add(slopes, _part(patch, 0), p.q.room)
        else:
            p.add(weights, _part(patch, 1), p.g.room)
    if slopes:
        _store(p, outs.pop(0), slopes, p.powers.natural(1.0), tile.head)
    if weights:
        _store(p, outs.pop(0), weights, 1.0, tile.depth)


def _part(patch, which):
    """Of pairs (gradient of the score, weight), one."""
    return [[pair[which] for pair in row] for row in patch]


def _store(p, out, sums, factor, size):
    found = [[p.k.let(cell * factor) for cell in row] for row in sums]
    p.grid.store(out, found, size, size % WIDE == 0)


class _Known:
    """What is known of each query: the logsumexp of its scores, and rowsum(g * out)."""

    def __init__(self, problem, total, spread):
        self.p = problem
        self.arrays = (total, spread)
        grid = problem.grid
        self.own = []
        if problem.of_queries:
            for i in range(grid.tile.rows):
                self.own.append(self.load(grid.first + grid.row + i))

    def load(self, query):
        """(query, logsumexp or 0 where there is none, spread)."""
        k = self.p.k
        query = k.let(query)
        place = query
        if not self.p.tile.even:
            place = call("min", query, self.arrays[0].shape[-1] - 1)
        at = self.p.grid.batch + (place,)
        total = cast(self.arrays[0][at], float32)
        total = where(call("eq", total, LOWEST), 0.0, self.p.powers.scaled(total))
        return query, k.let(total), cast(self.arrays[1][at], float32)

    def patch(self, cells, products, first):
        """(gradient of the score, weight) for each score of the thread's patch."""
        p, k, grid, tile = self.p, self.p.k, self.p.grid, self.p.tile
        other = [k.let(first + grid.column + j) for j in range(tile.columns)]
        if not p.of_queries:
            other = [self.load(place) for place in other]
        out = []
        for i in range(tile.rows):
            mine = k.let(grid.first + grid.row + i)
            out.append([])
            for j in range(tile.columns):
                if p.of_queries:
                    (query, total, spread), key = self.own[i], other[j]
                else:
                    (query, total, spread), key = other[j], mine
                at = (grid.batch, query, key)
                s = score(
                    k, cells[i][j], None, p.mask, at, p.sizes, p.causal, tile.even
                )
                weight = k.let(p.powers.of(s - total))
                slope = None
                if products is not None:
                    slope = k.let(weight * (products[i][j] - spread))
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
    layouts = [h.layout for h in inputs] + [Layout(o.shape) for o in outs]
    dtypes = [h.dtype for h in inputs] + [o.dtype for o in outs]
    sizes = (inputs[0].shape[-2], inputs[1].shape[-2])
    sizes += (inputs[0].shape[-1], inputs[2].shape[-1])
    buffers = caps.limits.get("maxStorageBuffersPerShaderStage", 8)
    ops = (OF_QUERIES, OF_BOTH)
    if len(inputs) + 2 > buffers:
        ops = (OF_QUERIES, OF_KEYS, OF_VALUES)
    return [
        Candidate(named(found[0]), run=_run(ops, attrs, found))
        for found in tiles(layouts, dtypes, sizes, caps, True)
    ]


def _run(ops, attrs, found):
    def run(backend, inputs, outs):
        made = ()
        for i, op in enumerate(ops):
            last = i + 1 if op is not OF_BOTH else i + 2
            given = attrs + (found[0] if op is OF_QUERIES else found[1],)
            made += tuple(backend.run(op, inputs, given, tuple(outs[i:last])))
        return made

    return run

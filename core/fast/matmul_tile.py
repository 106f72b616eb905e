"""The core of matrix products: a workgroup computes a tile, by way of shared memory.

Each thread holds `rm` by `rn` results in registers, as blocks of 4 by 4 spread over
the tile, so that its reads of shared memory are vectors without bank conflicts. Both
operands lie in shared memory with k as the slow axis. What an operand's elements are
is its `Side`'s business: rows of a matrix, or the windows of a convolution.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import Expr, call, cast, literal, where

WARP = 32  # threads that run in lockstep, on most GPUs


class Tile:
    """Sizes of a tile, and how threads go about it.

    m, n, k   results down and across, and the depth of one step
    rm, rn    results of a thread, multiples of 4
    stages    0: load, then compute; 1: the next step's loads are under way while this
              one computes; 2: also two shared buffers, for one barrier a step; 3: as
              2, with two steps a turn of the loop: each buffer has a fixed place
    warp      threads side by side across n among those of a warp
    unroll    how many k are written out in the code
    """

    def __init__(self, m, n, k, rm, rn, stages, warp, unroll):
        self.m, self.n, self.k = m, n, k
        self.rm, self.rn = rm, rn
        self.stages = stages
        self.warp = warp
        self.unroll = min(unroll, k)
        self.threads = (m // rm) * (n // rn)
        self.buffers = 2 if stages > 1 else 1
        self.turn = k * 2 if stages == 3 else k  # of k, in one turn of the loop

    def shared_bytes(self):
        """Bytes of shared memory at most, with the padding of both sides."""
        return self.buffers * self.k * (self.m + self.n + 8) * 4

    def resident(self, registers, more=0):
        """About how many groups a processor with so many registers holds at once.

        Beside its results a thread has operands and addresses, and `more`; compilers
        are more generous where a group is small (seen on an H200: 113 in all for 256
        threads of 8x8, 168 for 128 of them, 202 for 256 of 8x16).
        """
        beside = more + (49 if self.threads > 128 else 104)
        return max(1, registers // (self.threads * (self.rm * self.rn + beside)))

    def fits(self, limits):
        """Say whether a device with these limits runs it, all threads with loads."""
        return (
            min(self.m, self.n) * self.k >= 4 * self.threads
            and self.shared_bytes()
            <= limits.get("maxComputeWorkgroupStorageSize", 16384)
            and self.threads <= limits.get("maxComputeInvocationsPerWorkgroup", 256)
            and self.threads <= limits.get("maxComputeWorkgroupSizeX", 256)
        )


class Side:
    """One operand: how its tile comes from global memory and lies in shared memory.

    along   "k" or "o" (the other axis, m or n): where neighbours lie side by side
    width   elements of one load, 4 or 1
    lanes   threads side by side along k, where `along` is "k"
    locate  (o) -> what `read` wants to know of an outer place, computed once
    read    (place, kk) -> list of `width` values
    begin   (at) tells that a step's reads follow, or None
    """

    dtype = float32  # in shared memory

    def __init__(self, along, width, locate, read, lanes=8, begin=None):
        self.begin = begin
        self.along = along
        self.width = width
        self.locate = locate
        self.read = read
        self.lanes = lanes

    def prepare(self, k, tile, size):
        """Find this thread's loads of each step, and make room in shared memory."""
        self.kernel = k
        self.size = size
        self.pitch, self.step = self.room(tile, size)
        self.memory = k.shared(self.dtype, tile.buffers * self.step)
        self.places = {}
        self.depths = {}
        self.slots = []
        for r in range(size * tile.k // (self.width * tile.threads)):
            self.slots.append(self._slot(tile, r))

    def room(self, tile, size):
        """(elements from one k to the next in shared memory, elements of a buffer)."""
        pitch = size + (4 if self.along == "k" else 0)
        return pitch, tile.k * pitch

    def address(self, o, kk):
        """Where an element lies in shared memory."""
        return kk * self.pitch + o

    def _slot(self, tile, r):
        """(place, k within the step, address in shared memory) of load number r."""
        k, size, width = self.kernel, self.size, self.width
        if self.along == "k":
            lanes = max(min(self.lanes // width, tile.k // width), 1)
            inner, more, outer = _divide(k.local, r, tile.threads, lanes * size)
            o = inner // lanes + more // lanes
            kk = (outer * lanes + inner % lanes) * width
        else:
            inner, more, outer = _divide(k.local, r, tile.threads, size // width)
            o = (inner + more) * width
            kk = outer + literal(0, k.local.dtype)
        if more not in self.places:
            self.places[more] = self.locate(k.let(o))
        # Loads that share k share what follows from it.
        turn = r if isinstance(outer, Expr) else outer
        if turn not in self.depths:
            self.depths[turn] = kk if kk.op == "const" else k.let(kk)
        kk = self.depths[turn]
        return self.places[more], kk, self.address(o, kk)

    def fetch(self, at, stop, even):
        """The values of this thread's loads at step `at`; 0 from `stop` on."""
        if self.begin is not None:
            self.begin(at)
        known = {}
        out = []
        for place, kk, _ in self.slots:
            if id(kk) not in known:
                known[id(kk)] = self._reach(at + kk, stop, even)
            here, inside = known[id(kk)]
            values = self.read(place, here)
            if inside is not None:
                values = [where(inside, cast(v, float32), 0.0) for v in values]
            out.append(values)
        return out

    def _reach(self, here, stop, even):
        """(k that may be read, condition for it to count or None)."""
        here = self.kernel.let(here)
        if even:
            return here, None
        inside = self.kernel.let(here < stop)
        last = stop - (self.width if self.along == "k" else 1)
        return self.kernel.let(call("min", here, last)), inside

    def put(self, values, buffer):
        """Store what `fetch` gave in shared memory, in buffer 0 or 1 (an Expr)."""
        for (_, _, address), vs in zip(self.slots, values):
            at = address + buffer * self.step
            if self.along == "o" and self.width == 4:
                self.memory.put_wide(at, vs)
                continue
            start = self.kernel.let(at)
            for i, v in enumerate(vs):
                self.memory[start + i * self.pitch] = v


def _divide(local, r, threads, span):
    """(inner, more, outer): local + r * threads = outer * span + inner + more.

    `more` is a Python int; threads divides span, or the other way round.
    """
    if threads % span == 0:
        inner = local if threads == span else local % span
        outer = r if threads == span else local // span + r * (threads // span)
        return inner, 0, outer
    parts = span // threads
    return local, (r % parts) * threads, r // parts


class Product:
    """The results of one thread, and where they lie in the tile."""

    def __init__(self, k, tile):
        self.kernel = k
        self.tile = tile
        self.right, self.down = _position(k, tile)
        self.acc = [
            [k.cell(0.0, float32) for _ in range(tile.rn)] for _ in range(tile.rm)
        ]

    def rows(self):
        """(row of the tile, its cells) for each row of this thread."""
        tile = self.tile
        apart = tile.m * 4 // tile.rm
        for i, cells in enumerate(self.acc):
            yield self.down * 4 + (i // 4 * apart + i % 4), cells

    def in_turns(self, m, lines, use):
        """Call use([(row of the tile, cells), …]) in a loop of `lines` rows a turn.

        Written out, work behind a product would hold what all rows need in registers
        beside the results, and a processor would run one group instead of two: with a
        residual to add, products took 20 % longer on an H200. Through CUDA even plain
        stores did.
        m: the rows of the output, which compilers do not know: else they would write
        the loop out. (Fewer than `rm` of them all lie in the first turns.)
        """
        k, tile = self.kernel, self.tile
        apart = tile.m * 4 // tile.rm
        with k.loop(call("min", m, tile.rm), 0, lines) as i:
            now = [[k.cell(c) for c in cells] for cells in self.acc[:lines]]
            for first in range(lines, tile.rm, lines):
                with k.when(i == first):
                    for held, cells in zip(now, self.acc[first : first + lines]):
                        for a, b in zip(held, cells):
                            a.set(b)
            begin = k.let(self.down * 4 + i // 4 * apart + i % 4)
            use([(begin + r, cells) for r, cells in enumerate(now)])

    def columns(self):
        """The first column of each block of four."""
        apart = self.tile.n * 4 // self.tile.rn
        return [self.right * 4 + j * apart for j in range(self.tile.rn // 4)]

    def run(self, left, right, start, stop, even):
        """Add up left * right for k from start to stop.

        even: the steps fill this range exactly, so that nothing needs a check.
        """
        k, tile = self.kernel, self.tile
        left.prepare(k, tile, tile.m)
        right.prepare(k, tile, tile.n)
        self.sides = (left, right)
        zero = literal(0, k.local.dtype)
        if tile.stages == 0:
            with k.loop(stop, start, tile.k) as at:
                values = [s.fetch(at, stop, even) for s in self.sides]
                k.barrier()
                self._put(values, zero)
                k.barrier()
                self._multiply(zero)
            return
        values = [s.fetch(start, stop, even) for s in self.sides]
        if tile.stages == 1:
            ahead = [_hold(k, v) for v in values]
            with k.loop(stop, start, tile.k) as at:
                k.barrier()
                self._put(ahead, zero)
                k.barrier()
                self._next(ahead, at, stop, even)
                self._multiply(zero)
            return
        self._put(values, zero)
        k.barrier()
        if tile.stages == 3:
            self._two_a_turn(start, stop, even)
            return
        buffer = k.cell(zero)
        with k.loop(stop, start, tile.k) as at:
            now = k.let(buffer)
            other = k.let(1 - now)
            after = at + tile.k  # the last step loads itself again, for nothing
            after = k.let(call("min", after, stop - tile.k) if even else after)
            values = [s.fetch(after, stop, even) for s in self.sides]
            self._multiply(now)
            self._put(values, other)
            k.barrier()
            buffer.set(other)

    def _two_a_turn(self, start, stop, even):
        """`run`, from when buffer 0 holds the first step. Even: the steps are, too."""
        k, tile = self.kernel, self.tile
        with k.loop(stop, start, tile.turn) as at:
            for now in (0, 1):
                after = at + tile.k * (now + 1)
                if now and even:  # the last turn loads its end again, for nothing
                    after = call("min", after, stop - tile.k)
                after = k.let(after)
                values = [s.fetch(after, stop, even) for s in self.sides]
                self._multiply(literal(now, k.local.dtype))
                self._put(values, literal(1 - now, k.local.dtype))
                k.barrier()

    def _next(self, ahead, at, stop, even):
        """Start the loads of the step after this one, if there is one."""
        k = self.kernel
        after = k.let(at + self.tile.k)
        with k.when(after < stop):
            for side, cells in zip(self.sides, ahead):
                for held, values in zip(cells, side.fetch(after, stop, even)):
                    for cell, v in zip(held, values):
                        cell.set(v)

    def _put(self, values, buffer):
        for side, vs in zip(self.sides, values):
            side.put(vs, buffer)

    def _multiply(self, buffer):
        """Add the products of one step, from shared memory."""
        k, tile = self.kernel, self.tile
        bases = [
            k.let(buffer * (side.step // 4) + own)  # in vectors
            for side, own in zip(self.sides, (self.down, self.right))
        ]
        if tile.unroll == tile.k:
            self._depths(bases)
            return
        with k.loop(tile.k, 0, tile.unroll) as kk:
            self._depths([
                k.let(base + kk * (side.pitch // 4))
                for side, base in zip(self.sides, bases)
            ])  # fmt: skip

    def _depths(self, bases):
        tile = self.tile
        parts = ((tile.m, tile.rm), (tile.n, tile.rn))
        for kk in range(tile.unroll):
            a, b = [
                _vectors(side, base, kk, size, own)
                for side, base, (size, own) in zip(self.sides, bases, parts)
            ]
            for i, (row, u) in enumerate(zip(self.acc, a)):
                # To and fro: a register that was just read need not be read again.
                cells = list(zip(row, b))
                for cell, v in reversed(cells) if i % 2 else cells:
                    cell.set(cell + u * v)


def _vectors(side, base, kk, size, own):
    """The elements at one k that a thread multiplies: `own` of them, by vectors."""
    out = []
    for i in range(own // 4):
        at = kk * (side.pitch // 4) + i * (size // own)
        out.extend(side.memory.wide((base + at) * 4))
    return out


def _hold(k, values):
    return [[k.cell(cast(v, float32)) for v in vs] for vs in values]


def _position(k, tile):
    """This thread's place across and down, in blocks of four."""
    across = tile.n // tile.rn
    down = tile.m // tile.rm
    if tile.warp >= across or down % (WARP // tile.warp):
        return k.let(k.local % across), k.let(k.local // across)
    lane = k.let(k.local % WARP)
    warp = k.let(k.local // WARP)
    many = across // tile.warp
    right = warp % many * tile.warp + lane % tile.warp
    return k.let(right), k.let(warp // many * (WARP // tile.warp) + lane // tile.warp)


def place_tile(k, group, tiles_m, tiles_n, rows):
    """(tile down, tile across) of a group: `rows` tiles down are taken together, so
    that groups under way at once share what they read."""
    if rows == 1:
        return k.let(group // tiles_n), k.let(group % tiles_n)
    band = k.let(group // (tiles_n * rows))
    rest = k.let(group - band * (tiles_n * rows))
    high = k.let(call("min", tiles_m - band * rows, rows))
    return k.let(band * rows + rest % high), k.let(rest // high)

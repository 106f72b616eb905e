"""Matrix products on matrix units: float16 operands, float32 sums.

Each subgroup of 32 threads holds a block of results in tiles of the units; operands
go by way of shared memory, where each lies as it does outside, rows or columns first.
"""

from __future__ import annotations

from ..dtypes import float16, float32
from ..expr import call, literal
from ..ops.record import Op
from . import Candidate
from .matmul_kernels import side_of, store
from .matmul_tile import WARP, Side, place_tile

PAD = 8  # elements after each row in shared memory, against bank conflicts


class UnitTile:
    """Sizes: of a workgroup's tile, of a subgroup's part of it, of the units' own.

    stages  0: one shared buffer; 2: two, so that loads go on while units compute
    copy    (rows, columns) of float16 tiles by which units copy whole tiles to shared
            memory, or None: threads do, element by element
    """

    def __init__(self, m, n, k, wm, wn, unit, stages, copy=None):
        self.copy = copy
        self.m, self.n, self.k = m, n, k
        self.wm, self.wn = wm, wn
        self.um, self.un, self.uk = unit
        self.stages = stages
        self.warps = (m // wm) * (n // wn)
        self.threads = self.warps * WARP

    def fits(self, limits):
        """Say whether a device with these limits runs it."""
        sides = (self.stages // 2 + 1) * (self.m + self.n + PAD) * (self.k + PAD) * 2
        bytes_ = sides + self.warps * self.um * self.un * 4
        return bytes_ <= limits.get(
            "maxComputeWorkgroupStorageSize", 16384
        ) and self.threads <= limits.get("maxComputeInvocationsPerWorkgroup", 256)


class UnitSide(Side):
    """An operand in shared memory as it lies outside: its neighbours side by side."""

    dtype = float16

    def prepare(self, k, tile, size):
        self.slow, fast = (size, tile.k) if self.along == "k" else (tile.k, size)
        self.wide_pitch = fast + PAD
        Side.prepare(self, k, tile, size)

    def room(self, tile, size):
        """(pitch, elements of a buffer)."""
        return self.wide_pitch, self.slow * self.wide_pitch

    def address(self, o, kk):
        slow, fast = (o, kk) if self.along == "k" else (kk, o)
        return slow * self.pitch + fast

    def put(self, values, buffer):
        shift = self.kernel.let(buffer * self.step)
        for (_, _, address), vs in zip(self.slots, values):
            start = self.kernel.let(address + shift)
            for i, v in enumerate(vs):
                self.memory[start + i] = v

    def fill(self, matrix, buffer, o, kk):
        """Fill a tile of the units from (o, kk) on of the buffer."""
        at = buffer * self.step + self.address(o, kk)
        rows_are_slow = (self.along == "k") == (matrix.role == "left")
        matrix.load(self.memory, at, self.pitch, not rows_are_slow)


class CopySide(UnitSide):
    """An operand that whole subgroups bring to shared memory, tile by tile.

    at      (o, kk) -> coordinates in the matrix
    stride  between its rows, or columns
    """

    def __init__(self, along, array, at, stride):
        Side.__init__(self, along, 4, None, None)
        self.array = array
        self.at = at
        self.stride = stride

    def prepare(self, k, tile, size):
        self.kernel = k
        self.slow, fast = (size, tile.k) if self.along == "k" else (tile.k, size)
        self.pitch = fast + PAD
        self.step = self.slow * self.pitch
        self.memory = k.shared(float16, (tile.stages // 2 + 1) * self.step)
        self.shape = tile.copy
        warp = k.local // WARP
        self.blocks = []
        across = fast // tile.copy[1]
        for r in range(self.slow // tile.copy[0] * across // tile.warps):
            block = k.let(warp + r * tile.warps)
            slow = k.let(block // across * tile.copy[0])
            self.blocks.append((slow, k.let(block % across * tile.copy[1])))

    def fetch(self, at, stop, even):
        out = []
        for slow, fast in self.blocks:
            o, kk = (slow, fast) if self.along == "k" else (fast, slow)
            matrix = self.kernel.matrix("result", float16, *self.shape)
            index = self.array.flat_index(self.at(o, at + kk))
            matrix.load(self.array, index, self.stride)
            out.append(matrix)
        return out

    def put(self, values, buffer):
        for (slow, fast), matrix in zip(self.blocks, values):
            at = buffer * self.step + slow * self.pitch + fast
            matrix.store(self.memory, at, self.pitch)


def _copy_side(array, batch, first, along, swapped):
    def at(o, kk):
        return batch + ((kk, first + o) if swapped else (first + o, kk))

    stride = array.strides[-1 if (along == "k") == swapped else -2]
    return CopySide(along, array, at, stride)


def units(k, x, y, out, tile, sides, exact, rows):
    """A tile of the output for each workgroup; the arguments are those of `tiled`."""
    tile = UnitTile(*tile)
    m, n, depth = out.shape[-2], out.shape[-1], x.shape[-1]
    tiles_m = (m + (tile.m - 1)) // tile.m
    tiles_n = (n + (tile.n - 1)) // tile.n
    c = k.groups(out.shape[:-2] + (tiles_m * tiles_n,), tile.threads)
    batch = c[:-1]
    down, across = place_tile(k, c[-1], tiles_m, tiles_n, rows)
    row, column = k.let(down * tile.m), k.let(across * tile.n)
    if tile.copy and hasattr(x, "flat_index") and hasattr(y, "flat_index"):
        left = _copy_side(x, batch, row, sides[0][0], False)
        right = _copy_side(y, batch, column, sides[1][0], True)
    else:
        left = side_of(k, x, batch, row, m, sides[0], exact[0], False, UnitSide)
        right = side_of(k, y, batch, column, n, sides[1], exact[1], True, UnitSide)
    left.prepare(k, tile, tile.m)
    right.prepare(k, tile, tile.n)
    warp = k.let(k.local // WARP)
    per = tile.n // tile.wn
    block = (k.let(warp // per * tile.wm), k.let(warp % per * tile.wn))
    results = _run(k, tile, left, right, block, depth, exact[2])
    at = (batch, k.let(row + block[0]), k.let(column + block[1]))
    _store(k, out, tile, results, warp, at, exact)


def _run(k, tile, left, right, block, depth, even):
    results = [
        [
            k.matrix("result", float32, tile.um, tile.un)
            for _ in range(tile.wn // tile.un)
        ]
        for _ in range(tile.wm // tile.um)
    ]
    sides = (left, right)
    zero = literal(0, k.local.dtype)
    if tile.stages == 0:
        with k.loop(depth, 0, tile.k) as at:
            values = [s.fetch(at, depth, even) for s in sides]
            k.barrier()
            _put(sides, values, zero)
            k.barrier()
            _multiply(k, tile, sides, block, results, zero)
        return results
    _put(sides, [s.fetch(zero, depth, even) for s in sides], zero)
    k.barrier()
    buffer = k.cell(zero)
    with k.loop(depth, 0, tile.k) as at:
        now = k.let(buffer)
        other = k.let(1 - now)
        after = at + tile.k
        after = k.let(call("min", after, depth - tile.k) if even else after)
        values = [s.fetch(after, depth, even) for s in sides]
        _multiply(k, tile, sides, block, results, now)
        _put(sides, values, other)
        k.barrier()
        buffer.set(other)
    return results


def _put(sides, values, buffer):
    for side, vs in zip(sides, values):
        side.put(vs, buffer)


def _multiply(k, tile, sides, block, results, buffer):
    left, right = sides
    for kk in range(0, tile.k, tile.uk):
        tops, across = [], []
        for i in range(len(results)):
            a = k.matrix("left", float16, tile.um, tile.uk)
            left.fill(a, buffer, block[0] + i * tile.um, kk)
            tops.append(a)
        for j in range(len(results[0])):
            b = k.matrix("right", float16, tile.uk, tile.un)
            right.fill(b, buffer, block[1] + j * tile.un, kk)
            across.append(b)
        for a, line in zip(tops, results):
            for b, result in zip(across, line):
                result.add_product(a, b)


def _store(k, out, tile, results, warp, at, exact):
    """Write the tiles by way of shared memory, four elements a thread at a time."""
    batch, row, column = at
    area = tile.um * tile.un
    parts = k.shared(float32, area * tile.warps)
    mine = k.let(warp * area)
    lane = k.let(k.local % WARP)
    for i, line in enumerate(results):
        for j, result in enumerate(line):
            k.barrier()
            result.store(parts, mine, tile.un)
            k.barrier()
            for e in range(0, area, WARP * 4):
                place = k.let(lane * 4 + e)
                r = k.let(row + (place // tile.un + i * tile.um))
                c = k.let(column + (place % tile.un + j * tile.un))
                values = [parts[mine + place + q] for q in range(4)]
                _put_line(k, out, batch, r, c, values, exact)


def _put_line(k, out, batch, row, column, values, exact):
    n = out.shape[-1]
    if exact[0]:
        store(k, out, batch + (row,), column, values, n, exact[1], exact[3])
        return
    with k.when(row < out.shape[-2]):
        store(k, out, batch + (row,), column, values, n, exact[1], exact[3])


UNITS = Op("matmul_units", kernel=units, attrs=("tile", "sides", "exact", "rows"))
TILES = (
    (128, 128, 32, 64, 32, 2), (128, 128, 32, 64, 32, 0), (128, 128, 64, 64, 32, 0),
    (128, 256, 32, 64, 64, 0), (64, 64, 32, 32, 32, 2), (64, 64, 32, 32, 32, 0),
)  # fmt: skip


def units_candidates(s, dtype, caps):
    """Kernels on the device's matrix units for these sizes, or none."""
    if dtype is not float16 or "matrix" not in caps.features:
        return []
    wanted = [c[2:] for c in caps.matrices if c[:2] == ("float16", "float32")]
    out = []
    for m, n, depth, wm, wn, stages in TILES:
        for unit in wanted:
            numbers = (m, n, depth, wm, wn, tuple(unit), stages)
            if _divides(numbers) and UnitTile(*numbers).fits(caps.limits):
                out.append(_candidate(s, numbers))
                break
    many = -(-s.m // 128) * -(-s.n // 128) * s.batch
    return out if many >= 128 else sorted(out, key=_small_first)


def _small_first(candidate):
    numbers = candidate.attrs[0]
    return (numbers[0] * numbers[1], -numbers[6])


def _divides(numbers):
    _, _, depth, wm, wn, (um, un, uk), _ = numbers
    return not (wm % um or wn % un or depth % uk or um * un % (WARP * 4))


def _candidate(s, numbers):
    m, n, depth = numbers[:3]
    exact = (s.m % m == 0, s.n % n == 0, s.k % depth == 0, s.n % 4 == 0)
    attrs = (numbers, (s.left, s.right), exact, 8 if s.m > 8 * m else 1)
    name = "units %dx%dx%d %dx%d/%d" % (numbers[:5] + numbers[6:])
    return Candidate(name, UNITS, attrs)

"""Matrix products on matrix units: float16 operands, float32 sums.

Each subgroup of 32 threads holds a block of results in tiles of the units; operands
go by way of shared memory, where each lies as it does outside, rows or columns first.
"""

from __future__ import annotations

from ..dtypes import float16, float32
from ..ops.record import Op
from . import Candidate
from .matmul_kernels import side_of, store
from .matmul_tile import WARP, Side, place_tile

PAD = 8  # elements after each row in shared memory, against bank conflicts


class UnitTile:
    """Sizes: of a workgroup's tile, of a subgroup's part of it, of the units' own.

    There is one shared buffer: what a subgroup holds leaves no registers for more.
    """

    buffers = 1

    def __init__(self, m, n, k, wm, wn, unit):
        self.m, self.n, self.k = m, n, k
        self.wm, self.wn = wm, wn
        self.um, self.un, self.uk = unit
        self.warps = (m // wm) * (n // wn)
        self.threads = self.warps * WARP

    def fits(self, limits):
        """Say whether a device with these limits runs it."""
        sides = (self.m + self.n + PAD) * (self.k + PAD) * 2
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
        for (_, _, address), vs in zip(self.slots, values):
            start = self.kernel.let(address)
            for i, v in enumerate(vs):
                self.memory[start + i] = v

    def fill(self, matrix, o, kk):
        """Fill a tile of the units from (o, kk) on."""
        rows_are_slow = (self.along == "k") == (matrix.role == "left")
        matrix.load(self.memory, self.address(o, kk), self.pitch, not rows_are_slow)


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
    with k.loop(depth, 0, tile.k) as at:
        values = [s.fetch(at, depth, even) for s in sides]
        k.barrier()
        for side, vs in zip(sides, values):
            side.put(vs, 0)
        k.barrier()
        _multiply(k, tile, sides, block, results)
    return results


def _multiply(k, tile, sides, block, results):
    left, right = sides
    for kk in range(0, tile.k, tile.uk):
        tops, across = [], []
        for i in range(len(results)):
            a = k.matrix("left", float16, tile.um, tile.uk)
            left.fill(a, block[0] + i * tile.um, kk)
            tops.append(a)
        for j in range(len(results[0])):
            b = k.matrix("right", float16, tile.uk, tile.un)
            right.fill(b, block[1] + j * tile.un, kk)
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
# (m, n, k, wm, wn) and the units for which each was best, the fastest first.
TILES = (
    (128, 128, 32, 64, 32, (16, 8, 16)),
    (128, 128, 32, 64, 64, (16, 16, 16)),
    (128, 128, 64, 64, 32, (16, 16, 16)),
    (64, 64, 32, 32, 32, (16, 8, 16)),
    (64, 64, 32, 32, 32, None),  # whatever the device has
)
FEW = 128  # tiles below which smaller ones are better


def units_candidates(s, dtype, caps):
    """Kernels on the device's matrix units for these sizes, or none."""
    if dtype is not float16 or "matrix" not in caps.features:
        return []
    wanted = [tuple(c[2:]) for c in caps.matrices if c[:2] == ("float16", "float32")]
    out = []
    for numbers in TILES:
        for unit in wanted if numbers[5] is None else [numbers[5]]:
            numbers = numbers[:5] + (unit,)
            if unit in wanted and _divides(numbers):
                if UnitTile(*numbers).fits(caps.limits):
                    out.append(_candidate(s, numbers))
    many = -(-s.m // 128) * -(-s.n // 128) * s.batch
    return out if many >= FEW else sorted(out, key=_small_first)


def _small_first(candidate):
    numbers = candidate.attrs[0]
    return (numbers[0] * numbers[1], -numbers[2])


def _divides(numbers):
    _, _, depth, wm, wn, (um, un, uk) = numbers
    return not (wm % um or wn % un or depth % uk or um * un % (WARP * 4))


def _candidate(s, numbers):
    m, n, depth = numbers[:3]
    exact = (s.m % m == 0, s.n % n == 0, s.k % depth == 0, s.n % 4 == 0)
    attrs = (numbers, (s.left, s.right), exact, 8 if s.m > 8 * m else 1)
    name = "units %dx%dx%d %dx%d by %dx%dx%d" % (numbers[:5] + numbers[5])
    return Candidate(name, UNITS, attrs)

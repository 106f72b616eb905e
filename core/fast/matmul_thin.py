"""Products of a matrix with a few vectors: as fast as the matrix is read.

x [..., M, K] times y [..., K, N], where M or N is small: the other operand is the
*matrix*, and each of its places along the other axis (`o`) makes `count` results.
"""

from __future__ import annotations

from ..dtypes import float32
from ..expr import call, cast, literal
from .matmul_kernels import load


class _Operands:
    """The matrix and the vectors by (o, k) and (vector, k), whichever is x."""

    def __init__(self, x, y, out, batch, lead, flip, sides):
        self.matrix, self.vectors = (x, y) if flip else (y, x)
        self.flip = flip
        self.sides = sides  # of the matrix, of the vectors
        self.batch = batch
        self.lead = lead
        self.out = out
        self.size = out.shape[-2] if flip else out.shape[-1]

    def of_matrix(self, o, kk, width):
        along = self.sides[0][0]
        return self._load(self.matrix, o, kk, self.flip, width, along)

    def of_vectors(self, count, kk, width):
        return [
            self._load(self.vectors, v, kk, not self.flip, width, "k")
            for v in range(count)
        ]

    def _load(self, array, o, kk, rows, width, along):
        """rows: k is the last axis of this array."""
        o = literal(o, self.size.dtype) if isinstance(o, int) else o
        at = self.batch + ((o, kk) if rows else (kk, o))
        axis = -1 if (along == "k") == rows else -2
        return [cast(v, float32) for v in load(array, at, width, axis)]

    def store(self, vector, o, value):
        v = literal(vector, self.size.dtype)
        at = self.lead + ((o, v) if self.flip else (v, o))
        self.out[at] = cast(value, self.out.dtype)


def _begin(k, x, y, out, places, threads, flip, sides, split):
    """(operands, first place of this group, its part of k)."""
    depth = x.shape[-1]
    size = out.shape[-2] if flip else out.shape[-1]
    groups = (size + (places - 1)) // places
    c = k.groups(out.shape[:-2] + (groups,), threads)
    lead = c[:-1]
    operands = _Operands(x, y, out, lead[1:] if split > 1 else lead, lead, flip, sides)
    start, stop = literal(0, depth.dtype), depth
    if split > 1:
        part = k.let((depth + (4 * split - 1)) // (4 * split) * 4)
        start = k.let(call("min", lead[0] * part, depth))
        stop = k.let(call("min", start + part, depth))
    return operands, k.let(c[-1] * places), start, stop


def rows(k, x, y, out, count, flip, sides, lanes, threads, unroll):
    """Matrices whose neighbours lie along k: `lanes` threads a place, then a sum."""
    places = threads // lanes
    ops, first, start, stop = _begin(k, x, y, out, places, threads, flip, sides, 1)
    lane = k.let(k.local % lanes)
    mine = k.let(first + k.local // lanes)
    o = k.let(call("min", mine, ops.size - 1))
    acc = [k.cell(0.0, float32) for _ in range(count)]
    width, also = sides[0][1], sides[1][1]

    def steps(at, many):
        each = [k.let(at + i * (lanes * width)) for i in range(many)]
        matrix = [ops.of_matrix(o, kk, width) for kk in each]
        for kk, line in zip(each, matrix):
            for cell, vector in zip(acc, _vectors(ops, count, kk, width, also)):
                total = cell
                for a, b in zip(line, vector):
                    total = total + a * b
                cell.set(total)

    block = lanes * width * unroll
    whole = k.let(stop // block * block)
    with k.loop(whole, lane * width, block) as at:
        steps(at, unroll)
    if unroll > 1 or width * lanes > 1:
        with k.loop(stop, whole + lane * width, lanes * width) as at:
            steps(at, 1)
    parts = k.shared(float32, threads * count)
    _fold(k, parts, acc, lanes)
    with k.when((call("eq", lane, 0)) & (mine < ops.size)):
        for v in range(count):
            ops.store(v, mine, parts[k.local * count + v])


def _vectors(ops, count, kk, width, also):
    """`width` elements of each vector from kk on."""
    if also == 4 or width == 1:
        return ops.of_vectors(count, kk, width)
    lines = [ops.of_vectors(count, kk + i, 1) for i in range(width)]
    return [[line[v][0] for line in lines] for v in range(count)]


def _fold(k, parts, acc, lanes):
    """Sum each value over `lanes` neighbouring threads, into the first's place."""
    count = len(acc)
    mine = k.let(k.local * count)
    for v, cell in enumerate(acc):
        parts[mine + v] = cell
    half = lanes // 2
    while half:
        k.barrier()
        with k.when(k.local % lanes < half):
            for v in range(count):
                other = parts[mine + (half * count + v)]
                parts[mine + v] = parts[mine + v] + other
        half //= 2
    k.barrier()


def columns(k, x, y, out, count, flip, sides, lanes, threads, unroll, split):
    """Matrices whose neighbours lie along o: each thread sums for `width` places over
    every so-manieth k; threads that share places add up by shared memory."""
    width, also = sides[0][1], sides[1][1]
    places = lanes * width
    slices = threads // lanes
    ops, first, start, stop = _begin(
        k, x, y, out, places, threads, flip, sides, split
    )  # fmt: skip
    lane, part = k.let(k.local % lanes), k.let(k.local // lanes)
    mine = k.let(first + lane * width)
    o = k.let(call("min", mine, ops.size - width))
    acc = [[k.cell(0.0, float32) for _ in range(width)] for _ in range(count)]

    def steps(at, many):
        matrix = [ops.of_matrix(o, k.let(at + i), width) for i in range(many)]
        for i in range(0, many, 4 if many > 1 else 1):
            vectors = _vectors(ops, count, k.let(at + i), min(many, 4), also)
            for cells, vector in zip(acc, vectors):
                for line, b in zip(matrix[i : i + 4], vector):
                    for cell, a in zip(cells, line):
                        cell.set(cell + a * b)

    block = slices * unroll
    whole = k.let(start + (stop - start) // block * block)
    with k.loop(whole, start + part * unroll, block) as at:
        steps(at, unroll)
    with k.loop(stop, whole + part, slices) as at:
        steps(at, 1)
    parts = k.shared(float32, threads * width)
    for v, cells in enumerate(acc):
        if v:
            k.barrier()
        _fold_slices(k, parts, cells, lanes, slices)
        with k.when(call("eq", part, 0)):
            for i in range(width):
                with k.when(mine + i < ops.size):
                    ops.store(v, k.let(mine + i), parts[k.local * width + i])


def _fold_slices(k, parts, cells, lanes, slices):
    """Sum over the threads of equal lane, into those of the first slice."""
    width = len(cells)
    mine = k.let(k.local * width)
    for i, cell in enumerate(cells):
        parts[mine + i] = cell
    half = slices // 2
    while half:
        k.barrier()
        with k.when(k.local < half * lanes):
            for i in range(width):
                other = parts[mine + (half * lanes * width + i)]
                parts[mine + i] = parts[mine + i] + other
        half //= 2
    k.barrier()

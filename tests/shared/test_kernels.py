"""Kernels of one's own on every device; those of workgroups too (interpreted on CPUs).

Expected values are computed by hand, in plain Python.
"""

import fogo
from fogo.expr import call as E
from fogo.expr import cast
from tests.shared.check import close, equal, raises


def numbers(n, seed=1):
    """Integers from -50 to 50, the same everywhere."""
    out = []
    for _ in range(n):
        seed = (seed * 1103 + 12345) % 65536
        out.append(seed % 101 - 50)
    return out


def matrix(rows, cols, seed=1):
    flat = numbers(rows * cols, seed)
    return [flat[i * cols : (i + 1) * cols] for i in range(rows)]


def first(x):
    return fogo.Aval(x.shape[:1], x.dtype)


@fogo.kernel(out=first)
def row_sum(k, x, out):
    (row,) = k.groups(out.shape, 16)
    acc = k.cell(0, x.dtype)
    with k.loop(x.shape[1], k.local, 16) as j:
        acc.set(acc + x[row, j])
    parts = k.shared(x.dtype, 16)
    parts[k.local] = acc
    for half in (8, 4, 2, 1):
        k.barrier()
        with k.when(k.local < half):
            parts[k.local] = parts[k.local] + parts[k.local + half]
    with k.when(E("eq", k.local, 0)):
        out[row] = parts[0]


def test_rows_summed_in_shared_memory(device):
    for rows, cols in ((1, 1), (3, 15), (5, 40)):
        values = matrix(rows, cols)
        for dtype in ("int32", "float32", "int8"):
            got = row_sum(fogo.tensor(values, dtype=dtype, device=device))
            want = [sum(row) for row in values]
            if dtype == "int8":
                want = [(n + 128) % 256 - 128 for n in want]
            equal(got, want)


@fogo.kernel(out=lambda x: fogo.Aval((x.shape[1], x.shape[0]), x.dtype))
def turned(k, x, out):
    a, b = k.groups(((x.shape[0] + 3) // 4, (x.shape[1] + 3) // 4), 16)
    tile = k.shared(x.dtype, 16)
    i, j = k.local // 4, k.local % 4
    with k.when((a * 4 + i < x.shape[0]) & (b * 4 + j < x.shape[1])):
        tile[j * 4 + i] = x[a * 4 + i, b * 4 + j]
    k.barrier()
    with k.when((b * 4 + i < x.shape[1]) & (a * 4 + j < x.shape[0])):
        out[b * 4 + i, a * 4 + j] = tile[k.local]


def test_tiles_turned_in_shared_memory(device):
    values = matrix(6, 9)
    want = [[row[j] for row in values] for j in range(9)]
    for dtype in ("float32", "float16", "int16", "int32"):
        equal(turned(fogo.tensor(values, dtype=dtype, device=device)), want)


@fogo.kernel(out=lambda x: x)
def running(k, x, out):
    (row,) = k.groups(x.shape[:1], 16)
    line = k.shared(x.dtype, 16)
    line[k.local] = x[row, k.local]
    step = k.cell(1, fogo.int32)
    with k.loop(x.shape[1] // 4):
        k.barrier()
        before = k.cell(0, x.dtype)
        with k.when(k.local >= k.index(step)):
            before.set(line[k.local - k.index(step)])
        k.barrier()
        line[k.local] = line[k.local] + before
        step.set(step * 2)
    out[row, k.local] = line[k.local]


def test_barriers_in_a_loop(device):
    values = matrix(3, 16)
    want = [[sum(row[: i + 1]) for i in range(16)] for row in values]
    equal(running(fogo.tensor(values, dtype="int32", device=device)), want)


@fogo.kernel(out=lambda x: x)
def halved(k, x, out):
    (row,) = k.groups(x.shape[:1], 8)
    flag = k.shared(fogo.int32, 1)
    line = k.shared(x.dtype, 8)
    line[k.local] = x[row, k.local]
    with k.loop(3):
        k.barrier()
        with k.when(E("eq", k.local, 0)):
            flag[0] = cast(line[0] > 10, fogo.int32)
        more = k.uniform_load(flag)
        with k.when(more > 0):
            k.barrier()
            line[k.local] = line[k.local] // 2
    out[row, k.local] = line[k.local]


def test_a_uniform_load_decides_for_all(device):
    values = [[n + 60 for n in row] for row in matrix(4, 8)]
    want = []
    for row in values:
        row = row[:]
        for _ in range(3):
            if row[0] > 10:
                row = [n // 2 for n in row]
        want.append(row)
    equal(halved(fogo.tensor(values, dtype="int32", device=device)), want)


@fogo.kernel(out=lambda x, n: x)
def doubled(k, x, n, out):
    (i,) = k.grid((x.shape[0] // n,))
    out.put_wide((i * n,), [v + v for v in x.wide((i * n,), n)])


@fogo.kernel(out=lambda x: x)
def swapped(k, x, out):
    (row,) = k.groups(x.shape[:1], 4)
    a, b = k.shared(x.dtype, 16), k.shared(x.dtype, 16)
    a.put_wide(k.local * 4, x.wide((row, k.local * 4)))
    k.barrier()
    for i in range(4):
        b[k.local + 4 * i] = a[15 - (k.local + 4 * i)]
    k.barrier()
    pairs = b.wide(k.local * 4, 2) + b.wide(k.local * 4 + 2, 2)
    out.put_wide((row, k.local * 4), pairs)


def test_wide_accesses(device):
    values = numbers(48)
    rows = matrix(3, 16)
    for dtype in ("float32", "int32", "float16", "int8"):
        x = fogo.tensor(values, dtype=dtype, device=device)
        for n in (2, 4):
            equal(doubled(x, n), [2 * v for v in values])
        got = swapped(fogo.tensor(rows, dtype=dtype, device=device))
        equal(got, [list(reversed(row)) for row in rows])


@fogo.kernel(out=lambda x, dtype: (fogo.Aval((5,), dtype), fogo.Aval((2,), x.dtype)))
def counted(k, x, dtype, counts, extremes):
    """One group: a histogram and both extremes, by atomics in shared memory."""
    k.groups((1,), 8)
    bins = k.shared(dtype, 5)
    ends = k.shared(x.dtype, 2)
    with k.when(k.local < 5):
        bins[k.local] = 0
    with k.when(k.local < 2):
        ends[k.local] = x[0]
    k.barrier()
    with k.loop(x.shape[0], k.local, 8) as j:
        v = x[j]
        k.atomic("add", bins, k.index(v + 50) % 5, 1)
        k.atomic("min", ends, 0, v)
        k.atomic("max", ends, 1, v)
    k.barrier()
    with k.when(k.local < 5):
        counts[k.local] = bins[k.local]
    with k.when(k.local < 2):
        extremes[k.local] = ends[k.local]


@fogo.kernel(out=lambda x: fogo.Aval((5,), x.dtype))
def tallied(k, x, counts):
    """The same in the output itself, which the group clears first."""
    k.groups((1,), 8)
    with k.when(k.local < 5):
        k.atomic("store", counts, k.local, 0)
    k.barrier(storage=True)
    with k.loop(x.shape[0], k.local, 8) as j:
        k.atomic("add", counts, k.index(x[j] + 50) % 5, 1)


def test_atomics(device):
    values = numbers(100)
    x = fogo.tensor(values, dtype="int32", device=device)
    want = [len([v for v in values if (v + 50) % 5 == i]) for i in range(5)]
    for dtype in (fogo.int32, fogo.float32):
        counts, extremes = counted(x, dtype)
        equal(counts, want)
        equal(extremes, [min(values), max(values)])
    equal(tallied(x), want)


@fogo.kernel(out=lambda x: (x, x))
def lockstep(k, x, sums, sizes):
    k.groups((1,), 32)
    v = x[k.local]
    sums[k.local] = k.subgroup("add", v)
    sizes[k.local] = cast(k.lanes, x.dtype)


def test_subgroups(device):
    values = numbers(32)
    x = fogo.tensor(values, dtype="int32", device=device)
    try:
        sums, sizes = lockstep(x)
        sizes = sizes.tolist()
    except fogo.DeviceError as error:
        assert "needs the feature subgroups" in str(error)
        return
    n = min(sizes[0], 32)
    want = []
    for i in range(0, 32, n):
        want.extend([sum(values[i : i + n])] * n)
    equal(sums, want)


# Point kernels, trees and gradients.


@fogo.kernel(out=lambda x, w: fogo.Aval((x.shape[0], w.shape[1]), x.dtype))
def product(k, x, w, out):
    i, j = k.grid(out.shape)
    acc = k.cell(0.0, x.dtype)
    with k.loop(x.shape[1]) as m:
        acc.set(acc + x[i, m] * w[m, j])
    out[i, j] = acc


class Pair:
    def __init__(self, scale, bias, sign):
        self.scale = scale
        self.bias = bias
        self.sign = sign


def _affine_grad(g, x, p):
    return g * p.scale * p.sign, Pair((g * x).sum(0) * p.sign, g.sum(0), None)


@fogo.kernel(out=lambda x, p: x, grad=_affine_grad)
def affine(k, x, p, out):
    i, j = k.grid(out.shape)
    out[i, j] = x[i, j] * p.scale[j] * float(p.sign) + p.bias[j]


def test_a_matrix_product(device):
    a, b = matrix(3, 4), matrix(4, 2, 5)
    got = product(
        fogo.tensor(a, dtype="float32", device=device),
        fogo.tensor(b, dtype="float32", device=device),
    )
    equal(got, [[sum([r[m] * b[m][j] for m in range(4)]) for j in range(2)] for r in a])


def test_an_object_of_tensors_and_its_gradient(device):
    dev = device.autodiff()
    x = fogo.tensor([[1.0, 2.0], [3.0, 4.0]], device=dev).requires_grad_()
    scale = fogo.tensor([2.0, 5.0], device=dev).requires_grad_()
    bias = fogo.zeros(2, device=dev).requires_grad_()
    y = affine(x, Pair(scale, bias, -1))
    equal(y, [[-2.0, -10.0], [-6.0, -20.0]])
    found = y.sum().backward()
    close(found[x], [[-2.0, -5.0], [-2.0, -5.0]])
    close(found[scale], [-4.0, -6.0])
    close(found[bias], [2.0, 2.0])


def test_a_call_without_tensors(device):
    with raises(fogo.DTypeError, "doubled: at least one argument must be", "int, int"):
        doubled(1, 2)


def test_a_source_and_its_fallback(device):
    cube = fogo.kernel_source(
        "cube",
        out=lambda x: x,
        groups=lambda x: 1,
        wgsl="""
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
  y[i] = x[i] * x[i] * x[i];
}""",
        fallback=lambda x: x * x * x,
    )
    x = fogo.tensor([1.0, 2.0, 3.0, -1.0], device=device.autodiff()).requires_grad_()
    y = cube(x)
    close(y, [1.0, 8.0, 27.0, -1.0])
    close(y.sum().backward()[x], [3.0, 12.0, 27.0, 3.0])

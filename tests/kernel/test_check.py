"""The checking interpreter: what it computes, and what it lets pass."""

from __future__ import annotations

import numpy as np
import pytest

import fogo
from fogo.dtypes import float16, float32, int8, int32, uint32
from fogo.expr import call, cast, literal, where
from fogo.kernel.check import check
from fogo.kernel.check_backend import Checking, handle_of
from fogo.ops.record import Aval, Op
from tests.kernel.planted import neighbour

X = np.arange(64, dtype="float32")


def only(report):
    """The one output of a report without problems."""
    assert not report.problems, report
    return report.outputs[0].numpy()


def test_a_formula_s_op_is_a_kernel_too() -> None:
    from fogo.ops.record import REGISTRY

    assert only(check(REGISTRY["add"], [X, X])).tolist() == (X + X).tolist()


def test_views_stay_views() -> None:
    device = fogo.device("python")
    x = fogo.tensor(X, device=device).reshape((8, 8)).T[1:3]

    def copy(k, x, out):
        c = k.grid(out.shape)
        out[c] = x[c]

    report = check(copy, [x], outs=[((2, 8), "float32")])
    assert np.array_equal(only(report), X.reshape(8, 8).T[1:3])


def test_sums_round_to_float32_at_each_step() -> None:
    def total(k, x, out):
        k.grid(())
        acc = k.cell(0.0, float32)
        with k.loop(x.shape[0]) as j:
            acc.set(acc + x[j])
        out[()] = acc

    x = np.full(5000, 0.1, "float32")
    want = np.float32(0)
    for v in x:
        want = np.float32(want + v)
    assert only(check(total, [x], outs=[((), "float32")])) == want


def test_integers_wrap_and_halves_round() -> None:
    def kernel(k, x, wide, narrow, half):
        (i,) = k.grid(x.shape)
        wide[i] = x[i] * x[i]
        narrow[i] = cast(x[i] + 100, int8)
        half[i] = cast(x[i], float32) / 3.0

    x = np.array([2, 70000, -9], "int32")
    outs = [((3,), "int32"), ((3,), "int8"), ((3,), "float16")]
    report = check(kernel, [x], outs=outs)
    assert not report.problems
    wide, narrow, half = [o.numpy() for o in report.outputs]
    assert wide.tolist() == [4, 605032704, 81]
    assert narrow.tolist() == [102, -44, 91]
    assert half.tolist() == (x / np.float32(3)).astype("float16").tolist()


def reduced(op, lanes, dtype=float32):
    """Each thread's result of a subgroup operation over 32 threads."""

    def kernel(k, x, out):
        k.groups((1,), 32)
        out[k.local] = k.subgroup(op, x[k.local])

    return check(kernel, [X[:32]], outs=[((32,), "float32")], lanes=lanes)


@pytest.mark.parametrize("lanes", [4, 8, 32])
def test_subgroups(lanes: int) -> None:
    rows = X[:32].reshape(-1, lanes)
    assert np.array_equal(
        only(reduced("add", lanes)).reshape(-1, lanes)[:, 0], rows.sum(1)
    )
    assert np.array_equal(only(reduced("max", lanes))[::lanes], rows.max(1))
    ranks = only(reduced("exclusive_add", lanes)).reshape(-1, lanes)
    assert np.array_equal(ranks, rows.cumsum(1) - rows)
    ranks = only(reduced("inclusive_add", lanes)).reshape(-1, lanes)
    assert np.array_equal(ranks, rows.cumsum(1))


def test_shuffles_and_votes() -> None:
    def kernel(k, x, out, votes):
        k.groups((1,), 16)
        v = x[k.local]
        out[k.local] = k.subgroup("shuffle_xor", v, 1) + k.subgroup("first", v)
        some = k.subgroup("any", v > 14.0)
        every = k.subgroup("all", v > 14.0)
        votes[k.local] = cast(some, int32) * 2 + cast(every, int32)

    outs = [((16,), "float32"), ((16,), "int32")]
    report = check(kernel, [X[:16]], outs=outs, lanes=8)
    swapped = X[:16].reshape(-1, 2)[:, ::-1].reshape(-1)
    first = np.repeat([0.0, 8.0], 8)
    assert np.array_equal(only(report), swapped + first)
    assert report.outputs[1].numpy().tolist() == [0] * 8 + [2] * 8


def test_atomics_of_all_groups_add_up() -> None:
    def kernel(k, x, counts, largest):
        (i,) = k.groups(x.shape, 4)
        with k.when(k.local == 0):
            k.atomic("add", counts, (cast(x[i], int32) % 3,), 1)
            k.atomic("max", largest, (literal(0, i.dtype),), x[i])

    def filled(k, x, counts, largest):
        k.grid((1,))
        for j in range(3):
            k.atomic("store", counts, (literal(j, k.dims[0].dtype),), 0)
        k.atomic("store", largest, (literal(0, k.dims[0].dtype),), -1.0)

    outs = [((3,), "int32"), ((1,), "float32")]
    start = check(filled, [X[:20]], outs=outs)
    assert not start.problems
    report = check(kernel, [X[:20]], outs=outs)
    kinds = {p.kind for p in report.problems}
    assert kinds == {"uninitialised"}  # nobody set them to 0; but no race
    assert report.outputs[0].numpy().tolist() == [7, 7, 6]


def test_atomic_and_plain_access_race() -> None:
    def kernel(k, x, out):
        k.groups((1,), 8)
        total = k.shared(int32, 1)
        with k.when(k.local == 0):
            total[0] = 0
        k.atomic("add", total, 0, 1)
        k.barrier()
        out[k.local] = total[0]

    report = check(kernel, [X[:8]], outs=[((8,), "int32")])
    assert [p.kind for p in report.problems] == ["race"]


def test_compare_swaps_where_equal() -> None:
    def kernel(k, x, out):
        k.groups((1,), 1)
        cell = k.shared(uint32, 1)
        k.atomic("store", cell, 0, 5)
        out[0] = k.atomic("compare", cell, 0, 7, expected=5)
        out[1] = k.atomic("compare", cell, 0, 9, expected=5)

    def place(n):
        return check(n, [X[:1]], outs=[((2,), "uint32")])

    assert only(place(kernel)).tolist() == [5, 7]


def test_wide_access_must_be_aligned() -> None:
    def kernel(k, x, out, first):
        (i,) = k.grid((2,))
        out.put_wide((i * 4,), x.wide((i * 4 + first,)))

    report = check(kernel, [X[:10]], (0,), outs=[((8,), "float32")])
    assert np.array_equal(only(report), X[:8])
    report = check(kernel, [X[:10]], (2,), outs=[((8,), "float32")])
    assert {p.kind for p in report.problems} == {"misaligned"}
    report = check(kernel, [X[:16]], (16,), outs=[((8,), "float32")])
    assert {p.kind for p in report.problems} == {"out-of-bounds"}


def test_wide_access_may_touch_the_padding() -> None:
    def kernel(k, x, out):
        (i,) = k.grid((2,))
        out.put_wide((i * 4,), x.wide((i * 4,)))

    assert np.array_equal(only(check(kernel, [X[:6]], outs=[((6,), "float32")])), X[:6])


def test_matrix_tiles() -> None:
    def kernel(k, x, y, out):
        k.groups((1,), 32)
        left = k.matrix("left", float16, 16, 16)
        right = k.matrix("right", float16, 16, 16)
        acc = k.matrix("result", float32, 16, 16)
        left.load(x, 0, 16)
        right.load(y, 0, 16, transposed=True)
        acc.add_product(left, right)
        acc.add_product(left, right)
        acc.store(out, 0, 16)

    random = np.random.default_rng(3)
    x, y = random.integers(-4, 5, (2, 16, 16)).astype("float16")
    report = check(kernel, [x, y], outs=[((16, 16), "float32")])
    want = 2 * (x.astype("float64") @ y.astype("float64").T)
    assert np.array_equal(only(report), want)


def test_a_tile_needs_a_barrier_before_others_read_it() -> None:
    def kernel(k, x, out, waits):
        k.groups((1,), 32)
        acc = k.matrix("result", float32, 16, 16)
        tile = k.shared(float32, 256)
        acc.store(tile, 0, 16)
        if waits:
            k.barrier()
        with k.loop(256, k.local, 32) as j:
            out[j // 16, j % 16] = tile[j]

    outs = [((16, 16), "float32")]
    assert np.array_equal(only(check(kernel, [X], (True,), outs)), np.zeros((16, 16)))
    assert [p.kind for p in check(kernel, [X], (False,), outs).problems] == ["race"]


def test_uniform_loads_are_barriers() -> None:
    def kernel(k, x, out):
        k.groups((1,), 8)
        chosen = k.shared(int32, 1)
        with k.when(k.local == 3):
            chosen[0] = 5
        count = k.uniform_load(chosen)
        acc = k.cell(0.0, float32)
        with k.loop(k.index(count)) as j:
            k.barrier()
            acc.set(acc + x[j])
        out[k.local] = acc

    report = check(kernel, [X], outs=[((8,), "float32")])
    assert only(report).tolist() == [10.0] * 8


def test_storage_needs_its_own_barrier() -> None:
    def kernel(k, x, out, storage):
        k.groups((1,), 8)
        out[k.local] = x[k.local]
        k.barrier(storage)
        other = k.let(out[7 - k.local])
        k.barrier(storage)
        out[k.local] = other

    outs = [((8,), "float32")]
    assert np.array_equal(only(check(kernel, [X], (True,), outs)), X[7::-1])
    assert {p.kind for p in check(kernel, [X], (False,), outs).problems} == {"race"}


def test_a_subgroup_that_parts_is_divergent() -> None:
    def kernel(k, x, out):
        k.groups((1,), 8)
        v = k.cell(x[k.local])
        with k.when(k.local < 3):
            v.set(k.subgroup("add", v))
        out[k.local] = v

    report = check(kernel, [X], outs=[((8,), "float32")])
    assert report.problems[0].kind == "divergent"


def test_output_never_written() -> None:
    def kernel(k, x, out):
        (i,) = k.grid(out.shape)
        with k.when(i < 5):
            out[i] = where(x[i] > 0.0, x[i], 0.0)

    report = check(kernel, [X], outs=[((6,), "float32")])
    assert [p.kind for p in report.problems] == ["uninitialised"]
    assert "element 5 of output 0" in report.problems[0].text


def test_report_raises() -> None:
    report = check(neighbour, [X], (False,), outs=[((64,), "float32")])
    with pytest.raises(fogo.KernelError, match="out-of-bounds: load of input 0"):
        report.raise_problems()
    report = check(neighbour, [X], (True,), outs=[((64,), "float32")])
    assert report.raise_problems() is report
    assert "no problem found" in repr(report)


def test_strict_device_raises_at_the_op() -> None:
    """A model can run on a device that checks: every kernel of it is looked at."""
    device = fogo.Device("check", Checking(strict=True))
    x = fogo.tensor(X.reshape(8, 8), device=device)
    assert np.allclose(fogo.softmax(x @ x, 1).numpy().sum(1), 1)
    assert device.backend.checked > 3


def test_largest_of_two_groups_race() -> None:
    """Two groups may not even store the same number in one place."""

    def kernel(k, x, out):
        k.groups((2,), 1)
        out[0] = call("max", x[0], x[1])

    report = check(kernel, [X], outs=[((1,), "float32")])
    assert [p.kind for p in report.problems] == ["race"]


def test_what_a_kernel_leaves_unwritten_another_may_not_read() -> None:
    def half(k, x, out):
        (i,) = k.grid((4,))
        out[i] = x[i]

    def some(k, x, out):
        (i,) = k.grid(out.shape)
        out[i] = x[i]

    backend = Checking()
    x = (handle_of(X),)
    scratch = backend.run(Op("half", kernel=half), x, (), (Aval((8,), float32),))
    backend.run(Op("some", kernel=some), scratch, (), (Aval((4,), float32),))
    assert not backend.problems
    backend.run(Op("more", kernel=some), scratch, (), (Aval((5,), float32),))
    assert [p.kind for p in backend.problems] == ["uninitialised"]
    assert "element 4 of input 0" in backend.problems[0].text

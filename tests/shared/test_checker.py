"""The checking interpreter runs wherever fogo does."""

from fogo.dtypes import float32
from fogo.kernel.check import check


def row_sum(k, x, out, waits):
    """A sum by 8 threads a row; without its barriers, a race."""
    (row,) = k.groups(out.shape, 8)
    parts = k.shared(float32, 8)
    parts[k.local] = x[row, k.local]
    for half in (4, 2, 1):
        if waits:
            k.barrier()
        with k.when(k.local < half):
            parts[k.local] = parts[k.local] + parts[k.local + half]
    with k.when(k.local == 0):
        out[row] = parts[0]


ROWS = [[1.0] * 8, [0.5, 2.0] * 4]


def test_group_kernel_passes():
    report = check(row_sum, [ROWS], (True,), outs=[((2,), "float32")])
    assert report.problems == []
    assert report.outputs[0].tolist() == [8.0, 10.0]


def test_race_is_found():
    report = check(row_sum, [ROWS], (False,), outs=[((2,), "float32")])
    assert report.problems[0].kind == "race"
    assert report.problems[0].memory == "shared 0"


def test_load_outside_is_found():
    def shift(k, x, out):
        (i,) = k.grid(out.shape)
        out[i] = x[i + 1]

    report = check(shift, [[1.0, 2.0]], outs=[((2,), "float32")])
    assert [p.kind for p in report.problems] == ["out-of-bounds"]
    assert "no problem" not in repr(report)

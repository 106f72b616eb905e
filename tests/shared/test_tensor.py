"""Tensors: made, read, moved, printed. Expected values by hand."""

import fogo
from tests.shared.check import close, equal, raises


def test_numbers_and_lists_have_a_dtype(device):
    whole = device.default_int
    for data, dtype in (
        (True, fogo.bool_), (1, whole), (1.0, fogo.float32), ([True, 2], whole),
        ([1, 2.5], fogo.float32), ([], fogo.float32), ([[False]], fogo.bool_),
    ):  # fmt: skip
        assert fogo.tensor(data, device=device).dtype is dtype, data


def test_values_come_back_as_they_went_in(device):
    for data in (3.5, [1.0, -2.0], [[1, 2], [3, 4]], [[[True], [False]]], [[], []]):
        equal(fogo.tensor(data, device=device), data)


def test_every_held_dtype_keeps_its_extremes(device):
    for dtype in device.backend.holds:
        if dtype.is_int:
            values = [dtype.min, dtype.max, 0]
        elif dtype.is_bool:
            values = [True, False]
        else:
            values = [0.5, -2.0, 0.0]
        x = fogo.tensor(values, dtype=dtype, device=device)
        assert x.dtype is dtype
        equal(x, values)


def test_non_finite_numbers(device):
    inf = float("inf")
    nan = float("nan")
    for dtype in ("float16", "float32"):
        equal(
            fogo.tensor([nan, inf, -inf], dtype=dtype, device=device), [nan, inf, -inf]
        )


def test_shape_ndim_size_len(device):
    x = fogo.zeros((2, 0, 3), device=device)
    assert (x.shape, x.ndim, x.size, len(x)) == ((2, 0, 3), 3, 0, 2)
    assert fogo.tensor(1, device=device).shape == ()


def test_python_numbers(device):
    x = fogo.tensor([2.75], device=device)
    assert x.item() == 2.75 and bool(x)
    assert [10, 20, 30][fogo.tensor(1, device=device).__index__()] == 20
    assert [row.tolist() for row in fogo.tensor([[1], [2]], device=device)] == [
        [1],
        [2],
    ]


def test_tensor_of_a_tensor(device):
    x = fogo.tensor([1.5, 2.5], device=device)
    assert fogo.tensor(x, device=device).tolist() == [1.5, 2.5]
    assert fogo.tensor(x, dtype="int32", device=device).tolist() == [1, 2]


def test_creation(device):
    equal(fogo.zeros(2, 2, device=device), [[0.0, 0.0], [0.0, 0.0]])
    equal(fogo.ones((2,), dtype="int32", device=device), [1, 1])
    equal(fogo.full((2,), 7, device=device), [7, 7])
    equal(fogo.arange(2, 8, 3, device=device), [2, 5])
    equal(fogo.arange(0.0, 1.0, 0.25, device=device), [0.0, 0.25, 0.5, 0.75])
    close(fogo.linspace(0.0, 1.0, 5, device=device), [0.0, 0.25, 0.5, 0.75, 1.0])
    equal(fogo.eye(2, 3, 1, device=device), [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    x = fogo.tensor([[1, 2], [3, 4]], device=device)
    equal(fogo.tril(x), [[1, 0], [3, 4]])
    equal(fogo.full_like(x, 9), [[9, 9], [9, 9]])


def test_operators(device):
    x = fogo.tensor([7.0, -2.0], device=device)
    close(x + 1, [8.0, -1.0])
    close(1 - x, [-6.0, 3.0])
    close(x * x, [49.0, 4.0])
    close(3 / x, [3.0 / 7.0, -1.5])
    close(x // 4, [1.0, -1.0])
    close(x % 4, [3.0, 2.0])
    close(x**2, [49.0, 4.0])
    close(2**x, [128.0, 0.25])
    close(-x, [-7.0, 2.0])
    close(abs(x), [7.0, 2.0])
    close(+x, [7.0, -2.0])
    close(x @ x, 53.0)
    i = fogo.tensor([6, 3], device=device)
    equal(i & 3, [2, 3])
    equal(i | 1, [7, 3])
    equal(i ^ 2, [4, 1])
    equal(i << 2, [24, 12])
    equal(i >> 1, [3, 1])
    equal(~(i > 3), [False, True])


def test_comparisons(device):
    x = fogo.tensor([1.0, 2.0, 3.0], device=device)
    equal(x < 2, [True, False, False])
    equal(x <= 2, [True, True, False])
    equal(x > 2, [False, False, True])
    equal(x >= 2, [False, True, True])
    equal(x == 2, [False, True, False])
    equal(x != 2, [True, False, True])


def test_values_do_not_change_under_a_tensor(device):
    x = fogo.zeros((2, 2), device=device)
    row = x[0]
    before = x
    x[0] = 5.0
    equal(x, [[5.0, 5.0], [0.0, 0.0]])
    equal(row, [0.0, 0.0])
    assert before is x


def test_assign_takes_values(device):
    x = fogo.zeros(2, device=device)
    x.assign(fogo.tensor([1.0, 2.0], device=device))
    equal(x, [1.0, 2.0])
    with raises(fogo.ShapeError, "assign"):
        x.assign(fogo.zeros(3, device=device))


def test_to_another_device_and_back(device):
    x = fogo.tensor([[1.5, 2.5]], device=device)
    for target in ("python", device.autodiff(), device):
        y = x.to(target)
        assert y.device is fogo.device(target)
        equal(y, [[1.5, 2.5]])
    assert x.to(device) is x
    assert x.to(fogo.int32).dtype is fogo.int32


def test_views_of_views(device):
    x = fogo.arange(24, dtype="float32", device=device).reshape(2, 3, 4)
    y = x.permute((2, 0, 1))[::-1, :, 1:]
    assert y.shape == (4, 2, 2)
    equal(y[0], [[7, 11], [19, 23]])
    equal(y.reshape(2, 8)[1, :4], [5, 9, 17, 21])
    equal(y.sum((1, 2)), [60, 56, 52, 48])


async def test_reading_without_waiting(device):
    x = fogo.tensor([[1.0, 2.0]], device=device)
    equal(await (x + 1).data_async(), [[2.0, 3.0]])


def test_no_silent_reads_on_the_way(device):
    backend = device.base().backend
    x = fogo.ones((3, 3), device=device)
    before = (backend.uploads, backend.reads)
    y = ((x @ x + 1).exp().sum(0) * 2.5)[1:]
    assert (backend.uploads, backend.reads) == before
    y.tolist()
    assert (backend.uploads, backend.reads) == (before[0], before[1] + 1)


def test_new_sizes_of_what_is_made_compile_nothing(device):
    kernels = device.base().backend.planner.kernels
    made = []
    for n in range(5, 8):
        fogo.ones((n, 3), device=device)
        fogo.arange(n, device=device)
        fogo.rand(n, device=device)
        made.append(len(kernels))
    assert made[0] == made[1] == made[2]


def test_bools_of_any_number(device):
    equal(fogo.full((2,), 0.5, dtype="bool", device=device), [True, True])

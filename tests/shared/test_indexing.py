"""Indexing, assignment and selection: expected values by hand, for every runtime."""

import fogo
from tests.shared.check import equal, raises


def grid(device):
    return fogo.arange(12, dtype="float32", device=device).reshape(3, 4)


def test_slices_and_integers(device):
    x = grid(device)
    equal(x[1], [4, 5, 6, 7])
    equal(x[-1, -2], 10)
    equal(x[:, 1], [1, 5, 9])
    equal(x[::-1, 2], [10, 6, 2])
    equal(x[1:, ::-2], [[7, 5], [11, 9]])
    equal(x[..., None, 0], [[0], [4], [8]])
    equal(x[5:], [])


def test_index_tensors(device):
    x = grid(device)
    rows = fogo.tensor([2, 0, -1], device=device)
    equal(x[rows, 1], [9, 1, 9])
    equal(x[:, [3, 0]], [[3, 0], [7, 4], [11, 8]])
    equal(x[[[0], [1]], [1, 2]], [[1, 2], [5, 6]])
    assert x.reshape(3, 2, 2)[0, :, [1, 0, 1]].shape == (3, 2)
    assert x.reshape(3, 2, 2)[:, 0, [1, 0, 1]].shape == (3, 3)


def test_out_of_range_reads_zero_and_writes_nothing(device):
    x = grid(device)
    equal(x[fogo.tensor([3, -4], device=device)], [[0] * 4, [0] * 4])
    x[fogo.tensor([3, -4], device=device)] = 5.0
    equal(x, grid(device))
    equal(x[[0, 0], [4, 1]], [0, 1])


def test_masks(device):
    x = grid(device)
    equal(x[x > 8], [9, 10, 11])
    equal(x[[True, False, True], 1], [1, 9])
    equal(x[:, x[0] > 1], [[2, 3], [6, 7], [10, 11]])
    equal(x[x > 99], [])
    equal(fogo.nonzero(x > 9), [[2, 2], [2, 3]])


def test_assignment(device):
    x = grid(device)
    y = x[:]
    y[0] = 7.0
    y[1:, ::-1] = fogo.tensor([1.0, 2.0, 3.0, 4.0], device=device)
    equal(y, [[7] * 4, [4, 3, 2, 1], [4, 3, 2, 1]])
    equal(x, grid(device))


def test_assignment_by_index_and_mask(device):
    x = grid(device)
    x[[0, 2], [1, 1]] = [20, 30]
    equal(x[:, 1], [20, 5, 30])
    x[x < 10] = 0.0
    equal(x, [[0, 20, 0, 0], [0] * 4, [0, 30, 10, 11]])
    x[x > 0] = [1, 2, 3, 4]
    equal(x, [[0, 1, 0, 0], [0] * 4, [0, 2, 3, 4]])
    x[fogo.tensor([False, True, False], device=device)] = [9, 9, 9, 8]
    equal(x[1], [9, 9, 9, 8])


def test_the_last_write_wins_and_alone_learns(device):
    x = fogo.zeros(3, device=device.autodiff()).requires_grad_()
    v = fogo.tensor([1.0, 2.0, 3.0], device=device.autodiff()).requires_grad_()
    y = x * 1.0
    y[[1, 1, 0]] = v
    equal(y, [3, 2, 0])
    grads = (y * fogo.tensor([10.0, 20.0, 30.0], device=device)).sum().backward()
    equal(grads[x], [0, 0, 30])
    equal(grads[v], [0, 20, 10])


def test_gradients_of_reading_add_up(device):
    x = fogo.ones(3, device=device.autodiff()).requires_grad_()
    grads = (x[[0, 2, 0]] * x[0]).sum().backward()
    equal(grads[x], [5, 0, 1])


def test_second_derivative_of_indexing(device):
    twice = device.autodiff().autodiff()
    x = fogo.tensor([1.0, 2.0, 3.0], device=twice).requires_grad_()
    first = (x[[0, 0, 2]] ** 3.0).sum().backward()[x]
    equal(first, [6, 0, 27])
    equal(first.sum().backward()[x], [12, 0, 18])


def test_wrong_keys(device):
    x = grid(device)
    cases = (
        (5, "out of range", "given 5"),
        ((0, 0, 0), "one item per axis"),
        ((Ellipsis, Ellipsis), "at most one ..."),
        (1.5, "integer tensors"),
        (fogo.ones(2, device=device), "given float32"),
        (fogo.tensor([True, False], device=device), "[2]", "[3, 4]"),
        ("1", "integers, slices"),
    )
    for case in cases:
        with raises((fogo.ShapeError, fogo.DTypeError), "index", *case[1:]):
            x[case[0]]
    with raises(fogo.ShapeError, "step"):
        x[::0]


async def test_selection_without_waiting(device):
    x = grid(device)
    chosen = await fogo.masked_select_async(x, x > 9)
    equal(await chosen.data_async(), [10, 11])
    rows, columns = await fogo.nonzero_async(x > 9)
    equal(await rows.data_async(), [2, 2])
    equal(await columns.data_async(), [2, 3])
    places = await fogo.argwhere_async(x > 9)
    equal(await places.data_async(), [[2, 2], [2, 3]])


def test_transposes_are_views(device):
    x = fogo.arange(6, device=device).reshape((2, 3))
    equal(x.T, [[0, 3], [1, 4], [2, 5]])
    equal(x.reshape((1, 2, 3)).mT, [[[0, 3], [1, 4], [2, 5]]])

"""Sorting, searching and scans: what the grid's drawn values do not reach."""

import fogo
from tests.shared.check import close, equal, raises

NAN = float("nan")


def test_nan_sorts_as_the_largest(device):
    x = fogo.tensor([2.0, NAN, -1.0, float("inf"), NAN], device=device)
    values, places = x.sort_pairs()
    equal(values, [-1, 2, float("inf"), NAN, NAN])
    equal(places, [2, 0, 3, 1, 4])
    values, places = x.sort_pairs(descending=True)
    equal(values, [NAN, NAN, float("inf"), 2, -1])
    equal(places, [1, 4, 3, 0, 2])
    equal(x.topk(1)[1], [1])


def test_equal_elements_keep_their_order(device):
    numbers = [(i * 7) % 5 for i in range(100)]
    x = fogo.tensor(numbers, dtype="int32", device=device)
    up = sorted(range(100), key=lambda i: (numbers[i], i))
    down = sorted(range(100), key=lambda i: (-numbers[i], i))
    equal(x.argsort(), up)
    equal(x.argsort(descending=True), down)


def test_a_line_of_many_runs(device):
    numbers = [(i * 7919) % 1009 for i in range(1009)]
    x = fogo.tensor(numbers, dtype="int32", device=device)
    values, places = x.sort_pairs()
    equal(values, list(range(1009)))
    equal(x.take(places), list(range(1009)))


def test_bools_sort_false_first(device):
    x = fogo.tensor([True, False, True], device=device)
    equal(x.argsort(), [1, 0, 2])


def test_searchsorted_finds_both_ends_of_equal_edges(device):
    edges = fogo.tensor([1.0, 2.0, 2.0, 2.0, 5.0], device=device)
    x = fogo.tensor([[0.0, 1.0, 2.0], [3.0, 5.0, 9.0]], device=device)
    equal(fogo.searchsorted(edges, x), [[0, 0, 1], [4, 4, 5]])
    equal(fogo.searchsorted(edges, x, side="right"), [[0, 1, 4], [4, 5, 5]])


def test_searching_and_choosing_refuse_what_does_not_fit(device):
    x = fogo.zeros(3, device=device)
    with raises(fogo.ShapeError, "searchsorted", "middle"):
        fogo.searchsorted(x, x, side="middle")
    with raises(fogo.ShapeError, "topk", "[0, 3]", "k=4"):
        x.topk(4)
    with raises(fogo.ShapeError, "axis"):
        x.sort(1)


def test_long_lines_are_summed_in_blocks(device):
    x = fogo.ones(2, 1000, device=device.autodiff()).requires_grad_()
    y = x.cumsum(1)
    equal(y[1, 997:], [998, 999, 1000])
    equal(y[:, 255:258], [[256, 257, 258]] * 2)
    grads = y[:, ::500].sum().backward()
    equal(grads[x][0, ::250], [2, 1, 1, 0])


def test_products_with_zeros_have_gradients(device):
    x = fogo.tensor([2.0, 0.0, 3.0, 0.0], device=device.autodiff()).requires_grad_()
    grads = x.cumprod(0).sum().backward()
    equal(grads[x], [1, 8, 0, 0])
    equal(x[:3].prod().backward()[x], [0, 6, 0, 0])


def test_places_of_extremes(device):
    x = fogo.tensor([1.0, 3.0, 3.0, NAN, 2.0], device=device)
    values, places = x.cummax(0)
    equal(values, [1, 3, 3, NAN, NAN])
    equal(places, [0, 1, 2, 3, 3])
    values, places = x[:3].cummin(0)
    equal(values, [1, 1, 1])
    equal(places, [0, 0, 0])


def test_a_recurrence_goes_backward(device):
    a = fogo.tensor([0.5, 2.0, -1.0], device=device.autodiff()).requires_grad_()
    b = fogo.tensor([1.0, 1.0, 3.0], device=device.autodiff()).requires_grad_()
    h = fogo.linear_scan(a, b)
    equal(h, [1, 3, 0])
    grads = h.sum().backward()
    close(grads[b], [1 + 2 - 2, 1 - 1, 1])
    close(grads[a], [0, 0, 3])


def test_masked_values_go_in_order(device):
    x = fogo.zeros(2, 3, device=device.autodiff()).requires_grad_()
    source = fogo.tensor([1.0, 2.0, 3.0, 4.0], device=device.autodiff())
    source.requires_grad_()
    mask = fogo.tensor([[True, False, True], [False, True, False]], device=device)
    y = x.masked_scatter(mask, source)
    equal(y, [[1, 0, 2], [0, 3, 0]])
    weight = fogo.arange(1, 7, dtype="float32", device=device).reshape(2, 3)
    grads = (y * weight).sum().backward()
    equal(grads[source], [1, 3, 5, 0])
    equal(grads[x], [[0, 2, 0], [4, 0, 6]])

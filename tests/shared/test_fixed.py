"""Bugs that were: one named test each."""

import fogo
from tests.shared.check import close, equal


def test_lowest_integer_divided_by_minus_one_wraps(device):
    x = fogo.tensor([-128, -128], dtype="int8", device=device)
    y = fogo.tensor([-1, 2], dtype="int8", device=device)
    equal(x // y, [-128, -64])


def test_huge_integer_power_ends(device):
    x = fogo.tensor([2147483647, -3, 2], dtype="int32", device=device)
    y = fogo.tensor([2147483647, 2147483647, 31], dtype="int32", device=device)
    equal(x**y, [2147483647, 1431655765, -2147483648])


def test_gradient_of_atan2_at_the_origin_is_zero(device):
    dev = device.autodiff()
    y = fogo.tensor([0.0, 1.0], device=dev).requires_grad_()
    x = fogo.tensor([0.0, 1.0], device=dev).requires_grad_()
    grads = fogo.atan2(y, x).sum().backward()
    close(grads[y], [0.0, 0.5])
    close(grads[x], [0.0, -0.5])

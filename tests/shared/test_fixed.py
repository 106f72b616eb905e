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


def test_half_rounds_up_to_a_power_of_two(device):
    x = fogo.tensor([0.49998, -0.12499, 65519.0, 65520.0], device=device)
    equal(x.astype("float16"), [0.5, -0.125, 65504.0, float("inf")])


def test_overflow_is_infinite_where_math_raises_a_domain_error(device):
    x = fogo.tensor([3e38, -3e38], device=device)
    inf = float("inf")
    equal(x.expm1(), [inf, -1.0])
    equal(x.cosh(), [inf, inf])
    equal(x.sinh(), [inf, -inf])
    equal(fogo.tensor([0.5], device=device) ** x, [0.0, inf])


def test_acosh_of_large_negative_numbers(device):
    nan = float("nan")
    equal(fogo.tensor([-65504.0, -2.0, 0.5, nan], device=device).acosh(), [nan] * 4)

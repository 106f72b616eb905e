"""bfloat16: stored everywhere, computed in float32; values from PyTorch."""

import fogo
from fogo import nn
from tests.shared.check import close, equal, raises

# torch.tensor(VALUES).bfloat16().float().tolist()
VALUES = [1.0, 1.00390625, 1.01171875, 3.14159, -2.5, 1e38, 65504.3, 1e-40, 0.0]
WANT = [
    1.0, 1.0, 1.015625, 3.140625, -2.5, 9.969209968386869e+37, 65536.0,
    9.18354961579912e-41, 0.0,
]  # fmt: skip
NAN, INF = float("nan"), float("inf")


def test_casts_round_halves_to_even(device):
    x = fogo.tensor(VALUES, device=device).astype("bfloat16")
    assert x.dtype is fogo.bfloat16 and x.dtype.itemsize == 2
    close(x, WANT, 1e-7, 0)
    close(x.astype("float32"), WANT, 1e-7, 0)
    close(fogo.tensor(VALUES, dtype="bfloat16", device=device), WANT, 1e-7, 0)
    odd = fogo.tensor([NAN, INF, -INF, 3.4e38], device=device).astype("bfloat16")
    equal(odd, [NAN, INF, -INF, INF])


def test_arithmetic_is_in_float32(device):
    x = fogo.tensor([1.5, -2.0], dtype="bfloat16", device=device)
    y = fogo.tensor([2.0, 3.0], device=device)
    for made, want in (
        (x + x, [3.0, -4.0]),
        (x * 0.125, [0.1875, -0.25]),
        (x + y, [3.5, 1.0]),
        (x.abs(), [1.5, 2.0]),
        (fogo.sum(x), -0.5),
        (x @ y, -3.0),
        (x @ x, 6.25),
    ):
        assert made.dtype is fogo.float32
        equal(made, want)
    equal(x > 0, [True, False])
    assert fogo.promote(fogo.bfloat16, fogo.float16) is fogo.float32


def test_it_moves_as_it_is(device):
    x = fogo.tensor([[1.5, -2.0], [0.25, 8.0]], dtype="bfloat16", device=device)
    for made, want in (
        (x.transpose(), [[1.5, 0.25], [-2.0, 8.0]]),
        (x[1:, 0], [0.25]),
        (x.reshape(4).flip(0), [8.0, 0.25, -2.0, 1.5]),
        (fogo.concat([x, x[:1]]), [[1.5, -2.0], [0.25, 8.0], [1.5, -2.0]]),
        (fogo.full((2,), 0.5, dtype="bfloat16", device=device), [0.5, 0.5]),
        (x[fogo.tensor([1], device=device)], [[0.25, 8.0]]),
    ):
        assert made.dtype is fogo.bfloat16
        equal(made, want)


def test_it_is_ordered_by_its_numbers(device):
    x = fogo.tensor([[1.5, -2.0, 0.5, -1.0]], dtype="bfloat16", device=device)
    values, places = fogo.topk(x, 2)
    for made, want in (
        (x.sort(1), [[-2.0, -1.0, 0.5, 1.5]]),
        (x.sort(1, descending=True), [[1.5, 0.5, -1.0, -2.0]]),
        (fogo.sort_pairs(x)[0], [[-2.0, -1.0, 0.5, 1.5]]),
        (fogo.unique(x), [-2.0, -1.0, 0.5, 1.5]),
        (values, [[1.5, 0.5]]),
    ):
        assert made.dtype is fogo.bfloat16
        equal(made, want)
    equal(x.argsort(1), [[1, 3, 2, 0]])
    equal(places, [[0, 2]])
    equal(fogo.median(x, 1)[0], [-1.0])


def test_it_is_padded_and_added_up(device):
    x = fogo.tensor([[1.5, -2.0, 0.5]], dtype="bfloat16", device=device)
    windows = fogo.unfold(x.reshape((1, 1, 1, 3)), (1, 2))
    for made, want in (
        (x.pad(((0, 0), (1, 0))), [[0.0, 1.5, -2.0, 0.5]]),
        (fogo.fold(windows, (1, 3), (1, 2)), [[[[1.5, -4.0, 0.5]]]]),
        (fogo.arange(3, dtype="bfloat16", device=device), [0.0, 1.0, 2.0]),
        (fogo.linspace(0, 1, 3, dtype="bfloat16", device=device), [0.0, 0.5, 1.0]),
    ):
        assert made.dtype is fogo.bfloat16
        equal(made, want)
    y = fogo.tensor([[0.0, 0.0]], dtype="bfloat16", device=device)
    equal(fogo.softmax(y, 1), [[0.5, 0.5]])


def test_gradients_pass_through_the_casts(device):
    x = fogo.tensor([1.0, 2.0], device=device.autodiff()).requires_grad_()
    g = (x.astype("bfloat16") * 3).sum().backward()[x]
    assert g.dtype is fogo.float32
    equal(g, [3.0, 3.0])
    y = fogo.tensor([1.0, 2.0], dtype="bfloat16", device=device.autodiff())
    y = y.requires_grad_()
    g = (y * y).sum().backward()[y]
    assert g.dtype is fogo.bfloat16
    equal(g, [2.0, 4.0])
    places = fogo.tensor([1, 1], device=device.autodiff())
    for taken in (fogo.take(y, places), fogo.take_along_axis(y, places, 0), y[places]):
        g = (taken * 3).sum().backward()[y]
        assert g.dtype is fogo.bfloat16
        equal(g, [0.0, 6.0])


def test_autocast_to_bfloat16(device):
    dev = device.autodiff()
    net = nn.Linear(2, 1, bias=False, device=dev)
    net.load_state_dict({"weight": fogo.tensor([[1.00390625, 3.0]])})
    x = fogo.tensor([[1.0, 2.0]], device=dev)
    with fogo.autocast("bfloat16", device=device):
        y = net(x)
        assert y.dtype is fogo.bfloat16
        equal(y, [[7.0]])
        assert y.sum().dtype is fogo.float32
    g = y.sum().backward()[net.weight]
    assert g.dtype is fogo.float32
    equal(g, [[1.0, 2.0]])


def test_what_computes_otherwise_says_so(device):
    x = fogo.tensor([1.0, 2.0], dtype="bfloat16", device=device)
    with raises(fogo.DTypeError, "dtype must be", "astype"):
        x.cumsum(0)

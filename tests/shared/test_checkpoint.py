"""fogo.checkpoint: segments run again, by hand and beside graphs that are kept."""

import fogo
from fogo import nn
from tests.shared.check import close


def leaf(device, data):
    return fogo.tensor(data, device=device.autodiff()).requires_grad_()


def test_values_and_gradients_are_those_without(device):
    x, w = leaf(device, [1.0, 2.0]), leaf(device, [3.0, 4.0])
    y = fogo.checkpoint(lambda t: {"a": t * w, "n": 3, "b": [t * t]}, x)
    assert y["n"] == 3
    close(y["a"], [3.0, 8.0])
    grads = (y["a"] * y["b"][0]).sum().backward()
    close(grads[x], [9.0, 48.0])
    close(grads[w], [1.0, 8.0])


def test_the_function_runs_once_more(device):
    x = leaf(device, [1.0])
    runs = []

    def segment(t):
        runs.append(1)
        return t.exp().log() * 2

    y = fogo.checkpoint(segment, x)
    assert len(runs) == 1
    close(y.sum().backward()[x], [2.0])
    assert len(runs) == 2
    with fogo.no_grad():
        fogo.checkpoint(segment, x)
    assert len(runs) == 3


def test_an_input_that_depends_on_a_parameter_inside(device):
    """Gradients stop at the segment's edges: the graph outside is walked once."""
    w = leaf(device, [2.0])
    x = w * 3
    y = fogo.checkpoint(lambda t: t * w, x)
    close((y + x).sum().backward()[w], [15.0])  # d(3 w^2 + 3 w) at 2


def test_nested_segments(device):
    x = leaf(device, [1.0, 2.0])

    def inner(t):
        return fogo.checkpoint(lambda u: u * u, t) * t

    close(fogo.checkpoint(inner, x).sum().backward()[x], [3.0, 12.0])


def test_random_numbers_are_drawn_again(device):
    x = fogo.ones(64, device=device.autodiff()).requires_grad_()
    drop = nn.Dropout(0.5)
    device.base().seed(3)
    y = fogo.checkpoint(lambda t: drop(t) * 1.0, x)
    after = fogo.rand(1, device=device).item()
    kept = [2.0 if v else 0.0 for v in y.tolist()]
    assert 0.0 in kept and 2.0 in kept
    close(y.sum().backward()[x], kept)
    device.base().seed(3)
    fogo.rand(64, device=device)
    close(fogo.rand(1, device=device), [after])


def test_the_stream_goes_on_behind_a_segment(device):
    x = fogo.ones(4, device=device.autodiff()).requires_grad_()
    device.base().seed(9)
    y = fogo.checkpoint(lambda t: t * fogo.rand(4, device=device), x)
    y.sum().backward()
    after = fogo.rand(2, device=device).tolist()
    device.base().seed(9)
    fogo.rand(4, device=device)
    close(fogo.rand(2, device=device), after)


def test_gradients_of_gradients(device):
    def f(x):
        return fogo.checkpoint(lambda t: t * t * t, x).sum()

    x = fogo.tensor([1.0, 2.0], device=device)
    close(fogo.grad(f)(x), [3.0, 12.0])
    close(fogo.grad(lambda x: fogo.grad(f)(x).sum())(x), [6.0, 12.0])
    close(fogo.vmap(fogo.grad(f))(x), [3.0, 12.0])


def test_a_result_that_is_an_argument(device):
    x = leaf(device, [1.0])
    same, double = fogo.checkpoint(lambda t: (t, t * 2), x)
    close((same * double).sum().backward()[x], [4.0])


def stepper(device):
    net = nn.Linear(2, 2, device=device.autodiff())
    net.load_state_dict(
        {"weight": fogo.tensor([[0.5, -0.5], [1.0, 2.0]]), "bias": fogo.ones(2)}
    )
    opt = fogo.optim.SGD(net, lr=0.01)

    def step(x):
        y = fogo.checkpoint(lambda t: net(t).tanh(), x)
        loss = y.square().sum()
        opt.step(loss.backward())
        return loss.detach()

    return step


def test_compiled_steps_with_segments(device):
    """The step is captured where the device captures, and gives the same."""
    x = fogo.ones(3, 2, device=device.autodiff())
    plain, compiled = stepper(device), fogo.compile(stepper(device))
    want = [plain(x).item() for _ in range(5)]
    close([compiled(x).item() for _ in range(5)], want)
    assert compiled.plays > 0 or not hasattr(device.base().backend, "program")

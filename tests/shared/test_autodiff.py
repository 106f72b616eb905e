"""Gradients: leaves, graphs, views, and derivatives of derivatives, by hand."""

import fogo
from tests.shared.check import close, equal, raises


def leaf(device, data):
    return fogo.tensor(data, device=device.autodiff()).requires_grad_()


def twice(device, data):
    """A leaf at two levels of autodiff."""
    return fogo.tensor(data, device=device.autodiff().autodiff()).requires_grad_()


def test_a_gradient_by_every_leaf(device):
    x = leaf(device, [1.0, 2.0])
    y = leaf(device, [3.0, 4.0])
    grads = (x * y + x).sum().backward()
    close(grads[x], [4.0, 5.0])
    close(y.grad(grads), [1.0, 2.0])
    assert len(grads) == 2 and x in grads
    assert grads[x].device is device


def test_a_leaf_used_many_times_adds_up(device):
    x = leaf(device, [3.0])
    y = x * x
    close((y * x + y + x).sum().backward()[x], [27.0 + 6.0 + 1.0])


def test_other_tensors_have_no_gradient(device):
    x = leaf(device, [1.0])
    other = leaf(device, [1.0])
    plain = fogo.ones(1, device=device.autodiff())
    grads = (x * plain).sum().backward()
    assert other not in grads and plain not in grads
    assert grads.get(other) is None
    with raises(fogo.AutodiffError, "no gradient reached", "requires_grad_"):
        grads[other]


def test_untracked_and_tracked_mix(device):
    x = leaf(device, [1.0, 2.0])
    y = fogo.tensor([3.0, 4.0], device=device) * x
    assert y.device is device.autodiff()
    close(y.sum().backward()[x], [3.0, 4.0])


def test_a_gradient_may_be_given(device):
    x = leaf(device, [1.0, 2.0])
    seed = fogo.tensor([10.0, 100.0], device=device)
    close((x * x).backward(seed)[x], [20.0, 400.0])
    with raises(fogo.ShapeError, "backward", "[2]", "gradient="):
        (x * x).backward()


def test_detach_cuts_the_history(device):
    x = leaf(device, [2.0])
    cut = (x * x).detach()
    assert not cut.requires_grad
    close((cut * x).sum().backward()[x], [4.0])
    y = twice(device, [2.0])
    with raises(fogo.AutodiffError, "does not depend"):
        (y * y).detach().sum().backward()


def test_no_grad_records_nothing(device):
    x = leaf(device, [2.0])
    with fogo.no_grad():
        y = x * x
        with fogo.no_grad():
            pass
        z = x * x
    assert not y.requires_grad and not z.requires_grad
    assert (x * x).requires_grad


def test_no_grad_ends_with_an_error(device):
    x = leaf(device, [2.0])
    with raises(ValueError):
        with fogo.no_grad():
            raise ValueError("out")
    assert (x * x).requires_grad


def test_a_graph_is_used_up(device):
    x = leaf(device, [2.0])
    y = (x * x).sum()
    close(y.backward(retain_graph=True)[x], [4.0])
    close(y.backward()[x], [4.0])
    with raises(fogo.AutodiffError, "used up", "retain_graph"):
        y.backward()


def test_backward_needs_a_graph(device):
    x = fogo.ones(1, device=device.autodiff())
    with raises(fogo.AutodiffError, "requires_grad_"):
        x.backward()


def test_only_autodiff_devices_and_floats_have_gradients(device):
    with raises(fogo.AutodiffError, "autodiff()"):
        fogo.ones(1, device=device).requires_grad_()
    with raises(fogo.DTypeError, "only floats"):
        fogo.ones(1, dtype="int32", device=device.autodiff()).requires_grad_()
    assert not hasattr(fogo.ones(1, device=device), "backward")
    with raises(fogo.AutodiffError, "inner"):
        device.inner()


def test_integers_and_bools_carry_no_gradient(device):
    x = leaf(device, [1.5, -2.5])
    assert not (x > 0).requires_grad
    assert not x.astype("int32").requires_grad
    assert not x.argmax().requires_grad


def test_gradients_of_views(device):
    x = leaf(device, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = x.transpose()[1:, 0].reshape(1, 2).expand(3, 2)
    close(y.sum().backward()[x], [[0.0, 3.0, 3.0], [0.0, 0.0, 0.0]])
    close(x.flip(1)[:, ::2].sum().backward()[x], [[1.0, 0.0, 1.0]] * 2)


def test_gradients_of_broadcasting(device):
    x = leaf(device, [[1.0], [2.0]])
    y = leaf(device, [1.0, 10.0, 100.0])
    grads = (x * y).sum().backward()
    close(grads[x], [[111.0], [111.0]])
    close(grads[y], [3.0, 3.0, 3.0])
    scalar = leaf(device, 2.0)
    close((scalar * y).sum().backward()[scalar], 111.0)


def test_gradients_of_indexing(device):
    x = leaf(device, [1.0, 2.0, 3.0])
    close((x[[0, 0, 2]] * 2).sum().backward()[x], [4.0, 0.0, 2.0])
    close(x[x > 1.5].sum().backward()[x], [0.0, 1.0, 1.0])


def test_gradients_of_assignment(device):
    x = leaf(device, [1.0, 2.0, 3.0])
    v = leaf(device, 5.0)
    y = x * 2
    y[1] = v
    grads = (y * y).sum().backward()
    close(grads[x], [8.0, 0.0, 24.0])
    close(grads[v], 10.0)


def test_ties_share_the_gradient(device):
    x = leaf(device, [2.0, 2.0, 1.0])
    close(x.max().backward()[x], [0.5, 0.5, 0.0])
    y = leaf(device, [2.0, 0.0, 3.0])
    close(fogo.maximum(x, y).sum().backward()[x], [0.5, 1.0, 0.0])


def test_a_gradient_through_a_hundred_ops(device):
    x = leaf(device, [1.0])
    y = x
    for _ in range(100):
        y = y * 1.01
    close(y.sum().backward()[x], [1.01**100], 1e-4)


def test_second_derivative(device):
    x = twice(device, [2.0, 3.0])
    first = (x * x * x).sum().backward()[x]
    close(first, [12.0, 27.0])
    close(first.sum().backward()[x], [12.0, 18.0])


def test_gradients_say_what_they_hold(device):
    x = leaf(device, [[1.0, 2.0]])
    w = leaf(device, 3.0)
    where = " on " + device.name
    shown = repr((x * w).sum().backward())
    assert shown == "Gradients(float32[1, 2]%s, float32[]%s)" % (where, where), shown


def test_mixed_partials_are_equal(device):
    """f = x^2 y^3: d2f/dxdy = d2f/dydx = 6 x y^2."""
    x = twice(device, 2.0)
    y = twice(device, 3.0)
    grads = (x * x * y * y * y).backward(retain_graph=True)
    by_x = grads[x].backward(retain_graph=True)
    by_y = grads[y].backward(retain_graph=True)
    close(by_x[y], 108.0)
    close(by_y[x], 108.0)
    close(by_x[x], 54.0)
    close(by_y[y], 72.0)


def test_third_derivative(device):
    deep = device.autodiff().autodiff().autodiff()
    x = fogo.tensor([2.0], device=deep).requires_grad_()
    first = (x**4).sum().backward()[x]
    second = first.sum().backward()[x]
    third = second.sum().backward()[x]
    close(first, [32.0])
    close(second, [48.0])
    close(third, [48.0])


def test_perturbations_are_not_confused(device):
    """d/dx (x * d/dy (x + y)) is 1, not 2, at any x and y."""
    outer = device.autodiff()
    both = outer.autodiff()
    x = fogo.tensor(3.0, device=outer).requires_grad_()
    y = fogo.tensor(5.0, device=both).requires_grad_()
    inner = (x.to(both) + y).backward()[y]
    close(inner, 1.0)
    close((x * inner).backward()[x], 1.0)


def test_the_inner_derivative_depends_on_the_outer_variable(device):
    """d/dx (x * d/dy (x * y * y)) = 4 x y."""
    outer = device.autodiff()
    both = outer.autodiff()
    x = fogo.tensor(3.0, device=outer).requires_grad_()
    y = fogo.tensor(5.0, device=both).requires_grad_()
    inner = (x.to(both) * y * y).backward()[y]
    close(inner, 30.0)
    close((x * inner).backward()[x], 60.0)


def test_assign_keeps_asking_for_gradients(device):
    w = leaf(device, [1.0, 2.0])
    step = (w * w).sum().backward()[w]
    w.assign((w.inner() - step * 0.5).to(w.device))
    assert w.requires_grad
    close(w, [0.0, 0.0])
    equal(w.sum().backward()[w], [1.0, 1.0])

"""fogo.func: transformations of functions, in any order, by hand."""

import fogo
from fogo import nn
from tests.shared.check import close, equal, raises


def vector(device, values):
    return fogo.tensor(values, device=device)


def test_grad_of_a_function(device):
    x = vector(device, [1.0, 2.0, 3.0])
    g = fogo.grad(lambda x: (x * x * x).sum())(x)
    close(g, [3.0, 12.0, 27.0])
    assert g.device is device and not g.requires_grad


def test_value_and_grad_with_aux_and_argnums(device):
    x, y = vector(device, [1.0, 2.0]), vector(device, [3.0, 4.0])
    f = fogo.value_and_grad(
        lambda x, y: ((x * y).sum(), x + y), argnums=(0, 1), has_aux=True
    )
    (value, aux), (gx, gy) = f(x, y)
    close(value, 11.0)
    close(aux, [4.0, 6.0])
    close(gx, [3.0, 4.0])
    close(gy, [1.0, 2.0])


def test_grad_over_trees(device):
    tree = {"a": vector(device, [1.0, 2.0]), "b": [vector(device, 3.0)]}
    g = fogo.grad(lambda t: (t["a"] * t["b"][0]).sum())(tree)
    close(g["a"], [3.0, 3.0])
    close(g["b"][0], 3.0)


def test_an_argument_that_is_not_used_has_zeros(device):
    x, y = vector(device, [1.0]), vector(device, [1.0, 2.0])
    close(fogo.grad(lambda x, y: x.sum(), argnums=1)(x, y), [0.0, 0.0])
    close(fogo.grad(lambda x: fogo.ones((), device=device))(x), [0.0])


def test_grad_of_grad_does_not_mix_levels(device):
    x = vector(device, [1.0, 2.0])

    # d/dx sum(d/dy sum(x y^2) at y = x, x fixed) = d/dx sum(2 x x) = 4 x
    def inner(x):
        return fogo.grad(lambda y: (x * y * y).sum())(x).sum()

    close(fogo.grad(inner)(x), [4.0, 8.0])
    # the inner derivative by another variable keeps x's history
    z = vector(device, [3.0, 5.0])
    close(fogo.grad(lambda x: fogo.grad(lambda y: (x * y).sum())(z).sum())(x), [1, 1])
    third = fogo.grad(fogo.grad(fogo.grad(lambda x: x * x * x * x)))
    close(third(vector(device, 2.0)), 48.0)


def test_results_keep_the_history_of_what_is_closed_over(device):
    dev = device.autodiff()
    w = fogo.tensor([2.0, 3.0], device=dev).requires_grad_()
    x = fogo.tensor([1.0, 2.0], device=dev)
    g = fogo.grad(lambda x: (w * x * x).sum())(x)
    close(g, [4.0, 12.0])
    close(g.sum().backward()[w], [2.0, 4.0])


def test_no_grad_outside_cuts_and_inside_holds(device):
    dev = device.autodiff()
    x = fogo.tensor([1.0, 2.0], device=dev).requires_grad_()
    with fogo.no_grad():
        g = fogo.grad(lambda x: (x * x).sum())(x)
    close(g, [2.0, 4.0])
    assert not g.requires_grad

    def half(x):
        with fogo.no_grad():
            fixed = x * x
        return (fixed * x).sum()

    close(fogo.grad(half)(vector(device, [1.0, 2.0])), [1.0, 4.0])


def test_vjp_is_called_again(device):
    x = vector(device, [1.0, 2.0])
    (y, z), back = fogo.vjp(lambda x: (x * x, x.sum()), x)
    close(y, [1.0, 4.0])
    close(z, 3.0)
    for _ in range(2):
        (g,) = back((vector(device, [1.0, 10.0]), vector(device, 100.0)))
        close(g, [102.0, 140.0])


def test_jvp_by_hand(device):
    x, t = vector(device, [1.0, 2.0]), vector(device, [1.0, 10.0])
    y, dy = fogo.jvp(lambda x: (x * x, x.sum()), (x,), (t,))
    close(y[0], [1.0, 4.0])
    close(dy[0], [2.0, 40.0])
    close(dy[1], 11.0)
    _, zero = fogo.jvp(lambda x: fogo.ones(2, device=device), (x,), (t,))
    close(zero, [0.0, 0.0])


def test_jacobians(device):
    x = vector(device, [1.0, 2.0, 3.0])

    def f(x):
        return x[:2] * x[2]

    want = [[3.0, 0.0, 1.0], [0.0, 3.0, 2.0]]
    close(fogo.jacrev(f)(x), want)
    close(fogo.jacfwd(f)(x), want)
    close(fogo.jacobian(f, chunk_size=1)(x), want)
    tree = fogo.jacrev(lambda x, y: {"p": x * y}, argnums=(0, 1))(x, x * 2)
    close(tree["p"][0], [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]])
    close(tree["p"][1], [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])


def test_hessian_and_its_products(device):
    x, v = vector(device, [1.0, 2.0]), vector(device, [1.0, -1.0])

    def f(x):
        return x[0] * x[0] * x[1] + x[1] * x[1] * x[1]

    close(fogo.hessian(f)(x), [[4.0, 2.0], [2.0, 12.0]])
    value, product = fogo.hvp(f, x, v)
    close(value, 10.0)
    close(product, [2.0, -10.0])


def test_vmap_axes(device):
    x = vector(device, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    close(fogo.vmap(lambda r: r.sum())(x), [6.0, 15.0])
    close(fogo.vmap(lambda c: c.sum(), in_axes=1)(x), [5.0, 7.0, 9.0])
    close(fogo.vmap(lambda r: r * 2, out_axes=1)(x), [[2, 8], [4, 10], [6, 12]])
    close(
        fogo.vmap(lambda r, s: r * s, in_axes=(0, None))(x, x[0]),
        [[1.0, 4.0, 9.0], [4.0, 10.0, 18.0]],
    )
    both = fogo.vmap(lambda d: d["a"] + d["b"], in_axes=({"a": 0, "b": None},))
    close(both({"a": x, "b": x[1]}), [[5.0, 7.0, 9.0], [8.0, 10.0, 12.0]])
    parts = fogo.vmap(lambda r: r.cumsum(0), chunk_size=1)(x)
    close(parts, [[1.0, 3.0, 6.0], [4.0, 9.0, 15.0]])


def test_nested_vmap(device):
    x, y = vector(device, [1.0, 2.0]), vector(device, [3.0, 4.0, 5.0])
    outer = fogo.vmap(fogo.vmap(lambda a, b: a * b, (None, 0)), (0, None))
    close(outer(x, y), [[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]])


def test_vmap_of_indexing(device):
    x = vector(device, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    at = fogo.tensor([2, 0], dtype="int32", device=device)
    close(fogo.vmap(lambda r, i: r[i])(x, at), [3.0, 4.0])
    close(fogo.vmap(lambda r: r[1:].flip(0))(x), [[3.0, 2.0], [6.0, 5.0]])

    def put(r, v):
        r = r * 1
        r[1] = v
        return r

    close(fogo.vmap(put)(x, vector(device, [7.0, 8.0])), [[1, 7, 3], [4, 8, 6]])


def test_vmap_random_policies(device):
    x = fogo.ones(3, device=device)

    def draw(x):
        return x * fogo.rand(2, device=device)

    with raises(fogo.FogoError, "vmap", "randomness="):
        fogo.vmap(draw)(x)
    same = fogo.vmap(draw, randomness="same")(x).tolist()
    assert same[0] == same[1] == same[2]
    other = fogo.vmap(draw, randomness="different")(x).tolist()
    assert other[0] != other[1] and other[1] != other[2]


def test_vmap_says_what_cannot_be(device):
    x = fogo.ones(2, 3, device=device)
    with raises(fogo.DeviceError, "vmap", "no values to read"):
        fogo.vmap(lambda r: r * 2 if r.sum() > 0 else r)(x)
    plain = fogo.zeros(3, device=device)

    def put(r):
        plain[:] = r
        return r

    with raises(fogo.DeviceError, "vmap", "stays inside"):
        fogo.vmap(put)(x)
    with raises(fogo.ShapeError, "one size"):
        fogo.vmap(lambda a, b: a)(x, fogo.ones(3, device=device))
    with raises(fogo.ShapeError, "in_axes"):
        fogo.vmap(lambda a: a, in_axes=(0, 0))(x)
    with raises(fogo.ShapeError, "at least one"):
        fogo.vmap(lambda a: a, in_axes=None)(x)
    with raises(fogo.ShapeError, "axes of the tensors"):
        fogo.vmap(lambda a: a, in_axes=2)(x)


def test_grad_says_what_cannot_be(device):
    x = fogo.ones(2, device=device)
    with raises(fogo.AutodiffError, "one element", "jacrev"):
        fogo.grad(lambda x: x * 2)(x)
    with raises(fogo.DTypeError, "only floats"):
        fogo.grad(lambda x: x.sum())(fogo.ones(2, dtype="int32", device=device))
    with raises(fogo.DTypeError, "nothing to differentiate"):
        fogo.grad(lambda x: x)(3.0)
    with raises(fogo.ShapeError, "argnums"):
        fogo.grad(lambda x: x.sum(), argnums=1)(x)
    with raises(fogo.ShapeError, "tuples"):
        fogo.jvp(lambda x: x, x, x)
    with raises(fogo.ShapeError, "shape of its primal"):
        fogo.jvp(lambda x: x, (x,), (fogo.ones(3, device=device),))


def test_gradients_of_each_example(device):
    """vmap(grad) of a module: one gradient for each row, by hand."""
    net = nn.Linear(2, 1, device=device)
    net.load_state_dict({"weight": fogo.tensor([[1.0, 2.0]]), "bias": fogo.zeros(1)})
    params = dict(net.named_parameters())

    def loss(params, x, y):
        out = fogo.func.functional_call(net, params, x.unsqueeze(0))
        return ((out.reshape(()) - y) ** 2).sum()

    x = vector(device, [[1.0, 1.0], [2.0, 0.0]])
    y = vector(device, [1.0, 1.0])
    g = fogo.vmap(fogo.grad(loss), in_axes=(None, 0, 0))(params, x, y)
    close(g["weight"], [[[4.0, 4.0]], [[4.0, 0.0]]])
    close(g["bias"], [[4.0], [2.0]])
    assert net.weight is params["weight"]


def test_hessian_of_a_network(device):
    """tanh(w x + b) at 0: the second derivatives by hand."""
    net = nn.Linear(1, 1, device=device)
    net.load_state_dict({"weight": fogo.tensor([[0.5]]), "bias": fogo.tensor([0.0])})
    x = vector(device, [[2.0]])

    def f(p):
        return fogo.func.functional_call(net, p, x).tanh().sum()

    h = fogo.hessian(f)(dict(net.named_parameters()))
    t = 0.7615941559557649  # tanh(1)
    second = -2 * t * (1 - t * t)
    close(h["weight"]["weight"], [[[[4 * second]]]], 1e-4)
    close(h["weight"]["bias"], [[[2 * second]]], 1e-4)
    close(h["bias"]["bias"], [[second]], 1e-4)


def test_models_as_one(device):
    nets = [nn.Linear(2, 1, device=device) for _ in range(3)]
    params, buffers = fogo.func.stack_module_state(nets)
    x = fogo.ones(4, 2, device=device)

    def call(p):
        return fogo.func.functional_call(nets[0], p, x)

    outs = fogo.vmap(call)(params)
    assert outs.shape == (3, 4, 1) and not buffers
    for net, out in zip(nets, outs):
        close(out, net(x).tolist())
    with raises(fogo.FogoError, "functional_call", "'nothing'"):
        fogo.func.functional_call(nets[0], {"nothing": x}, x)


class Straight(fogo.autograd.Function):
    """Rounds; its gradient is that of the identity, times 3 to be seen."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        ctx.save_for_backward(x)
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.scale, None


def test_functions_with_gradients_of_their_own(device):
    x = fogo.tensor([0.4, 1.6], device=device.autodiff()).requires_grad_()
    y = Straight.apply(x, 3.0)
    close(y, [0.0, 2.0])
    close((y * 2).sum().backward()[x], [6.0, 6.0])
    plain = Straight.apply(fogo.tensor([0.4], device=device), 3.0)
    close(plain, [0.0])

    def f(x):
        return Straight.apply(x, 3.0).sum()

    rows = vector(device, [[0.4, 1.6], [2.6, 3.0]])
    close(fogo.vmap(fogo.grad(f))(rows), [[3.0, 3.0], [3.0, 3.0]])

    def mapped(r):
        return fogo.vmap(lambda x: Straight.apply(x, 3.0))(r).sum()

    close(fogo.grad(mapped)(rows), [[3.0, 3.0], [3.0, 3.0]])


def test_custom_vjp(device):
    clip = fogo.custom_vjp(lambda x, y: x * y)
    with raises(fogo.AutodiffError, "custom_vjp", "defvjp"):
        clip(fogo.ones(1, device=device), fogo.ones(1, device=device))
    clip.defvjp(lambda x, y: (x * y, y), lambda y, g: (g * y * 10, None))
    x, y = vector(device, [1.0, 2.0]), vector(device, [3.0, 4.0])
    gx, gy = fogo.grad(lambda x, y: clip(x, y).sum(), argnums=(0, 1))(x, y)
    close(gx, [30.0, 40.0])
    close(gy, [0.0, 0.0])
    slope = fogo.grad(lambda x: fogo.grad(lambda y: clip(y, y * y).sum())(x).sum())
    assert slope(x).shape == (2,)


def test_nothing_is_uploaded_or_read(device):
    x = fogo.ones(2, 3, device=device)
    f = fogo.vmap(fogo.grad(lambda r: (r * r).sum()))
    f(x)
    backend = device.base().backend
    before = (backend.uploads, backend.reads)
    g = f(x)
    assert (backend.uploads, backend.reads) == before
    equal(g, [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]])

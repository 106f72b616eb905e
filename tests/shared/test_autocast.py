"""fogo.autocast and fogo.amp: dtypes of ops, gradients of casts, scales of losses."""

import fogo
from fogo import nn, optim
from tests.shared.check import close, raises


def test_products_are_narrow_and_the_rest_is_not(device):
    x = fogo.ones(2, 2, device=device)
    before = device.backend
    with fogo.autocast("float16", device=device):
        assert fogo.is_autocast_enabled()
        assert fogo.get_autocast_dtype() is fogo.float16
        y = x @ x
        assert y.dtype is fogo.float16
        assert (y + y).dtype is fogo.float16 and (y + x).dtype is fogo.float32
        for f in (fogo.softmax, fogo.log_softmax):
            assert f(y, -1).dtype is fogo.float32
        assert y.exp().dtype is fogo.float32 and y.sum().dtype is fogo.float32
        assert nn.Linear(2, 3, device=device)(x).dtype is fogo.float16
        with fogo.autocast("float16", device=device, enabled=False):
            assert (x @ x).dtype is fogo.float32
        assert (x @ x).dtype is fogo.float16
    assert device.backend is before
    assert (x @ x).dtype is fogo.float32 and not fogo.is_autocast_enabled()


def test_values_are_rounded_as_float16_rounds(device):
    x = fogo.tensor([[1.0 + 2.0**-12]], device=device)
    with fogo.autocast("float16", device=device):
        close(x @ x, [[1.0]], 0, 0)
    y = fogo.tensor([[2049.0]], device=device)
    with fogo.autocast("float16", device=device):
        close(y @ fogo.ones(1, 1, device=device), [[2048.0]], 0, 0)


def test_gradients_come_back_in_float32(device):
    dev = device.autodiff()
    w = fogo.tensor([[1.0, 2.0], [3.0, 4.0]], device=dev).requires_grad_()
    x = fogo.tensor([[1.0, -1.0]], device=dev)
    with fogo.autocast("float16", device=dev):
        loss = (x @ w).sum()
        inside = loss.backward(retain_graph=True)
    grads = loss.backward()
    for g in (inside, grads):
        assert g[w].dtype is fogo.float32
        close(g[w], [[1.0, 1.0], [-1.0, -1.0]])


def test_a_weight_is_cast_once(device):
    dev = device.autodiff()
    net = nn.Linear(4, 4, bias=False, device=dev)
    x = fogo.ones(2, 4, device=dev)
    counts = []
    with fogo.autocast("float16", device=dev):
        backend = dev.backend.wrapped
        execute = backend.execute

        def counting(op, *rest):
            counts.append(op.name)
            return execute(op, *rest)

        backend.execute = counting
        for _ in range(3):
            x = net(x)
        del backend.execute
    assert counts.count("matmul") == 3
    assert counts.count("cast_float16") == 2  # of x, of the weight


def test_as_a_decorator_and_inside_transformations(device):
    @fogo.autocast("float16", device=device)
    def product(x):
        return x @ x

    x = fogo.ones(3, 2, 2, device=device)
    assert product(x[0]).dtype is fogo.float16
    assert fogo.vmap(product)(x).dtype is fogo.float16
    g = fogo.grad(lambda x: product(x).sum())(x)
    assert g.dtype is fogo.float32
    close(g, [[[4.0, 4.0], [4.0, 4.0]]] * 3)


def test_a_scaler_grows_backs_off_and_skips(device):
    net = nn.Linear(1, 1, bias=False, device=device.autodiff())
    net.load_state_dict({"weight": fogo.tensor([[1.0]])})
    opt = optim.SGD(net, lr=0.5)
    scaler = fogo.amp.GradScaler(8.0, growth_interval=2)
    x = fogo.ones(1, 1, device=device)
    for want in (0.5, 0.0):
        grads = scaler.scale(net(x).sum()).backward()
        close(grads[net.weight], [[8.0]])
        assert scaler.unscale_(grads)
        close(grads[net.weight], [[1.0]])
        assert scaler.step(opt, grads)
        scaler.update()
        close(net.weight, [[want]])
    assert scaler.get_scale() == 16.0
    grads = scaler.scale((net(x) * float("inf")).sum()).backward()
    assert not scaler.step(opt, grads)
    scaler.update()
    close(net.weight, [[0.0]])
    assert scaler.get_scale() == 8.0
    other = fogo.amp.GradScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.state_dict() == scaler.state_dict()


def test_a_scaler_that_is_off_does_nothing(device):
    net = nn.Linear(1, 1, bias=False, device=device.autodiff())
    net.load_state_dict({"weight": fogo.tensor([[1.0]])})
    scaler = fogo.amp.GradScaler(enabled=False)
    grads = scaler.scale(net(fogo.ones(1, 1, device=device)).sum()).backward()
    assert scaler.step(optim.SGD(net, lr=0.5), grads)
    scaler.update()
    close(net.weight, [[0.5]])
    assert scaler.get_scale() == 1.0 and scaler.state_dict() == {}


def test_training_in_float16_comes_to_the_same(device):
    """A line through points: float32 and mixed precision agree to float16's digits."""
    found = []
    for mixed in (False, True):
        net = nn.Linear(1, 1, device=device.autodiff())
        net.load_state_dict({"weight": fogo.zeros(1, 1), "bias": fogo.zeros(1)})
        opt, scaler = optim.SGD(net, lr=0.1), fogo.amp.GradScaler(256.0)
        x = fogo.tensor([[-1.0], [0.0], [1.0], [2.0]], device=device)
        for _ in range(60):
            with fogo.autocast("float16", device=device, enabled=mixed):
                loss = (net(x) - (x * 2 + 1)).square().mean()
            if mixed:
                scaler.step(opt, scaler.scale(loss).backward())
                scaler.update()
            else:
                opt.step(loss.backward())
        found.append(net.weight.item())
    close(found[1], found[0], 5e-3)
    close(found[0], 2.0, 5e-2)
    with raises(fogo.DTypeError, "autocast", "int8"):
        fogo.autocast("int8")

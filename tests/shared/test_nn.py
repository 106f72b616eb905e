"""Modules and layers, on every runtime."""

import fogo
from fogo import nn
from fogo.nn import init
from tests.shared.check import close, equal, raises

# The numbers below are PyTorch's (2.13), made by:
#   def fill(net):
#       with torch.no_grad():
#           for p in net.parameters():
#               i = torch.arange(p.numel())
#               p.copy_(((i * 5 % 7 - 3) / 4).reshape(p.shape))
#   net = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(),
#                       nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)); fill(net)
#   x = ((torch.arange(32) * 3 % 11 - 5) / 4).reshape(2, 1, 4, 4).requires_grad_()
#   loss = nn.CrossEntropyLoss()(net(x), torch.tensor([0, 2])); loss.backward()
#   loss; net[0].weight.grad; net[1].bias.grad; net[5].bias.grad; x.grad[0, 0]
#   net[1].running_mean; net[1].running_var; net.eval(); net(x)
CONV_GRAD = [
    -0.0030946, 0.2905908, -0.0769595, -0.0892659, 0.0294546, -0.2045812, 0.1975883,
    -0.0055956, -0.2359693, -0.1443833, 0.05102, 0.6391452, -0.2468476, 0.4595692,
    0.0081364, -0.1397764, -0.0351998, 0.4024799,
]  # fmt: skip
X_GRAD = [
    0.1544647, 0.0859434, 0.0589069, -0.1869998, 0.1659635, -0.0262094, -0.0844552,
    0.222248, 0.1166159, 0.0382039, 0.0846902, -0.1120702, 0.0531696, 0.2067152,
    0.016446, -0.3543969,
]  # fmt: skip
OUTPUT = [-2.2918029, 2.0172324, 0.1267882, -1.1785277, 2.0352371, -0.6270267]


def fill(net):
    for p in net.parameters():
        values = [(i * 5 % 7 - 3) / 4 for i in range(p.size)]
        p.assign(fogo.tensor(values, device=p.device).reshape(p.shape))
    return net


def test_a_convnet_is_pytorchs(device):
    dev = device.autodiff()
    net = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(8, 3),
    )  # fmt: skip
    fill(net.to(dev))
    values = [(i * 3 % 11 - 5) / 4 for i in range(32)]
    x = fogo.tensor(values, device=dev).reshape(2, 1, 4, 4).requires_grad_()
    loss = nn.CrossEntropyLoss()(net(x), fogo.tensor([0, 2], device=dev))
    close(loss, 3.0743637, 2e-5)
    grads = loss.backward()
    close(grads[net[0].weight].reshape(-1), CONV_GRAD, 2e-5, 2e-6)
    close(grads[net[1].bias], [0.7561748, -0.0164085], 2e-5, 2e-6)
    close(grads[net[5].bias], [-0.4508525, 0.8360709, -0.3852184], 2e-5)
    close(grads[x][0].reshape(-1), X_GRAD, 2e-5, 2e-6)
    close(net[1].running_mean, [-0.0736328, 0.0521484], 2e-5)
    close(net[1].running_var, [1.0291011, 0.9811645], 2e-5)
    assert net[1].num_batches_tracked.item() == 1
    net.eval()
    close(net(x).reshape(-1), OUTPUT, 2e-5, 2e-6)
    net.to(device)
    close(net(x.inner()).reshape(-1), OUTPUT, 2e-5, 2e-6)


def test_norms_are_pytorchs(device):
    # ln = nn.LayerNorm(3); gn = nn.GroupNorm(2, 4); rms = nn.RMSNorm(3, eps=1e-3),
    # each filled; gn takes torch.arange(8.0) ** 2 as [1, 4, 2].
    x = fogo.tensor([[1.0, 2.0, 4.0], [0.0, -1.0, 3.0]], device=device)
    expected = [[0.051781, 0.3663698, 0.0], [-0.4558263, 0.0097105, 0.0]]
    close(fill(nn.LayerNorm(3, device=device))(x), expected, 2e-5)
    y = (fogo.arange(8, device=device) ** 2).astype("float32").reshape(1, 4, 2)
    expected = [0.0, -0.214286, 0.5714285, 1.2857139, 0, 0, -0.6823492, -1.2091358]
    close(fill(nn.GroupNorm(2, 4, device=device))(y).reshape(-1), expected, 2e-5, 2e-6)
    rms = fill(nn.RMSNorm(3, eps=1e-3, device=device))
    close(rms(x[0]), [-0.2834531, 0.3779375, 0.0], 2e-5)


class Net(nn.Module):
    def __init__(self, device=None):
        self.scale = nn.Parameter(fogo.ones(1, device=device))
        self.blocks = [nn.Linear(2, 2, device=device), nn.Linear(2, 2, device=device)]
        self.register_buffer("seen", fogo.zeros(1, device=device))
        self.head = nn.Sequential(nn.Linear(2, 1, bias=False, device=device), nn.Tanh())
        self.size = 2

    def forward(self, x):
        for block in self.blocks:
            x = block(x).relu()
        return self.head(x * self.scale)


NAMES = [
    "scale", "seen", "blocks.0.weight", "blocks.0.bias", "blocks.1.weight",
    "blocks.1.bias", "head.0.weight",
]  # fmt: skip


def test_the_tree_is_in_order_of_assignment(device):
    net = Net(device)
    assert list(net.state_dict().keys()) == NAMES
    assert [n for n, p in net.named_parameters()] == [n for n in NAMES if n != "seen"]
    assert [n for n, b in net.named_buffers()] == ["seen"]
    paths = ["", "blocks.0", "blocks.1", "head", "head.0", "head.1"]
    assert [n for n, m in net.named_modules()] == paths
    assert len(net.children()) == 3
    assert net.num_params() == 1 + 6 + 6 + 2
    net.blocks.append(nn.Linear(2, 2, device=device))
    assert net.num_params() == 21
    net.head = nn.Identity()
    del net.scale
    assert net.num_params() == 18
    assert [n for n, p in net.named_parameters()][0] == "blocks.0.weight"


def test_shared_parameters_count_once(device):
    net = nn.Module()
    net.one = nn.Linear(3, 3, bias=False, device=device)
    net.two = nn.Linear(3, 3, bias=False, device=device)
    net.two.weight = net.one.weight
    net.again = net.one
    assert [n for n, p in net.named_parameters()] == ["one.weight"]
    assert list(net.state_dict().keys()) == ["one.weight", "two.weight", "again.weight"]


def test_moving_keeps_the_parameters(device):
    dev = device.autodiff()
    net = Net(device)
    first = net.parameters()[0]
    assert not first.requires_grad
    assert net.to(dev) is net
    assert net.parameters()[0] is first
    assert first.requires_grad and first.device is dev
    assert net.seen.device is dev and not net.seen.requires_grad
    x = fogo.ones(3, 2, device=dev)
    grads = net(x).sum().backward()
    assert len(grads) == 6
    net.head.requires_grad_(False)
    assert len(net(x).sum().backward()) == 5
    assert net.num_params() - net.num_params(trainable=True) == 2
    net.to(device)
    assert net.scale.device is device and not net.scale.requires_grad
    net.to(dev)
    assert net.scale.requires_grad and not net.head[0].weight.requires_grad


def test_moving_to_another_dtype(device):
    if fogo.float16 not in device.backend.holds:
        return
    net = nn.BatchNorm1d(2, device=device).to(fogo.float16)
    assert net.weight.dtype is fogo.float16
    assert net.running_mean.dtype is fogo.float16
    assert net.num_batches_tracked.dtype is fogo.int32


def test_training_mode_reaches_all(device):
    net = Net(device)
    assert net.training and net.head.training
    assert net.eval() is net
    assert not [m for m in net.modules() if m.training]
    net.train()
    assert not [m for m in net.modules() if not m.training]


def test_second_derivatives_reach_parameters(device):
    twice = device.autodiff().autodiff()
    layer = nn.Linear(1, 1, bias=False).to(twice)
    layer.weight.assign(fogo.tensor([[2.0]], device=device))
    x = fogo.tensor([[3.0]], device=twice)
    first = (layer(x) ** 3).sum().backward()[layer.weight]
    close(first, [[3 * 36.0 * 3.0]])
    close(first.sum().backward()[layer.weight], [[6 * 6.0 * 9.0]])


def test_loading_reports_everything_at_once(device):
    net = Net(device)
    before = net.blocks[0].weight.tolist()
    state = {
        "blocks.0.weight": fogo.ones(3, 2, device=device),
        "blocks.0.bias": fogo.ones(2, device=device),
        "extra": fogo.ones(1, device=device),
    }
    with raises(
        fogo.FormatError,
        "missing (5): scale [1], seen [1]",
        "unexpected (1): extra",
        "mismatched (1): blocks.0.weight: given [3, 2], expected [2, 2]",
    ):
        net.load_state_dict(state)
    with raises(fogo.FormatError, "mismatched (1)"):
        net.load_state_dict(state, strict=False)
    del state["blocks.0.weight"]
    with raises(fogo.FormatError, "missing (6)", "strict=False"):
        net.load_state_dict(state)
    assert net.blocks[0].bias.tolist() != [1.0, 1.0]
    report = net.load_state_dict(state, strict=False)
    assert report.unexpected_keys == ["extra"]
    assert len(report.missing_keys) == 6
    equal(net.blocks[0].bias, [1.0, 1.0])
    equal(net.blocks[0].weight, before)


def test_loading_keeps_what_is_trained(device):
    dev = device.autodiff()
    net, other = Net(device).to(dev), Net(device)
    weight = net.blocks[0].weight
    net.load_state_dict(other.state_dict())
    assert net.blocks[0].weight is weight and weight.requires_grad
    equal(weight, other.blocks[0].weight.tolist())
    x = fogo.ones(1, 2, device=dev)
    equal(net(x), other(x.inner()).tolist())


def test_a_parameter_stays_one(device):
    layer = nn.Linear(2, 2, device=device)
    with raises(fogo.FogoError, "Linear.weight", ".weight.assign(tensor)"):
        layer.weight = fogo.ones(2, 2, device=device)
    layer.weight.assign(fogo.ones(2, 2, device=device))
    equal(layer.weight, [[1.0, 1.0], [1.0, 1.0]])
    layer.bias = None
    assert [n for n, p in layer.named_parameters()] == ["weight"]
    with raises(fogo.DTypeError, "only floats have gradients", "requires_grad=False"):
        nn.Parameter(fogo.ones(2, dtype="int32", device=device))


def test_wrong_sizes_name_the_layer(device):
    with raises(fogo.ShapeError, "in_features=3", "given x=[2, 4]"):
        nn.Linear(3, 2, device=device)(fogo.ones(2, 4, device=device))
    with raises(fogo.ShapeError, "Linear: out_features", "given 0"):
        nn.Linear(3, 0, device=device)
    with raises(fogo.ShapeError, "Conv2d: groups must divide", "groups=2"):
        nn.Conv2d(3, 4, 3, groups=2, device=device)
    with raises(fogo.ShapeError, "Conv2d: kernel_size", "(3, 3, 3)"):
        nn.Conv2d(3, 4, (3, 3, 3), device=device)
    with raises(fogo.ShapeError, "BatchNorm2d", "num_features=3", "[2, 4, 1, 1]"):
        nn.BatchNorm2d(3, device=device)(fogo.ones(2, 4, 1, 1, device=device))
    with raises(fogo.ShapeError, "Dropout: p", "1.5"):
        nn.Dropout(1.5)
    with raises(NotImplementedError, "Module: a module needs a forward"):
        nn.Module()(fogo.ones(1, device=device))


def test_repr_shows_the_tree(device):
    net = Net(device)
    net.blocks.pop()
    net.head.requires_grad_(False)
    assert repr(net) == (
        "Net(\n"
        "  (blocks.0): Linear(2, 2) · 6 parameters\n"
        "  (head): Sequential(\n"
        "    (0): Linear(2, 1, bias=False) · 2 parameters, 2 frozen\n"
        "    (1): Tanh()\n"
        "  ) · 2 parameters, 2 frozen\n"
        ") · 9 parameters, 2 frozen"
    )


def test_lists_of_modules(device):
    layers = nn.ModuleList([nn.Linear(2, 2, device=device)])
    layers.append(nn.Tanh())
    assert len(layers) == 2 and len(list(layers)) == 2
    assert isinstance(layers[-1], nn.Tanh)
    assert list(layers.state_dict().keys()) == ["0.weight", "0.bias"]
    with raises(IndexError, "index 2 of 2"):
        layers[2]


def test_initialisers(device):
    x = fogo.ones(4, 6, device=device.autodiff()).requires_grad_()
    assert init.zeros_(x) is x and x.requires_grad
    equal(x.sum(), 0.0)
    equal(init.constant_(x, 2.5).mean(), 2.5)
    bound = (6.0 / 10) ** 0.5
    values = init.xavier_uniform_(x).reshape(-1).tolist()
    assert max(values) < bound and min(values) > -bound
    assert max(values) > bound / 2 and min(values) < -bound / 2
    values = init.normal_(x, 10.0, 0.1).reshape(-1).tolist()
    assert 9.4 < min(values) < max(values) < 10.6


def test_dropout_is_off_in_inference(device):
    layer = nn.Dropout(0.5)
    x = fogo.ones(64, device=device)
    values = layer(x).tolist()
    assert sorted(set(values)) == [0.0, 2.0]
    equal(layer.eval()(x), [1.0] * 64)

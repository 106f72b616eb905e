"""The demo's network, on every runtime."""

import fogo
from fogo.demo.net import MnistNet
from tests.shared.check import close

# PyTorch's (2.13, float64), made by:
#   layers = [(1, 12, 5), (12, 24, 3), (24, 48, 3)]
#   net = nn.Sequential(*[m for c, o, k in layers for m in (
#       nn.Conv2d(c, o, k, stride=2, padding=k // 2, bias=False), nn.BatchNorm2d(o),
#       nn.ReLU())], nn.Flatten(), nn.Linear(768, 10)).double().eval()
#   with torch.no_grad():
#       for p in net.parameters():
#           p.copy_(((torch.arange(p.numel()) * 5 % 7 - 3) / 16).reshape(p.shape))
#   net((torch.arange(784) * 3 % 11 / 10).reshape(1, 1, 28, 28).double())
LOGITS = [
    -0.0429, -0.27244, 0.2426, -0.03851, 0.10283, -0.18951, 0.19793, -0.0429, -0.27244,
    0.2426,
]  # fmt: skip


def test_the_demos_network_is_pytorchs(device):
    net = MnistNet(device=device).eval()
    for p in net.parameters():
        values = [(i * 5 % 7 - 3) / 16 for i in range(p.size)]
        p.assign(fogo.tensor(values, device=device).reshape(p.shape))
    picture = [(i * 3 % 11) / 10 for i in range(784)]
    x = fogo.tensor(picture, device=device).reshape(1, 1, 28, 28)
    close(net(x).reshape(-1), LOGITS, 1e-4, 2e-5)

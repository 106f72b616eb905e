"""A small convnet beside PyTorch, in one run: prediction and training.

    python benchmarks/convnet.py [device …]        (default: numpy wasm)

conv 3x3 1→8→16→24 unpadded, batch norm, GELU, dropout, 11616→32→10: 1.06 GFLOP a
training step of 64. Medians of several windows after a warm-up; every result is read.
PyTorch's output on the same weights is checked first, so that both do the same work.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import torch

import fogo
from fogo import nn, optim


class Net(nn.Module):
    """The convnet of the module's docstring, in fogo."""

    def __init__(self) -> None:
        sizes = (1, 8, 16, 24)
        self.convs = [nn.Conv2d(a, b, 3) for a, b in zip(sizes, sizes[1:])]
        self.norm = nn.BatchNorm2d(24)
        self.dropout = nn.Dropout(0.5)
        self.hidden = nn.Linear(11616, 32)
        self.out = nn.Linear(32, 10)

    def forward(self, x: fogo.Tensor) -> fogo.Tensor:
        for conv in self.convs:
            x = conv(x)
        x = self.norm(x).gelu().flatten(1)
        return self.out(self.hidden(self.dropout(x)).gelu())


def torch_net() -> torch.nn.Module:
    """The same network in PyTorch."""
    t = torch.nn
    return t.Sequential(
        t.Conv2d(1, 8, 3), t.Conv2d(8, 16, 3), t.Conv2d(16, 24, 3), t.BatchNorm2d(24),
        t.GELU(), t.Flatten(), t.Dropout(0.5), t.Linear(11616, 32), t.GELU(),
        t.Linear(32, 10),
    )  # fmt: skip


NAMES = {
    "convs.0": "0", "convs.1": "1", "convs.2": "2", "norm": "3", "hidden": "7",
    "out": "9",
}  # fmt: skip


def median_ms(work: Callable[[], object], seconds: float = 3.0) -> float:
    """Return the median time of a call in ms, over about `seconds`."""
    work()
    times: list[float] = []
    while sum(times) < seconds or len(times) < 5:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def of_torch(images: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    """PyTorch's figures, eager, with the threads it chooses."""
    net = torch_net()
    net.eval()
    with torch.no_grad():
        one = median_ms(lambda: net(images[:1]).numpy())
        many = median_ms(lambda: net(images).numpy())
    net.train()
    adam = torch.optim.Adam(net.parameters(), 1e-3)

    def step() -> float:
        adam.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(images[:64]), labels[:64])
        loss.backward()
        adam.step()
        return loss.item()

    return {"one": one, "many": many, "step": median_ms(step)}


def of_fogo(name: str, images: torch.Tensor, labels: torch.Tensor) -> dict[str, float]:
    """fogo's figures on one device."""
    device = fogo.device(name)
    net = Net().to(device)
    check(net, device, images[:4])
    net.eval()
    whole = fogo.tensor(images.numpy(), device=device)
    first = whole[:1]
    one = median_ms(lambda: net(first).tolist())
    many = median_ms(lambda: net(whole).numpy())
    where = device.autodiff()
    net.to(where).train()
    adam = optim.Adam(net.parameters(), 1e-3)
    x = fogo.tensor(images[:64].numpy(), device=where)
    y = fogo.tensor(labels[:64].tolist(), device=where)

    def step() -> object:
        loss = nn.CrossEntropyLoss()(net(x), y)
        adam.step(loss.backward())
        return loss.item()

    return {"one": one, "many": many, "step": median_ms(step)}


def check(net: Net, device: fogo.Device, images: torch.Tensor) -> None:
    """Refuse to measure a network that does not compute what PyTorch's does."""
    peer = torch_net().eval()
    weights = {
        NAMES[key.rpartition(".")[0]] + "." + key.rpartition(".")[2]: value
        for key, value in net.state_dict().items()
    }
    peer.load_state_dict(
        {key: torch.tensor(value.numpy()) for key, value in weights.items()},
        strict=False,
    )
    net.eval()
    ours = net(fogo.tensor(images.numpy(), device=device)).numpy()
    with torch.no_grad():
        assert abs(ours - peer(images).numpy()).max() < 1e-4


def main() -> None:
    torch.manual_seed(0)
    images = torch.rand(256, 1, 28, 28)
    labels = torch.randint(0, 10, (256,))
    rows = {"torch " + torch.__version__: of_torch(images, labels)}
    for name in sys.argv[1:] or ("numpy", "wasm"):
        rows["fogo " + name] = of_fogo(name, images, labels)
    print(
        f"{'':16} {'batch 1, ms':>12} {'256, images/s':>14} {'training, steps/s':>18}"
    )
    for name, row in rows.items():
        print(
            f"{name:16} {row['one']:12.2f} {256e3 / row['many']:14.0f} "
            f"{1e3 / row['step']:18.2f}"
        )


if __name__ == "__main__":
    main()

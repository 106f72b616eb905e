"""The smallest training there is: XOR, on any Python that fogo runs on.

Run it with `python examples/xor.py`, or with `micropython examples/xor.py`.
"""

import fogo
from fogo import nn, optim


class Xor(nn.Module):
    """Two inputs, eight hidden numbers, one answer."""

    def __init__(self, device):
        self.hidden = nn.Linear(2, 8, device=device)
        self.out = nn.Linear(8, 1, device=device)

    def forward(self, x):
        return self.out(self.hidden(x).tanh())


def main():
    """Train for 200 steps and print what the network answers."""
    device = fogo.device("python").autodiff()
    fogo.manual_seed(1)
    model = Xor(device)
    optimiser = optim.Adam(model, lr=0.05)
    x = fogo.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], device=device)
    y = fogo.tensor([[0.0], [1.0], [1.0], [0.0]], device=device)
    for step in range(200):
        loss = ((model(x) - y) ** 2).mean()
        optimiser.step(loss.backward())
        if step % 50 == 0:
            print("step", step, "loss", loss.item())
    for row, answer in zip(x.tolist(), model(x).tolist()):
        print(row, "->", round(answer[0], 3))


if __name__ == "__main__":
    main()

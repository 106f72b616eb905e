"""Train a convnet on handwritten digits, written out: the demo without its page.

Run it with `python examples/digits.py`, and the name of a device if you like.
"""

import sys

import fogo
from fogo import nn, optim
from fogo.data import Augment, DataLoader, MnistDataset
from fogo.demo.net import MnistNet
from fogo.train import measure

EPOCHS = 5


def main(name=None):
    """Train on a device ("numpy", "webgpu", …; the best by default) and save."""
    device = (fogo.device(name) if name else fogo.best_device()).autodiff()
    fogo.manual_seed(0)

    train = DataLoader(MnistDataset("train", augment=Augment()), 64, device=device)
    test = DataLoader(MnistDataset("test"), 500, shuffle=False, device=device)

    model = MnistNet(device=device)
    criterion = nn.CrossEntropyLoss()
    schedule = optim.CosineAnnealingLR(4e-3, EPOCHS * len(train))
    optimiser = optim.AdamW(model, lr=schedule, weight_decay=0.02)
    print(model)

    for epoch in range(EPOCHS):
        model.train()
        for images, labels in train:
            loss = criterion(model(images), labels)
            optimiser.step(loss.backward())
        print(f"epoch {epoch + 1}: {measure(model, test):.1%} right")

    fogo.store.save_safetensors("digits.safetensors", model.state_dict())


if __name__ == "__main__":
    main(*sys.argv[1:2])

"""The demo's network. This file trains it natively and runs it in the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..nn import BatchNorm2d, Conv2d, Dropout, Linear, Module

if TYPE_CHECKING:
    from ..device import Device
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class MnistNet(Module):
    """Read digits: three convolutions that halve the picture each, one linear layer.

    21,118 parameters, 359,376 multiply-adds a picture: plain Python in a page can
    afford it. Every layer that follows a convolution is cheap beside it.
    Shapes: x [N, 1, 28, 28], ink from 0 to 1 on black -> logits [N, 10].

        model = MnistNet(device=fogo.device("cpu"))
        digit = model(picture).argmax(1)
    """

    def __init__(self, device: Device | str | None = None) -> None:
        # Batch norm adds its own bias, so the convolutions need none.
        self.conv1 = Conv2d(1, 12, 5, stride=2, padding=2, bias=False, device=device)
        self.norm1 = BatchNorm2d(12, device=device)
        self.conv2 = Conv2d(12, 24, 3, stride=2, padding=1, bias=False, device=device)
        self.norm2 = BatchNorm2d(24, device=device)
        self.conv3 = Conv2d(24, 48, 3, stride=2, padding=1, bias=False, device=device)
        self.norm3 = BatchNorm2d(48, device=device)
        self.dropout = Dropout(0.2)
        self.out = Linear(48 * 4 * 4, 10, device=device)

    def forward(self, x: T) -> T:
        x = self.norm1(self.conv1(x)).relu()  # [N, 12, 14, 14]
        x = self.norm2(self.conv2(x)).relu()  # [N, 24, 7, 7]
        x = self.norm3(self.conv3(x)).relu()  # [N, 48, 4, 4]
        return self.out(self.dropout(x.flatten(1)))

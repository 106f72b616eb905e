"""A program that mixes tracked and untracked tensors: what touches both is tracked."""

from __future__ import annotations

import fogo

plain = fogo.ones(2, 3)
tracked = fogo.ones(2, 3, device=fogo.device("cpu").autodiff()).requires_grad_()
moved: fogo.Tracked = plain.to(fogo.device("cpu").autodiff())
both = (
    plain + tracked,
    tracked * plain,
    1.0 - tracked,
    plain.matmul(tracked.transpose()),
    plain @ tracked.transpose(),
    plain.maximum(tracked),
    fogo.where(plain > 0, tracked, 0.0),
    fogo.where(plain > 0, 1.0, tracked),
    fogo.add(plain, tracked),
    fogo.mse_loss(tracked, plain),
    fogo.mse_loss(plain, tracked),
    fogo.concat([tracked, tracked]).sort(),
    fogo.layer_norm(plain, 3, tracked[0]),
    tracked[0].exp().reshape(3, 1).astype("float32"),
    moved * tracked,
)


def gradients() -> list[fogo.Gradients]:
    """Every one of them goes backward."""
    return [x.sum().backward() for x in both]


def untouched(x: fogo.Tensor) -> fogo.Tensor:
    """Untracked with untracked stays untracked."""
    return (x + 1.0).relu().where(plain, 2.0)

"""Clipping gradients between `backward` and the step; nothing leaves the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..backend.autodiff import no_grad
from ..errors import AutodiffError, FogoError
from ..ops.elementwise import clip as _clip
from .arena import Flat

if TYPE_CHECKING:
    from ..backend.gradients import Gradients
    from ..tensor import Tensor


class _Packed:
    """All gradients as few flat tensors (where few kernels pay), to change together."""

    def __init__(self, grads):
        self.grads = grads
        self.flats = []  # (Flat or None, tensor, the gradients in it)
        left = grads.values()
        while left:
            kind, where = left[0].dtype, left[0].device
            same = [g for g in left if g.dtype is kind and g.device is where]
            left = [g for g in left if not (g.dtype is kind and g.device is where)]
            if len(same) > 1 and getattr(where.base().backend, "arenas", False):
                shape = Flat([g.shape for g in same], where)
                self.flats.append((shape, shape.pack(same), same))
            else:
                self.flats.extend([(None, g, [g]) for g in same])

    def values(self):
        return [flat for _, flat, _ in self.flats]

    def replace(self, function):
        """Put `function(flat)` in place of all gradients."""
        made = {}
        for shape, flat, same in self.flats:
            new = function(flat)
            parts = [new] if shape is None else shape.parts(new)
            for g, part in zip(same, parts):
                made[id(g)] = part
        self.grads.replace(lambda g: made[id(g)])


def _norm(values, kind):
    """The norm of all values as one vector: 0-d."""
    total = None
    for g in values:
        if kind == float("inf"):
            part = g.abs().max()
        elif kind == 2.0:
            part = g.square().sum()
        else:
            part = (g.abs() ** kind).sum()
        if total is None:
            total = part
        elif kind == float("inf"):
            total = total.maximum(part)
        else:
            total = total + part
    if kind == float("inf"):
        return total
    return total.sqrt() if kind == 2.0 else total ** (1.0 / kind)


def clip_grad_norm_(
    grads: Gradients, max_norm: float, norm_type: float = 2.0
) -> Tensor:
    """Scale all gradients so that their norm, as one vector, is at most max_norm.

    Changes `grads`; returns the norm they had, 0-d on the device. As in PyTorch, the
    factor is max_norm / (norm + 1e-6), at most 1; nan stays nan.
    Raises: AutodiffError where there are no gradients.

    Example:
        >>> import fogo
        >>> from fogo import optim
        >>> x = fogo.tensor([3.0, 4.0], device=fogo.device("cpu").autodiff())
        >>> x = x.requires_grad_()
        >>> grads = (x * x).sum().backward()
        >>> optim.clip_grad_norm_(grads, 5.0).item()
        10.0
        >>> [round(v, 4) for v in grads[x].tolist()]
        [3.0, 4.0]
    """
    if not max_norm >= 0 or not norm_type > 0:
        raise FogoError(
            "clip_grad_norm_: max_norm is at least 0, norm_type above 0; given %r, %r"
            % (max_norm, norm_type)
        )
    if not len(grads):
        raise AutodiffError("clip_grad_norm_: there are no gradients; given 0")
    with no_grad():
        packed = _Packed(grads)
        total = _norm(packed.values(), float(norm_type))
        factor = _clip((total + 1e-6).reciprocal() * float(max_norm), max=1.0)
        packed.replace(lambda g: g * factor.astype(g.dtype))
    return total


def clip_grad_value_(grads: Gradients, clip_value: float) -> None:
    """Bring every number of every gradient into [-clip_value, clip_value].

    Changes `grads`. Raises: FogoError for a negative bound.

    Example:
        >>> import fogo
        >>> from fogo import optim
        >>> x = fogo.tensor([3.0, 0.5], device=fogo.device("cpu").autodiff())
        >>> x = x.requires_grad_()
        >>> grads = (x * x).sum().backward()
        >>> optim.clip_grad_value_(grads, 2.0)
        >>> grads[x].tolist()
        [2.0, 1.0]
    """
    if not clip_value >= 0:
        raise FogoError(
            "clip_grad_value_: the bound is at least 0; given %r" % (clip_value,)
        )
    bound = float(clip_value)
    with no_grad():
        _Packed(grads).replace(lambda g: _clip(g, min=-bound, max=bound))

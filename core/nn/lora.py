"""Low-rank adapters (Hu et al. 2021): a frozen weight plus a product that learns."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ..errors import FogoError
from ..ops.creation import zeros
from ..ops.matmul import matmul
from ..random import randn
from .groups import ParamGroup
from .parameter import Parameter
from .reparam import (
    Parametrized,
    Reparameterization,
    is_parametrized,
    remove_parametrizations,
    reparameterize,
)

if TYPE_CHECKING:
    from ..dtypes import DType
    from ..tensor import Tensor


class LoRAAdapter(Reparameterization):
    """original + lora_B @ lora_A * (alpha / rank); the original stays as it is.

    Shapes: lora_A [rank, rest], lora_B [O, rank], for a weight [O, …rest].
    """

    trains_base = False

    def __init__(self, value: Tensor, lora: LoRA) -> None:
        rows = value.shape[0]
        columns = value.size // rows
        kind = value.dtype if lora.dtype is None else lora.dtype
        where = value.device
        drawn = randn(lora.rank, columns, device=where) * lora.init_std
        self.scale = lora.alpha / lora.rank
        self.lora_A = Parameter(drawn.astype(kind))
        self.lora_B = Parameter(zeros(rows, lora.rank, dtype=kind, device=where))
        self.merged = False

    def delta(self, like: Tensor) -> Tensor:
        """What is added to the original."""
        product = matmul(self.lora_B, self.lora_A) * self.scale
        return product.reshape(like.shape).astype(like.dtype)

    def forward(self, original: Any) -> Any:
        return original if self.merged else original + self.delta(original)


class LoRA:
    """How to adapt a model: rank, alpha, the adapters' dtype, which weights (group).

    `apply` freezes every parameter, and gives each weight of the group (those of 2 or
    more axes) an adapter that starts as nothing: lora_A normal of init_std (1 / rank if
    None), lora_B zeros.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
        >>> _ = net.apply_lora(nn.LoRA(rank=2, group=nn.ParamGroup.paths("0.*")))
        >>> net.num_params(trainable=True), sorted(nn.lora_state_dict(net))[0]
        (32, '0.parametrizations.weight.0.lora_A')
    """

    def __init__(
        self,
        rank: int = 8,
        alpha: float | None = None,
        init_std: float | None = None,
        dtype: DType | None = None,
        group: ParamGroup | None = None,
    ) -> None:
        if rank < 1:
            raise FogoError("LoRA: the rank is at least 1; given %r" % (rank,))
        self.rank = rank
        self.alpha = float(rank if alpha is None else alpha)
        self.init_std = 1.0 / rank if init_std is None else init_std
        self.dtype = dtype
        self.group = group

    def apply(self, module: Any) -> None:
        """Freeze a module, and adapt the weights of the group."""
        before = len(adapters(module))
        module.requires_grad_(False)
        reparameterize(
            module,
            lambda path, v: LoRAAdapter(v, self) if v.ndim >= 2 else None,
            self.group,
        )
        found = adapters(module)
        if len(found) == before:
            raise FogoError(
                "LoRA: the group has a weight of 2 or more axes; given %r for %s"
                % (self.group, type(module).__name__)
            )
        for _, held in found:
            rule = getattr(held, "0")
            rule.lora_A.requires_grad_()
            rule.lora_B.requires_grad_()


def adapters(module: Any) -> list[tuple[str, Parametrized]]:
    """List (path, parametrized weight) of all that have a LoRA adapter."""
    return [
        (path, m)
        for path, m in module.named_modules()
        if isinstance(m, Parametrized)
        and isinstance(getattr(m, "0", None), LoRAAdapter)
    ]


def merge_lora(module: Any) -> None:
    """Add the adapters to the weights, so that a pass costs what it did before.

    Example:
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(2, 2)).apply_lora(nn.LoRA(rank=1))
        >>> nn.merge_lora(net)
        >>> nn.unmerge_lora(net)
    """
    _shift(module, True)


def unmerge_lora(module: Any) -> None:
    """Take merged adapters out of the weights again (with one rounding each way).

    Example:
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(2, 2)).apply_lora(nn.LoRA(rank=1))
        >>> nn.merge_lora(net)
        >>> nn.unmerge_lora(net)
    """
    _shift(module, False)


def _shift(module, merged):
    for _, held in adapters(module):
        rule = getattr(held, "0")
        if rule.merged is merged:
            continue
        base = held.original
        delta = rule.delta(base).detach()
        moved = base.detach() + delta if merged else base.detach() - delta
        base.assign(moved)
        rule.merged = merged


def remove_lora(module: Any, merge: bool = True) -> None:
    """Leave plain weights: with what the adapters added, or as they were.

    Example:
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(2, 2)).apply_lora(nn.LoRA(rank=1))
        >>> nn.remove_lora(net)
        >>> sorted(net.state_dict())
        ['0.bias', '0.weight']
    """
    (merge_lora if merge else unmerge_lora)(module)
    for _, owner in module.named_modules():
        if is_parametrized(owner):
            for name, held in owner.parametrizations.named_children():
                if adapters(held):
                    remove_parametrizations(owner, name, merge)


def lora_state_dict(module: Any) -> dict[str, Tensor]:
    """Return the adapters' tensors only, by path.

    Raises: FogoError where the module has none.

    Example:
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(2, 2))
        >>> net = net.apply_lora(nn.LoRA(rank=1))
        >>> sorted(nn.lora_state_dict(net))
        ['0.parametrizations.weight.0.lora_A', '0.parametrizations.weight.0.lora_B']
    """
    found = OrderedDict()
    for path, held in adapters(module):
        for name, value in getattr(held, "0").state_dict(path + ".0").items():
            found[name] = value
    if not found:
        raise FogoError(
            "lora_state_dict: the module has adapters; given %s without; call "
            "apply_lora first" % type(module).__name__
        )
    return found


def load_lora_state_dict(module: Any, state: Any) -> None:
    """Load adapters into a module that has the same ones.

    Raises: FormatError, FogoError where names or shapes differ.

    Example:
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(2, 2)).apply_lora(nn.LoRA(rank=1))
        >>> nn.load_lora_state_dict(net, nn.lora_state_dict(net)) is None
        True
    """
    known = lora_state_dict(module)
    lacking = [name for name in known if name not in state]
    extra = [name for name in state if name not in known]
    if lacking or extra:
        raise FogoError(
            "load_lora_state_dict: the adapters' names are the model's; missing %s; "
            "unexpected %s" % (lacking, extra)
        )
    module.load_state_dict(state, strict=False)

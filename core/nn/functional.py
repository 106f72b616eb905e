"""PyTorch's `torch.nn.functional`: the functions of fogo by their usual place.

Names are found in `fogo` when they are asked for; here are those whose arguments or
results are PyTorch's and not fogo's: `dim` for an axis, and statistics that change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import ops

if TYPE_CHECKING:
    from ..tensor import Tensor


def _along(name, x, dim, dtype):
    if dtype is not None:
        x = x.astype(dtype)
    return ops.find(name)(x, -1 if dim is None else dim)


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """`fogo.softmax` along `dim` (the last axis if None).

    Example:
        >>> import fogo
        >>> from fogo.nn import functional as F
        >>> F.softmax(fogo.zeros(2), dim=0).tolist()
        [0.5, 0.5]
    """
    return _along("softmax", input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """`fogo.log_softmax` along `dim` (the last axis if None).

    Example:
        >>> import fogo
        >>> from fogo.nn import functional as F
        >>> F.log_softmax(fogo.tensor([0.0]), dim=0).tolist()
        [0.0]
    """
    return _along("log_softmax", input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """`fogo.softmin` along `dim` (the last axis if None).

    Example:
        >>> import fogo
        >>> from fogo.nn import functional as F
        >>> F.softmin(fogo.zeros(2), dim=0).tolist()
        [0.5, 0.5]
    """
    return _along("softmin", input, dim, dtype)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """`fogo.glu` along `dim`.

    Example:
        >>> import fogo
        >>> from fogo.nn import functional as F
        >>> F.glu(fogo.tensor([4.0, 0.0]), dim=0).tolist()
        [2.0]
    """
    return ops.find("glu")(input, dim)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """`fogo.batch_norm`, which in training assigns the new statistics to the old.

    Example:
        >>> import fogo
        >>> from fogo.nn import functional as F
        >>> mean, var = fogo.zeros(1), fogo.ones(1)
        >>> y = F.batch_norm(fogo.tensor([[1.0], [3.0]]), mean, var, training=True)
        >>> round(mean.item(), 2)
        0.2
    """
    y, mean, var = ops.find("batch_norm")(
        input, running_mean, running_var, weight, bias, training, momentum, eps
    )
    if training and running_mean is not None and running_var is not None:
        running_mean.assign(mean)
        running_var.assign(var)
    return y


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """`fogo.embedding`: the row of `weight` for each index.

    Example:
        >>> import fogo
        >>> from fogo.nn import functional as F
        >>> F.embedding(fogo.tensor([1, 0]), fogo.eye(2)).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    return ops.find("embedding")(input, weight, padding_idx)


def upsample(
    input: Tensor,
    size: int | tuple[int, ...] | None = None,
    scale_factor: float | tuple[float, ...] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """`fogo.interpolate` by its old name.

    Example:
        >>> import fogo
        >>> from fogo.nn import functional as F
        >>> F.upsample(fogo.tensor([[[1.0, 2.0]]]), scale_factor=2).tolist()
        [[[1.0, 1.0, 2.0, 2.0]]]
    """
    return ops.find("interpolate")(input, size, scale_factor, mode, align_corners)


def __getattr__(name):
    import sys

    if name.startswith("__") or ops.find(name) is None:
        raise AttributeError("fogo.nn.functional has no attribute %r" % name)
    return getattr(sys.modules[__name__.split(".")[0]], name)  # fogo's own


def __dir__() -> list[str]:
    """List what has not been looked up too."""
    own = [n for n in globals() if not n.startswith("_") and n not in ("ops", "Any")]
    return sorted(set(own) | set(ops.names()))

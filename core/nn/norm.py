"""Normalisation layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..backend.autodiff import no_grad
from ..dtypes import int32
from ..errors import ShapeError
from ..ops import norm as F
from ..ops.creation import fill, ones, zeros
from .module import Module
from .parameter import Parameter
from .sizes import positive

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_DIGITS = {"float16": 10, "float32": 23, "float64": 52}  # bits of a fraction


class _BatchNorm(Module):
    """What batch norms share; `ranks` are the numbers of axes x may have."""

    ranks: tuple[int, ...] = ()
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        positive(type(self).__name__, num_features=num_features)
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.weight = self.bias = None
        n = num_features
        if affine:
            self.weight = Parameter(ones(n, dtype=dtype, device=device))
            self.bias = Parameter(zeros(n, dtype=dtype, device=device))
        mean = var = count = None
        if track_running_stats:
            mean = zeros(n, dtype=dtype, device=device)
            var = ones(n, dtype=dtype, device=device)
            count = fill((), 0, int32, mean.device)
        self.register_buffer("running_mean", mean)
        self.register_buffer("running_var", var)
        self.register_buffer("num_batches_tracked", count)

    def forward(self, x: T) -> T:
        if x.ndim not in self.ranks or x.shape[1] != self.num_features:
            raise ShapeError(
                "%s: x has %s axes, the second of num_features=%d; given x=%s"
                % (
                    type(self).__name__,
                    " or ".join([str(r) for r in self.ranks]),
                    self.num_features,
                    list(x.shape),
                )
            )
        momentum = self._count() if self.training else 0.0
        y, self.running_mean, self.running_var = F.batch_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias,
            self.training, momentum, self.eps,
        )  # fmt: skip
        return y

    def _count(self) -> float | Tensor:
        """Count the batch; return how much of it enters the running statistics."""
        count, mean = self.num_batches_tracked, self.running_mean
        if count is None or mean is None:
            return 0.0
        with no_grad():
            self.num_batches_tracked = count = count + 1
            if self.momentum is not None:
                return self.momentum
            return count.astype(mean.dtype).reciprocal()

    def extra_repr(self) -> str:
        parts = [str(self.num_features)]
        usual = (
            ("eps", 1e-5),
            ("momentum", 0.1),
            ("affine", True),
            ("track_running_stats", True),
        )
        for name, value in usual:
            given = getattr(self, name)
            if given != value:
                parts.append("%s=%s" % (name, given))
        return ", ".join(parts)


class BatchNorm1d(_BatchNorm):
    """Normalise each channel over the batch: x [N, C] or [N, C, L]; see BatchNorm2d.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x = fogo.tensor([[1.0, 0.0], [3.0, 0.0]])
        >>> [round(v, 4) for v in nn.BatchNorm1d(2)(x).flatten().tolist()]
        [-1.0, 0.0, 1.0, 0.0]
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalise each channel over the batch: x [N, C, H, W], weight and bias [C].

    In training by the batch's mean and variance, which also move running_mean and
    running_var (by `momentum`; None makes them plain averages); after `eval()` by
    those. num_batches_tracked counts the batches.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.BatchNorm2d(3)(fogo.ones((2, 3, 4, 4))).shape
        (2, 3, 4, 4)
    """

    ranks = (4,)


class LayerNorm(Module):
    """Normalise over the last axes: x [..., *normalized_shape], weight and bias alike.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> y = nn.LayerNorm(2)(fogo.tensor([[1.0, 3.0]]))
        >>> [round(v, 3) for v in y.tolist()[0]]
        [-1.0, 1.0]
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.weight = self.bias = None
        if elementwise_affine:
            start = ones(*self.normalized_shape, dtype=dtype, device=device)
            self.weight = Parameter(start)
            if bias:
                start = zeros(*self.normalized_shape, dtype=dtype, device=device)
                self.bias = Parameter(start)

    def forward(self, x: T) -> T:
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return _described(self, 1e-5)


class RMSNorm(Module):
    """Divide by the root mean square over the last axes; weight [*normalized_shape].

    eps None takes the machine epsilon of x's dtype, as in PyTorch.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> [round(v, 4) for v in nn.RMSNorm(2)(fogo.tensor([3.0, 3.0])).tolist()]
        [1.0, 1.0]
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float | None = None,
        elementwise_affine: bool = True,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.weight = None
        if elementwise_affine:
            start = ones(*self.normalized_shape, dtype=dtype, device=device)
            self.weight = Parameter(start)

    def forward(self, x: T) -> T:
        eps = 2.0 ** -_DIGITS[x.dtype.name] if self.eps is None else self.eps
        return F.rms_norm(x, self.normalized_shape, self.weight, eps)

    def extra_repr(self) -> str:
        return _described(self, None)


class GroupNorm(Module):
    """Normalise groups of channels in each sample: x [N, C, ...], weight, bias [C].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.GroupNorm(2, 4)(fogo.ones((1, 4, 3))).shape
        (1, 4, 3)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        positive("GroupNorm", num_groups=num_groups, num_channels=num_channels)
        if num_channels % num_groups:
            raise ShapeError(
                "GroupNorm: num_groups must divide num_channels; given %d and %d"
                % (num_groups, num_channels)
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.weight = self.bias = None
        if affine:
            self.weight = Parameter(ones(num_channels, dtype=dtype, device=device))
            self.bias = Parameter(zeros(num_channels, dtype=dtype, device=device))

    def forward(self, x: T) -> T:
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        text = "%d, %d" % (self.num_groups, self.num_channels)
        return text if self.eps == 1e-5 else text + ", eps=%g" % self.eps


def _shape(sizes: int | tuple[int, ...]) -> tuple[int, ...]:
    return (sizes,) if isinstance(sizes, int) else tuple(sizes)


def _described(layer: LayerNorm | RMSNorm, eps: float | None) -> str:
    shape = layer.normalized_shape
    text = str(shape[0]) if len(shape) == 1 else repr(shape)
    if layer.eps != eps:
        text += ", eps=%s" % layer.eps
    return text if layer.weight is not None else text + ", elementwise_affine=False"

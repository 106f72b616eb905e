"""Norms of volumes, of instances, and by neighbouring channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..backend.autodiff import no_grad
from ..errors import ShapeError
from ..ops import norm as F
from ..ops.distance import local_response_norm
from ..shapes import size
from .module import Module
from .norm import _BatchNorm

if TYPE_CHECKING:
    from ..device import Device
    from ..dtypes import DType
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


class BatchNorm3d(_BatchNorm):
    """Normalise each channel over the batch: x [N, C, D, H, W]; see BatchNorm2d.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.BatchNorm3d(3)(fogo.ones((2, 3, 2, 2, 2))).shape
        (2, 3, 2, 2, 2)
    """

    ranks = (5,)


class _InstanceNorm(_BatchNorm):
    """What instance norms share; `ranks` are those of x with and without a batch."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        *,
        device: Device | str | None = None,
        dtype: DType | str | None = None,
    ) -> None:
        _BatchNorm.__init__(
            self, num_features, eps, momentum, affine, track_running_stats,
            device=device, dtype=dtype,
        )  # fmt: skip

    def forward(self, x: T) -> T:
        alone = x.ndim == self.ranks[1]
        wide = x.unsqueeze(0) if alone else x
        if wide.ndim != self.ranks[0] or wide.shape[1] != self.num_features:
            raise ShapeError(
                "%s: x has %d axes, or %d without a batch, with num_features=%d "
                "channels; given x=%s"
                % (type(self).__name__, self.ranks[0], self.ranks[1],
                   self.num_features, list(x.shape))
            )  # fmt: skip
        y = self._normed(wide)
        return y.squeeze(0) if alone else y

    def _normed(self, x: T) -> T:
        mean, var = self.running_mean, self.running_var
        if mean is not None and not self.training:
            return F.instance_norm(
                x, mean, var, self.weight, self.bias, False, self.eps
            )  # fmt: skip
        if mean is not None and var is not None:
            self._learn(x, mean, var)
        return F.instance_norm(x, None, None, self.weight, self.bias, True, self.eps)

    def _learn(self, x: T, mean: Tensor, var: Tensor) -> None:
        """Move the running statistics to the mean of those of the instances."""
        count = size(x.shape[2:])
        share = 0.0 if self.momentum is None else self.momentum
        with no_grad():
            axes = tuple(range(2, x.ndim))
            _, means, variances = F.standardize(x.detach(), axes, self.eps)
            fresh = means.mean(0).reshape(mean.shape)
            spread = variances.mean(0).reshape(var.shape) * (count / (count - 1.0))
            self.running_mean = mean.detach() * (1.0 - share) + fresh * share
            self.running_var = var.detach() * (1.0 - share) + spread * share

    def extra_repr(self) -> str:
        text = "%d" % self.num_features
        if self.affine:
            text += ", affine=True"
        return text + (", track_running_stats=True" if self.track_running_stats else "")


class InstanceNorm1d(_InstanceNorm):
    """Normalise each channel of each sample: x [N, C, L] or [C, L].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> x = fogo.tensor([[[1.0, 3.0]]])
        >>> [round(v, 4) for v in nn.InstanceNorm1d(1)(x).flatten().tolist()]
        [-1.0, 1.0]
    """

    ranks = (3, 2)


class InstanceNorm2d(_InstanceNorm):
    """Normalise each channel of each sample: x [N, C, H, W] or [C, H, W].

    Without weights and running statistics unless asked for. With
    track_running_stats, `eval()` takes the running ones in place of the sample's.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.InstanceNorm2d(1)(fogo.ones(1, 1, 2, 2)).tolist()
        [[[[0.0, 0.0], [0.0, 0.0]]]]
    """

    ranks = (4, 3)


class InstanceNorm3d(_InstanceNorm):
    """Normalise each channel of each sample: x [N, C, D, H, W] or [C, D, H, W].

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.InstanceNorm3d(3)(fogo.ones((2, 3, 2, 2, 2))).shape
        (2, 3, 2, 2, 2)
    """

    ranks = (5, 4)


class LocalResponseNorm(Module):
    """Divide by what neighbouring channels hold: x [N, C, ...S]; see the function.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> nn.LocalResponseNorm(2)(fogo.ones((1, 3, 4))).shape
        (1, 3, 4)
    """

    def __init__(
        self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
    ) -> None:
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, x: T) -> T:
        return local_response_norm(x, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return "%d, alpha=%g, beta=%g, k=%g" % (
            self.size, self.alpha, self.beta, self.k,
        )  # fmt: skip

"""Weight and spectral norm, as parametrizations of PyTorch's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import ShapeError
from ...ops.elementwise import where
from ...ops.matmul import matmul
from ...random import randn
from ..reparam import Reparameterization, register_parametrization

if TYPE_CHECKING:
    from ...tensor import Tensor


class _WeightNorm(Reparameterization):
    def __init__(self, dim: int | None) -> None:
        self.dim = dim

    def _length(self, v):
        over = None if self.dim is None else tuple(
            [a for a in range(v.ndim) if a != self.dim % v.ndim]
        )  # fmt: skip
        return v.square().sum(over, self.dim is not None).sqrt()

    def forward(self, length: Any, direction: Any) -> Any:
        return direction * (length / self._length(direction))

    def right_inverse(self, value: Tensor) -> Any:
        return self._length(value), value

    def extra_repr(self) -> str:
        return "dim=%s" % self.dim


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Split a weight into lengths and directions, and learn both (Salimans 2016).

    The slices along `dim` have a length each; None: the whole weight has one. Returns
    the module; `nn.remove_parametrizations` undoes it.

    Example:
        >>> from fogo import nn
        >>> from fogo.nn.utils.parametrizations import weight_norm
        >>> layer = weight_norm(nn.Linear(4, 3, bias=False))
        >>> [(name, p.shape) for name, p in layer.named_parameters()]
        [('parametrizations.weight.original0', (3, 1)), ('parametrizations.weight.original1', (3, 4))]
    """  # noqa: E501
    return register_parametrization(module, name, _WeightNorm(dim))


class _SpectralNorm(Reparameterization):
    def __init__(self, weight: Tensor, steps: int, dim: int, eps: float) -> None:
        if steps < 1:
            raise ShapeError(
                "spectral_norm: n_power_iterations is at least 1; given %d" % steps
            )
        self.steps, self.dim, self.eps = steps, dim, eps
        if weight.ndim > 1:
            matrix = self._matrix(weight)
            rows, columns = matrix.shape
            u = self._unit(randn(rows, device=weight.device).astype(weight.dtype))
            v = self._unit(randn(columns, device=weight.device).astype(weight.dtype))
            self.register_buffer("_u", u)
            self.register_buffer("_v", v)
            self._iterate(matrix, 15)

    def _matrix(self, weight):
        return weight.moveaxis(self.dim, 0).reshape((weight.shape[self.dim], -1))

    def _unit(self, x):
        length = x.square().sum(None, True).sqrt()
        return x / where(length < self.eps, self.eps, length)

    def _iterate(self, matrix, steps):
        """Walk towards the first singular vectors."""
        matrix, v = matrix.detach(), self._v
        for _ in range(steps):
            u = self._unit(matmul(matrix, v))
            v = self._unit(matmul(matrix.transpose(), u))
        self._u, self._v = u.detach(), v.detach()

    def forward(self, weight: Any) -> Any:
        if weight.ndim == 1:
            return self._unit(weight)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.steps)
        sigma = (self._u * matmul(matrix, self._v)).sum()
        return weight / sigma

    def extra_repr(self) -> str:
        return "n_power_iterations=%d, dim=%d" % (self.steps, self.dim)


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Divide a weight by its largest singular value, so that it stretches nothing.

    The value is followed by power iteration, in training one step each time the weight
    is looked at (Miyato et al. 2018). dim: the axis of outputs (1 for transposed
    convolutions if None, else 0). Returns the module.

    Example:
        >>> from fogo import nn
        >>> from fogo.nn.utils.parametrizations import spectral_norm
        >>> layer = spectral_norm(nn.Linear(4, 3))
        >>> sorted(layer.state_dict())[-1]
        'parametrizations.weight.original'
    """
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    weight = getattr(module, name).detach()
    rule = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return register_parametrization(module, name, rule)

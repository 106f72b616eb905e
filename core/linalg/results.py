"""Results in several parts, by name: `linalg.eigh(x).eigenvalues`, or unpacked.

The names are the array API's where it has the function, else PyTorch's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple

    from ..tensor import Tensor

    class Eigen(NamedTuple):
        eigenvalues: Tensor
        eigenvectors: Tensor

    class QRParts(NamedTuple):
        Q: Tensor
        R: Tensor

    class Slogdet(NamedTuple):
        sign: Tensor
        logabsdet: Tensor

    class SVDParts(NamedTuple):
        U: Tensor
        S: Tensor
        Vh: Tensor

    class LUParts(NamedTuple):
        P: Tensor
        L: Tensor
        U: Tensor

    class LeastSquares(NamedTuple):
        solution: Tensor
        residuals: Tensor
        rank: Tensor
        singular_values: Tensor

else:
    from collections import namedtuple

    Eigen = namedtuple("Eigen", ("eigenvalues", "eigenvectors"))
    QRParts = namedtuple("QRParts", ("Q", "R"))
    Slogdet = namedtuple("Slogdet", ("sign", "logabsdet"))
    SVDParts = namedtuple("SVDParts", ("U", "S", "Vh"))
    LUParts = namedtuple("LUParts", ("P", "L", "U"))
    LeastSquares = namedtuple(
        "LeastSquares", ("solution", "residuals", "rank", "singular_values")
    )

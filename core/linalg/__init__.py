"""Linear algebra: `fogo.linalg`, the array API's extension and PyTorch's names.

Decompositions run on every device as kernels with one thread a matrix (LAPACK on the
"numpy" device): many small matrices are quick on a GPU, one of a thousand rows takes
some seconds there, and is better moved to "numpy". All are differentiable but `eig`.
Names load with their file, at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ops.matmul import matmul as matmul
    from .factor import cholesky as cholesky
    from .factor import lu as lu
    from .factor import lu_factor as lu_factor
    from .factor import qr as qr
    from .factor import solve_triangular as solve_triangular
    from .norms import matrix_exp as matrix_exp
    from .norms import matrix_norm as matrix_norm
    from .norms import matrix_power as matrix_power
    from .norms import multi_dot as multi_dot
    from .norms import norm as norm
    from .norms import vector_norm as vector_norm
    from .norms import vector_normalize as vector_normalize
    from .solving import cholesky_solve as cholesky_solve
    from .solving import cond as cond
    from .solving import det as det
    from .solving import inv as inv
    from .solving import lstsq as lstsq
    from .solving import matrix_rank as matrix_rank
    from .solving import pinv as pinv
    from .solving import slogdet as slogdet
    from .solving import solve as solve
    from .spectral import eig as eig
    from .spectral import eigh as eigh
    from .spectral import eigvals as eigvals
    from .spectral import eigvalsh as eigvalsh
    from .spectral import svd as svd
    from .spectral import svdvals as svdvals

# Where each name lives.
_FILES = {
    "factor": "cholesky lu lu_factor qr solve_triangular",
    "norms": (
        "matrix_exp matrix_norm matrix_power multi_dot norm vector_norm "
        "vector_normalize"
    ),
    "solving": ("cholesky_solve cond det inv lstsq matrix_rank pinv slogdet solve"),
    "spectral": "eig eigh eigvals eigvalsh svd svdvals",
}
_HOMES = {name: file for file in _FILES for name in _FILES[file].split()}
# Functions of the main namespace that belong here too.
_MAIN = (
    "cross", "diagonal", "matmul", "matrix_transpose", "outer", "tensordot", "trace",
    "vecdot",
)  # fmt: skip
__all__ = sorted(list(_HOMES) + list(_MAIN))


def __dir__() -> list[str]:
    """List what has not been loaded too, so that a shell can complete it."""
    return __all__


def __getattr__(name):
    import sys

    if name in _MAIN:
        from ..ops import find

        found = find(name)
        if found is not None:
            return found
    if name not in _HOMES:
        raise AttributeError("fogo.linalg has no attribute %r" % name)
    path = __name__ + "." + _HOMES[name]
    __import__(path)  # also where it is there: another thread may not be done with it
    return getattr(sys.modules[path], name)

"""Compiles printed CUDA kernels with NVRTC and launches them, by way of CuPy.

    program = Program(print_cuda(kernel))
    program.launch(plan.points, buffers, plan.arguments(attrs))

Buffers are CuPy arrays of bytes, in the order of `kernel.bindings()`. CuPy is imported
when it is first needed: this module can be imported anywhere.
"""

from __future__ import annotations

import sys
from typing import Any

from fogo.errors import DeviceError
from fogo.kernel.cuda import Printed, print_cuda

THREADS = 256  # of a block, for point kernels
MOST_BLOCKS = (1 << 31) - 1
OPTIONS = ("--std=c++17",)
# dtype kind and bits -> NumPy type of an argument
_INTEGERS = {("int", 64): "int64", ("uint", 64): "uint64", ("uint", 32): "uint32"}


def cupy() -> Any:
    """Import CuPy, whichever version is installed; raises DeviceError where none is."""
    try:
        __import__("cupy")
    except ImportError as error:
        raise DeviceError(
            "cuda: CuPy is needed; importing it failed: %s; install fogo[cuda]" % error
        )
    return sys.modules["cupy"]


class Program:
    """A kernel, compiled for the current GPU."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.printed: Printed = print_cuda(kernel)
        self.dtypes = [argument(dtype) for _, dtype in kernel.params]
        module = cupy().RawModule(code=self.printed.text, options=OPTIONS)
        self.function = module.get_function("main_kernel")

    def launch(self, points: int, buffers: list[Any], values: list[Any]) -> None:
        """Run it at so many points (threads, or blocks for a group kernel).

        buffers: CuPy arrays, one for each of `kernel.bindings()`; values: Python
        numbers, one for each of `kernel.params`.
        """
        threads = self.printed.threads or THREADS
        blocks = points if self.printed.threads else -(-points // threads)
        if blocks > MOST_BLOCKS:
            raise DeviceError(
                "%s: a launch takes at most %d blocks; given %d; split the tensors"
                % (self.kernel.name, MOST_BLOCKS, blocks)
            )
        arguments = [scalar(v) for scalar, v in zip(self.dtypes, values)]
        self.function((blocks,), (threads,), (*buffers, *arguments))


def argument(dtype: Any) -> Any:
    """The NumPy type that carries a parameter of a dtype, as `cuda_expr.kind` says."""
    import numpy as np

    if dtype.is_float:
        return np.float64 if dtype.bits == 64 else np.float32
    if dtype.is_bool:
        return np.bool_
    name = _INTEGERS.get((dtype.kind, max(dtype.bits, 32)), "int32")
    return getattr(np, name)

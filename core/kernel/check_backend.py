"""A backend that runs every kernel in the checking interpreter: see check.py."""

from __future__ import annotations

from ..backend.base import RawBackend
from ..backend.python import Python
from .check import LANES, Run, failed, watched


class Checking(Python):
    """The plain-Python backend with a GPU's kernels, each checked as it runs.

    problems  what was found so far; strict: raise KernelError instead
    """

    name = "check"
    serial = False
    wides = True
    special: dict = {}

    def __init__(self, lanes=LANES, strict=False):
        Python.__init__(self)
        self.lanes = lanes
        self.strict = strict
        self.problems = []
        self.checked = 0  # launches

    def lacks(self, kernel, op):
        return False

    def run(self, op, inputs, attrs, outs):
        return watched(RawBackend.run, self, op, inputs, attrs, outs)

    def launch(self, plan, inputs, outputs, attrs):
        buffers = [h.buffer for h in inputs] + [h.buffer for h in outputs]
        run = Run(plan.kernel, buffers, list(plan.arguments(attrs)), self.lanes)
        self.checked += 1
        self.problems.extend(run.log.problems)
        if self.strict and self.problems:
            problems, self.problems = self.problems, []
            raise failed(plan.kernel.name, problems)


def interpret(backend, op, inputs, attrs, outs):
    """Run an op on a backend without workgroups, by copies on plain Python.

    Raises: KernelError where the kernel does anything wrong.
    """
    checking = Checking(strict=True)
    copies = []
    for h, values in zip(inputs, backend.read(inputs)):
        copies.append(checking.upload(values, h.shape, h.dtype))
    made = checking.run(op, tuple(copies), attrs, outs)
    return tuple(
        [backend.upload(flat, h.shape, h.dtype)
         for h, flat in zip(made, checking.read(made))]
    )  # fmt: skip


def handle_of(x):
    """The handle, on plain Python, of a tensor or of nested lists."""
    from ..device import device
    from ..tensor import Tensor, tensor

    home = device("python")
    if not isinstance(x, Tensor):
        x = tensor(x, device=home)
    return x.to(home)._handle

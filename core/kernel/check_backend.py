"""A backend that runs every kernel in the checking interpreter: see check.py."""

from __future__ import annotations

from ..backend.base import RawBackend
from ..backend.python import Python
from ..shapes import size
from .check import LANES, Problem, Run, failed, watched


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
        self.holes = {}  # id of a buffer -> its elements that nobody has written
        self.kept = []  # the buffers of `holes`: their ids stay theirs

    def lacks(self, kernel, op):
        return False

    def run(self, op, inputs, attrs, outs):
        return watched(RawBackend.run, self, op, inputs, attrs, outs)

    def launch(self, plan, inputs, outputs, attrs):
        buffers = [h.buffer for h in inputs] + [h.buffer for h in outputs]
        params = list(plan.arguments(attrs))
        run = Run(plan.kernel, buffers, params, self.lanes, self.holes)
        self.checked += 1
        for b in buffers[len(inputs) :]:
            if id(b) in self.holes:
                self.kept.append(b)
        self._note(plan.kernel.name, run.log.problems)

    def _note(self, name, problems):
        self.problems.extend(problems)
        if self.strict and self.problems:
            problems, self.problems = self.problems, []
            raise failed(name, problems)

    def read(self, handles):
        self.complete("read", handles)
        return Python.read(self, handles)

    def complete(self, name, handles):
        """See that each element of what somebody will look at has been written."""
        for place, h in enumerate(handles):
            holes = self.holes.get(id(h.buffer))
            if holes and h.layout.contiguous:
                inside = [i for i in holes if i < size(h.shape)]
                if inside:
                    text = "element %d of output %d is never written"
                    text = text % (inside[0], place)
                    problem = Problem(
                        "uninitialised", "", "", "output %d" % place, text
                    )
                    self._note(name, [problem])


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

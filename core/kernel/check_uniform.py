"""Which barriers may stand where not all threads of a group come by.

WGSL refuses a program in which a barrier depends on what may differ among threads,
even where it never does; so does this: it follows every value from `local`, from
memory that kernels write, and from branches on such values.
"""

from __future__ import annotations

from ..expr import topological
from .check_code import BARRIERS
from .group import Atomic, LoadWide, Subgroup
from .ir import Assign, Declare, Let, Load, Loop, When


class Uniformity:
    """Finds the barriers in divergent control flow: `found` lists the statements."""

    def __init__(self, kernel):
        self.varying = {"local": True, "lane": True}
        self.found = []
        known = 0
        while known != len(self.varying):  # cells of loops may need another turn
            known = len(self.varying)
            self.found = []
            self.block(kernel.body, False)

    def varies(self, root):
        for node in topological(root):
            if node.op == "var" and node.args[0] in self.varying:
                return True
        return False

    def mark(self, target):
        self.varying[target.args[0]] = True

    def block(self, statements, divergent):
        for s in statements:
            self.statement(s, divergent)

    def statement(self, s, divergent):
        if isinstance(s, (Let, Declare, Assign)):
            if self.varies(s.value) or (isinstance(s, Assign) and divergent):
                self.mark(s.target)
        elif isinstance(s, Load):
            if self._memory(s):
                self.mark(s.target)
        elif isinstance(s, LoadWide):
            if self._memory(s):
                for target in s.targets:
                    self.mark(target)
        elif isinstance(s, (Atomic, Subgroup)):
            self.mark(s.target)
        elif isinstance(s, Loop):
            divergent = divergent or self.varies(s.start) or self.varies(s.stop)
            if divergent:
                self.mark(s.target)
            self.block(s.body, divergent)
        elif isinstance(s, When):
            divergent = divergent or self.varies(s.cond)
            self.block(s.body, divergent)
            self.block(s.orelse, divergent)
        elif isinstance(s, BARRIERS) and divergent:
            self.found.append(s)

    def _memory(self, s):
        """What is loaded differs, unless all threads read one input at one place."""
        return getattr(s.array, "written", True) or self.varies(s.index)

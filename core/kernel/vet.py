"""What a kernel of one's own must keep to, told where it is traced.

Backends print what they are given: a mistake would be a stranger's message there, or
wrong numbers. fogo's own kernels are not vetted; the suite checks them (check.py).
"""

from __future__ import annotations

from ..errors import KernelError
from ..expr import PRIMITIVES, Expr, topological
from .group import (
    Atomic,
    Barrier,
    LoadWide,
    MatrixDeclare,
    MatrixStore,
    StoreWide,
    Subgroup,
    UniformLoad,
)
from .ir import Array, Assign, Let, Load, Loop, Store, When

KNOWN = dict.fromkeys(PRIMITIVES + ("const", "var"))
TOGETHER = (Barrier, UniformLoad, Subgroup, MatrixDeclare)
STORES = (Store, StoreWide, Atomic, MatrixStore)


def traced(k, function, values, options):
    """Call a kernel function; what goes wrong in it is told by the kernel's name."""
    _label(function, values)
    try:
        asked(k.name, "the kernel", "k, an array for each tensor, one for each output",
              function, (k,) + tuple(values), options)  # fmt: skip
    except Exception as error:
        _rename(error, k.name)
        raise


def asked(name, what, takes, function, args, options):
    """Call what a user gave; KernelError where it does not take those arguments."""
    try:
        return function(*args, **options)
    except TypeError as error:
        trace = getattr(error, "__traceback__", None)  # MicroPython has none
        if trace is None or trace.tb_next is not None:  # of its own body
            raise
        raise KernelError(
            "%s: %s takes %s; given %d arguments, but %s; change its parameters"
            % (name, what, takes, len(args) + len(options), error)
        )


def _label(function, values):
    """Call arrays what the function's parameters are called, where Python knows."""
    code = getattr(function, "__code__", None)
    names = getattr(code, "co_varnames", ())[: getattr(code, "co_argcount", 0)]
    first = 1 if getattr(function, "__self__", None) is None else 2  # after k
    for name, value in zip(names[first:], values):
        if isinstance(value, Array):
            value.label = name


def _rename(error, name):
    text = str(error)
    for prefix in ("kernel: ", "formula: "):
        if text.startswith(prefix):
            try:
                error.args = (name + ": " + text[len(prefix) :],)
            except AttributeError:  # MicroPython: they stay as they are
                pass
            return


def vet(kernel, checked=False):
    """Raise KernelError for a traced kernel that breaks a rule of the language.

    checked: what it leaves undone is the checking interpreter's to report
    """
    _launch(kernel)
    found = Vetting(kernel, TOGETHER if checked else TOGETHER + (Atomic,))
    found.block(kernel.body, [found.names()])
    if checked:
        return
    if found.stray:
        _refuse(
            kernel, "a value lives in the block that made it", "one after its block",
            "set a k.cell from before the block",
        )  # fmt: skip
    outputs = [a for a in kernel.arrays if a.written]
    for number, a in enumerate(outputs):
        if a.name not in found.stored:
            _refuse(
                kernel, "every output must be stored to",
                "nothing for output %d" % number, "write out[coordinates] = value",
            )  # fmt: skip


def _launch(k):
    if k.grids != 1:
        _refuse(
            k, "k.grid(shape) or k.groups(shape, threads) is called once",
            "%d calls" % k.grids, "call one of them, first of all",
        )  # fmt: skip
    if k.in_groups and (not isinstance(k.threads, int) or k.threads < 1):
        _refuse(
            k, "the threads of a group are an integer from 1 on", repr(k.threads),
            "pass a Python int",
        )  # fmt: skip
    if k.shareds and not k.in_groups:
        _lonely(k, "Shared")


def _lonely(k, what):
    _refuse(
        k, "threads work together in groups", "%s in a kernel with k.grid" % what,
        "use k.groups(shape, threads)",
    )  # fmt: skip


def _refuse(k, rule, given, advice):
    raise KernelError("%s: %s; given %s; %s" % (k.name, rule, given, advice))


class Vetting:
    """Walks the statements of a kernel, with the names that are known at each."""

    def __init__(self, kernel, together):
        self.kernel = kernel
        self.together = together  # statements that need a group
        self.stored = {}
        self.stray = {}

    def names(self):
        """The names that are known everywhere."""
        k = self.kernel
        found = [c.args[0] for c in k.coords] + [name for name, _ in k.params]
        return dict.fromkeys(found + ["local", "lane", "lanes"])

    def block(self, statements, scopes):
        scopes = scopes + [{}]
        for s in statements:
            self.statement(s, scopes)
            if isinstance(s, Loop):
                self.block(s.body, scopes + [{s.target.args[0]: None}])
            elif isinstance(s, When):
                self.block(s.body, scopes)
                self.block(s.orelse, scopes)

    def statement(self, s, scopes):
        k = self.kernel
        if not k.in_groups and isinstance(s, self.together):
            _lonely(k, type(s).__name__)
        for value in _reads(s):
            self.value(value, scopes)
        if isinstance(s, When) and not s.cond.dtype.is_bool:
            _refuse(k, "a condition is a bool", s.cond.dtype.name, "compare: v > 0")
        if isinstance(s, Loop) and not (isinstance(s.step, int) and s.step):
            _refuse(k, "a step is an integer, not 0", repr(s.step), "pass another")
        self.access(s)
        for target in _binds(s):
            scopes[-1][target.args[0]] = None

    def access(self, s):
        """Note who is stored to."""
        k = self.kernel
        if isinstance(s, STORES):
            if not getattr(s.array, "written", True):
                _refuse(k, "inputs are only read", "a store to " + s.array.label,
                        "store to an output")  # fmt: skip
            self.stored[s.array.name] = True

    def value(self, root, scopes):
        for node in topological(root):
            if node.op not in KNOWN:
                _refuse(self.kernel, "call takes a primitive of fogo.expr",
                        repr(node.op), "see fogo.expr.PRIMITIVES")  # fmt: skip
            if node.op == "var" and not [s for s in scopes if node.args[0] in s]:
                self.stray[node.args[0]] = True


def _reads(s):
    """The expressions that a statement reads."""
    found = [
        getattr(s, name, None)
        for name in ("index", "value", "expected", "arg", "stride", "cond", "start",
                     "stop")
    ]  # fmt: skip
    found.extend(getattr(s, "values", ()))
    if isinstance(s, Assign):
        found.append(s.target)
    return [x for x in found if isinstance(x, Expr)]


def _binds(s):
    """The variables that a statement makes."""
    if isinstance(s, LoadWide):
        return s.targets
    if isinstance(s, (Let, Load, UniformLoad, Atomic, Subgroup)):
        return [s.target]
    return []

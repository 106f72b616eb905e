"""The checking interpreter: runs a kernel in Python and tells what is wrong with it.

    >>> from fogo.kernel.check import check
    >>> def shift(k, x, out):
    ...     (i,) = k.grid(out.shape)
    ...     out[i] = x[i + 1]
    >>> report = check(shift, [[1.0, 2.0, 3.0]], outs=[((3,), "float32")])
    >>> [p.kind for p in report.problems]
    ['out-of-bounds']

Each problem names the line of Python that emitted the statement (on CPython). Threads
of a group run one after the other from barrier to barrier, so what is found does not
depend on luck. It works for every kernel, on this kernel's inputs: try shapes that
leave tiles half full. Kinds of problems:

out-of-bounds   an access outside a buffer or shared memory
misaligned      `wide` at an index that is not a multiple of its width
race            two threads touch an element, one writes, no barrier comes between;
                for buffers: two groups do
divergent       a barrier, or a subgroup operation, where not all threads come by
uninitialised   a read of what nobody has written; an output never written; a variable
                used outside the block that binds it
"""

from __future__ import annotations

import sys
from array import array

from ..errors import KernelError
from . import ir
from .check_code import Code
from .check_group import Group
from .check_memory import Memory
from .check_uniform import Uniformity
from .lower import evaluate
from .vet import traced, vet

LANES = 32  # threads of a subgroup, unless told otherwise
OURS = ("kernel/ir.py", "kernel/group.py")  # the language itself is not the place


class Problem:
    """One thing wrong: `kind`, `line` and `other` ("file.py:12"), `memory`, `text`."""

    def __init__(self, kind, line, other, memory, text):
        self.kind = kind
        self.line = line
        self.other = other  # the other place, where two are needed (a race)
        self.memory = memory  # "input 0", "output 0", "shared 0", or ""
        self.text = text

    def __repr__(self):
        where = self.line or "an unknown line"
        if self.other and self.other != self.line:
            where += " and " + self.other
        return "%s: %s (%s)" % (self.kind, self.text, where)


class Log:
    """Collects problems of a kernel, each once."""

    def __init__(self, code):
        self.code = code
        self.point = None
        self.problems = []
        self.known = {}

    def add(self, kind, site, memory, text, other=None):
        """Enter a problem at a site; `other` is a second site, or None."""
        name = memory.name if memory else ""
        key = (kind, site, other, name)
        if key in self.known:
            return
        self.known[key] = True
        if self.point is not None:
            text += ", at point %r" % (self.point,)
        self.problems.append(
            Problem(kind, self._line(site), self._line(other), name, text)
        )

    def _line(self, site):
        if site is None:
            return ""
        return getattr(self.code.sites[site], "line", "")


class Run:
    """One launch of a kernel over Python buffers, all checks on.

    holes: id of a buffer -> elements that nobody has written; afterwards, those of
    this kernel's outputs are there, too
    """

    def __init__(self, kernel, buffers, params, lanes=LANES, holes=None):
        if getattr(kernel, "checked", None) is None:
            kernel.checked = Code(kernel)
        self.kernel = kernel
        self.code = kernel.checked
        self.lanes = lanes
        self.params = params
        self.log = Log(self.code)
        self.holes = {} if holes is None else holes
        self.memories = self._memories(buffers)
        names = {name: v for (name, _), v in zip(kernel.params, params)}
        self.dims = [evaluate(d, names) for d in kernel.dims]
        self._static()
        self._all()

    def _memories(self, buffers):
        """Name in the kernel -> Memory; one buffer given twice is one memory."""
        made, seen = {}, {}
        for a, buffer in reversed(list(zip(self.kernel.arrays, buffers))):
            known = seen.get(id(buffer))
            if known is None:
                kind = "output" if a.written else "input"
                place = [b for b in self.kernel.arrays if b.written == a.written]
                name = "%s %d" % (kind, place.index(a))
                known = Memory(
                    self.log, name, buffer, a.dtype, len(buffer), not a.written,
                    a.written or a.is_atomic,
                )  # fmt: skip
                seen[id(buffer)] = known
            if not a.written:
                known.ready = True
                known.holes = self.holes.get(id(buffer), ())
            made[a.name] = known
        self.buffers = list(seen.values())
        self.shareds = []
        for number, w in enumerate(self.kernel.shareds):
            storage = array(w.dtype.code, bytes(w.size * w.dtype.itemsize))
            made[w.name] = Memory(
                self.log, "shared %d" % number, storage, w.dtype, w.size, False, True,
                False,
            )  # fmt: skip
            self.shareds.append(made[w.name])
        return made

    def _static(self):
        for site, name in self.code.stray:
            self.log.add(
                "uninitialised", site, None,
                "a variable (%s) used outside the block that binds it" % name,
            )  # fmt: skip
        for statement in Uniformity(self.kernel).found:
            self.log.add(
                "divergent", self.code.sites.index(statement), None,
                "a barrier under a condition that may differ among threads",
            )  # fmt: skip

    def _all(self):
        if self.log.problems:
            return  # names would be missing, or threads stuck
        thread = self.code.make(self.memories)
        for number, point in enumerate(points(self.dims)):
            self.log.point = point
            for memory in self.buffers + self.shareds:
                memory.group = number
            for memory in self.shareds:
                memory.forget()
            Group(self, thread, point, self.params).finish()
            for memory in self.shareds:
                memory.settle()
        self.log.point = None
        for memory in self.buffers:
            memory.settle()
            self._leave(memory)

    def pass_barrier(self, storage):
        """What was written to shared memory (and to buffers) is seen from here on."""
        for memory in self.shareds:
            memory.settle()
            memory.epoch += 1
        if storage:
            for memory in self.buffers:
                memory.epoch += 1

    def _leave(self, memory):
        """Note what this kernel leaves unwritten."""
        if memory.tracked:
            key = id(memory.values.storage)
            missing = memory.unwritten()
            if missing:
                self.holes[key] = missing
            elif key in self.holes:
                del self.holes[key]


class Report:
    """What `check` found: `problems`, and the `outputs` as tensors."""

    def __init__(self, name, problems, outputs):
        self.name = name
        self.problems = problems
        self.outputs = outputs

    def __repr__(self):
        lines = [repr(p) for p in self.problems] or ["no problem found"]
        return "\n".join([self.name + ":"] + ["  " + x for x in lines])

    def raise_problems(self):
        """Raise KernelError where there is any; returns the report."""
        if self.problems:
            raise failed(self.name, self.problems)
        return self


def failed(name, problems):
    """The error for a kernel's problems: the first one, and how many more."""
    more = len(problems) - 1
    text = "; and %d more" % more if more else ""
    return KernelError("%s: a kernel must pass its check; %r%s; see fogo.kernel.check"
                       % (name, problems[0], text))  # fmt: skip


def check(kernel, inputs, attrs=(), outs=None, lanes=LANES):
    """Run a kernel on some inputs with every check on; returns a Report.

    kernel  a function of the kernel language, an op made by `fogo.kernel` (inputs are
            what it is called with), or an Op that has a kernel or formula
    inputs  tensors (their views are kept where they live on "python"), or lists
    attrs   what the kernel takes after its arrays
    outs    (shape, dtype) of each output; an Op's own rule where left out
    lanes   threads of a subgroup

    Example:
        >>> from fogo.kernel.check import check
        >>> def double(k, x, out):
        ...     (i,) = k.grid(out.shape)
        ...     out[i] = x[i] * 2.0
        >>> report = check(double, [[1.0, 2.0]], outs=[((2,), "float32")])
        >>> report.problems, report.outputs[0].tolist()
        ([], [2.0, 4.0])
    """
    from ..device import device
    from ..dispatch import wrap
    from ..dtypes import dtype
    from ..ops.record import Aval, Op
    from .check_backend import Checking, handle_of

    if hasattr(kernel, "pieces"):  # an op of fogo.kernel, and the arguments of a call
        inputs, attrs = kernel.pieces(inputs, {})
        kernel = kernel.op
    op = kernel
    if not isinstance(op, Op):
        if outs is None:
            raise KernelError(
                "%s: check must know the outputs of a plain function; given no outs; "
                "pass outs=[(shape, dtype), …], or an op of fogo.kernel"
                % kernel.__name__
            )

        def vetted(k, *values):
            traced(k, kernel, values, {})
            vet(k, True)

        op = Op(kernel.__name__, kernel=vetted, attrs=tuple(["attr"] * len(attrs)))
    handles = tuple([handle_of(x) for x in inputs])
    if outs is None:
        avals = op.infer([Aval(h.shape, h.dtype) for h in handles], attrs)
    else:
        avals = [Aval(tuple(shape), dtype(d)) for shape, d in outs]
    backend = Checking(lanes)
    made = backend.run(op, handles, tuple(attrs), tuple(avals))
    backend.complete(op.name, made)
    return Report(op.name, backend.problems, [wrap(h, device("python")) for h in made])


def watched(function, *args):
    """Call a function that traces kernels; their statements learn their lines."""
    ir.WATCHERS.append(_note_line)
    try:
        return function(*args)
    finally:
        ir.WATCHERS.pop()


def _note_line(statement):
    """Give a statement its `line`, "file.py:12", where Python has frames to ask."""
    if not hasattr(sys, "_getframe"):
        return
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename.replace("\\", "/")
        if not file.endswith(OURS) and file != __file__:
            statement.line = "%s:%d" % (file, frame.f_lineno)
            return
        frame = frame.f_back


def points(dims):
    """Every point of a grid, the last coordinate fastest."""
    point = [0] * len(dims)
    if 0 in dims:
        return
    while True:
        yield tuple(point)
        axis = len(dims) - 1
        while axis >= 0:
            point[axis] += 1
            if point[axis] < dims[axis]:
                break
            point[axis] = 0
            axis -= 1
        if axis < 0:
            return

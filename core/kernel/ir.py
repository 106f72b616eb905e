"""The kernel language: a kernel is a Python function, run once with symbolic values.

It builds typed statements over a *grid* of independent points, which printers turn
into Python loops, WGSL, … . Ordinary Python `for` and `if` happen while tracing;
`k.loop` and `k.when` happen on the device. Example, a row sum:

    def row_sum(k, x, out):
        (row,) = k.grid(out.shape)
        acc = k.cell(0.0, x.dtype)
        with k.loop(x.shape[1]) as j:
            acc.set(acc + x[row, j])
        out[row] = acc

Arrays are indexed by their logical coordinates: views cost nothing, because strides
and offsets are parameters of the kernel. A load happens where it is written; an
expression that reads a cell sees its value where the expression is *used*, so take
`k.let(acc + 1)` to keep a value across `acc.set(...)`.
"""

from __future__ import annotations

from typing import Any

from ..dtypes import DType, bool_
from ..dtypes import dtype as named
from ..expr import INDEX, Expr, cast, literal, var
from .group import Groups, as_dtype, as_index, load_wide, store_wide

# While a kernel is traced to be checked: a function told of each statement (check.py).
WATCHERS: list = []


class Let:
    """`name = value`: an immutable value."""

    def __init__(self, target, value):
        self.target = target
        self.value = value


class Declare(Let):
    """A mutable variable and its first value."""


class Assign(Let):
    """A new value for a mutable variable."""


class Load:
    """`target = array[index]`, with `index` into the flat buffer."""

    def __init__(self, target, array, index):
        self.target = target
        self.array = array
        self.index = index


class Store:
    """`array[index] = value`; `own` says: the element at this grid point itself."""

    def __init__(self, array, index, value, own):
        self.array = array
        self.index = index
        self.value = value
        self.own = own


class Loop:
    """`for target in range(start, stop, step)`; step is a non-zero Python int."""

    def __init__(self, target, start, stop, step):
        self.target = target
        self.start = start
        self.stop = stop
        self.step = step
        self.body = []


class When:
    """`if cond: body else: orelse`."""

    def __init__(self, cond):
        self.cond = cond
        self.body = []
        self.orelse = []


class Array:
    """A buffer seen through a layout whose sizes, strides and offset are symbolic.

    `shape` holds Exprs (literals where the size is 1). `written` says it is an output.
    """

    def __init__(
        self,
        kernel: Kernel,
        position: int,
        dtype: DType,
        shape: tuple[Expr, ...],
        strides: tuple[Expr, ...],
        offset: Expr,
        written: bool,
    ) -> None:
        self.kernel = kernel
        self.position = position
        self.name = "b%d" % position
        self.label = self.name  # what people call it
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.offset = offset
        self.written = written
        self.wide_by = 1  # set to n once any access is n wide (see group.py)
        self.reach = 4  # the most neighbours that may become one access
        self.is_atomic = False
        self.ordered = True  # its elements lie in the order of its coordinates

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def flat_index(self, coords: Any) -> Expr:
        """The place of an element in the flat buffer."""
        if not isinstance(coords, tuple):
            coords = (coords,)
        if len(coords) != len(self.shape):
            raise TypeError(
                "kernel: one coordinate per dimension; given %d for the %d-d %s; index "
                "it with a tuple of its length"
                % (len(coords), len(self.shape), self.label)
            )
        index = self.offset
        for c, stride in zip(coords, self.strides):
            if isinstance(c, int) and c < 0:
                raise TypeError(
                    "kernel: coordinates count from the front; given %d; use "
                    "x.shape[axis] - n" % c
                )
            index = index + as_index(c) * stride
        return index

    def __getitem__(self, coords: Any) -> Expr:
        target = self.kernel.fresh("t", self.dtype)
        self.kernel.emit(Load(target, self, self.flat_index(coords)))
        return target

    def __setitem__(self, coords: Any, value: Any) -> None:
        if not isinstance(coords, tuple):
            coords = (coords,)
        own = len(coords) == len(self.kernel.coords)
        for c, point in zip(coords, self.kernel.coords):
            own = own and c is point
        value = as_dtype(value, self.dtype)
        self.kernel.emit(Store(self, self.flat_index(coords), value, own))

    def wide(self, coords: Any, n: int = 4, axis: int = -1) -> list[Expr]:
        """Load n neighbours along an axis from `coords` on; returns a list.

        The axis has stride 1, and their flat index must be a multiple of n: see
        `aligned` in lower.py.
        """
        index = self.flat_index(coords)
        return load_wide(self.kernel, self, index, n, self.strides[axis])

    def put_wide(self, coords: Any, values: Any) -> None:
        """Store 2 or 4 neighbours along the last axis from `coords` on."""
        store_wide(self.kernel, self, self.flat_index(coords), values)


class Cell(Expr):
    """A mutable variable of a kernel: read it as an Expr, write it by `set`."""

    __slots__ = ("kernel",)
    kernel: Kernel

    def set(self, value: Any) -> None:
        self.kernel.emit(Assign(self, as_dtype(value, self.dtype)))


class _Block:
    """`with` target: statements emitted inside go to one list."""

    def __init__(self, kernel, body, value):
        self.kernel = kernel
        self.body = body
        self.value = value

    def __enter__(self):
        self.kernel.stack.append(self.body)
        return self.value

    def __exit__(self, *error):
        self.kernel.stack.pop()


class _Blocks:
    """Several nested blocks entered at once."""

    def __init__(self, make):
        self.make = make

    def __enter__(self):
        self.entered = []
        values = []
        for build in self.make:
            block = build()
            values.append(block.__enter__())
            self.entered.append(block)
        return tuple(values)

    def __exit__(self, *error):
        for block in reversed(self.entered):
            block.__exit__()


class Kernel(Groups):
    """A traced kernel: arrays, integer and scalar parameters, grid, body.

    `params` lists (name, dtype) in order; `sources` says where each value comes from
    at launch: ("stride", array, dim), ("offset", array, 0), ("size", array, dim),
    ("attr", position, 0).
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.arrays: list[Array] = []
        self.params: list[tuple[str, DType]] = []
        self.sources: list[tuple[str, int, int]] = []
        self.dims: tuple[Expr, ...] = ()
        self.coords: tuple[Expr, ...] = ()
        self.grids = 0  # how often the points were declared
        self.body: list[Any] = []
        self.stack = [self.body]
        self.counter = 0
        self._by_source: dict[tuple[str, int, int], Expr] = {}
        self.wides = True  # whether `wide` may become one access
        # Position of an array -> of the one whose buffer it is.
        self.shares: dict[int, int] = {}
        # Whether it is known to stay within its arrays, whatever they hold, and to end
        # its loops: hosts may leave out their checks. A kernel says so itself.
        self.trusted = False
        self.begin_groups()

    def emit(self, statement):
        if WATCHERS:
            WATCHERS[-1](statement)
        self.stack[-1].append(statement)

    def fresh(self, prefix, dtype):
        self.counter += 1
        return var("%s%d" % (prefix, self.counter), dtype)

    def param(self, source: tuple[str, int, int], dtype: DType) -> Expr:
        """Return the parameter that carries `source`, added once."""
        found = self._by_source.get(source)
        if found is None:
            found = var("p%d" % len(self.params), dtype)
            self._by_source[source] = found
            self.params.append((found.args[0], dtype))
            self.sources.append(source)
        return found

    def bindings(self):
        """Positions of the arrays that have a buffer of their own."""
        return [i for i in range(len(self.arrays)) if i not in self.shares]

    def grid(self, shape: Any) -> tuple[Expr, ...]:
        """Declare the points this kernel runs at, in any order; returns coordinates."""
        self.grids += 1
        self.dims = tuple([as_index(d) for d in shape])
        coords = []
        for i, d in enumerate(self.dims):
            one = d.op == "const" and d.args[0] == 1
            coords.append(literal(0, INDEX) if one else var("c%d" % i, INDEX))
        self.coords = tuple(coords)
        return self.coords

    def let(self, value: Expr) -> Expr:
        """Bind a value now, so that later changes of cells do not reach it."""
        target = self.fresh("v", value.dtype)
        self.emit(Let(target, value))
        return target

    def cell(self, value: Any, dtype: DType | str | None = None) -> Cell:
        """A mutable variable with a first value."""
        if dtype is None and not isinstance(value, Expr):
            raise TypeError(
                "kernel: a cell that begins with a number needs a dtype; given %r; "
                "use k.cell(value, x.dtype)" % (value,)
            )
        dtype = value.dtype if dtype is None else named(dtype)
        self.counter += 1
        cell = Cell("var", ("m%d" % self.counter,), dtype)
        cell.kernel = self
        self.emit(Declare(cell, as_dtype(value, dtype)))
        return cell

    def index(self, value: Expr) -> Expr:
        """Turn an integer value that was loaded into an index."""
        return cast(value, INDEX)

    def loop(self, stop: Any, start: Any = 0, step: Any = 1) -> Any:
        """`with k.loop(n) as i:` a loop on the device.

        step: a Python int, or a positive value that the device knows (`k.lanes`).
        """
        if isinstance(step, Expr):
            return self._stepping(as_index(stop), as_index(start), as_index(step))
        self.counter += 1
        # Not "i": i32 is a type of WGSL.
        target = var("j%d" % self.counter, INDEX)
        loop = Loop(target, as_index(start), as_index(stop), step)
        self.emit(loop)
        return _Block(self, loop.body, target)

    def _stepping(self, stop, start, step):
        """A loop by a step that the device knows: its turns are counted."""
        start, step = self.let(start), self.let(step)
        block = self.loop((stop - start + step - 1) // step)
        turn = block.value
        block.value = self.fresh("v", INDEX)
        block.body.append(Let(block.value, start + turn * step))
        return block

    def loops(self, shape: Any) -> Any:
        """Nested loops over every coordinate of a shape, last axis innermost."""
        return _Blocks([_later(self, n) for n in shape])

    def when(self, cond: Any) -> Any:
        """`with k.when(cond):` a branch on the device."""
        branch = When(cond if isinstance(cond, Expr) else literal(cond, bool_))
        self.emit(branch)
        return _Block(self, branch.body, branch)

    def otherwise(self, branch: Any) -> Any:
        """`with k.otherwise(branch):` the other side of a `when`."""
        if not isinstance(branch, When):
            raise TypeError(
                "kernel: otherwise takes what its when gave; given %s; write "
                "`with k.when(cond) as b:`, then `with k.otherwise(b):`"
                % type(branch).__name__
            )
        return _Block(self, branch.orelse, branch)


def _later(kernel, stop):
    def build():
        return kernel.loop(stop)

    return build

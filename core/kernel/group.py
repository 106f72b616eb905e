"""The part of the kernel language where threads work together: workgroups.

A kernel that calls `k.groups(shape, threads)` instead of `k.grid(shape)` runs one
workgroup for each point of the shape; `k.local` numbers the threads of a group from 0.
Example, a row sum by 64 threads a row:

    def row_sum(k, x, out):
        (row,) = k.groups(out.shape, 64)
        acc = k.cell(0.0, x.dtype)
        with k.loop(x.shape[1], k.local, 64) as j:
            acc.set(acc + x[row, j])
        parts = k.shared(x.dtype, 64)
        parts[k.local] = acc
        for half in (32, 16, 8, 4, 2, 1):  # Python's `for`: unrolled
            k.barrier()
            with k.when(k.local < half):
                parts[k.local] = parts[k.local] + parts[k.local + half]
        with k.when(k.local == 0):
            out[row] = parts[0]

Barriers stand where all threads of a group come by: under conditions that are the same
for all (Python's own, or on the group's coordinates). Devices differ in what they
have: `k.features` names what a kernel needs ("subgroups", "matrix", "shader-f16"), and
whoever chooses a kernel asks the device first. Point kernels (`k.grid`) run on every
backend; group kernels on GPUs and in the checking interpreter (`check.py`).
"""

from __future__ import annotations

from typing import Any

from ..dtypes import DType, bool_
from ..dtypes import dtype as named
from ..expr import INDEX, Expr, cast, literal, var

ATOMICS = ("add", "sub", "min", "max", "and", "or", "xor", "exchange", "load", "store")
SUBGROUP = (
    "add", "mul", "min", "max", "and", "or", "xor", "exclusive_add", "inclusive_add",
    "any", "all", "first", "shuffle", "shuffle_xor", "shuffle_up", "shuffle_down",
)  # fmt: skip


class LoadWide:
    """`targets = array[index : index + n]`; index is a multiple of n (2 or 4)."""

    def __init__(self, targets, array, index):
        self.targets = targets
        self.array = array
        self.index = index


class StoreWide:
    """`array[index : index + n] = values`; index is a multiple of n (2 or 4)."""

    def __init__(self, array, index, values):
        self.array = array
        self.index = index
        self.values = values


class Barrier:
    """All threads of the group wait here; `storage`: for writes to buffers, too."""

    def __init__(self, storage):
        self.storage = storage


class UniformLoad:
    """`target = shared[index]`, the same for all threads; a barrier on both sides."""

    def __init__(self, target, array, index):
        self.target = target
        self.array = array
        self.index = index


class Atomic:
    """`target = array[index]`, and at once `array[index] = op(array[index], value)`.

    "compare" stores `value` where the old value equals `expected`.
    """

    def __init__(self, target, op, array, index, value, expected=None):
        self.target = target
        self.op = op
        self.array = array
        self.index = index
        self.value = value
        self.expected = expected


class Subgroup:
    """`target = op(value)` over the threads that run in lockstep (see SUBGROUP)."""

    def __init__(self, target, op, value, arg):
        self.target = target
        self.op = op
        self.value = value
        self.arg = arg  # the lane, mask or distance of a shuffle


class MatrixDeclare:
    """A tile held by a whole subgroup, all zero."""

    def __init__(self, matrix):
        self.matrix = matrix


class MatrixLoad:
    """Fill a tile from `array`, from `index` on, rows `stride` elements apart."""

    def __init__(self, matrix, array, index, stride, transposed):
        self.matrix = matrix
        self.array = array
        self.index = index
        self.stride = stride
        self.transposed = transposed  # columns are `stride` apart instead


class MatrixMultiply:
    """`acc = left @ right + acc`."""

    def __init__(self, acc, left, right):
        self.acc = acc
        self.left = left
        self.right = right


class MatrixStore:
    """Write a tile to `array`, from `index` on, rows `stride` elements apart."""

    def __init__(self, matrix, array, index, stride):
        self.matrix = matrix
        self.array = array
        self.index = index
        self.stride = stride


class Shared:
    """Memory of a workgroup: `size` elements, undefined until written."""

    ndim = 1

    def __init__(self, kernel, number, dtype, size):
        self.kernel = kernel
        self.name = "w%d" % number
        self.dtype = dtype
        self.size = size
        self.wide_by = 1  # set to n once any access is n wide
        self.reach = 4
        self.is_atomic = False

    def __getitem__(self, index: Any) -> Expr:
        from .ir import Load

        target = self.kernel.fresh("t", self.dtype)
        self.kernel.emit(Load(target, self, as_index(index)))
        return target

    def __setitem__(self, index: Any, value: Any) -> None:
        from .ir import Store

        self.kernel.emit(
            Store(self, as_index(index), as_dtype(value, self.dtype), False)
        )

    def wide(self, index: Any, n: int = 4) -> list[Expr]:
        """Load n neighbours from `index` on, a multiple of n; returns a list."""
        return load_wide(self.kernel, self, index, n)

    def put_wide(self, index: Any, values: Any) -> None:
        """Store 2 or 4 neighbours from `index` on, a multiple of their number."""
        store_wide(self.kernel, self, index, values)


class Matrix:
    """A tile of a matrix product on matrix units: "left", "right" or "result"."""

    def __init__(self, kernel, number, role, dtype, rows, cols):
        self.kernel = kernel
        self.name = "x%d" % number
        self.role = role
        self.dtype = dtype
        self.rows = rows
        self.cols = cols

    def load(
        self, array: Any, index: Any, stride: Any, transposed: bool = False
    ) -> None:
        """Fill it from an Array or Shared at a flat element index."""
        self.kernel.emit(
            MatrixLoad(self, array, as_index(index), as_index(stride), transposed)
        )

    def add_product(self, left: Matrix, right: Matrix) -> None:
        """Add left @ right."""
        self.kernel.emit(MatrixMultiply(self, left, right))

    def store(self, array: Any, index: Any, stride: Any) -> None:
        """Write it to an Array or Shared at a flat element index."""
        self.kernel.emit(MatrixStore(self, array, as_index(index), as_index(stride)))


def load_wide(kernel, array, index, n, step=1):
    """Emit a LoadWide of `array` at a flat index; returns n Exprs.

    step: how far neighbours lie apart, where they are loaded one by one
    """
    _check_wide(n)
    if not kernel.wides or n > array.reach:
        return [_one(kernel, array, index, i * step) for i in range(n)]
    array.wide_by = max(array.wide_by, n)
    targets = [kernel.fresh("t", array.dtype) for _ in range(n)]
    kernel.emit(LoadWide(targets, array, as_index(index)))
    return targets


def _check_wide(n):
    if n not in (2, 4):
        raise TypeError(
            "kernel: wide takes 2 or 4 neighbours; given %r; pass one of them" % (n,)
        )


def _one(kernel, array, index, i):
    from .ir import Load

    target = kernel.fresh("t", array.dtype)
    kernel.emit(Load(target, array, as_index(index) + i))
    return target


def store_wide(kernel, array, index, values):
    """Emit a StoreWide to `array` at a flat index."""
    from .ir import Store

    values = [as_dtype(v, array.dtype) for v in values]
    _check_wide(len(values))
    if not kernel.wides or len(values) > array.reach:
        for i, v in enumerate(values):
            kernel.emit(Store(array, as_index(index) + i, v, False))
        return
    array.wide_by = max(array.wide_by, len(values))
    kernel.emit(StoreWide(array, as_index(index), values))


class Groups:
    """What a Kernel can do beyond independent points."""

    name: str  # those four are of the Kernel
    grid: Any
    emit: Any
    fresh: Any

    def begin_groups(self):
        """Set up what `groups` and its companions need; called once by Kernel."""
        self.threads = 0  # of a workgroup; 0: a point kernel
        self.in_groups = False
        self._local = var("local", INDEX)
        self.shareds = []
        self.features = {}
        self.matrices = 0

    def groups(self, shape: Any, threads: int) -> tuple[Expr, ...]:
        """One workgroup of `threads` a point; returns the group's coordinates."""
        coords = self.grid(shape)
        self.threads = threads
        self.in_groups = True
        return coords

    @property
    def local(self) -> Expr:
        """This thread's number in its group, from 0 on."""
        self._only_in_groups("local")
        return self._local

    def _only_in_groups(self, what):
        if not self.in_groups:
            raise TypeError(
                "kernel: k.%s is there after k.groups(shape, threads); given %s before "
                "it, or with k.grid; begin with k.groups" % (what, self.name)
            )

    def shared(self, dtype: DType | str, size: int) -> Shared:
        """Memory that the threads of a group share: `size` elements, a Python int."""
        made = Shared(self, len(self.shareds), named(dtype), size)
        self.shareds.append(made)
        return made

    def barrier(self, storage: bool = False) -> None:
        """Wait for all threads of the group; what they wrote is then seen by all."""
        self.emit(Barrier(storage))

    def uniform_load(self, shared: Shared, index: Any = 0) -> Expr:
        """Load what is the same for all threads, so that `loop` and `when` on it may
        hold barriers; it is a barrier itself."""
        target = self.fresh("t", shared.dtype)
        self.emit(UniformLoad(target, shared, as_index(index)))
        return target

    def atomic(
        self, op: str, array: Any, coords: Any, value: Any = None, expected: Any = None
    ) -> Any:
        """Change an element in one step, seen whole by all; returns the old value.

        op: see ATOMICS, or "compare" ("store" returns None). int32 and uint32, in
        outputs and shared memory; float32 too (not the bitwise ones), but slower.
        """
        self._check_atomic(op, array)
        index = array.flat_index(coords) if hasattr(array, "flat_index") else coords
        array.is_atomic = True
        if value is not None:
            value = as_dtype(value, array.dtype)
        if expected is not None:
            expected = as_dtype(expected, array.dtype)
        target = self.fresh("t", array.dtype)
        self.emit(Atomic(target, op, array, as_index(index), value, expected))
        return None if op == "store" else target

    def _check_atomic(self, op, array):
        bitwise = op in ("and", "or", "xor")
        if op not in ATOMICS and op != "compare":
            raise TypeError(
                "kernel: an atomic is compare, %s; given %r" % (", ".join(ATOMICS), op)
            )
        if not getattr(array, "written", True):
            raise TypeError(
                "kernel: atomics change outputs and shared memory; given the input %s"
                % getattr(array, "label", array.name)
            )
        if array.dtype.bits != 32 or (bitwise and array.dtype.is_float):
            raise TypeError(
                "kernel: atomics are for int32, uint32 and float32 (not its bits); "
                "given %r on %s; use a wider dtype" % (op, array.dtype.name)
            )

    def subgroup(self, op: str, value: Expr, arg: Any = None) -> Expr:
        """Combine, or exchange, a value over a subgroup: see SUBGROUP.

        Needs the feature "subgroups"; every thread of the subgroup must come by.
        """
        self.features["subgroups"] = True
        dtype = bool_ if op in ("any", "all") else value.dtype
        target = self.fresh("t", dtype)
        arg = None if arg is None else as_index(arg)
        self.emit(Subgroup(target, op, value, arg))
        return target

    @property
    def lane(self) -> Expr:
        """This thread's place in its subgroup."""
        self._only_in_groups("lane")
        self.features["subgroups"] = True
        return var("lane", INDEX)

    @property
    def lanes(self) -> Expr:
        """Threads of a subgroup: 1 to 128, known only on the device."""
        self._only_in_groups("lanes")
        self.features["subgroups"] = True
        return var("lanes", INDEX)

    def matrix(self, role: str, dtype: DType | str, rows: int, cols: int) -> Matrix:
        """A tile on the matrix units, all zero: "left", "right" or "result". Needs the
        feature "matrix"; whole subgroups must come by."""
        self.features["matrix"] = True
        self.matrices += 1
        made = Matrix(self, self.matrices, role, named(dtype), rows, cols)
        self.emit(MatrixDeclare(made))
        return made


def as_index(value):
    """An index Expr from an Expr or a Python int."""
    if isinstance(value, Expr):
        if value.dtype is INDEX:
            return value
        if not value.dtype.is_float and not value.dtype.is_bool:
            return cast(value, INDEX)
        value = "a %s value" % value.dtype.name
    elif hasattr(value, "__index__") or isinstance(value, int):
        return literal(value, INDEX)
    raise TypeError(
        "kernel: sizes, bounds and coordinates are integers; given %s; use k.index(v) "
        "for an integer that was loaded" % (value,)
    )


def as_dtype(value, dtype):
    """A value of the dtype from an Expr or a Python number."""
    if not isinstance(value, Expr):
        return literal(value, dtype)
    return cast(value, dtype)

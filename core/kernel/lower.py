"""From an op and the layouts of its operands to a kernel and its arguments.

Every backend that stores raw buffers goes through here: elementwise formulas,
reductions and hand-written kernels all become one traced `Kernel`. Kernels are cached
by structure (op, dtypes, which strides are 0 or 1), sizes stay parameters; whole plans
are cached by exact shapes, so that a repeated call costs one dictionary lookup.
"""

from __future__ import annotations

from ..dtypes import float16, float32, stored
from ..errors import DTypeError
from ..expr import INDEX, call, cast, literal, topological
from ..shapes import Layout
from .ir import Array, Kernel

PLANS = 4096  # plans remembered at most, per backend


class Plan:
    """A kernel and its launch: parameter values, sizes of the grid, points in it."""

    __slots__ = ("kernel", "values", "runtime", "dims", "points", "compiled")

    def __init__(self, kernel, values, runtime, dims):
        self.kernel = kernel
        self.values = values
        self.runtime = runtime  # (place in values, attribute position)
        self.dims = dims
        self.points = 1
        for d in dims:
            self.points *= d
        self.compiled = None  # the backend keeps what it made of the kernel here

    def arguments(self, attrs):
        """Parameter values for these attributes (a new list where any is live)."""
        if not self.runtime:
            return self.values
        values = list(self.values)
        for place, attr in self.runtime:
            values[place] = attrs[attr]
        return values


class Planner:
    """Makes plans and remembers them; one for each backend instance.

    serial: the backend runs few threads, and takes the kernels made for that.
    wides: it can load and store several elements at once.
    """

    def __init__(self, serial=False, wides=True):
        self.serial = serial
        self.wides = wides
        self.plans = {}
        self.kernels = {}

    def plan(self, op, attrs, inputs, outs):
        """Return the Plan of an op on handles with `layout` and `dtype`."""
        static = attrs
        if op.runtime:
            static = tuple([a for i, a in enumerate(attrs) if i not in op.runtime])
        operands = tuple(
            [(h.layout.shape, h.layout.strides, h.layout.offset, h.dtype)
             for h in inputs]
        )  # fmt: skip
        key = (op, static, operands, tuple([(o.shape, o.dtype) for o in outs]))
        found = self.plans.get(key)
        if found is None:
            if len(self.plans) >= PLANS:
                self.plans.clear()
            found = self._make(op, attrs, static, inputs, outs)
            self.plans[key] = found
        return found

    def _make(self, op, attrs, static, inputs, outs):
        layouts = [h.layout for h in inputs] + [Layout(o.shape) for o in outs]
        dtypes = [h.dtype for h in inputs] + [o.dtype for o in outs]
        if op.formula is not None:
            layouts = collapse(layouts)
            static = None
        elif op.combine is not None:
            layouts = reduction_layouts(layouts, attrs[0])
            static = None
        elif op.pointwise:
            layouts = merge_points(layouts, op.pointwise, len(inputs))
        elif op.relayout is not None:
            layouts = op.relayout(layouts, attrs, len(inputs))
        elif op.kernel is None:
            raise DTypeError("internal: %s has no kernel" % op.name)
        if op.unread:
            live = list(op.runtime) + op.unread
            static = tuple([a for i, a in enumerate(attrs) if i not in live])
        patterns = tuple([pattern(x) for x in layouts])
        # A kernel of one's own leaves it to us where `wide` is one access.
        reaches = tuple([reach(x) for x in layouts]) if op.solo else None
        key = (op, static, tuple(dtypes), patterns, reaches)
        kernel = self.kernels.get(key)
        if kernel is None:
            kernel = trace(
                op, attrs, layouts, dtypes, len(inputs), self.serial, self.wides,
                reaches,
            )  # fmt: skip
            self.kernels[key] = kernel
        return bind(kernel, layouts, attrs)


def pattern(layout):
    """What a kernel is specialised on: sizes of 1, strides of 0 and 1, no offset."""
    dims = []
    for n, s in zip(layout.shape, layout.strides):
        dims.append(3 if n == 1 else (s if s in (0, 1) else 2))
    return (tuple(dims), layout.offset == 0)


def aligned(layout, n=4):
    """Say whether rows of a layout can be read `n` elements at once (`Array.wide`)."""
    if not layout.shape or layout.strides[-1] != 1 or layout.offset % n:
        return False
    if layout.shape[-1] % n:
        return False
    for d, s in zip(layout.shape[:-1], layout.strides[:-1]):
        if d > 1 and s % n:
            return False
    return True


def reach(layout):
    """How many neighbours along the last axis one access may take, at multiples of it:
    4, 2 or 1."""
    if not layout.shape or layout.strides[-1] != 1:
        return 1
    for n in (4, 2):
        steps = [s for d, s in zip(layout.shape[:-1], layout.strides[:-1]) if d > 1]
        if not [s for s in steps + [layout.offset] if s % n]:
            return n
    return 1


def trace(
    op, attrs, layouts, dtypes, inputs, serial=False, wides=True, reaches=None
):  # fmt: skip
    """Run the op's kernel once with symbolic values; returns the Kernel."""
    k = Kernel(op.name)
    k.wides = wides
    k.shares = op.shares
    for i, (layout, dtype) in enumerate(zip(layouts, dtypes)):
        k.arrays.append(_array(k, i, layout, dtype, i >= inputs))
        if reaches:
            k.arrays[i].reach = reaches[i]
    arrays = k.arrays
    if op.formula is not None:
        elementwise(k, op, arrays)
    elif op.combine is not None:
        reduction(k, op, arrays)
    else:
        symbolic = []
        for i, a in enumerate(attrs):
            if i in op.runtime:
                a = k.param(("attr", i, 0), op.runtime[i] or dtypes[inputs])
            elif i in op.unread:
                a = None
            symbolic.append(a)
        kernel = op.serial if serial and op.serial else op.kernel
        kernel(k, *(arrays + symbolic))
    return k


def _array(k, position, layout, dtype, written):
    shape = []
    strides = []
    for d, (n, s) in enumerate(zip(layout.shape, layout.strides)):
        if n == 1:
            shape.append(literal(1, INDEX))
            strides.append(literal(0, INDEX))
        else:
            shape.append(k.param(("size", position, d), INDEX))
            if s in (0, 1):
                strides.append(literal(s, INDEX))
            else:
                strides.append(k.param(("stride", position, d), INDEX))
    offset = literal(0, INDEX)
    if layout.offset:
        offset = k.param(("offset", position, 0), INDEX)
    dtype = stored(dtype)
    return Array(k, position, dtype, tuple(shape), tuple(strides), offset, written)


def elementwise(k, op, arrays):
    """out[c] = formula(inputs[c]) at every point."""
    out = arrays[-1]
    c = k.grid(out.shape)
    out[c] = op.formula(*[a[c] for a in arrays[:-1]])


def reduction(k, op, arrays):
    """out[kept] = combine over x[kept, reduced]; x has its kept axes first."""
    x, out = arrays
    c = k.grid(out.shape)
    name, neutral = op.combine
    acc_dtype = float32 if x.dtype is float16 else x.dtype
    acc = k.cell(literal(neutral(x.dtype), acc_dtype))
    with k.loops(x.shape[len(c) :]) as r:
        acc.set(call(name, acc, cast(x[c + tuple(r)], acc_dtype)))
    out[c] = acc


def bind(kernel, layouts, attrs):
    """Fill a kernel's parameters with the numbers of these layouts."""
    values = []
    runtime = []
    for kind, i, d in kernel.sources:
        if kind == "attr":
            runtime.append((len(values), i))
            values.append(attrs[i])
        elif kind == "size":
            values.append(layouts[i].shape[d])
        elif kind == "stride":
            values.append(layouts[i].strides[d])
        else:
            values.append(layouts[i].offset)
    names = {}
    for (name, _), value in zip(kernel.params, values):
        names[name] = value
    dims = tuple([evaluate(d, names) for d in kernel.dims])
    return Plan(kernel, values, tuple(runtime), dims)


def evaluate(root, names, guess=None):
    """The integer an index expression has for given variables.

    guess: what variables are taken for that are not given, and other ops; without one
    they are errors.
    """
    value = {}
    for node in topological(root):
        if node.op == "const":
            result = node.args[0]
        elif node.op == "var":
            name = node.args[0]
            result = names[name] if guess is None else names.get(name, guess)
        else:
            result = _integer(node.op, [value[id(x)] for x in node.args], guess)
        value[id(node)] = result
    return value[id(root)]


def _integer(op, a, guess):
    if op == "add":
        return a[0] + a[1]
    if op == "sub":
        return a[0] - a[1]
    if op == "mul":
        return a[0] * a[1]
    if op in ("floordiv", "div"):
        return a[0] // a[1] if a[1] else 0
    if op == "mod":
        return a[0] % a[1] if a[1] else 0
    if op in ("min", "max"):
        return min(a) if op == "min" else max(a)
    if guess is None:
        raise TypeError("internal: %s in the size of a grid" % op)
    return a[-1] if isinstance(a[-1], int) else guess


def collapse(layouts):
    """Drop axes of size 1 and merge neighbours that all operands walk as one."""
    flat = True
    for x in layouts:
        flat = flat and x.contiguous
    if flat:
        n = 1
        for d in layouts[0].shape:
            n *= d
        return [Layout((n,))] * len(layouts)
    shape = []
    strides = [[] for _ in layouts]
    for d, n in enumerate(layouts[0].shape):
        if n == 1:
            continue
        steps = [x.strides[d] for x in layouts]
        if shape and _walks_on(strides, steps, n):
            shape[-1] *= n
            for have, step in zip(strides, steps):
                have[-1] = step
        else:
            shape.append(n)
            for have, step in zip(strides, steps):
                have.append(step)
    shape = tuple(shape)
    return [Layout(shape, tuple(s), x.offset) for s, x in zip(strides, layouts)]


def merge_points(layouts, points, inputs):
    """Collapse the pointwise operands together; inputs beside them stay as they are."""
    merged = collapse(layouts[:points] + layouts[inputs:])
    return merged[:points] + layouts[points:inputs] + merged[points:]


def _walks_on(strides, steps, n):
    for have, step in zip(strides, steps):
        if have[-1] != step * n:
            return False
    return True


def reduction_layouts(layouts, axes):
    """Kept axes, then reduced ones, each side merged as far as it goes."""
    x, out = layouts
    kept = [a for a in range(len(x.shape)) if a not in axes]
    left = collapse([x.permute(kept), Layout(tuple([x.shape[a] for a in kept]))])
    right = collapse([x.permute(list(axes))])[0]
    shape = left[0].shape + right.shape
    whole = Layout(shape, left[0].strides + right.strides, x.offset)
    return [whole, left[1]]

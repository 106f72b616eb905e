"""`Op`: an operation as data. One object says all that any backend needs to know."""

from __future__ import annotations

from .. import expr as E
from ..dtypes import FLOATS, INTS, DType, bool_
from ..errors import DTypeError

REGISTRY: dict[str, Op] = {}

# What an op takes: the names the error messages use, and the dtypes.
ACCEPTS = {
    "any": INTS + FLOATS + (bool_,),
    "numeric": INTS + FLOATS,
    "float": FLOATS,
    "integer": INTS,
    "integer or bool": INTS + (bool_,),
    "bool": (bool_,),
}


class Aval:
    """An abstract value: the shape and dtype of a tensor, without its data.

    Example:
        >>> import fogo
        >>> fogo.Aval((2, 3), fogo.float32)
        float32[2, 3]
    """

    __slots__ = ("shape", "dtype")

    def __init__(self, shape: tuple[int, ...], dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype

    def __repr__(self):
        return "%s%s" % (self.dtype.name, list(self.shape))


class Op:
    """One operation.

    name       registered name, unique
    infer      (avals, attrs) -> tuple of Aval: the shape and dtype rule
    attrs      names of the attributes, in the order they travel in
    How it is computed, one of:
      formula    elementwise: a function of scalars (see expr)
      view       (layout, attrs) -> Layout or None (None: copy to contiguous first)
      combine    reduction: (name of a binary primitive, its neutral element)
      kernel     (k, *arrays, *attrs): a kernel of the kernel language
      decompose  (*tensors, *attrs) -> tensor(s), by way of other ops
    grad       (ctx) -> one tensor or None per input; elementwise ops derive theirs
    derivative (g, *inputs) -> Exprs: replaces a derived elementwise gradient
    saves      what `grad` reads: "i" inputs, "o" outputs, "io", or "" (shapes only)
    runtime    ((attribute, dtype or None for the output's), …): numbers kept out of
               the kernel's source, so that a new value compiles nothing
    unread     attributes that a kernel gets as None (a shape that its output tells):
               another value of theirs compiles nothing either
    pointwise  a kernel that treats each point alike: its first `pointwise` inputs and
               its outputs have one shape, whose axes may be merged; 0 for others
    serial     a kernel for machines with few threads: fewer points, less work in all
    shares     {position of an array: position of the one whose buffer it is}, counted
               over inputs, then outputs: an output written over an input, or inputs
               that are one buffer
    complex    takes complex numbers too (formulas are looked at instead)
    solo       its kernel is run as it is: no other work is fused with it
    source     a SourceOp: source code in place of a kernel (see kernel/source.py)
    relayout   (layouts, attrs, number of inputs) -> layouts: how the kernel sees its
               operands (axes moved and merged)
    diff       which outputs carry a gradient
    cost       "memory" or "compute" bound; host: may touch the host
    samples    inputs from which the test grid and the docs are made
    """

    def __init__(
        self, name, infer=None, attrs=(), formula=None, view=None, combine=None,
        kernel=None, decompose=None, grad=None, derivative=None, saves="io",
        runtime=(), unread=(), diff=(True,), cost="memory", host=False, samples=(),
        accepts="any", to_float=False, promote_from=0, public=None, pointwise=0,
        serial=None, relayout=None, shares=None, solo=False, complex=False,
        source=None,
    ):  # fmt: skip
        self.name = name
        self.attrs = attrs
        self.formula = formula
        self.view = view
        self.combine = combine
        self.kernel = kernel
        self.decompose = decompose
        self.grad = grad
        self.derivative = derivative
        self.saves = saves
        self.runtime = {attrs.index(name): dtype for name, dtype in runtime}
        self.unread = [attrs.index(name) for name in unread]
        self.diff = diff
        self.cost = cost
        self.host = host
        self.samples = samples
        self.accepts = accepts
        self.to_float = to_float
        self.promote_from = promote_from
        self.public = public
        self.pointwise = pointwise
        self.serial = serial
        self.complex = complex
        self.shares = shares or {}
        self.solo = solo
        self.source = source
        self.relayout = relayout
        self.infer = self._infer_formula if formula and not infer else infer
        self._dtypes = {}
        self._derived = {}

    def __repr__(self):
        return "<op %s>" % self.name

    @property
    def composite(self):
        """Say whether it is computed only by other ops."""
        return self.decompose is not None and not (
            self.kernel or self.formula or self.source
        )

    def check(self, dtype):
        """Raise DTypeError when the op does not take this dtype."""
        if dtype in ACCEPTS[self.accepts]:
            return
        if not (dtype.is_complex and self.takes_complex(dtype)):
            raise DTypeError(
                "%s: the dtype must be %s; given %s; cast it with .astype(...)"
                % (self.name, self.accepts, dtype.name)
            )

    def takes_complex(self, dtype):
        """Say whether the op means something for complex numbers: its formula tells."""
        if self.formula is None:
            return self.complex
        try:
            self._infer_formula([Aval((), dtype)] * len(self.samples), ())
        except DTypeError:
            return False
        return True

    def trace(self, dtypes):
        """Return the formula over variables x0, x1, … of these dtypes, and them."""
        leaves = [E.var("x%d" % i, d) for i, d in enumerate(dtypes)]
        return self.formula(*leaves), leaves

    def _infer_formula(self, avals, attrs):
        if len(avals) == 1:
            key = avals[0].dtype
        else:
            key = tuple([a.dtype for a in avals])
        dtype = self._dtypes.get(key)
        if dtype is None:
            dtype = self.trace([a.dtype for a in avals])[0].dtype
            self._dtypes[key] = dtype
        return (Aval(avals[0].shape, dtype),)

    def gradient(self, position, dtypes):
        """Return (op, reads) that gives the gradient by one input, or None.

        The derived op is elementwise; `reads` lists what it takes: "g" for the
        incoming gradient, or an input's position. Cached per dtype.
        """
        key = (position,) + tuple(dtypes)
        if key not in self._derived:
            self._derived[key] = derive(self, position, dtypes)
        return self._derived[key]

    def reads(self, needs, dtypes):
        """Positions of the inputs that the derived gradients by `needs` read."""
        key = (tuple(needs), tuple(dtypes))
        found = self._derived.get(key)
        if found is None:
            found = set()
            for i, wanted in enumerate(needs):
                derived = self.gradient(i, dtypes) if wanted and self.formula else None
                if derived is not None and derived[0] is not None:
                    found.update(derived[1])
            self._derived[key] = found
        return found


def derive(op, position, dtypes):
    """Differentiate an elementwise op symbolically: see Op.gradient."""
    out, leaves = op.trace(dtypes)
    if not (out.dtype.inexact and dtypes[position].inexact):
        return None
    g = E.var("g", out.dtype)

    if op.derivative is not None:
        result = op.derivative(g, *leaves)[position]
    else:
        result = E.gradients(out, leaves, g)[position]
    if result is None:
        return None
    names = E.free_vars(result)
    reads = [i for i in range(len(dtypes)) if ("x%d" % i) in names]
    reads = (["g"] if "g" in names else []) + reads
    order = [r if r == "g" else "x%d" % r for r in reads]

    def formula(*args):  # of whatever: operands may be one Expr, or parts of another
        return E.substitute(result, dict(zip(order, args)))

    identity = result is g
    derived = Op("%s_grad%d" % (op.name, position), formula=formula)
    return (None if identity else derived), tuple(reads)


def register(op):
    """Enter an op into the registry; a second one of the same name is refused."""
    if op.name in REGISTRY:
        raise ValueError("internal: two ops are called %s" % op.name)
    REGISTRY[op.name] = op
    return op


def same(avals, attrs):
    """Shape and dtype rule: those of the first input."""
    return (Aval(avals[0].shape, avals[0].dtype),)

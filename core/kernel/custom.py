"""Ops that users bring: trees of tensors in, trees of tensors out, and a gradient."""

from __future__ import annotations

from typing import Any

from ..backend.autodiff import Node, Var
from ..backend.grad_mode import _STATE
from ..dispatch import call, change_level, wrap
from ..dtypes import dtype
from ..errors import AutodiffError, DTypeError, KernelError, ShapeError
from ..ops.record import Aval, Op
from ..shapes import size
from ..tensor import Tensor
from ..tree import along, count, flatten, has_aval, unflatten
from .vet import asked

KNOWN = 1024  # signatures remembered at most, per op
# What users' functions are called with: told where one does not take it.
TAKES = "the arguments of the call"
GRADS = {
    "i": "the gradient of the result and the arguments (saves='i')",
    "o": "the gradient of the result and the result (saves='o')",
    "io": "the gradient of the result, the arguments and the result (saves='io')",
}


class Custom:
    """A callable op. `out` says what comes of its arguments; see `kernel` in user.py.

    A call's arguments are one tree, (args, options): its form is an attribute of the
    op, so that all that is not a tensor becomes part of the kernel.
    """

    def __init__(self, name, out, grad, saves, portable, **rules):
        if saves not in ("i", "o", "io"):
            raise KernelError(
                "%s: saves must be 'i' (inputs), 'o' (outputs) or 'io'; given %r"
                % (name, saves)
            )
        self.__name__ = name
        self.out = out
        self.gradient = grad
        self.portable = portable
        self.known = {}
        derives = grad is None and portable is not None
        rule = self._grad if grad is not None else None
        self.op = Op(
            name, infer=self._infer, attrs=("form", "outs"),
            decompose=self._decompose if portable is not None else None,
            grad=self._derived if derives else rule,
            saves="i" if derives else saves, cost="compute", solo=True, **rules,
        )  # fmt: skip

    def __repr__(self):
        return "<kernel op %s>" % self.__name__

    def __call__(self, *args: Any, **options: Any) -> Any:
        leaves, attrs = self.pieces(args, options)
        made = call(self.op, leaves, attrs)
        return unflatten(attrs[1], made if isinstance(made, tuple) else (made,))

    def pieces(self, args, options):
        """(tensors, attributes of the op) of a call."""
        leaves, form = flatten((tuple(args), options))
        if not leaves:
            raise DTypeError(
                "%s: at least one argument must be, or hold, a tensor; given %s; make "
                "one with fogo.tensor(...)" % (self.__name__, _kinds(args))
            )
        if count(form[2][1]):
            raise DTypeError(
                "%s: tensors are given by position; given one by keyword" % self.op.name
            )
        return leaves, (form, self._outputs(form, leaves)[1])

    def _outputs(self, form, inputs):
        """(Avals, form) of the outputs."""
        key = (form, tuple([(x.shape, x.dtype) for x in inputs]))
        try:
            found = self.known.get(key)
        except TypeError as error:
            raise DTypeError(
                "%s: what is not a tensor must be hashable, for it is part of the "
                "kernel; given an argument with %s" % (self.op.name, error)
            )
        if found is None:
            if len(self.known) >= KNOWN:
                self.known.clear()
            found = self.known[key] = self._ask(form, inputs)
        return found

    def _ask(self, form, inputs):
        args, options = unflatten(form, [Aval(x.shape, x.dtype) for x in inputs])
        made = asked(self.op.name, "out", TAKES, self.out, args, options)
        leaves, outs = flatten(made, has_aval)
        if not leaves:
            raise ShapeError(
                "%s: out must return a shape and dtype, as fogo.Aval(shape, dtype), or "
                "a tree of them; given %r" % (self.op.name, made)
            )
        avals = []
        for a in leaves:
            shape = (a.shape,) if isinstance(a.shape, int) else tuple(a.shape)
            if [n for n in shape if not isinstance(n, int) or n < 0]:
                raise ShapeError(
                    "%s: out must return sizes that are integers from 0 on; given %r"
                    % (self.op.name, shape)
                )
            avals.append(Aval(shape, dtype(a.dtype)))
        return tuple(avals), outs

    def _infer(self, avals, attrs):
        return self._outputs(attrs[0], avals)[0]

    # Other ways to compute it, and its gradient.

    def _decompose(self, *values):
        """By the function of tensors that the user gave."""
        tensors, (form, outs) = values[:-2], values[-2:]
        args, options = unflatten(form, tensors)
        what = "the portable way"
        made = asked(self.op.name, what, TAKES, self.portable, args, options)
        made = self._leaves(outs, made, what)
        avals = self._outputs(form, tensors)[0]
        for t, a in zip(made, avals):
            if t.shape != a.shape or t.dtype is not a.dtype:
                raise ShapeError(
                    "%s: the portable way must return what out says, %r; given %s"
                    % (self.op.name, a, t._describe())
                )
        return tuple(made)

    def _leaves(self, form, tree, what):
        found = along(form, tree)
        if found is None or [t for t in found if not isinstance(t, Tensor)]:
            raise ShapeError(
                "%s: %s must return a tree of tensors like that of out; given %s"
                % (self.op.name, what, type(tree).__name__)
            )
        return found

    def _cotangents(self, ctx):
        """The gradients of the outputs, on the inner device; zeros where none came."""
        where = ctx.inputs[0].device
        found = []
        for g, out in zip(ctx.g, ctx.outputs):
            found.append(where.constant(0, out.dtype, out.shape) if g is None else g)
        return found

    def _grad(self, ctx):
        form, outs = ctx.attrs
        args, options = unflatten(form, ctx.inputs)
        given = (unflatten(outs, self._cotangents(ctx)),)
        if "i" in self.op.saves:
            given += args
        if "o" in self.op.saves:
            given += (unflatten(outs, ctx.outputs),)
        takes = GRADS[self.op.saves]
        made = asked(self.op.name, "grad", takes, self.gradient, given, options)
        return self._fitted(form, made, ctx.inputs)

    def _fitted(self, form, parts, inputs):
        """One gradient, or None, for each input tensor, from what the user returned."""
        wanted = [f for f in form[2][0][2] if count(f)]
        found = None
        if len(wanted) == 1:
            found = self._matching(wanted, (parts,), inputs)
        if found is None and isinstance(parts, (tuple, list)):
            found = self._matching(wanted, parts, inputs)
        if found is None:
            raise AutodiffError(
                "%s: grad must return one gradient (or None) for each argument with "
                "tensors, of its shape and dtype: %s; given %s"
                % (self.op.name, ", ".join([x._describe() for x in inputs]),
                   _told(parts))
            )  # fmt: skip
        return found

    def _matching(self, forms, parts, inputs):
        if len(parts) != len(forms):
            return None
        found = []
        for f, part in zip(forms, parts):
            inner = along(f, part)
            if inner is None:
                return None
            found.extend(inner)
        for g, x in zip(found, inputs):
            if g is None:
                continue
            if not isinstance(g, Tensor) or g.shape != x.shape:
                return None
            if g.dtype is not x.dtype and x.dtype.is_float:
                return None
        return found

    def _derived(self, ctx):
        """The gradient by way of the function of tensors, run again and recorded."""
        before = _STATE.enabled
        _STATE.enabled = True
        try:
            return self._recorded(ctx)
        finally:
            _STATE.enabled = before

    def _recorded(self, ctx):
        form, outs = ctx.attrs
        over = ctx.inputs[0].device.autodiff()
        leaves = [_leaf(x, over) for x in ctx.inputs]
        made = self._decompose(*(leaves + [form, outs]))
        total = None
        for y, g in zip(made, self._cotangents(ctx)):
            if y.dtype.is_float and y.requires_grad and size(y.shape):
                part = (y * change_level(g, over)).sum()
                total = part if total is None else total + part
        if total is None:
            return [None] * len(leaves)
        found = total.backward()
        return [found.get(x) for x in leaves]


def _leaf(x, over):
    """The tensor on the level above, where gradients are kept for it."""
    aval = Aval(x.shape, x.dtype)
    node = Node(None, (), (), (), (aval,), ()) if x.dtype.is_float else None
    return wrap(Var(x._handle, node, 0), over)


def _kinds(args):
    return ", ".join([type(a).__name__ for a in args]) or "nothing"


def _told(parts):
    if not isinstance(parts, (tuple, list)):
        parts = (parts,)
    told = [p._describe() if isinstance(p, Tensor) else repr(p) for p in parts]
    return ", ".join(told) or "nothing"

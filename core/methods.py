"""Operators of Tensor, and its methods by name: each is a function of `fogo.ops`."""

from __future__ import annotations

from . import ops
from .habits.spelling import spelled


class Methods:
    """What makes `x + y`, `x.exp()` and `x.sum(0)` the functions of fogo.ops."""

    def __getattr__(self, name):
        function = None if name.startswith("_") else _method(name)
        if function is None:
            raise AttributeError(_unknown(self, name))
        setattr(Methods, name, spelled(name, function))
        return getattr(self, name)

    def __dir__(self):
        from .habits.methods import names

        own = set(object.__dir__(self)) | set(ops.names(methods=True))
        return sorted(own | set(names()))

    def __add__(self, o):
        return ops.elementwise.add(self, o)

    def __radd__(self, o):
        return ops.elementwise.add(o, self)

    def __sub__(self, o):
        return ops.elementwise.sub(self, o)

    def __rsub__(self, o):
        return ops.elementwise.sub(o, self)

    def __mul__(self, o):
        return ops.elementwise.mul(self, o)

    def __rmul__(self, o):
        return ops.elementwise.mul(o, self)

    def __truediv__(self, o):
        return ops.elementwise.div(self, o)

    def __rtruediv__(self, o):
        return ops.elementwise.div(o, self)

    def __floordiv__(self, o):
        return ops.elementwise.floor_divide(self, o)

    def __rfloordiv__(self, o):
        return ops.elementwise.floor_divide(o, self)

    def __mod__(self, o):
        return ops.elementwise.remainder(self, o)

    def __rmod__(self, o):
        return ops.elementwise.remainder(o, self)

    def __pow__(self, o):
        return ops.elementwise.pow(self, o)

    def __rpow__(self, o):
        return ops.elementwise.pow(o, self)

    def __matmul__(self, o):
        return ops.method("matmul")(self, o)

    def __rmatmul__(self, o):
        return ops.method("matmul")(o, self)

    def __neg__(self):
        return ops.elementwise.neg(self)

    def __pos__(self):
        return ops.method("positive")(self)

    def __abs__(self):
        return ops.elementwise.abs(self)

    def __invert__(self):
        return ops.compare.bitwise_not(self)

    def __and__(self, o):
        return ops.compare.bitwise_and(self, o)

    def __rand__(self, o):
        return ops.compare.bitwise_and(o, self)

    def __or__(self, o):
        return ops.compare.bitwise_or(self, o)

    def __ror__(self, o):
        return ops.compare.bitwise_or(o, self)

    def __xor__(self, o):
        return ops.compare.bitwise_xor(self, o)

    def __rxor__(self, o):
        return ops.compare.bitwise_xor(o, self)

    def __lshift__(self, o):
        return ops.compare.bitwise_left_shift(self, o)

    def __rlshift__(self, o):
        return ops.compare.bitwise_left_shift(o, self)

    def __rshift__(self, o):
        return ops.compare.bitwise_right_shift(self, o)

    def __rrshift__(self, o):
        return ops.compare.bitwise_right_shift(o, self)

    def __lt__(self, o):
        return ops.compare.less(self, o)

    def __le__(self, o):
        return ops.compare.less_equal(self, o)

    def __gt__(self, o):
        return ops.compare.greater(self, o)

    def __ge__(self, o):
        return ops.compare.greater_equal(self, o)

    def __eq__(self, o):
        return ops.compare.equal(self, o)

    def __ne__(self, o):
        return ops.compare.not_equal(self, o)

    def __hash__(self):
        return id(self)


def _method(name):
    """The function behind a method: of the habits, where these have another meaning."""
    from .habits import methods

    return methods.method(name) or ops.method(name)


def _unknown(tensor, name):
    """What to say of an attribute that is not there."""
    if name == "backward":
        return (
            "backward: only tensors of an autodiff device have gradients; given a "
            "tensor on %r; make it on device.autodiff()" % tensor.device
        )
    return "Tensor has no attribute %r" % name

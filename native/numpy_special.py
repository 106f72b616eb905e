"""Ops for which NumPy's own routine, or a matrix product, beats the generic kernel."""

from __future__ import annotations

import numpy as np

from . import numpy_index, numpy_linalg, numpy_pool
from .numpy_conv import conv, conv_input_grad, conv_weight_grad


def _matmul(backend, inputs, attrs, outs):
    x, y = backend.view(inputs[0]), backend.view(inputs[1])
    if x.dtype == np.float16:  # NumPy would add up in float16
        x, y = x.astype(np.float32), y.astype(np.float32)
    with np.errstate(all="ignore"):
        return (backend.handle(np.matmul(x, y), outs[0].dtype),)


def _fill(backend, inputs, attrs, outs):
    (out,) = outs
    with np.errstate(all="ignore"):  # a large number in a narrow float is infinite
        full = np.full(out.shape, attrs[0], out.dtype.held)
    return (backend.handle(full, out.dtype),)


def _concat(backend, inputs, attrs, outs):
    arrays = [backend.view(h) for h in inputs]
    return (backend.handle(np.concatenate(arrays, attrs[0]), outs[0].dtype),)


def _arg(function):
    def run(backend, inputs, attrs, outs):
        axis, dtype = attrs
        return (backend.handle(function(backend.view(inputs[0]), axis), dtype),)

    return run


SPECIAL = {
    "matmul": _matmul,
    "conv": conv,
    "conv_input_grad": conv_input_grad,
    "conv_weight_grad": conv_weight_grad,
    "fill": _fill,
    "concat": _concat,
    "concat_many": _concat,
    "argmax": _arg(np.argmax),
    "argmin": _arg(np.argmin),
}
for _more in (numpy_index.SPECIAL, numpy_linalg.SPECIAL, numpy_pool.SPECIAL):
    SPECIAL.update(_more)

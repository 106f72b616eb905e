"""Host data to flat buffers and back: what `upload` takes and `read` gives.

A buffer is an `array.array` (or anything with its elements): float16 as its 16 bits,
bool as bytes, complex numbers as their two parts.
"""

from __future__ import annotations

from array import array
from struct import pack as _pack
from struct import unpack as _unpack

from .dtypes import DType, bfloat16, bool_, float16
from .errors import DTypeError, ShapeError
from .kernel.mathfun import float_to_half, half_to_float


def flatten(op, data):
    """Return (flat list, shape) of nested lists; raises ShapeError where ragged."""
    shape = []
    probe = data
    while isinstance(probe, (list, tuple)):
        shape.append(len(probe))
        if not probe:
            break
        probe = probe[0]
    flat = [data]
    for depth, n in enumerate(shape):
        level = []
        for item in flat:
            if not isinstance(item, (list, tuple)) or len(item) != n:
                raise ShapeError(
                    "%s: nested lists must have equal lengths; given a part that is "
                    "not of length %d at depth %d" % (op, n, depth)
                )
            level.extend(item)
        flat = level
    for item in flat:
        if isinstance(item, (list, tuple)):
            raise ShapeError(
                "%s: nested lists must have equal lengths; given a list where a "
                "number stands elsewhere" % op
            )
    return flat, tuple(shape)


def pack(op, values, dtype: DType):
    """Return an array of `values` in the storage of `dtype`; raises DTypeError."""
    if dtype is bool_:
        values = [1 if v else 0 for v in values]
    elif dtype.is_int:
        values = [whole(op, v, dtype) for v in values]
    elif dtype is float16:
        values = [float_to_half(float(v)) for v in values]
    elif dtype is bfloat16:
        values = [_brain(float(v)) for v in values]
    elif dtype.is_complex:
        values = [part for v in values for part in _parts(v)]
    else:
        values = [float(v) for v in values]
    return array(dtype.code, values)


def _brain(value):
    """The bits of bfloat16 nearest to a number, halves to even."""
    try:
        bits = _unpack("<I", _pack("<f", value))[0]
    except OverflowError:
        bits = 0x7F800000 if value > 0 else 0xFF800000
    if value != value:
        return 0x7FC0
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def _parts(value):
    value = complex(value)
    return value.real, value.imag


def whole(op, value, dtype):
    """The value as an int of an integer dtype; raises DTypeError where it is none."""
    if isinstance(value, complex):
        raise DTypeError(
            "%s: %s holds real numbers; given %r; use complex64"
            % (op, dtype.name, value)
        )
    if isinstance(value, float):
        if value - value != 0.0 or value != int(value):
            raise DTypeError(
                "%s: %s holds whole numbers; given %r; use a float dtype"
                % (op, dtype.name, value)
            )
    value = int(value)
    if not dtype.min <= value <= dtype.max:
        raise DTypeError(
            "%s: the value must lie in [%d, %d] for %s; given %d; use a wider dtype"
            % (op, dtype.min, dtype.max, dtype.name, value)
        )
    return value


def unpack(buffer, dtype: DType):
    """Return the Python numbers in a buffer, as a list."""
    if dtype is bool_:
        return [v != 0 for v in buffer]
    if dtype is float16:
        return [half_to_float(v) for v in buffer]
    if dtype is bfloat16:
        return [_unpack("<f", _pack("<I", v << 16))[0] for v in buffer]
    if dtype.is_complex:
        return [complex(buffer[i], buffer[i + 1]) for i in range(0, len(buffer), 2)]
    return list(buffer)


def nest(flat, shape):
    """Return nested lists of a flat list; a 0-d shape gives the number itself."""
    if not shape:
        return flat[0]
    for n in reversed(shape[1:]):
        count = len(flat) // n if n else _rows(shape)
        flat = [flat[i * n : (i + 1) * n] for i in range(count)]
    return flat


def _rows(shape):
    """How many empty rows: the sizes before the first zero."""
    n = 1
    for d in shape:
        if d == 0:
            return n
        n *= d
    return n

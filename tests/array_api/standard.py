"""The main namespace of the array API standard 2024.12, as data, from its text.

SIGNATURES: one line a function. ELEMENTWISE: the dtypes each elementwise function must
take, and what the dtype of its result is. METHODS, OPERATORS: of arrays.
"""

from __future__ import annotations

import inspect
from typing import Any

VERSION = "2024.12"
CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")
BOOL = ("bool",)
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGERS = SIGNED + UNSIGNED
DTYPES = BOOL + INTEGERS + FLOATS + COMPLEX

SIGNATURES = """
asarray(obj, /, *, dtype=None, device=None, copy=None)
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
meshgrid(*arrays, indexing='xy')
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)
astype(x, dtype, /, *, copy=True, device=None)
can_cast(from_, to, /)
finfo(type, /)
iinfo(type, /)
isdtype(dtype, kind)
result_type(*arrays_and_dtypes)
take(x, indices, /, *, axis=None)
take_along_axis(x, indices, /, *, axis=-1)
matmul(x1, x2, /)
matrix_transpose(x, /)
tensordot(x1, x2, /, *, axes=2)
vecdot(x1, x2, /, *, axis=-1)
broadcast_arrays(*arrays)
broadcast_to(x, /, shape)
concat(arrays, /, *, axis=0)
expand_dims(x, /, *, axis=0)
flip(x, /, *, axis=None)
moveaxis(x, source, destination, /)
permute_dims(x, /, axes)
repeat(x, repeats, /, *, axis=None)
reshape(x, /, shape, *, copy=None)
roll(x, /, shift, *, axis=None)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
tile(x, repetitions, /)
unstack(x, /, *, axis=0)
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
count_nonzero(x, /, *, axis=None, keepdims=False)
nonzero(x, /)
searchsorted(x1, x2, /, *, side='left', sorter=None)
where(condition, x1, x2, /)
unique_all(x, /)
unique_counts(x, /)
unique_inverse(x, /)
unique_values(x, /)
argsort(x, /, *, axis=-1, descending=False, stable=True)
sort(x, /, *, axis=-1, descending=False, stable=True)
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False)
min(x, /, *, axis=None, keepdims=False)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
var(x, /, *, axis=None, correction=0.0, keepdims=False)
all(x, /, *, axis=None, keepdims=False)
any(x, /, *, axis=None, keepdims=False)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
clip(x, /, min=None, max=None)
__array_namespace_info__()
"""

# name: (operands, dtypes, dtype of the result: "same", "bool", "real").
NUMERIC = INTEGERS + FLOATS + COMPLEX
REAL = INTEGERS + FLOATS
FLOATING = FLOATS + COMPLEX
BITS = BOOL + INTEGERS
ALL = DTYPES
ELEMENTWISE: dict[str, tuple[int, tuple[str, ...], str]] = {
    **dict.fromkeys(
        (
            "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp",
            "expm1", "log", "log10", "log1p", "log2", "reciprocal", "sin", "sinh",
            "sqrt", "tan", "tanh",
        ),
        (1, FLOATING, "same"),
    ),
    **dict.fromkeys(("negative", "positive", "round", "sign", "square", "conj"),
                    (1, NUMERIC, "same")),
    **dict.fromkeys(("ceil", "floor", "trunc"), (1, REAL, "same")),
    **dict.fromkeys(("isfinite", "isinf", "isnan"), (1, NUMERIC, "bool")),
    "abs": (1, NUMERIC, "real"),
    "real": (1, COMPLEX, "real"),
    "imag": (1, COMPLEX, "real"),
    "signbit": (1, FLOATS, "bool"),
    "bitwise_invert": (1, BITS, "same"),
    "logical_not": (1, BOOL, "bool"),
    **dict.fromkeys(("add", "multiply", "subtract", "pow"), (2, NUMERIC, "same")),
    "divide": (2, FLOATING, "same"),
    **dict.fromkeys(("floor_divide", "remainder", "maximum", "minimum"),
                    (2, REAL, "same")),
    **dict.fromkeys(("atan2", "copysign", "hypot", "logaddexp", "nextafter"),
                    (2, FLOATS, "same")),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), (2, BITS, "same")),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"),
                    (2, INTEGERS, "same")),
    **dict.fromkeys(("equal", "not_equal"), (2, ALL, "bool")),
    **dict.fromkeys(("greater", "greater_equal", "less", "less_equal"),
                    (2, REAL, "bool")),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), (2, BOOL, "bool")),
}  # fmt: skip

ATTRIBUTES = ("dtype", "device", "mT", "ndim", "shape", "size", "T")
METHODS = """
__array_namespace__(self, /, *, api_version=None)
__bool__(self, /)
__complex__(self, /)
__dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None)
__dlpack_device__(self, /)
__float__(self, /)
__getitem__(self, key, /)
__index__(self, /)
__int__(self, /)
__setitem__(self, key, value, /)
to_device(self, device, /, *, stream=None)
"""
UNARY = {"__abs__": "abs", "__invert__": "bitwise_invert", "__neg__": "negative",
         "__pos__": "positive"}  # fmt: skip
BINARY = {
    "add": "add", "and": "bitwise_and", "floordiv": "floor_divide", "mod": "remainder",
    "lshift": "bitwise_left_shift", "mul": "multiply", "or": "bitwise_or", "pow": "pow",
    "rshift": "bitwise_right_shift", "sub": "subtract", "truediv": "divide",
    "xor": "bitwise_xor",
}  # fmt: skip
COMPARISONS = {"eq": "equal", "ge": "greater_equal", "gt": "greater",
               "le": "less_equal", "lt": "less", "ne": "not_equal"}  # fmt: skip


def signatures(text: str = SIGNATURES) -> dict[str, inspect.Signature]:
    """The lines of a table as signatures by name, elementwise functions too."""
    found = {}
    lines = text.strip().split("\n")
    if text is SIGNATURES:
        for name, (count, _, _) in ELEMENTWISE.items():
            lines.append(f"{name}({'x' if count == 1 else 'x1, x2'}, /)")
    for line in lines:
        name, _, rest = line.partition("(")
        space: dict[str, Any] = {}
        exec(f"def function({rest}: ...", space)
        found[name] = inspect.signature(space["function"])
    return found

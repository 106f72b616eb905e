"""Data types, and the array API standard's promotion between them."""

from __future__ import annotations

from typing import Any

from .errors import DTypeError


class DType:
    """A data type: its `name`, `kind`, `bits` and `itemsize`.

    kind is "bool", "int", "uint", "float" or "complex"; `inexact` says whether it is
    one of the last two.

    Example:
        >>> float32.itemsize, int8.kind
        (4, 'int')
    """

    def __init__(self, name: str, kind: str, bits: int, code: str) -> None:
        self.name = name
        self.kind = kind
        self.bits = bits
        self.itemsize = max(bits // 8, 1)
        self.code = code  # typecode of the array module that stores it
        self.held = name  # the dtype that kernels see in its place
        self.is_float = kind == "float"
        self.is_complex = kind == "complex"
        self.inexact = kind in ("float", "complex")
        self.is_int = kind in ("int", "uint")
        self.is_bool = kind == "bool"
        if self.is_int:
            self.min = -(1 << (bits - 1)) if kind == "int" else 0
            self.max = (1 << (bits - 1)) - 1 if kind == "int" else (1 << bits) - 1

    def __repr__(self) -> str:
        return "fogo." + self.name

    def __reduce__(self) -> str:
        return "bool_" if self.is_bool else self.name  # where this module has it


bool_ = DType("bool", "bool", 8, "B")
int8 = DType("int8", "int", 8, "b")
int16 = DType("int16", "int", 16, "h")
int32 = DType("int32", "int", 32, "i")
int64 = DType("int64", "int", 64, "q")
uint8 = DType("uint8", "uint", 8, "B")
uint16 = DType("uint16", "uint", 16, "H")
uint32 = DType("uint32", "uint", 32, "I")
uint64 = DType("uint64", "uint", 64, "Q")
float16 = DType("float16", "float", 16, "H")  # bits; see backend/python.py
float32 = DType("float32", "float", 32, "f")
float64 = DType("float64", "float", 64, "d")
bfloat16 = DType("bfloat16", "float", 16, "H")  # stored only: see `computed`
complex64 = DType("complex64", "complex", 64, "f")  # two numbers to an element
complex128 = DType("complex128", "complex", 128, "d")

REAL = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float16, float32, float64,
)  # fmt: skip
COMPLEX = (complex64, complex128)
ALL = REAL + COMPLEX
bfloat16.held = "uint16"
BY_NAME = {d.name: d for d in ALL + (bfloat16,)}
FLOATS = (float16, float32, float64)
INTS = (int8, int16, int32, int64, uint8, uint16, uint32, uint64)
NUMERIC = INTS + FLOATS
DEFAULT_FLOAT = float32
DEFAULT_COMPLEX = complex64


def dtype(name: str | DType) -> DType:
    """Look a dtype up by its name; a DType passes through.

    Raises: DTypeError for a name that is not one.

    Example:
        >>> dtype("float32")
        fogo.float32
    """
    if isinstance(name, DType):
        return name
    found = BY_NAME.get(name) if isinstance(name, str) else None
    if found is None:
        raise DTypeError(
            "dtype: no such dtype; given %r; use one of %s"
            % (name, ", ".join(d.name for d in ALL))
        )
    return found


def part(d: DType) -> DType:
    """Return the dtype of the parts of complex numbers; integers ask for the least.

    Example:
        >>> part(complex64), part(float64), part(int8)
        (fogo.float32, fogo.float64, fogo.float16)
    """
    if d.is_complex:
        return float64 if d is complex128 else float32
    return d if d.is_float else float16


def _promote(a: DType, b: DType) -> DType | None:
    if a.is_bool:
        return b
    if b.is_bool:
        return a
    if a.is_complex or b.is_complex:
        return complex128 if max(part(a).bits, part(b).bits) == 64 else complex64
    if a.is_float or b.is_float:
        if a.is_float and b.is_float:
            return a if a.bits >= b.bits else b
        return a if a.is_float else b
    if a.kind == b.kind:
        return a if a.bits >= b.bits else b
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    return BY_NAME.get("int%d" % (unsigned.bits * 2))


def computed(d: DType) -> DType:
    """Return the dtype that is computed with: float32 for bfloat16, else the same."""
    return float32 if d is bfloat16 else d


def stored(d: DType) -> DType:
    """Return the dtype that kernels see: the bits of bfloat16 are an uint16."""
    return uint16 if d is bfloat16 else d


def _table() -> dict[tuple[DType, DType], DType | None]:
    every = ALL + (bfloat16,)
    found = {(a, b): _promote(computed(a), computed(b)) for a in every for b in every}
    found[(bfloat16, bfloat16)] = bfloat16
    return found


PROMOTION = _table()


def promote(a: DType, b: DType, op: str = "promote") -> DType:
    """Return the dtype that holds both; ints meet floats at the float.

    The table is the array API standard's; bool with a number and an integer with
    a float, which it leaves open, give the number and the float, as in PyTorch.
    Raises: DTypeError for uint64 with a signed integer (no integer holds both).

    Example:
        >>> promote(int8, uint8)
        fogo.int16
    """
    found = PROMOTION[(a, b)]
    if found is None:
        raise DTypeError(
            "%s: no dtype holds both; given %s and %s; cast one of them"
            % (op, a.name, b.name)
        )
    return found


def can_cast(from_: Any, to: DType) -> bool:
    """Say whether promotion takes a dtype (or a tensor's) to another.

    Example:
        >>> can_cast(int8, int32), can_cast(float32, int32)
        (True, False)
    """
    return PROMOTION[(getattr(from_, "dtype", from_), to)] is to


def scalar_kind(value: bool | int | float | complex, beside: DType, ints: DType):
    """Return the dtype a Python number takes beside a tensor of dtype `beside`.

    Its own kind at least, and no more bits than need be; `ints`: the default integer.

    Example:
        >>> scalar_kind(1, int8, int64), scalar_kind(1.5, int8, int64)
        (fogo.int8, fogo.float32)
        >>> scalar_kind(1j, float64, int64)
        fogo.complex128
    """
    if isinstance(value, complex):
        return PROMOTION[(beside, DEFAULT_COMPLEX)]
    if isinstance(value, float):
        return beside if beside.inexact else DEFAULT_FLOAT
    if beside.is_bool and not isinstance(value, bool):
        return ints
    return beside

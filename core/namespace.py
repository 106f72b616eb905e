"""What makes `fogo` a namespace of the Python array API standard, 2024.12.

Its constants, what it says about dtypes, and `__array_namespace_info__`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .device import default_device, devices
from .device import device as lookup_device
from .dtypes import ALL, DType, bool_, float16, part, promote, scalar_kind
from .dtypes import dtype as lookup
from .errors import DeviceError, DTypeError

if TYPE_CHECKING:
    from .device import Device
    from .tensor import Tensor

VERSION = "2024.12"
MAX_DIMENSIONS = 64  # NumPy's; other devices have none

e = 2.718281828459045
pi = 3.141592653589793
inf = float("inf")
nan = float("nan")
newaxis = None

# The standard's names of kinds, by our own.
KINDS = {
    "bool": ("bool",),
    "signed integer": ("int",),
    "unsigned integer": ("uint",),
    "integral": ("int", "uint"),
    "real floating": ("float",),
    "complex floating": ("complex",),
    "numeric": ("int", "uint", "float", "complex"),
}
# eps, smallest normal number and largest number.
_FLOATS = {
    "bfloat16": (2.0**-7, 2.0**-126, 3.3895313892515355e38),
    "float16": (2.0**-10, 2.0**-14, 65504.0),
    "float32": (2.0**-23, 2.0**-126, 3.4028234663852886e38),
    "float64": (2.0**-52, 2.2250738585072014e-308, 1.7976931348623157e308),
}


class FInfo:
    """The limits of a float dtype: see `finfo`.

    Example:
        >>> import fogo
        >>> fogo.finfo(fogo.float32).eps == 2.0**-23
        True
    """

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype
        self.bits = dtype.bits
        self.eps, self.smallest_normal, self.max = _FLOATS[dtype.name]
        self.min = -self.max

    def __repr__(self) -> str:
        return "finfo(%s, eps=%g, max=%g)" % (self.dtype.name, self.eps, self.max)


class IInfo:
    """The limits of an integer dtype: see `iinfo`.

    Example:
        >>> import fogo
        >>> fogo.iinfo(fogo.int8).max
        127
    """

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype
        self.bits = dtype.bits
        self.min = dtype.min
        self.max = dtype.max

    def __repr__(self) -> str:
        return "iinfo(%s, min=%d, max=%d)" % (self.dtype.name, self.min, self.max)


def finfo(type: DType | str | Tensor) -> FInfo:
    """Return the limits of a float dtype (of the parts of a complex one).

    `bits`, `eps`, `max`, `min`, `smallest_normal`, `dtype`. Raises: DTypeError for
    integers and bools.

    Example:
        >>> import fogo
        >>> fogo.finfo(fogo.complex64).dtype
        fogo.float32
    """
    kind = _dtype_of(type)
    if not kind.inexact:
        raise DTypeError(
            "finfo: a float or complex dtype; given %s; use iinfo for integers"
            % kind.name
        )
    return FInfo(part(kind))


def iinfo(type: DType | str | Tensor) -> IInfo:
    """Return the limits of an integer dtype: `bits`, `max`, `min`, `dtype`.

    Raises: DTypeError for any other dtype.

    Example:
        >>> import fogo
        >>> fogo.iinfo("uint8")
        iinfo(uint8, min=0, max=255)
    """
    kind = _dtype_of(type)
    if not kind.is_int:
        raise DTypeError(
            "iinfo: an integer dtype; given %s; use finfo for floats" % kind.name
        )
    return IInfo(kind)


def _dtype_of(what):
    return lookup(getattr(what, "dtype", what))


def isdtype(dtype: DType | str, kind: DType | str | tuple[DType | str, ...]) -> bool:
    """Say whether a dtype is of a kind, is another dtype, or one of several.

    kind: "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating", "numeric", a dtype, or a tuple of these.
    Raises: DTypeError for a kind that is none of them.

    Example:
        >>> import fogo
        >>> fogo.isdtype(fogo.int8, "integral"), fogo.isdtype(fogo.int8, fogo.int16)
        (True, False)
    """
    own = lookup(dtype)
    if isinstance(kind, (tuple, list)):
        return True in [isdtype(own, k) for k in kind]
    if isinstance(kind, DType):
        return own is kind
    if kind not in KINDS:
        raise DTypeError(
            "isdtype: no such kind; given %r; use a dtype or one of %s"
            % (kind, ", ".join(sorted(KINDS)))
        )
    return own.kind in KINDS[kind]


def result_type(*arrays_and_dtypes: Tensor | DType | complex) -> DType:
    """Return the dtype that promotion gives for tensors, dtypes and Python numbers.

    Raises: DTypeError where no dtype holds all, or nothing was given.

    Example:
        >>> import fogo
        >>> fogo.result_type(fogo.int8, fogo.uint8), fogo.result_type(fogo.int8, 1)
        (fogo.int16, fogo.int8)
    """
    if not arrays_and_dtypes:
        raise DTypeError("result_type: at least one tensor or dtype; given none")
    numbers = [
        v for v in arrays_and_dtypes if isinstance(v, (bool, int, float, complex))
    ]
    kind: Any = None
    for what in arrays_and_dtypes:
        if not isinstance(what, (bool, int, float, complex)):
            own = _dtype_of(what)
            kind = own if kind is None else promote(kind, own, "result_type")
    found = kind
    for value in numbers:
        asked = scalar_kind(value, kind or bool_, default_device().default_int)
        found = asked if found is None else promote(found, asked, "result_type")
    return found


class Info:
    """What `__array_namespace_info__` gives: what this namespace can do, and where.

    Example:
        >>> import fogo
        >>> fogo.__array_namespace_info__().capabilities()["boolean indexing"]
        True
    """

    def capabilities(self) -> dict[str, Any]:
        """Say what is optional in the standard, and is here."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": MAX_DIMENSIONS,
        }

    def default_device(self) -> Device:
        """Return the device that new tensors go to."""
        return default_device()

    def default_dtypes(self, device: Device | str | None = None) -> dict[str, DType]:
        """Return the dtypes that are taken where none is named, by kind."""
        where = lookup_device(device)
        return {
            "real floating": lookup("float32"),
            "complex floating": lookup("complex64"),
            "integral": where.default_int,
            "indexing": where.default_int,
        }

    def dtypes(
        self,
        device: Device | str | None = None,
        kind: str | tuple[str, ...] | None = None,
    ) -> dict[str, DType]:
        """Return the standard's dtypes that a device holds, by name; of some kind.

        Raises: DTypeError for a kind that is none of `isdtype`'s.
        """
        held = lookup_device(device).base().backend.holds
        found = [d for d in ALL if d in held and d is not float16]
        if kind is not None:
            found = [d for d in found if isdtype(d, kind)]
        return {d.name: d for d in found}

    def devices(self) -> list[Device]:
        """Return the devices of this machine."""
        return [lookup_device(name) for name, kind, _ in devices() if kind != "missing"]


def namespace(api_version: str | None) -> Any:
    """The module fogo, if it follows this version of the standard."""
    import sys

    if api_version not in (None, "2021.12", "2022.12", "2023.12", VERSION):
        raise DeviceError(
            "__array_namespace__: versions up to %s of the array API standard; given "
            "%r; leave it out" % (VERSION, api_version)
        )
    return sys.modules[__name__.rsplit(".", 1)[0]]

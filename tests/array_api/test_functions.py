"""Every other function of the main namespace beside NumPy: values, dtypes, corners."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fogo
from tests.array_api.standard import DTYPES, ELEMENTWISE, signatures
from tests.array_api.test_elementwise import holds, near

A = np.arange(24.0).reshape(2, 3, 4) * 7 % 13 - 5.0
M = A[0]
V = np.array([3.0, -1.0, 3.0, 0.0, 2.0, -1.0])
ZERO = np.zeros((0, 3))
POINT = np.array(2.5)
SQUARE = np.arange(9.0).reshape(3, 3) - 4
PLACES = np.array([2, 0, -1, 1])
# The dtypes that a case runs in: those of `V` and its like, where the standard says so.
EVERY = ("bool", "int8", "int32", "uint8", "uint32", "float32", "float64", "complex64",
         "complex128")  # fmt: skip
NUMBERS = EVERY[1:]
REAL = NUMBERS[:-2]
FLOATING = EVERY[5:]
FLOATS = FLOATING[:2]
WIDE = {"int8": "int64", "int32": "int64", "uint8": "uint64", "uint32": "uint64",
        "bool": "int64"}  # fmt: skip

Case = tuple[str, tuple[Any, ...], dict[str, Any], Callable[..., Any], tuple[str, ...]]
CASES: list[Case] = []


def case(name: str, dtypes: tuple[str, ...], numpy: Any, *calls: Any) -> None:
    """Enter calls of a function: each a tuple of arguments, keywords last."""
    for call in calls:
        options = call[-1] if isinstance(call[-1], dict) else {}
        args = call[:-1] if isinstance(call[-1], dict) else call
        CASES.append((name, args, options, numpy, dtypes))


def axes(*names: str) -> list[tuple[Any, ...]]:
    """Reductions of several arrays over one axis, several, all, none."""
    found: list[tuple[Any, ...]] = [(A,), (A, {"axis": 1}), (A, {"axis": -1})]
    found += [(A, {"axis": 0, "keepdims": True}), (V,), (POINT,)]
    if "several" in names:
        found += [(A, {"axis": (0, 2)}), (A, {"axis": (-1, 0), "keepdims": True})]
        found += [(A, {"axis": ()}), (POINT, {"keepdims": True})]
    if "empty" in names:
        found += [(ZERO,), (ZERO, {"axis": 0}), (ZERO, {"axis": 1})]
    return found


# Linear algebra.
case("matmul", NUMBERS, np.matmul, (M, M.T), (A, M.T), (V, V), (V[:4], M.T), (M, V[:4]),
     (ZERO, SQUARE), (ZERO.T, ZERO), (A[:, None], A.swapaxes(-1, -2)))  # fmt: skip
case("matrix_transpose", EVERY, lambda x: np.swapaxes(x, -1, -2), (A,), (ZERO,), (M,))
case("tensordot", NUMBERS, np.tensordot, (A, A[0], {"axes": 2}), (V, V, {"axes": 0}),
     (A, A, {"axes": ((0, 1), (0, 1))}), (A, SQUARE, {"axes": ((-2,), (0,))}),
     (POINT, V, {"axes": 0}), (ZERO, SQUARE, {"axes": 1}))  # fmt: skip


def vecdot(a: Any, b: Any, axis: int = -1) -> Any:
    return (np.conj(np.moveaxis(a, axis, -1)) * np.moveaxis(b, axis, -1)).sum(
        -1, dtype=np.result_type(a, b)
    )


case("vecdot", NUMBERS, vecdot, (V, V), (A, M), (A, M, {"axis": -2}), (ZERO, ZERO))

# Manipulation.
case(
    "broadcast_arrays", EVERY, np.broadcast_arrays, (M[:, :1], V[:4]), (POINT, M), (V,)
)
case("broadcast_to", EVERY, np.broadcast_to, (V, (2, 6)), (POINT, (3,)), (POINT, ()),
     (ZERO, (2, 0, 3)), (M[:, :1], (3, 0)))  # fmt: skip


def concat(arrays: Any, axis: Any = 0) -> Any:
    return np.concatenate(arrays, axis=axis)


case("concat", EVERY, concat, ([V, V[:2]],), ([M, M], {"axis": 1}), ([M], {"axis": -1}),
     ([M, V], {"axis": None}), ([ZERO, SQUARE],), ((V[:0], V[:0]),))  # fmt: skip
case("expand_dims", EVERY, np.expand_dims, (M, {"axis": 0}), (M, {"axis": -1}),
     (POINT, {"axis": 0}), (M, {"axis": 1}), (M, {"axis": -3}))  # fmt: skip
case("flip", EVERY, np.flip, (A,), (A, {"axis": 1}), (A, {"axis": (0, -1)}), (ZERO,),
     (POINT,))  # fmt: skip
case("moveaxis", EVERY, np.moveaxis, (A, 0, -1), (A, (0, 1), (-1, 0)), (A, -1, 0),
     (A, (), ()))  # fmt: skip
case("permute_dims", EVERY, np.transpose, (A, (2, 0, 1)), (POINT, ()), (ZERO, (1, 0)))
case("repeat", EVERY, np.repeat, (V, 2), (A, 3, {"axis": 1}), (V, 0), (ZERO, 2),
     (V[:3], np.array([2, 0, 1])), (A, np.array([1, 3]), {"axis": 0}),
     (A, np.array([2]), {"axis": -1}), (POINT, 3))  # fmt: skip
case("reshape", EVERY, np.reshape, (A, (6, 4)), (A, (-1,)), (V[:1], ()),
     (POINT, (1, 1)),     (ZERO, (3, 0)), (ZERO, (0,)), (A, (2, -1, 2), {"copy": True}),
     (A, (24,), {"copy": False}))  # fmt: skip
case("roll", EVERY, np.roll, (V, 2), (V, -8), (A, 1), (A, 2, {"axis": -1}),
     (A, (1, 2), {"axis": (0, 2)}), (A, 1, {"axis": (0, 1)}), (ZERO, 1), (POINT, 1),
     (A, (1, 2), {"axis": (1, 1)}))  # fmt: skip
case("squeeze", EVERY, np.squeeze, (A[None], 0), (A[:, None, :, :, None], (1, -1)),
     (POINT[None], 0))  # fmt: skip
case("stack", EVERY, np.stack, ([V, V],), ([M, M], {"axis": -1}), ([POINT, POINT],),
     ((ZERO, ZERO), {"axis": 1}))  # fmt: skip
case("tile", EVERY, np.tile, (V, (2,)), (M, (2, 1, 3)), (A, (2,)), (POINT, (2, 2)),
     (ZERO, (2, 2)), (V, (0,)), (M, ()))  # fmt: skip


def unstack(x: Any, axis: int = 0) -> Any:
    return [np.take(x, i, axis) for i in range(x.shape[axis])]


case("unstack", EVERY, unstack, (A,), (A, {"axis": -1}), (ZERO,), (V,))
case("take", EVERY, np.take, (V, PLACES), (A, PLACES % 2, {"axis": 0}),
     (A, PLACES[:0], {"axis": 1}), (A, PLACES, {"axis": -1}))  # fmt: skip
case("take_along_axis", EVERY, np.take_along_axis, (A, PLACES[None, None, :1] % 2),
     (M, np.array([[0, 1, 2, -1]]), {"axis": 0}), (M, np.argsort(M)))  # fmt: skip
case("tril", EVERY, np.tril, (A,), (M, {"k": 1}), (M, {"k": -2}), (ZERO,))
case("triu", EVERY, np.triu, (A,), (M, {"k": 1}), (M, {"k": -2}), (ZERO,))
case("meshgrid", EVERY, np.meshgrid, (V, V[:2]), (V, V[:2], V[:3]), (V,),
     (V, V[:2], {"indexing": "ij"}), (V[:0], V), (POINT, V))  # fmt: skip

# Searching, sorting, sets, sums.
case("argmax", REAL, np.argmax, *axes())
case("argmin", REAL, np.argmin, *axes())
case("count_nonzero", EVERY, np.count_nonzero, *axes("several", "empty"))
case("nonzero", EVERY, np.nonzero, (A,), (V,), (ZERO,), (V * 0,))
case("where", EVERY, np.where, (M > 0, M, -M), (M > 0, M, POINT), (V > 0, M[:, :1], V),
     (POINT > 0, POINT, POINT), (ZERO > 0, ZERO, POINT))  # fmt: skip


def searchsorted(a: Any, b: Any, side: str = "left", sorter: Any = None) -> Any:
    return np.searchsorted(a, b, side, sorter)


SHIFTED = V + 1  # no signs: unsigned integers keep the order
SORTED = np.sort(SHIFTED)
case("searchsorted", REAL, searchsorted, (SORTED, A), (SORTED, V, {"side": "right"}),
     (SHIFTED, V, {"sorter": np.argsort(V)}), (V[:0], V), (SORTED, ZERO),
     (SORTED, POINT))  # fmt: skip


def argsort(
    x: Any, axis: int = -1, descending: bool = False, stable: bool = True
) -> Any:
    if not descending:
        return np.argsort(x, axis, kind="stable")
    back = np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - back, axis)


def sort(x: Any, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    return np.take_along_axis(x, argsort(x, axis, descending), axis)


ORDERS = [(A,), (A, {"axis": 0}), (V, {"descending": True}), (ZERO,), (ZERO.T,),
          (A, {"axis": 1, "descending": True, "stable": False})]  # fmt: skip
case("argsort", REAL, argsort, *ORDERS)
case("sort", REAL, sort, *ORDERS)


def unique(*parts: str) -> Any:
    def call(x: Any) -> Any:
        asked = {"return_" + part: True for part in parts}
        return np.unique(x, equal_nan=False, **asked)

    return call


SETS = [(V,), (A,), (ZERO,), (POINT,)]
case("unique_all", EVERY, unique("index", "inverse", "counts"), *SETS)
case("unique_counts", EVERY, unique("counts"), *SETS)
case("unique_inverse", EVERY, unique("inverse"), *SETS)
case("unique_values", EVERY, unique(), *SETS)
case("all", EVERY, np.all, *axes("several", "empty"))
case("any", EVERY, np.any, *axes("several", "empty"))
case("max", REAL, np.max, *axes("several"), (ZERO, {"axis": 1}))
case("min", REAL, np.min, *axes("several"), (ZERO, {"axis": 1}))
case("mean", FLOATING, np.mean, *axes("several", "empty"))


def spread(function: Any) -> Any:
    def call(x: Any, axis: Any = None, correction: float = 0.0, keepdims: bool = False):  # type: ignore[no-untyped-def]
        return function(x, axis=axis, ddof=correction, keepdims=keepdims)

    return call


SPREADS = [
    *axes("several"),
    (A, {"correction": 1}),
    (A, {"axis": 1, "correction": 1.5}),
]
case("std", FLOATS, spread(np.std), *SPREADS)
case("var", FLOATS, spread(np.var), *SPREADS)


def summed(function: Any) -> Any:
    """Sums and products: small integers in the default integer of their sign."""

    def call(x: Any, **options: Any) -> Any:
        name = options.pop("dtype", None) or WIDE.get(str(x.dtype), str(x.dtype))
        return function(x, dtype=str(name).removeprefix("fogo."), **options)

    return call


case("sum", NUMBERS, summed(np.sum), *axes("several", "empty"))
case("prod", NUMBERS, summed(np.prod), *axes("several", "empty"))
case("sum", REAL, summed(np.sum), (A, {"dtype": "float32"}), (A, {"dtype": "int32"}))
case("prod", REAL, summed(np.prod), (M, {"dtype": "float32"}))


def cumulative(function: Any, start: int) -> Any:
    def call(
        x: Any, axis: Any = None, dtype: Any = None, include_initial: bool = False
    ):  # type: ignore[no-untyped-def]
        name = dtype or WIDE.get(str(x.dtype), str(x.dtype))
        axis = 0 if axis is None else axis
        out = function(x, axis=axis, dtype=name)
        shape = list(x.shape)
        shape[axis] = 1
        first = np.full(shape, start, out.dtype)
        return np.concatenate([first, out], axis) if include_initial else out

    return call


SCANS = [(V,), (A, {"axis": 1}), (V, {"include_initial": True}), (ZERO, {"axis": 0}),
         (A, {"axis": -1, "include_initial": True}),
         (ZERO, {"axis": 0, "include_initial": True})]  # fmt: skip
case("cumulative_sum", NUMBERS, cumulative(np.cumsum, 0), *SCANS)
case("cumulative_sum", REAL, cumulative(np.cumsum, 0), (V, {"dtype": "float32"}))
case("cumulative_prod", NUMBERS, cumulative(np.cumprod, 1), *SCANS)


def diff(x: Any, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None):  # type: ignore[no-untyped-def]
    parts = [part for part in (prepend, x, append) if part is not None]
    return np.diff(np.concatenate(parts, axis), n, axis)


case("diff", NUMBERS, diff, (V,), (A, {"axis": 0}), (V, {"n": 2}),
     (ZERO, {"axis": 0}), (V, {"n": 9}), (V, {"n": 0}),
     (V, {"prepend": V[:2], "append": V[:1]}))  # fmt: skip
case("clip", REAL, np.clip, (V, 0, 2), (V, {"min": 1}), (V, {"max": 1}),
     (V,), (M, M * 0, M * 0 + 3),
     (M, {"min": M[:1]}), (POINT, 0, 1), (ZERO, 0, 1))  # fmt: skip


def cast(array: Any, dtype: str) -> Any:
    """An array of a case in the dtype; of places and conditions as they are."""
    if array.dtype.kind != "f":
        return array
    if dtype == "bool":
        return array > 0
    array = abs(array) if dtype.startswith("u") else array
    turned = array + 1j * (array[..., ::-1] if array.ndim else array)
    return (turned if dtype.startswith("c") else array).astype(dtype)


def sent(value: Any, dtype: str, device: fogo.Device | None) -> Any:
    """The arguments of a case in a dtype: as arrays, or as tensors of a device."""
    if isinstance(value, (list, tuple)):
        parts = [sent(v, dtype, device) for v in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, dict):
        return {k: sent(v, dtype, device) for k, v in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    array = cast(value, dtype)
    if device is None:
        return array
    array = array.astype(device.default_int.name) if array.dtype == "int64" else array
    return fogo.tensor(array, device=device)


def compare(got: Any, want: Any, device: fogo.Device, factor: float) -> None:
    """Tensors like arrays, tuples and lists like tuples."""
    if isinstance(want, (list, tuple)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            compare(g, w, device, factor)
        return
    name = str(np.asarray(want).dtype)
    if name in ("int64", "uint64") and device.default_int.bits == 32:
        name = name.replace("64", "32")
    near(got, want, name, factor)


@pytest.mark.parametrize("name", sorted({c[0] for c in CASES}))
def test_values(name: str, device: fogo.Device) -> None:
    for own, args, options, numpy, dtypes in CASES:
        for dtype in dtypes if own == name else ():
            if not holds(device, dtype):
                continue
            options = {
                k: v.removeprefix("fogo.") if isinstance(v, str) else v
                for k, v in options.items()
            }
            plain = {k: v for k, v in options.items() if k != "copy"}
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                want = numpy(*sent(args, dtype, None), **sent(plain, dtype, None))
            got = getattr(fogo, name)(
                *sent(args, dtype, device), **sent(options, dtype, device)
            )
            try:
                compare(got, want, device, 16.0)
            except AssertionError as error:
                raise AssertionError(f"{name} {dtype} {args} {options}") from error


# What is made from nothing, or is about dtypes, has tests of its own.
ELSEWHERE = {
    "asarray", "arange", "empty", "empty_like", "eye", "from_dlpack", "full",
    "full_like", "linspace", "ones", "ones_like", "zeros", "zeros_like", "astype",
    "can_cast", "finfo", "iinfo", "isdtype", "result_type", "__array_namespace_info__",
}  # fmt: skip


def test_every_function_has_values() -> None:
    named = {c[0] for c in CASES} | ELSEWHERE | set(ELEMENTWISE)
    assert set(signatures()) == named


def test_named_results(device: fogo.Device) -> None:
    x = fogo.tensor([3, 1, 3], device=device)
    found = fogo.unique_all(x)
    assert found._fields == ("values", "indices", "inverse_indices", "counts")
    assert fogo.unique_counts(x)._fields == ("values", "counts")
    assert fogo.unique_inverse(x)._fields == ("values", "inverse_indices")
    assert found.values[found.inverse_indices].tolist() == [3, 1, 3]


def test_each_nan_is_a_value(device: fogo.Device) -> None:
    x = fogo.tensor([np.nan, 1.0, np.nan, -0.0, 0.0], device=device)
    found = fogo.unique_all(x)
    assert found.counts.tolist() == [2, 1, 1, 1]
    assert np.isnan(found.values.tolist()[2:]).all()
    assert found.indices.tolist()[:2] == [3, 1]


def test_dtypes_of_the_table() -> None:
    assert len(DTYPES) == 13

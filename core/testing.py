"""Comparing tensors in tests: what differs, by how much, and where.

`assert_close` and `assert_equal` raise AssertionError with a report; `compare` gives
the report itself. Expected values may be tensors, arrays, nested lists or numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .reading import read
from .tensor import Tensor, tensor

if TYPE_CHECKING:
    from .dtypes import DType

# (rtol, atol) where none are given, by the less precise dtype of the two.
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
WORST = 5  # elements that a report lists


class Report:
    """How two tensors compare: read `ok`, or print it.

    count of elements, differing: those beyond the tolerance, worst: [(place, actual,
    expected, how far)] in order, largest first; problem: shapes or dtypes that differ.

    Example:
        >>> import fogo
        >>> fogo.testing.compare(fogo.ones(2), [1.0, 1.0]).ok
        True
    """

    def __init__(self, rtol: float, atol: float) -> None:
        self.rtol = rtol
        self.atol = atol
        self.count = 0
        self.differing = 0
        self.worst: list[tuple[tuple[int, ...], Any, Any, float]] = []
        self.largest = 0.0
        self.problem = ""

    @property
    def ok(self) -> bool:
        """Say whether the two agree."""
        return not self.problem and self.differing == 0

    def __repr__(self) -> str:
        if self.problem:
            return self.problem
        if self.ok:
            return "all %d elements are close (rtol=%g, atol=%g)" % (
                self.count, self.rtol, self.atol,
            )  # fmt: skip
        share = 100.0 * self.differing / self.count
        lines = [
            "%d of %d elements (%.1f %%) differ by more than rtol=%g, atol=%g; "
            "largest difference %g"
            % (self.differing, self.count, share, self.rtol, self.atol, self.largest)
        ]
        for place, a, b, far in self.worst:
            lines.append(
                "  at %s: %r instead of %r, off by %g" % (list(place), a, b, far)
            )
        return "\n".join(lines)


def assert_close(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_dtype: bool = True,
) -> None:
    """Raise AssertionError unless `|actual - expected| <= atol + rtol * |expected|`.

    rtol, atol: by the dtype where both are None (float32: 1.3e-6, 1e-5; 0 for integers
    and bools). Shapes must be equal, and dtypes where expected is a tensor, unless
    check_dtype is False. Several tensors may come as lists or tuples of them.

    Example:
        >>> import fogo
        >>> from fogo.testing import assert_close
        >>> assert_close(fogo.tensor([1.0, 2.0]), [1.0, 2.000001])
    """
    report = compare(actual, expected, rtol, atol, equal_nan, check_dtype)
    if not report.ok:
        raise AssertionError("assert_close: " + repr(report))


def assert_equal(actual: Any, expected: Any, equal_nan: bool = True) -> None:
    """Raise AssertionError unless shapes, dtypes and all elements are equal.

    Example:
        >>> import fogo
        >>> fogo.testing.assert_equal(fogo.arange(2), [0, 1])
    """
    report = compare(actual, expected, 0.0, 0.0, equal_nan)
    if not report.ok:
        raise AssertionError("assert_equal: " + repr(report))


def assert_within(actual: Tensor, low: float, high: float) -> None:
    """Raise AssertionError unless every element lies in [low, high].

    Example:
        >>> import fogo
        >>> assert_within(fogo.rand(100), 0.0, 1.0)
    """
    outside = [v for v in _flat(read(actual)[0]) if not low <= v <= high]
    if outside:
        raise AssertionError(
            "assert_within: %d of %d elements lie outside [%g, %g]: %s"
            % (len(outside), actual.size, low, high, outside[:WORST])
        )


def compare(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_dtype: bool = True,
) -> Report:
    """Return a report on two tensors (or lists of tensors); see `assert_close`.

    Example:
        >>> import fogo
        >>> compare(fogo.tensor([1.0, 2.0]), [1.0, 2.5])
        1 of 2 elements (50.0 %) differ by more than rtol=1.3e-06, atol=1e-05; largest \
difference 0.5
          at [1]: 2.0 instead of 2.5, off by 0.5
    """
    if isinstance(actual, (list, tuple)) and actual and isinstance(actual[0], Tensor):
        return _several(actual, expected, rtol, atol, equal_nan, check_dtype)
    given = isinstance(expected, Tensor)
    a = actual if isinstance(actual, Tensor) else tensor(actual)
    if not isinstance(expected, Tensor):
        expected = tensor(_plain(expected), None, a.device.base())
    report = Report(*_tolerance(a.dtype, expected.dtype, rtol, atol))
    if a.shape != expected.shape:
        report.problem = "shapes differ: %s instead of %s" % (
            list(a.shape), list(expected.shape),
        )  # fmt: skip
    elif given and check_dtype and a.dtype is not expected.dtype:
        report.problem = "dtypes differ: %s instead of %s" % (
            a.dtype.name, expected.dtype.name,
        )  # fmt: skip
    else:
        _fill(report, a, expected, equal_nan)
    return report


def _plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


def _several(actual, expected, rtol, atol, equal_nan, check_dtype):
    if len(actual) != len(expected):
        report = Report(rtol or 0.0, atol or 0.0)
        report.problem = "%d tensors instead of %d" % (len(actual), len(expected))
        return report
    for i, (a, b) in enumerate(zip(actual, expected)):
        report = compare(a, b, rtol, atol, equal_nan, check_dtype)
        if not report.ok:
            report.problem = "tensor %d: %r" % (i, report)
            return report
    return report


def _tolerance(a: DType, b: DType, rtol: float | None, atol: float | None) -> Any:
    if rtol is not None or atol is not None:
        return rtol or 0.0, atol or 0.0
    known = [TOLERANCES.get(d.name, (0.0, 0.0)) for d in (a, b)]
    return max(known) if not (known[0] == (0.0, 0.0) == known[1]) else (0.0, 0.0)


def _fill(report, a, b, equal_nan):
    """Compare element by element, on the host."""
    left, right = read(a, b)
    found = []
    for i, (x, y) in enumerate(zip(_flat(left), _flat(right))):
        far = _distance(x, y, report, equal_nan)
        if far is not None:
            found.append((far, i, x, y))
    report.count = a.size
    report.differing = len(found)
    found.sort(key=lambda entry: -entry[0])
    report.largest = found[0][0] if found else 0.0
    for far, i, x, y in found[:WORST]:
        report.worst.append((_place(i, a.shape), x, y, far))


def _distance(x, y, report, equal_nan):
    """How far apart two numbers are, None where they are close enough."""
    if x == y or (equal_nan and x != x and y != y):
        return None
    far = abs(x - y)
    if far != far or abs(y) == float("inf"):
        return float("inf")
    return None if far <= report.atol + report.rtol * abs(y) else float(far)


def _flat(values):
    """Nested lists in row-major order."""
    if not isinstance(values, list):
        return [values]
    out = []
    stack = [values]
    while stack:
        part = stack.pop()
        if isinstance(part, list):
            stack.extend(reversed(part))
        else:
            out.append(part)
    return out


def _place(i, shape):
    out = []
    for n in reversed(shape):
        out.append(i % n)
        i //= n
    return tuple(reversed(out))

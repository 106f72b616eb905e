"""Made by `python -m fogo.cli.stubs` from the functions of fogo.ops."""

from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Sequence
from typing import Any, Self, overload

from .device import Device
from .dtypes import DType
from .tensor import Tensor, Tracked
from .ops.pairs import Extremes as Extremes
from .ops.pairs import Histogram as Histogram
from .ops.pairs import Placed as Placed
from .ops.sets import UniqueAllResult as UniqueAllResult
from .ops.sets import UniqueCountsResult as UniqueCountsResult
from .ops.sets import UniqueInverseResult as UniqueInverseResult

class Methods:
    @overload
    def __add__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __add__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __sub__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __sub__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __mul__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __mul__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __truediv__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __truediv__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __floordiv__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __floordiv__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __mod__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __mod__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __pow__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __pow__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __matmul__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __matmul__(self, other: Tensor, /) -> Self: ...
    @overload
    def __and__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __and__(self, other: Tensor | _int, /) -> Self: ...
    @overload
    def __or__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __or__(self, other: Tensor | _int, /) -> Self: ...
    @overload
    def __xor__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __xor__(self, other: Tensor | _int, /) -> Self: ...
    @overload
    def __lshift__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __lshift__(self, other: Tensor | _int, /) -> Self: ...
    @overload
    def __rshift__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __rshift__(self, other: Tensor | _int, /) -> Self: ...
    @overload
    def __lt__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __lt__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __le__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __le__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __gt__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __gt__(self, other: Tensor | _float, /) -> Self: ...
    @overload
    def __ge__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __ge__(self, other: Tensor | _float, /) -> Self: ...
    @overload  # type: ignore[override]
    def __eq__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __eq__(self, other: Tensor | _float, /) -> Self: ...
    @overload  # type: ignore[override]
    def __ne__(self, other: Tracked, /) -> Tracked: ...
    @overload
    def __ne__(self, other: Tensor | _float, /) -> Self: ...
    def __radd__(self, other: _float, /) -> Self: ...
    def __rsub__(self, other: _float, /) -> Self: ...
    def __rmul__(self, other: _float, /) -> Self: ...
    def __rtruediv__(self, other: _float, /) -> Self: ...
    def __rfloordiv__(self, other: _float, /) -> Self: ...
    def __rmod__(self, other: _float, /) -> Self: ...
    def __rpow__(self, other: _float, /) -> Self: ...
    def __rand__(self, other: _int, /) -> Self: ...
    def __ror__(self, other: _int, /) -> Self: ...
    def __rxor__(self, other: _int, /) -> Self: ...
    def __rlshift__(self, other: _int, /) -> Self: ...
    def __rrshift__(self, other: _int, /) -> Self: ...
    def __neg__(self) -> Self: ...
    def __pos__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __invert__(self) -> Self: ...
    def __hash__(self) -> _int: ...
    def abs(self) -> Self:
        """Return `|x|`."""
    def absolute(self) -> Self:
        """Return `|x|`."""
    @overload
    def add(self, y: Tracked) -> Tracked: ...
    @overload
    def add(self, y: Tensor | _float) -> Self:
        """Return `x + y`. Shapes broadcast, dtypes promote."""
    def astype(self, dtype: DType | str, copy: _bool = True, device: Device | str | None = None) -> Self:
        """Convert to another dtype, and to another device."""
    @overload
    def atan2(self, x: Tracked) -> Tracked: ...
    @overload
    def atan2(self, x: Tensor | _float) -> Self:
        """Return the angle of the point (x, y) in radians, in [-pi, pi]."""
    def ceil(self) -> Self:
        """Return the smallest whole number not below x."""
    def clamp(self, min: _float | None = None, max: _float | None = None) -> Self:
        """Bring x into [min, max]; either bound may be None."""
    def clip(self, min: _float | None = None, max: _float | None = None) -> Self:
        """Bring x into [min, max]; either bound may be None."""
    def contiguous(self) -> Self:
        """Return x laid out row-major: a copy only where it is not so already."""
    @overload
    def div(self, y: Tracked) -> Tracked: ...
    @overload
    def div(self, y: Tensor | _float) -> Self:
        """Return `x / y`; integers become float32 first."""
    @overload
    def divide(self, y: Tracked) -> Tracked: ...
    @overload
    def divide(self, y: Tensor | _float) -> Self:
        """Return `x / y`; integers become float32 first."""
    def floor(self) -> Self:
        """Return the largest whole number not above x; integers are that themselves."""
    @overload
    def floor_divide(self, y: Tracked) -> Tracked: ...
    @overload
    def floor_divide(self, y: Tensor | _float) -> Self:
        """Return `floor(x / y)`; 0 where an integer is divided by zero."""
    def isfinite(self) -> Self:
        """Say where x is neither nan nor infinite. Dtype: bool."""
    def isinf(self) -> Self:
        """Say where x is inf or -inf. Dtype: bool."""
    def isnan(self) -> Self:
        """Say where x is nan. Dtype: bool."""
    @overload
    def maximum(self, y: Tracked) -> Tracked: ...
    @overload
    def maximum(self, y: Tensor | _float) -> Self:
        """Return the larger of each pair; nan where either is nan."""
    @overload
    def minimum(self, y: Tracked) -> Tracked: ...
    @overload
    def minimum(self, y: Tensor | _float) -> Self:
        """Return the smaller of each pair; nan where either is nan."""
    @overload
    def mul(self, y: Tracked) -> Tracked: ...
    @overload
    def mul(self, y: Tensor | _float) -> Self:
        """Return `x * y`. Shapes broadcast, dtypes promote."""
    @overload
    def multiply(self, y: Tracked) -> Tracked: ...
    @overload
    def multiply(self, y: Tensor | _float) -> Self:
        """Return `x * y`. Shapes broadcast, dtypes promote."""
    def neg(self) -> Self:
        """Return `-x`."""
    def negative(self) -> Self:
        """Return `-x`."""
    @overload
    def pow(self, y: Tracked) -> Tracked: ...
    @overload
    def pow(self, y: Tensor | _float) -> Self:
        """Return `x ** y`; a negative integer power of an integer is truncated."""
    def reciprocal(self) -> Self:
        """Return `1 / x`."""
    @overload
    def remainder(self, y: Tracked) -> Tracked: ...
    @overload
    def remainder(self, y: Tensor | _float) -> Self:
        """Return the remainder of `x / y`, with the sign of `y` (Python's `%`)."""
    def round(self) -> Self:
        """Return the nearest whole number, halves to even."""
    def sign(self) -> Self:
        """Return -1, 0 or 1 by the sign of x; nan stays nan."""
    def square(self) -> Self:
        """Return `x * x`."""
    @overload
    def sub(self, y: Tracked) -> Tracked: ...
    @overload
    def sub(self, y: Tensor | _float) -> Self:
        """Return `x - y`. Shapes broadcast, dtypes promote."""
    @overload
    def subtract(self, y: Tracked) -> Tracked: ...
    @overload
    def subtract(self, y: Tensor | _float) -> Self:
        """Return `x - y`. Shapes broadcast, dtypes promote."""
    def trunc(self) -> Self:
        """Return x without its fraction."""
    @overload
    def where(self, x: Tracked, y: Tensor | _float) -> Tracked: ...
    @overload
    def where(self, x: Tensor | _float, y: Tracked) -> Tracked: ...
    @overload
    def where(self, x: Tensor | _float, y: Tensor | _float) -> Self:
        """Choose `x` where the condition holds, else `y`. All three broadcast."""
    def acos(self) -> Self:
        """Return the arccosine, in radians."""
    def acosh(self) -> Self:
        """Return the inverse hyperbolic cosine; nan below 1."""
    def asin(self) -> Self:
        """Return the arcsine, in radians."""
    def asinh(self) -> Self:
        """Return the inverse hyperbolic sine."""
    def atan(self) -> Self:
        """Return the arctangent, in radians."""
    def atanh(self) -> Self:
        """Return the inverse hyperbolic tangent."""
    def cos(self) -> Self:
        """Return the cosine of x in radians."""
    def cosh(self) -> Self:
        """Return the hyperbolic cosine."""
    def erf(self) -> Self:
        """Return the error function, 2/sqrt(pi) times the integral of exp(-t^2)."""
    def exp(self) -> Self:
        """Return e to the power x."""
    def expm1(self) -> Self:
        """Return `exp(x) - 1`, exact also for small x."""
    def log(self) -> Self:
        """Return the natural logarithm; -inf at 0, nan below."""
    def log10(self) -> Self:
        """Return the logarithm to base 10."""
    def log1p(self) -> Self:
        """Return `log(1 + x)`, exact also for small x."""
    def log2(self) -> Self:
        """Return the logarithm to base 2."""
    def rsqrt(self) -> Self:
        """Return `1 / sqrt(x)`."""
    def sin(self) -> Self:
        """Return the sine of x in radians."""
    def sinh(self) -> Self:
        """Return the hyperbolic sine."""
    def sqrt(self) -> Self:
        """Return the square root; nan below 0."""
    def tan(self) -> Self:
        """Return the tangent of x in radians."""
    def tanh(self) -> Self:
        """Return the hyperbolic tangent."""
    @overload
    def bitwise_and(self, y: Tracked) -> Tracked: ...
    @overload
    def bitwise_and(self, y: Tensor | _int) -> Self:
        """Return `x & y` of integers, or of bools."""
    def bitwise_invert(self) -> Self:
        """Return `~x` of integers, or `not x` of bools."""
    @overload
    def bitwise_left_shift(self, y: Tracked) -> Tracked: ...
    @overload
    def bitwise_left_shift(self, y: Tensor | _int) -> Self:
        """Return `x << y`; bits shifted out are lost."""
    def bitwise_not(self) -> Self:
        """Return `~x` of integers, or `not x` of bools."""
    @overload
    def bitwise_or(self, y: Tracked) -> Tracked: ...
    @overload
    def bitwise_or(self, y: Tensor | _int) -> Self:
        """Return `x | y` of integers, or of bools."""
    @overload
    def bitwise_right_shift(self, y: Tracked) -> Tracked: ...
    @overload
    def bitwise_right_shift(self, y: Tensor | _int) -> Self:
        """Return `x >> y`; the sign is kept."""
    @overload
    def bitwise_xor(self, y: Tracked) -> Tracked: ...
    @overload
    def bitwise_xor(self, y: Tensor | _int) -> Self:
        """Return `x ^ y` of integers, or of bools."""
    @overload
    def equal(self, y: Tracked) -> Tracked: ...
    @overload
    def equal(self, y: Tensor | _float) -> Self:
        """Say where `x == y`. Dtype: bool."""
    @overload
    def greater(self, y: Tracked) -> Tracked: ...
    @overload
    def greater(self, y: Tensor | _float) -> Self:
        """Say where `x > y`. Dtype: bool."""
    @overload
    def greater_equal(self, y: Tracked) -> Tracked: ...
    @overload
    def greater_equal(self, y: Tensor | _float) -> Self:
        """Say where `x >= y`. Dtype: bool."""
    @overload
    def less(self, y: Tracked) -> Tracked: ...
    @overload
    def less(self, y: Tensor | _float) -> Self:
        """Say where `x < y`. Dtype: bool."""
    @overload
    def less_equal(self, y: Tracked) -> Tracked: ...
    @overload
    def less_equal(self, y: Tensor | _float) -> Self:
        """Say where `x <= y`. Dtype: bool."""
    @overload
    def logical_and(self, y: Tracked) -> Tracked: ...
    @overload
    def logical_and(self, y: Tensor | _float) -> Self:
        """Say where both are true (not 0). Dtype: bool."""
    def logical_not(self) -> Self:
        """Say where x is false (0). Dtype: bool."""
    @overload
    def logical_or(self, y: Tracked) -> Tracked: ...
    @overload
    def logical_or(self, y: Tensor | _float) -> Self:
        """Say where one of them, or both, are true (not 0). Dtype: bool."""
    @overload
    def logical_xor(self, y: Tracked) -> Tracked: ...
    @overload
    def logical_xor(self, y: Tensor | _float) -> Self:
        """Say where just one of them is true (not 0). Dtype: bool."""
    @overload
    def not_equal(self, y: Tracked) -> Tracked: ...
    @overload
    def not_equal(self, y: Tensor | _float) -> Self:
        """Say where `x != y`. Dtype: bool."""
    def all(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Say whether every element over `axis` is true (non-zero). Dtype: bool."""
    def amax(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Return the largest element over `axis`; nan if there is one."""
    def amin(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Return the smallest element over `axis`; nan if there is one."""
    def any(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Say whether some element over `axis` is true (non-zero). Dtype: bool."""
    def argmax(self, axis: _int | None = None, keepdims: _bool = False) -> Self:
        """Return the position of the (first) largest element. Dtype: default integer."""
    def argmin(self, axis: _int | None = None, keepdims: _bool = False) -> Self:
        """Return the position of the (first) smallest element. Dtype: default integer."""
    def count_nonzero(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Return how many elements over `axis` are not 0. Dtype: the default integer."""
    def max(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Return the largest element over `axis`; nan if there is one."""
    def mean(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Return the arithmetic mean over `axis`; integers become float32."""
    def min(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Return the smallest element over `axis`; nan if there is one."""
    def prod(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False, dtype: DType | None = None) -> Self:
        """Return the product over `axis`; dtypes as in `sum`."""
    def std(self, axis: _int | tuple[_int, ...] | None = None, correction: _float = 0.0, keepdims: _bool = False) -> Self:
        """Return the standard deviation over `axis`; see `var`."""
    def sum(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False, dtype: DType | None = None) -> Self:
        """Return the sum over `axis` (all axes if None)."""
    def var(self, axis: _int | tuple[_int, ...] | None = None, correction: _float = 0.0, keepdims: _bool = False) -> Self:
        """Return the variance over `axis`, divided by `n - correction`."""
    def pad(self, widths: Sequence[Sequence[_int]] | Sequence[_int] | _int, mode: str = 'constant', value: _float = 0.0) -> Self:
        """Add elements around x."""
    def broadcast_to(self, shape: Sequence[_int]) -> Self:
        """`expand` by its name in the array API standard, where -1 has no meaning."""
    def expand(self, *shape: _int | Sequence[_int]) -> Self:
        """Repeat axes of size 1 (and new leading ones) to a larger shape. A view."""
    def expand_dims(self, axis: _int = 0) -> Self:
        """`unsqueeze`, by its name in the array API standard."""
    def flip(self, axis: _int | tuple[_int, ...] | None = None) -> Self:
        """Reverse axes (all if None). A view."""
    def matrix_transpose(self) -> Self:
        """Exchange the last two axes. A view. Raises: ShapeError below two axes."""
    def moveaxis(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Self:
        """Move axes to other places; the rest keep their order. A view."""
    def narrow(self, dim: _int, start: _int, length: _int) -> Self:
        """Return `length` elements of one axis from `start`. A view; raises ShapeError."""
    def permute(self, *axes: _int | Sequence[_int]) -> Self:
        """Reorder the axes: axis i of the result is axis `axes[i]` of x. A view."""
    def permute_dims(self, axes: Sequence[_int]) -> Self:
        """`permute`, by its name in the array API standard."""
    def reshape(self, shape: _int | Sequence[_int], *more: _int | Sequence[_int], copy: _bool | None = None) -> Self:
        """Return the elements in row-major order under another shape; one size may be -1."""
    @overload
    def slice_assign(self, values: Tracked, starts: Sequence[_int], steps: Sequence[_int]) -> Tracked: ...
    @overload
    def slice_assign(self, values: Tensor, starts: Sequence[_int], steps: Sequence[_int]) -> Self:
        """Return x with `values` at `starts + i*steps`; x itself stays as it is."""
    def strided_slice(self, starts: Sequence[_int], steps: Sequence[_int], shape: Sequence[_int]) -> Self:
        """Take `shape` elements from `starts` by `steps`, one number per axis. A view."""
    def sum_to(self, shape: Sequence[_int]) -> Self:
        """Sum over the axes that broadcasting `shape` to x's shape would repeat."""
    def swapaxes(self, dim0: _int = -2, dim1: _int = -1) -> Self:
        """Exchange two axes (the last two by default). A view."""
    def transpose(self, dim0: _int = -2, dim1: _int = -1) -> Self:
        """Exchange two axes (the last two by default). A view."""
    def unsqueeze(self, axis: _int) -> Self:
        """Add an axis of size 1. A view."""
    def chunk(self, chunks: _int, axis: _int = 0) -> list[Self]:
        """Cut x along an axis into at most `chunks` parts of equal size (the last less)."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Self:
        """Merge the axes from `start_dim` to `end_dim` into one."""
    def roll(self, shift: _int | Sequence[_int], axis: _int | Sequence[_int] | None = None) -> Self:
        """Shift elements along axes; those pushed out come in at the other end."""
    def split(self, size_or_sections: _int | Sequence[_int], axis: _int = 0) -> list[Self]:
        """Cut x along an axis into parts of one size (the last may be smaller), or listed."""
    def squeeze(self, axis: _int | tuple[_int, ...] | None = None) -> Self:
        """Remove axes of size 1 (all such if None); raises ShapeError for another size."""
    def empty_like(self, dtype: DType | str | None = None, device: Device | str | None = None) -> Self:
        """Return a tensor of x's shape whose values are of no account."""
    def full_like(self, fill_value: complex, dtype: DType | str | None = None, device: Device | str | None = None) -> Self:
        """Return a constant of x's shape; of its dtype and on its device unless given."""
    def ones_like(self, dtype: DType | str | None = None, device: Device | str | None = None) -> Self:
        """Return ones of x's shape; of its dtype and on its device unless given."""
    def tril(self, k: _int = 0) -> Self:
        """Return x with zeros above the k-th diagonal of its last two axes."""
    def triu(self, k: _int = 0) -> Self:
        """Return x with zeros below the k-th diagonal of its last two axes."""
    def zeros_like(self, dtype: DType | str | None = None, device: Device | str | None = None) -> Self:
        """Return zeros of x's shape; of its dtype and on its device unless given."""
    @overload
    def dot(self, y: Tracked) -> Tracked: ...
    @overload
    def dot(self, y: Tensor) -> Self:
        """Return the inner product of two vectors; raises ShapeError for other ranks."""
    @overload
    def matmul(self, y: Tracked) -> Tracked: ...
    @overload
    def matmul(self, y: Tensor) -> Self:
        """Return the matrix product over the last two axes; leading axes broadcast."""
    @overload
    def outer(self, y: Tracked) -> Tracked: ...
    @overload
    def outer(self, y: Tensor) -> Self:
        """Return the products of every pair: x [N], y [M] -> [N, M]."""
    @overload
    def add_along_axis(self, index: Tracked, values: Tensor | _float, axis: _int = -1) -> Tracked: ...
    @overload
    def add_along_axis(self, index: Tensor, values: Tracked, axis: _int = -1) -> Tracked: ...
    @overload
    def add_along_axis(self, index: Tensor, values: Tensor | _float, axis: _int = -1) -> Self:
        """Return x with `values` added at `x[…, index[…, j, …], …]`; all add up."""
    @overload
    def add_at(self, index: Tracked, values: Tensor | _float, axis: _int = 0) -> Tracked: ...
    @overload
    def add_at(self, index: Tensor, values: Tracked, axis: _int = 0) -> Tracked: ...
    @overload
    def add_at(self, index: Tensor, values: Tensor | _float, axis: _int = 0) -> Self:
        """Return x with `values` added to the slices that an index names; all add up."""
    @overload
    def gather(self, axis: _int, index: Tracked) -> Tracked: ...
    @overload
    def gather(self, axis: _int, index: Tensor) -> Self:
        """`take_along_axis` as in PyTorch: the index may be smaller on the other axes."""
    @overload
    def index_add(self, axis: _int, index: Tracked, values: Tensor, alpha: _float = 1.0) -> Tracked: ...
    @overload
    def index_add(self, axis: _int, index: Tensor, values: Tracked, alpha: _float = 1.0) -> Tracked: ...
    @overload
    def index_add(self, axis: _int, index: Tensor, values: Tensor, alpha: _float = 1.0) -> Self:
        """`add_at` with PyTorch's name and order of arguments; values times alpha."""
    @overload
    def index_copy(self, axis: _int, index: Tracked, values: Tensor) -> Tracked: ...
    @overload
    def index_copy(self, axis: _int, index: Tensor, values: Tracked) -> Tracked: ...
    @overload
    def index_copy(self, axis: _int, index: Tensor, values: Tensor) -> Self:
        """`put_at` with PyTorch's name and order of arguments."""
    @overload
    def index_select(self, axis: _int, index: Tracked) -> Tracked: ...
    @overload
    def index_select(self, axis: _int, index: Tensor) -> Self:
        """`take` with PyTorch's name and order of arguments."""
    @overload
    def masked_fill(self, mask: Tracked, value: Tensor | _float) -> Tracked: ...
    @overload
    def masked_fill(self, mask: Tensor, value: Tracked) -> Tracked: ...
    @overload
    def masked_fill(self, mask: Tensor, value: Tensor | _float) -> Self:
        """Return x with `value` where the mask holds; all broadcast."""
    @overload
    def put(self, index: Tracked, values: Tensor | _float) -> Tracked: ...
    @overload
    def put(self, index: Tensor, values: Tracked) -> Tracked: ...
    @overload
    def put(self, index: Tensor, values: Tensor | _float) -> Self:
        """Return x with `values` (broadcast) at flat positions; the last one wins."""
    @overload
    def put_along_axis(self, index: Tracked, values: Tensor | _float, axis: _int = -1) -> Tracked: ...
    @overload
    def put_along_axis(self, index: Tensor, values: Tracked, axis: _int = -1) -> Tracked: ...
    @overload
    def put_along_axis(self, index: Tensor, values: Tensor | _float, axis: _int = -1) -> Self:
        """Return x with `values` at `x[…, index[…, j, …], …]`; the last one wins."""
    @overload
    def put_at(self, index: Tracked, values: Tensor | _float, axis: _int = 0) -> Tracked: ...
    @overload
    def put_at(self, index: Tensor, values: Tracked, axis: _int = 0) -> Tracked: ...
    @overload
    def put_at(self, index: Tensor, values: Tensor | _float, axis: _int = 0) -> Self:
        """Return x with the slices that an index names replaced; the last one wins."""
    @overload
    def scatter(self, axis: _int, index: Tracked, src: Tensor | _float) -> Tracked: ...
    @overload
    def scatter(self, axis: _int, index: Tensor, src: Tracked) -> Tracked: ...
    @overload
    def scatter(self, axis: _int, index: Tensor, src: Tensor | _float) -> Self:
        """`put_along_axis` as in PyTorch: index and src may be smaller, or src a number."""
    @overload
    def scatter_add(self, axis: _int, index: Tracked, src: Tensor | _float) -> Tracked: ...
    @overload
    def scatter_add(self, axis: _int, index: Tensor, src: Tracked) -> Tracked: ...
    @overload
    def scatter_add(self, axis: _int, index: Tensor, src: Tensor | _float) -> Self:
        """`add_along_axis` as in PyTorch: index and src may be smaller than x."""
    @overload
    def take(self, indices: Tracked, axis: _int | None = None) -> Tracked: ...
    @overload
    def take(self, indices: Tensor, axis: _int | None = None) -> Self:
        """Return the elements (or slices of an axis) that an index tensor names."""
    @overload
    def take_along_axis(self, indices: Tracked, axis: _int = -1) -> Tracked: ...
    @overload
    def take_along_axis(self, indices: Tensor, axis: _int = -1) -> Self:
        """Return `x[…, indices[…, j, …], …]`: an index of its own for every other place."""
    def diagonal(self, offset: _int = 0, axis1: _int = -2, axis2: _int = -1) -> Self:
        """Return the diagonal of two axes, as a new last axis."""
    def trace(self, offset: _int = 0, axis1: _int = -2, axis2: _int = -1, *, dtype: DType | None = None) -> Self:
        """Return the sum of the diagonal of two axes; dtype: as in `sum`."""
    def celu(self, alpha: _float = 1.0) -> Self:
        """Return x where it is positive, else `alpha * (exp(x / alpha) - 1)`."""
    def elu(self, alpha: _float = 1.0) -> Self:
        """Return x where it is positive, else `alpha * (exp(x) - 1)`."""
    def gelu(self, approximate: str = 'none') -> Self:
        """Return `x * P(normal < x)`; approximate="tanh" takes the usual tanh formula."""
    def glu(self, axis: _int = -1) -> Self:
        """Cut an axis in halves a and b; return `a * sigmoid(b)`."""
    def hard_sigmoid(self) -> Self:
        """Return `(x + 3) / 6` brought into [0, 1]."""
    def hard_swish(self) -> Self:
        """Return `x * hard_sigmoid(x)`."""
    def hardshrink(self, lambd: _float = 0.5) -> Self:
        """Return x, with 0 where it lies in [-lambd, lambd]."""
    def hardsigmoid(self) -> Self:
        """Return `(x + 3) / 6` brought into [0, 1]."""
    def hardswish(self) -> Self:
        """Return `x * hard_sigmoid(x)`."""
    def hardtanh(self, min_val: _float = -1.0, max_val: _float = 1.0) -> Self:
        """Return x brought into [min_val, max_val]; the gradient is 0 at both bounds."""
    def leaky_relu(self, negative_slope: _float = 0.01) -> Self:
        """Return x where it is positive, else `x * negative_slope`."""
    def log_sigmoid(self) -> Self:
        """Return `log(sigmoid(x))`, exact also for very negative x."""
    def log_softmax(self, axis: _int = -1) -> Self:
        """Return `log(softmax(x))`, without the loss of digits of doing it in two steps."""
    def logsigmoid(self) -> Self:
        """Return `log(sigmoid(x))`, exact also for very negative x."""
    def logsumexp(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Return `log(sum(exp(x)))` over `axis` (all if None); no overflow on the way."""
    def mish(self) -> Self:
        """Return `x * tanh(softplus(x))`."""
    @overload
    def prelu(self, weight: Tracked) -> Tracked: ...
    @overload
    def prelu(self, weight: Tensor) -> Self:
        """`leaky_relu` with a learned slope for each channel (axis 1), or one for all."""
    def relu(self) -> Self:
        """Return x where it is positive, else 0."""
    def relu6(self) -> Self:
        """Return x brought into [0, 6]."""
    def selu(self) -> Self:
        """Return `elu` scaled so that deep nets keep mean 0 and variance 1."""
    def sigmoid(self) -> Self:
        """Return `1 / (1 + exp(-x))`; neither side overflows."""
    def silu(self) -> Self:
        """Return `x * sigmoid(x)` (also called swish)."""
    def softmax(self, axis: _int = -1) -> Self:
        """Return `exp(x) / sum(exp(x))` along an axis: positive numbers that add up to 1."""
    def softmin(self, axis: _int = -1) -> Self:
        """Return `softmax(-x)`."""
    def softplus(self, beta: _float = 1.0, threshold: _float = 20.0) -> Self:
        """Return `log(1 + exp(beta * x)) / beta`; x itself where beta * x > threshold."""
    def softshrink(self, lambd: _float = 0.5) -> Self:
        """Return x moved towards 0 by `lambd`, and 0 where it is nearer than that."""
    def softsign(self) -> Self:
        """Return `x / (1 + |x|)`."""
    def swish(self) -> Self:
        """Return `x * sigmoid(x)` (also called swish)."""
    def tanhshrink(self) -> Self:
        """Return `x - tanh(x)`."""
    def threshold(self, threshold: _float, value: _float) -> Self:
        """Return x where it is above `threshold`, else `value`."""
    def standardize(self, axis: _int | tuple[_int, ...] | None = None, eps: _float = 1e-05) -> tuple[Self, Self, Self]:
        """Return `(x - mean) / sqrt(var + eps)`, mean and variance over `axis` (kept)."""
    def cummax(self, axis: _int) -> Placed[Self]:
        """Return the largest element up to each one along an axis, and its place."""
    def cummin(self, axis: _int) -> Placed[Self]:
        """Return the smallest element up to each one along an axis, and its place."""
    def cumprod(self, axis: _int, dtype: DType | None = None) -> Self:
        """Return the products of all elements up to each one; dtypes as in `cumsum`."""
    def cumsum(self, axis: _int, dtype: DType | None = None) -> Self:
        """Return the sums of all elements up to each one along an axis."""
    def cumulative_prod(self, axis: _int | None = None, dtype: DType | None = None, include_initial: _bool = False) -> Self:
        """`cumprod`, by its name in the array API standard; may begin with 1."""
    def cumulative_sum(self, axis: _int | None = None, dtype: DType | None = None, include_initial: _bool = False) -> Self:
        """`cumsum`, by its name in the array API standard; may begin with 0."""
    def exclusive_products(self, axes: _int | tuple[_int, ...] | None = None) -> Self:
        """Return for each element the product of all others over `axes`: no division."""
    def argsort(self, axis: _int = -1, descending: _bool = False, stable: _bool = True) -> Self:
        """Return the positions that would sort x along an axis; equal ones keep order."""
    def sort(self, axis: _int = -1, descending: _bool = False, stable: _bool = True) -> Self:
        """Return x sorted along an axis, as the array API does; see also `sort_pairs`."""
    def sort_pairs(self, axis: _int = -1, descending: _bool = False, stable: _bool = True) -> Placed[Self]:
        """Return x sorted along an axis, and the places its elements came from."""
    def topk(self, k: _int, axis: _int = -1, largest: _bool = True, sorted: _bool = True) -> Placed[Self]:
        """Return the k largest (or smallest) elements along an axis, and their positions."""
    @overload
    def masked_scatter(self, mask: Tracked, source: Tensor) -> Tracked: ...
    @overload
    def masked_scatter(self, mask: Tensor, source: Tracked) -> Tracked: ...
    @overload
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Self:
        """Return x with the elements of `source`, in order, where the mask holds."""
    @overload
    def masked_select(self, mask: Tracked) -> Tracked: ...
    @overload
    def masked_select(self, mask: Tensor) -> Self:
        """Return the elements where the mask holds, in row-major order: `x[mask]`."""
    @overload
    async def masked_select_async(self, mask: Tracked) -> Tracked: ...
    @overload
    async def masked_select_async(self, mask: Tensor) -> Self:
        """`masked_select` for platforms where a thread cannot wait."""
    def nonzero(self) -> tuple[Tensor, ...]:
        """Return where x is not 0: one integer tensor [K] per axis, in row-major order."""
    async def nonzero_async(self) -> tuple[Tensor, ...]:
        """`nonzero` for platforms where a thread cannot wait."""
    def sliding_windows(self, axis: _int, size: _int, step: _int = 1, dilation: _int = 1) -> Self:
        """Return every window of an axis, its elements along a new last axis. A view."""
    @overload
    def copysign(self, y: Tracked) -> Tracked: ...
    @overload
    def copysign(self, y: Tensor | _float) -> Self:
        """Return `|x|` with the sign of y, also of a zero. Shapes broadcast."""
    @overload
    def hypot(self, y: Tracked) -> Tracked: ...
    @overload
    def hypot(self, y: Tensor | _float) -> Self:
        """Return `sqrt(x*x + y*y)`, whose squares do not overflow. Shapes broadcast."""
    @overload
    def logaddexp(self, y: Tracked) -> Tracked: ...
    @overload
    def logaddexp(self, y: Tensor | _float) -> Self:
        """Return `log(exp(x) + exp(y))` without overflow. Shapes broadcast."""
    @overload
    def nextafter(self, y: Tracked) -> Tracked: ...
    @overload
    def nextafter(self, y: Tensor | _float) -> Self:
        """Return the float beside x in the direction of y; y where they are equal."""
    def positive(self) -> Self:
        """Return `+x`: the same values, as a tensor of its own."""
    def signbit(self) -> Self:
        """Say where the sign is set: of numbers below 0, of -0.0, of a nan with a sign."""
    def angle(self) -> Self:
        """Return the angle of complex numbers, in [-pi, pi]: pi of real ones below 0."""
    def conj(self) -> Self:
        """Return the complex conjugate."""
    def imag(self) -> Self:
        """Return the imaginary part; zeros of real numbers. Dtype as of `real`."""
    def real(self) -> Self:
        """Return the real part. Dtype: float32 of complex64, float64 of complex128."""
    @overload
    def diff(self, axis: _int = -1, n: _int = 1, *, prepend: Tracked, append: Tensor | None = None) -> Tracked: ...
    @overload
    def diff(self, axis: _int = -1, n: _int = 1, prepend: Tensor | None = None, *, append: Tracked) -> Tracked: ...
    @overload
    def diff(self, axis: _int = -1, n: _int = 1, prepend: Tensor | None = None, append: Tensor | None = None) -> Self:
        """Return the n-th differences of neighbours along an axis."""
    @overload
    def tensordot(self, x2: Tracked, axes: _int | Sequence[Sequence[_int]] = 2) -> Tracked: ...
    @overload
    def tensordot(self, x2: Tensor, axes: _int | Sequence[Sequence[_int]] = 2) -> Self:
        """Return the sums of products over axes of both tensors."""
    def tile(self, repetitions: Sequence[_int]) -> Self:
        """Repeat the whole tensor along each axis."""
    def unstack(self, axis: _int = 0) -> tuple[Self, ...]:
        """Return the slices along an axis, which goes away. Views. Raises: ShapeError."""
    @overload
    def vecdot(self, x2: Tracked, axis: _int = -1) -> Tracked: ...
    @overload
    def vecdot(self, x2: Tensor, axis: _int = -1) -> Self:
        """Return the inner products of vectors along an axis; the other axes broadcast."""
    @overload
    def addcdiv(self, tensor1: Tracked, tensor2: Tensor | _float, value: _float = 1) -> Tracked: ...
    @overload
    def addcdiv(self, tensor1: Tensor | _float, tensor2: Tracked, value: _float = 1) -> Tracked: ...
    @overload
    def addcdiv(self, tensor1: Tensor | _float, tensor2: Tensor | _float, value: _float = 1) -> Self:
        """Return `x + value * tensor1 / tensor2`; all broadcast."""
    @overload
    def addcmul(self, tensor1: Tracked, tensor2: Tensor | _float, value: _float = 1) -> Tracked: ...
    @overload
    def addcmul(self, tensor1: Tensor | _float, tensor2: Tracked, value: _float = 1) -> Tracked: ...
    @overload
    def addcmul(self, tensor1: Tensor | _float, tensor2: Tensor | _float, value: _float = 1) -> Self:
        """Return `x + value * tensor1 * tensor2`; all broadcast."""
    def deg2rad(self) -> Self:
        """Return degrees as radians: `x * pi / 180`."""
    def erfc(self) -> Self:
        """Return `1 - erf(x)`, exact also where that is tiny."""
    def erfinv(self) -> Self:
        """Return y with `erf(y) = x`: ±inf at ±1, nan beyond."""
    def exp2(self) -> Self:
        """Return 2 to the power x."""
    def expit(self) -> Self:
        """Return `1 / (1 + exp(-x))`; neither side overflows."""
    @overload
    def fmod(self, y: Tracked) -> Tracked: ...
    @overload
    def fmod(self, y: Tensor | _float) -> Self:
        """Return the remainder of `x / y`, with the sign of `x` (C's fmod)."""
    def frac(self) -> Self:
        """Return `x - trunc(x)`: the part behind the point, with the sign of x."""
    def i0(self) -> Self:
        """Return the modified Bessel function of the first kind and order 0."""
    @overload
    def lerp(self, end: Tracked, weight: Tensor | _float) -> Tracked: ...
    @overload
    def lerp(self, end: Tensor | _float, weight: Tracked) -> Tracked: ...
    @overload
    def lerp(self, end: Tensor | _float, weight: Tensor | _float) -> Self:
        """Return `x + weight * (end - x)`: on the line from x to `end`."""
    def logit(self, eps: _float | None = None) -> Self:
        """Return `log(x / (1 - x))`: the inverse of `sigmoid`; nan outside [0, 1]."""
    def rad2deg(self) -> Self:
        """Return radians as degrees: `x * 180 / pi`."""
    def sgn(self) -> Self:
        """Return -1, 0 or 1 by the sign of x; nan stays nan."""
    def sinc(self) -> Self:
        """Return `sin(pi*x) / (pi*x)`, and 1 at 0."""
    @overload
    def xlogy(self, y: Tracked) -> Tracked: ...
    @overload
    def xlogy(self, y: Tensor | _float) -> Self:
        """Return `x * log(y)`, and 0 where x is 0 (nan where y is nan)."""
    def digamma(self) -> Self:
        """Return the derivative of `lgamma`; nan at the negative integers, ∓inf at ±0."""
    def lgamma(self) -> Self:
        """Return the logarithm of |Gamma(x)|; inf at 0 and the negative integers."""
    @overload
    def diagonal_scatter(self, src: Tracked, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Tracked: ...
    @overload
    def diagonal_scatter(self, src: Tensor, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Self:
        """Return x with `src` in place of a diagonal of two axes (the last axis of src)."""
    @overload
    def expand_as(self, other: Tracked) -> Tracked: ...
    @overload
    def expand_as(self, other: Tensor) -> Self:
        """Repeat axes of size 1 to the shape of `other`. A view."""
    def fliplr(self) -> Self:
        """Reverse axis 1. A view."""
    def flipud(self) -> Self:
        """Reverse axis 0. A view."""
    def movedim(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Self:
        """Move axes to other places; the rest keep their order. A view."""
    def ravel(self) -> Self:
        """Return the elements in row-major order along one axis."""
    @overload
    def reshape_as(self, other: Tracked) -> Tracked: ...
    @overload
    def reshape_as(self, other: Tensor) -> Self:
        """Return x's elements under the shape of `other`."""
    def rot90(self, k: _int = 1, axes: Sequence[_int] = (0, 1)) -> Self:
        """Turn x by k quarters in the plane of two axes, from the first to the second."""
    def select(self, axis: _int, index: _int) -> Self:
        """Return the slice of an axis at one index; the axis goes away. A view."""
    @overload
    def select_scatter(self, src: Tracked, axis: _int, index: _int) -> Tracked: ...
    @overload
    def select_scatter(self, src: Tensor, axis: _int, index: _int) -> Self:
        """Return x with `src` in place of the slice that `select` would give."""
    @overload
    def slice_scatter(self, src: Tracked, axis: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1) -> Tracked: ...
    @overload
    def slice_scatter(self, src: Tensor, axis: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1) -> Self:
        """Return x with `src` in place of `x[start:end:step]` of an axis."""
    def swapdims(self, dim0: _int = -2, dim1: _int = -1) -> Self:
        """Exchange two axes (the last two by default). A view."""
    def t(self) -> Self:
        """Exchange the axes of a matrix; vectors and 0-d tensors stay. A view."""
    def unbind(self, axis: _int = 0) -> list[Self]:
        """Return the slices of an axis, one after the other, without it. Views."""
    def unflatten(self, axis: _int, sizes: Sequence[_int]) -> Self:
        """Cut one axis into several of these sizes; one may be -1. A view."""
    def view(self, *shape: _int | Sequence[_int]) -> Self:
        """`reshape`, by PyTorch's name: a view where the layout allows, else a copy."""
    @overload
    def view_as(self, other: Tracked) -> Tracked: ...
    @overload
    def view_as(self, other: Tensor) -> Self:
        """Return x's elements under the shape of `other`."""
    def atleast_1d(self) -> Self:
        """Return x with at least one axis."""
    def atleast_2d(self) -> Self:
        """Return x with at least two axes; new ones come in front."""
    def atleast_3d(self) -> Self:
        """Return x with at least three axes: [M, N] -> [M, N, 1], [N] -> [1, N, 1]."""
    def dsplit(self, indices_or_sections: _int | Sequence[_int]) -> list[Self]:
        """`tensor_split` along axis 2."""
    def hsplit(self, indices_or_sections: _int | Sequence[_int]) -> list[Self]:
        """`tensor_split` along axis 1 (axis 0 of a vector)."""
    def split_with_sizes(self, sizes: Sequence[_int], axis: _int = 0) -> list[Self]:
        """Cut x along an axis into parts of these sizes: `split` with a list."""
    def tensor_split(self, indices_or_sections: _int | Sequence[_int], axis: _int = 0) -> list[Self]:
        """Cut an axis into a number of parts, or before the indices that are listed."""
    def vsplit(self, indices_or_sections: _int | Sequence[_int]) -> list[Self]:
        """`tensor_split` along axis 0 of at least a matrix."""
    def aminmax(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Extremes[Self]:
        """Return the smallest and the largest elements over `axis`: `.min`, `.max`."""
    def corrcoef(self) -> Self:
        """Return the correlations of the rows: x [V, N] -> [V, V], from -1 to 1."""
    @overload
    def cov(self, correction: _float = 1, *, fweights: Tracked, aweights: Tensor | None = None) -> Tracked: ...
    @overload
    def cov(self, correction: _float = 1, fweights: Tensor | None = None, *, aweights: Tracked) -> Tracked: ...
    @overload
    def cov(self, correction: _float = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Self:
        """Return the covariances of the rows: x [V, N] -> [V, V]; a vector's variance."""
    def nanmean(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Return the mean over `axis` of what is not nan; nan where nothing is left."""
    def nansum(self, axis: _int | tuple[_int, ...] | None = None, keepdims: _bool = False) -> Self:
        """Return the sum over `axis`, with nan counted as 0."""
    def std_mean(self, axis: _int | tuple[_int, ...] | None = None, correction: _float = 0.0, keepdims: _bool = False) -> tuple[Self, Self]:
        """Return the standard deviation and the mean over `axis`; see `var`."""
    def var_mean(self, axis: _int | tuple[_int, ...] | None = None, correction: _float = 0.0, keepdims: _bool = False) -> tuple[Self, Self]:
        """Return the variance and the mean over `axis`; see `var` for the correction."""
    def argtopk(self, k: _int, axis: _int = -1, largest: _bool = True) -> Self:
        """Return the positions of the k largest (or smallest) elements: `topk`'s."""
    def kthvalue(self, k: _int, axis: _int = -1, keepdims: _bool = False) -> Placed[Self]:
        """Return the k-th smallest element of each line (from 1), and where it stands."""
    def median(self, axis: _int | None = None, keepdims: _bool = False) -> Self | Placed[Self]:
        """Return the median; with an axis, the medians along it and where they stand."""
    def mode(self, axis: _int = -1, keepdims: _bool = False) -> Placed[Self]:
        """Return the most frequent element of each line, and where it last stands."""
    def msort(self) -> Self:
        """Return x sorted along its first axis."""
    def nanmedian(self, axis: _int | None = None, keepdims: _bool = False) -> Self | Placed[Self]:
        """`median` of what is not nan; nan where nothing is left."""
    @overload
    def nanquantile(self, q: Tracked, axis: _int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> Tracked: ...
    @overload
    def nanquantile(self, q: Tensor | _float | Sequence[_float], axis: _int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> Self:
        """`quantile` of what is not nan; nan where nothing is left."""
    @overload
    def percentile(self, q: Tracked, axis: _int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> Tracked: ...
    @overload
    def percentile(self, q: Tensor | _float | Sequence[_float], axis: _int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> Self:
        """`quantile` with q in percent, as in NumPy."""
    @overload
    def quantile(self, q: Tracked, axis: _int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> Tracked: ...
    @overload
    def quantile(self, q: Tensor | _float | Sequence[_float], axis: _int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> Self:
        """Return the elements below which the share q of each line lies."""
    @overload
    def allclose(self, other: Tracked, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tracked: ...
    @overload
    def allclose(self, other: Tensor | _float, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Self:
        """Say whether all elements are close; see `isclose`. A 0-d bool tensor."""
    @overload
    def isclose(self, other: Tracked, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tracked: ...
    @overload
    def isclose(self, other: Tensor | _float, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Self:
        """Say where `|x - other| <= atol + rtol * |other|`. Dtype: bool."""
    def isneginf(self) -> Self:
        """Say where x is -inf. Dtype: bool."""
    def isposinf(self) -> Self:
        """Say where x is inf. Dtype: bool."""
    def nan_to_num(self, nan: _float = 0.0, posinf: _float | None = None, neginf: _float | None = None) -> Self:
        """Return x with numbers for nan, inf and -inf: 0 and the dtype's extremes."""
    @overload
    def index_reduce(self, axis: _int, index: Tracked, source: Tensor, reduce: str, include_self: _bool = True) -> Tracked: ...
    @overload
    def index_reduce(self, axis: _int, index: Tensor, source: Tracked, reduce: str, include_self: _bool = True) -> Tracked: ...
    @overload
    def index_reduce(self, axis: _int, index: Tensor, source: Tensor, reduce: str, include_self: _bool = True) -> Self:
        """`scatter_reduce` with one index for whole slices of an axis."""
    @overload
    def scatter_reduce(self, axis: _int, index: Tracked, src: Tensor, reduce: str, include_self: _bool = True) -> Tracked: ...
    @overload
    def scatter_reduce(self, axis: _int, index: Tensor, src: Tracked, reduce: str, include_self: _bool = True) -> Tracked: ...
    @overload
    def scatter_reduce(self, axis: _int, index: Tensor, src: Tensor, reduce: str, include_self: _bool = True) -> Self:
        """Return x with the elements of `src` joined to those that the index names."""
    def argwhere(self) -> Tensor:
        """Return where x is not 0, one place a row: [K, axes] integers."""
    async def argwhere_async(self) -> Tensor:
        """`argwhere` for platforms where a thread cannot wait."""
    @overload
    def gather_nd(self, index: Tracked) -> Tracked: ...
    @overload
    def gather_nd(self, index: Tensor) -> Self:
        """Return what lies at places: the last axis of the index holds their coordinates."""
    @overload
    def index_fill(self, axis: _int, index: Tracked, value: Tensor | _float) -> Tracked: ...
    @overload
    def index_fill(self, axis: _int, index: Tensor, value: Tracked) -> Tracked: ...
    @overload
    def index_fill(self, axis: _int, index: Tensor, value: Tensor | _float) -> Self:
        """Return x with one value in the slices of an axis that an index [K] names."""
    @overload
    def index_put(self, indices: Tracked, values: Tensor | _float, accumulate: _bool = False) -> Tracked: ...
    @overload
    def index_put(self, indices: Sequence[Tensor | None] | Tensor, values: Tracked, accumulate: _bool = False) -> Tracked: ...
    @overload
    def index_put(self, indices: Sequence[Tensor | None] | Tensor, values: Tensor | _float, accumulate: _bool = False) -> Self:
        """Return x with `values` at `x[indices]`; with accumulate, added to what is there."""
    @overload
    def scatter_nd(self, index: Tracked, values: Tensor | _float, reduce: str | None = None) -> Tracked: ...
    @overload
    def scatter_nd(self, index: Tensor, values: Tracked, reduce: str | None = None) -> Tracked: ...
    @overload
    def scatter_nd(self, index: Tensor, values: Tensor | _float, reduce: str | None = None) -> Self:
        """Return x with values put (or joined) at places; see `gather_nd`."""
    @overload
    def take_along_dim(self, index: Tracked, dim: _int | None = None) -> Tracked: ...
    @overload
    def take_along_dim(self, index: Tensor, dim: _int | None = None) -> Self:
        """`take_along_axis` with PyTorch's name; without an axis both count as flat."""
    def diag(self, offset: _int = 0) -> Self:
        """Return a matrix with the vector x on a diagonal, or the diagonal of a matrix."""
    def diag_embed(self, offset: _int = 0, axis1: _int = -2, axis2: _int = -1) -> Self:
        """Return matrices with the last axis of x on a diagonal, 0 elsewhere."""
    def diagflat(self, offset: _int = 0) -> Self:
        """Return a matrix with all elements of x on a diagonal."""
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0, length: _int | None = None) -> Tensor:
        """Return how often each whole number is in x [N]: [K], K above the largest."""
    async def bincount_async(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """`bincount` for platforms where a thread cannot wait."""
    def histc(self, bins: _int = 100, min: _float = 0.0, max: _float = 0.0) -> Self:
        """Return how many elements fall into each of `bins` even parts of [min, max]."""
    @overload
    def histogram(self, bins: Tracked, range: tuple[_float, _float] | None = None, weight: Tensor | None = None, density: _bool = False) -> Histogram[Tracked]: ...
    @overload
    def histogram(self, bins: _int | Tensor = 10, range: tuple[_float, _float] | None = None, *, weight: Tracked, density: _bool = False) -> Histogram[Tracked]: ...
    @overload
    def histogram(self, bins: _int | Tensor = 10, range: tuple[_float, _float] | None = None, weight: Tensor | None = None, density: _bool = False) -> Histogram[Self]:
        """Return (hist, edges): what falls between edges, and these."""
    def logcumsumexp(self, axis: _int = -1) -> Self:
        """Return `log(cumsum(exp(x)))` along an axis, without overflow."""
    def unique(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, axis: _int | None = None) -> Self | tuple[Self, ...]:
        """Return each value of x once, in order; with an axis, each slice of it."""
    async def unique_async(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, axis: _int | None = None) -> Self | tuple[Self, ...]:
        """`unique` for platforms where a thread cannot wait."""
    def unique_consecutive(self, return_inverse: _bool = False, return_counts: _bool = False, axis: _int | None = None) -> Self | tuple[Self, ...]:
        """Return the first of each run of equal neighbours; see `unique`."""
    def multinomial(self, num_samples: _int, replacement: _bool = False) -> Tensor:
        """Return places drawn with the probabilities (or weights) of the last axis."""
    def rand_like(self, dtype: DType | None = None) -> Tensor:
        """Return uniform numbers in [0, 1) of x's shape, dtype and device."""
    def randint_like(self, low: _int, high: _int | None = None, dtype: DType | None = None) -> Tensor:
        """Return integers in [low, high) (or [0, low)) of x's shape, dtype and device."""
    def randn_like(self, dtype: DType | None = None) -> Tensor:
        """Return standard normal numbers of x's shape, dtype and device."""
    @overload
    def repeat_interleave(self, repeats: Tracked, axis: _int | None = None) -> Tracked: ...
    @overload
    def repeat_interleave(self, repeats: _int | Tensor, axis: _int | None = None) -> Self:
        """Repeat each element along an axis; without one x counts as flat."""
    @overload
    def addmm(self, mat1: Tracked, mat2: Tensor, beta: _float = 1.0, alpha: _float = 1.0) -> Tracked: ...
    @overload
    def addmm(self, mat1: Tensor, mat2: Tracked, beta: _float = 1.0, alpha: _float = 1.0) -> Tracked: ...
    @overload
    def addmm(self, mat1: Tensor, mat2: Tensor, beta: _float = 1.0, alpha: _float = 1.0) -> Self:
        """Return `beta * x + alpha * (mat1 @ mat2)`; x broadcasts."""
    @overload
    def bmm(self, other: Tracked) -> Tracked: ...
    @overload
    def bmm(self, other: Tensor) -> Self:
        """Return the products of two batches of matrices: [B, M, K], [B, K, N]."""
    @overload
    def cross(self, other: Tracked, axis: _int = -1) -> Tracked: ...
    @overload
    def cross(self, other: Tensor, axis: _int = -1) -> Self:
        """Return the cross products of vectors of three along an axis; both broadcast."""
    @overload
    def mm(self, other: Tracked) -> Tracked: ...
    @overload
    def mm(self, other: Tensor) -> Self:
        """Return the product of two matrices; raises ShapeError for other ranks."""
    @overload
    def mv(self, other: Tracked) -> Tracked: ...
    @overload
    def mv(self, other: Tensor) -> Self:
        """Return the product of a matrix and a vector: [M, K], [K] -> [M]."""
    def bool(self) -> Self:
        """Return x in bool: `x.astype(...)`."""
    def byte(self) -> Self:
        """Return x in uint8: `x.astype(...)`."""
    def char(self) -> Self:
        """Return x in int8: `x.astype(...)`."""
    def clone(self) -> Self:
        """Return a tensor of its own with the same values and history."""
    def contains_nan(self) -> Self:
        """Say whether an element is nan, as a 0-d bool tensor: `x.isnan().any()`."""
    def cpu(self) -> Tensor:
        """Return it on the CPU: NumPy's device where NumPy is, else plain Python's."""
    def cuda(self) -> Tensor:
        """Return it on an NVIDIA GPU; DeviceError where there is none. See `to`."""
    def dim(self) -> _int:
        """Return the number of axes: `x.ndim`."""
    def double(self) -> Self:
        """Return x in float64: `x.astype(...)`."""
    def element_size(self) -> _int:
        """Return the number of bytes of one element."""
    def float(self) -> Self:
        """Return x in float32: `x.astype(...)`."""
    def half(self) -> Self:
        """Return x in float16: `x.astype(...)`."""
    def int(self) -> Self:
        """Return x in int32: `x.astype(...)`."""
    def is_complex(self) -> _bool:
        """Say whether the dtype is complex."""
    def is_floating_point(self) -> _bool:
        """Say whether the dtype is a float."""
    def is_signed(self) -> _bool:
        """Say whether the dtype has negative numbers."""
    def long(self) -> Self:
        """Return x as int64, or as the device's default integer where that is narrower."""
    def ndimension(self) -> _int:
        """Return the number of axes: `x.ndim`."""
    def nelement(self) -> _int:
        """Return the number of elements: `x.size`."""
    def new_empty(self, *shape: _int | Sequence[_int], dtype: DType | str | None = None) -> Self:
        """Return zeros of x's dtype (or another), on its device."""
    def new_full(self, shape: Sequence[_int], value: _float, dtype: DType | str | None = None) -> Self:
        """Return a constant of x's dtype (or another), on its device."""
    def new_ones(self, *shape: _int | Sequence[_int], dtype: DType | str | None = None) -> Self:
        """Return ones of x's dtype (or another), on its device."""
    def new_tensor(self, data: Any, dtype: DType | str | None = None) -> Tensor:
        """Return numbers as a tensor of x's dtype (or another), on its device."""
    def new_zeros(self, *shape: _int | Sequence[_int], dtype: DType | str | None = None) -> Self:
        """Return zeros of x's dtype (or another), on its device."""
    def numel(self) -> _int:
        """Return the number of elements: `x.size`."""
    def repeat(self, *sizes: _int | Sequence[_int]) -> Self:
        """Repeat the whole tensor along each axis: `tile`."""
    def short(self) -> Self:
        """Return x in int16: `x.astype(...)`."""
    def type(self, dtype: DType | str | None = None) -> Self | str:
        """Return x in another dtype; without one, the name of its own."""
    @overload
    def type_as(self, other: Tracked) -> Tracked: ...
    @overload
    def type_as(self, other: Tensor) -> Self:
        """Return x in the dtype of `other`."""
    def unfold(self, axis: _int, size: _int, step: _int) -> Self:
        """Return every window of an axis, along a new last axis. A view."""
    def abs_(self) -> Self:
        """`abs`, in place."""
    def acos_(self) -> Self:
        """`acos`, in place."""
    def acosh_(self) -> Self:
        """`acosh`, in place."""
    def add_(self, y: Tensor | _float) -> Self:
        """`add`, in place."""
    def addcdiv_(self, tensor1: Tensor | _float, tensor2: Tensor | _float, value: _float = 1) -> Self:
        """`addcdiv`, in place."""
    def addcmul_(self, tensor1: Tensor | _float, tensor2: Tensor | _float, value: _float = 1) -> Self:
        """`addcmul`, in place."""
    def asin_(self) -> Self:
        """`asin`, in place."""
    def asinh_(self) -> Self:
        """`asinh`, in place."""
    def atan_(self) -> Self:
        """`atan`, in place."""
    def atan2_(self, x: Tensor | _float) -> Self:
        """`atan2`, in place."""
    def atanh_(self) -> Self:
        """`atanh`, in place."""
    def bitwise_and_(self, y: Tensor | _int) -> Self:
        """`bitwise_and`, in place."""
    def bitwise_left_shift_(self, y: Tensor | _int) -> Self:
        """`bitwise_left_shift`, in place."""
    def bitwise_not_(self) -> Self:
        """`bitwise_not`, in place."""
    def bitwise_or_(self, y: Tensor | _int) -> Self:
        """`bitwise_or`, in place."""
    def bitwise_right_shift_(self, y: Tensor | _int) -> Self:
        """`bitwise_right_shift`, in place."""
    def bitwise_xor_(self, y: Tensor | _int) -> Self:
        """`bitwise_xor`, in place."""
    def ceil_(self) -> Self:
        """`ceil`, in place."""
    def clamp_(self, min: _float | None = None, max: _float | None = None) -> Self:
        """`clamp`, in place."""
    def clip_(self, min: _float | None = None, max: _float | None = None) -> Self:
        """`clip`, in place."""
    def copysign_(self, y: Tensor | _float) -> Self:
        """`copysign`, in place."""
    def cos_(self) -> Self:
        """`cos`, in place."""
    def cosh_(self) -> Self:
        """`cosh`, in place."""
    def cumprod_(self, axis: _int, dtype: DType | None = None) -> Self:
        """`cumprod`, in place."""
    def cumsum_(self, axis: _int, dtype: DType | None = None) -> Self:
        """`cumsum`, in place."""
    def deg2rad_(self) -> Self:
        """`deg2rad`, in place."""
    def digamma_(self) -> Self:
        """`digamma`, in place."""
    def div_(self, y: Tensor | _float) -> Self:
        """`div`, in place."""
    def divide_(self, y: Tensor | _float) -> Self:
        """`divide`, in place."""
    def elu_(self, alpha: _float = 1.0) -> Self:
        """`elu`, in place."""
    def erf_(self) -> Self:
        """`erf`, in place."""
    def erfc_(self) -> Self:
        """`erfc`, in place."""
    def erfinv_(self) -> Self:
        """`erfinv`, in place."""
    def exp_(self) -> Self:
        """`exp`, in place."""
    def exp2_(self) -> Self:
        """`exp2`, in place."""
    def expm1_(self) -> Self:
        """`expm1`, in place."""
    def floor_(self) -> Self:
        """`floor`, in place."""
    def floor_divide_(self, y: Tensor | _float) -> Self:
        """`floor_divide`, in place."""
    def fmod_(self, y: Tensor | _float) -> Self:
        """`fmod`, in place."""
    def frac_(self) -> Self:
        """`frac`, in place."""
    def hypot_(self, y: Tensor | _float) -> Self:
        """`hypot`, in place."""
    def index_add_(self, axis: _int, index: Tensor, values: Tensor, alpha: _float = 1.0) -> Self:
        """`index_add`, in place."""
    def index_copy_(self, axis: _int, index: Tensor, values: Tensor) -> Self:
        """`index_copy`, in place."""
    def index_fill_(self, axis: _int, index: Tensor, value: Tensor | _float) -> Self:
        """`index_fill`, in place."""
    def index_put_(self, indices: Sequence[Tensor | None] | Tensor, values: Tensor | _float, accumulate: _bool = False) -> Self:
        """`index_put`, in place."""
    def index_reduce_(self, axis: _int, index: Tensor, source: Tensor, reduce: str, include_self: _bool = True) -> Self:
        """`index_reduce`, in place."""
    def leaky_relu_(self, negative_slope: _float = 0.01) -> Self:
        """`leaky_relu`, in place."""
    def lerp_(self, end: Tensor | _float, weight: Tensor | _float) -> Self:
        """`lerp`, in place."""
    def lgamma_(self) -> Self:
        """`lgamma`, in place."""
    def log_(self) -> Self:
        """`log`, in place."""
    def log10_(self) -> Self:
        """`log10`, in place."""
    def log1p_(self) -> Self:
        """`log1p`, in place."""
    def log2_(self) -> Self:
        """`log2`, in place."""
    def logical_and_(self, y: Tensor | _float) -> Self:
        """`logical_and`, in place."""
    def logical_not_(self) -> Self:
        """`logical_not`, in place."""
    def logical_or_(self, y: Tensor | _float) -> Self:
        """`logical_or`, in place."""
    def logical_xor_(self, y: Tensor | _float) -> Self:
        """`logical_xor`, in place."""
    def logit_(self, eps: _float | None = None) -> Self:
        """`logit`, in place."""
    def masked_fill_(self, mask: Tensor, value: Tensor | _float) -> Self:
        """`masked_fill`, in place."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Self:
        """`masked_scatter`, in place."""
    def mul_(self, y: Tensor | _float) -> Self:
        """`mul`, in place."""
    def multiply_(self, y: Tensor | _float) -> Self:
        """`multiply`, in place."""
    def nan_to_num_(self, nan: _float = 0.0, posinf: _float | None = None, neginf: _float | None = None) -> Self:
        """`nan_to_num`, in place."""
    def neg_(self) -> Self:
        """`neg`, in place."""
    def negative_(self) -> Self:
        """`negative`, in place."""
    def pow_(self, y: Tensor | _float) -> Self:
        """`pow`, in place."""
    def put_(self, index: Tensor, values: Tensor | _float) -> Self:
        """`put`, in place."""
    def rad2deg_(self) -> Self:
        """`rad2deg`, in place."""
    def reciprocal_(self) -> Self:
        """`reciprocal`, in place."""
    def relu_(self) -> Self:
        """`relu`, in place."""
    def remainder_(self, y: Tensor | _float) -> Self:
        """`remainder`, in place."""
    def round_(self) -> Self:
        """`round`, in place."""
    def rsqrt_(self) -> Self:
        """`rsqrt`, in place."""
    def scatter_(self, axis: _int, index: Tensor, src: Tensor | _float) -> Self:
        """`scatter`, in place."""
    def scatter_add_(self, axis: _int, index: Tensor, src: Tensor | _float) -> Self:
        """`scatter_add`, in place."""
    def scatter_reduce_(self, axis: _int, index: Tensor, src: Tensor, reduce: str, include_self: _bool = True) -> Self:
        """`scatter_reduce`, in place."""
    def sigmoid_(self) -> Self:
        """`sigmoid`, in place."""
    def sign_(self) -> Self:
        """`sign`, in place."""
    def sin_(self) -> Self:
        """`sin`, in place."""
    def sinc_(self) -> Self:
        """`sinc`, in place."""
    def sinh_(self) -> Self:
        """`sinh`, in place."""
    def sqrt_(self) -> Self:
        """`sqrt`, in place."""
    def square_(self) -> Self:
        """`square`, in place."""
    def sub_(self, y: Tensor | _float) -> Self:
        """`sub`, in place."""
    def subtract_(self, y: Tensor | _float) -> Self:
        """`subtract`, in place."""
    def tan_(self) -> Self:
        """`tan`, in place."""
    def tanh_(self) -> Self:
        """`tanh`, in place."""
    def tril_(self, k: _int = 0) -> Self:
        """`tril`, in place."""
    def triu_(self, k: _int = 0) -> Self:
        """`triu`, in place."""
    def trunc_(self) -> Self:
        """`trunc`, in place."""
    def xlogy_(self, y: Tensor | _float) -> Self:
        """`xlogy`, in place."""
    def bernoulli_(self, p: _float = 0.5) -> Self:
        """Fill with ones, each with probability p, and zeros, in place."""
    def copy_(self, other: Any) -> Self:
        """Take another tensor's values, broadcast, cast and moved, in place."""
    def fill_(self, value: _float) -> Self:
        """Fill with a number, in place."""
    def normal_(self, mean: _float = 0.0, std: _float = 1.0) -> Self:
        """Fill with normal numbers, in place."""
    def uniform_(self, low: _float = 0.0, high: _float = 1.0) -> Self:
        """Fill with uniform numbers in [low, high), in place."""
    def zero_(self) -> Self:
        """Fill with zeros, in place."""

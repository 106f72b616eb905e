"""Made by `python -m fogo.cli.stubs` from the functions of fogo.ops."""

from builtins import bool as _bool
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from . import amp as amp
from . import autograd as autograd
from . import autotune as autotune
from . import data as data
from . import demo as demo
from . import fft as fft
from . import func as func
from . import linalg as linalg
from . import memory as memory
from . import nn as nn
from . import ops as ops
from . import optim as optim
from . import random as random
from . import signal as signal
from . import store as store
from . import testing as testing
from . import train as train
from .namespace import Info
from .device import AutodiffDevice as AutodiffDevice
from .device import Device as Device
from .device import best_device as best_device
from .device import default_device as default_device
from .device import device as device
from .device import devices as devices
from .device import set_default_device as set_default_device
from .dtypes import DType as DType
from .dtypes import bfloat16 as bfloat16
from .dtypes import bool_ as bool_
from .dtypes import can_cast as can_cast
from .dtypes import complex128 as complex128
from .dtypes import complex64 as complex64
from .dtypes import dtype as dtype
from .dtypes import float16 as float16
from .dtypes import float32 as float32
from .dtypes import float64 as float64
from .dtypes import int16 as int16
from .dtypes import int32 as int32
from .dtypes import int64 as int64
from .dtypes import int8 as int8
from .dtypes import promote as promote
from .dtypes import uint16 as uint16
from .dtypes import uint32 as uint32
from .dtypes import uint64 as uint64
from .dtypes import uint8 as uint8
from .errors import ArgumentError as ArgumentError
from .errors import AutodiffError as AutodiffError
from .errors import DTypeError as DTypeError
from .errors import DeviceError as DeviceError
from .errors import FogoError as FogoError
from .errors import FormatError as FormatError
from .errors import KernelError as KernelError
from .errors import ShapeError as ShapeError
from .ops.record import Aval as Aval
from .tensor import Tensor as Tensor
from .tensor import Tracked as Tracked
from .tensor import tensor as tensor
from .ops.pairs import Extremes as Extremes
from .ops.pairs import Histogram as Histogram
from .ops.pairs import Placed as Placed
from .ops.sets import UniqueAllResult as UniqueAllResult
from .ops.sets import UniqueCountsResult as UniqueCountsResult
from .ops.sets import UniqueInverseResult as UniqueInverseResult
from .backend.gradients import Gradients as Gradients
from .backend.gradients import GradientsAccumulator as GradientsAccumulator
from .exchange import asarray as asarray
from .backend.autocast import autocast as autocast
from .backend.checkpoint import checkpoint as checkpoint
from .compiling import compile as compile
from .func.custom import custom_vjp as custom_vjp
from .anomaly import detect_anomaly as detect_anomaly
from .namespace import e as e
from .backend.grad_mode import enable_grad as enable_grad
from .backend.fusion.explain import explain as explain
from .namespace import finfo as finfo
from .exchange import from_dlpack as from_dlpack
from .backend.autocast import get_autocast_dtype as get_autocast_dtype
from .func.reverse import grad as grad
from .gradchecks import gradcheck as gradcheck
from .gradchecks import gradgradcheck as gradgradcheck
from .func.jacobians import hessian as hessian
from .func.jacobians import hvp as hvp
from .namespace import iinfo as iinfo
from .namespace import inf as inf
from .backend.grad_mode import inference_mode as inference_mode
from .backend.autocast import is_autocast_enabled as is_autocast_enabled
from .backend.grad_mode import is_grad_enabled as is_grad_enabled
from .namespace import isdtype as isdtype
from .func.jacobians import jacfwd as jacfwd
from .func.jacobians import jacobian as jacobian
from .func.jacobians import jacrev as jacrev
from .func.forward import jvp as jvp
from .kernel.user import kernel as kernel
from .kernel.source import kernel_source as kernel_source
from .memory import memory_cleanup as memory_cleanup
from .memory import memory_stats as memory_stats
from .namespace import nan as nan
from .namespace import newaxis as newaxis
from .backend.grad_mode import no_grad as no_grad
from .namespace import pi as pi
from .profiling import profile as profile
from .reading import read as read
from .reading import read_async as read_async
from .namespace import result_type as result_type
from .backend.grad_mode import set_grad_enabled as set_grad_enabled
from .printing import set_print_options as set_print_options
from .printing import set_printoptions as set_printoptions
from .func.reverse import value_and_grad as value_and_grad
from .func.reverse import vjp as vjp
from .func.mapping import vmap as vmap

T = TypeVar("T", bound=Tensor)

__version__: str
__array_api_version__: str
bool: DType

def __array_namespace_info__() -> Info: ...
@overload
def bernoulli(p: float, shape: tuple[int, ...], *, device: AutodiffDevice) -> Tracked: ...
@overload
def bernoulli(p: float, shape: tuple[int, ...], device: Device | str | None = None) -> Tensor:
    """Return bools that are true with probability p."""
def manual_seed(seed: int) -> None:
    """Restart the random stream of every device: those open, and those opened later."""
@overload
def normal(mean: float, std: float, shape: tuple[int, ...], dtype: DType | str | None = None, *, device: AutodiffDevice) -> Tracked: ...
@overload
def normal(mean: float, std: float, shape: tuple[int, ...], dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return normal numbers of a mean and a standard deviation."""
@overload
def rand(*shape: int | Sequence[int], dtype: DType | str | None = None, device: AutodiffDevice) -> Tracked: ...
@overload
def rand(*shape: int | Sequence[int], dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return uniform numbers in [0, 1)."""
@overload
def randint(low: int, high: int, shape: tuple[int, ...], dtype: DType | str | None = None, *, device: AutodiffDevice) -> Tracked: ...
@overload
def randint(low: int, high: int, shape: tuple[int, ...], dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return integers in [low, high), evenly up to 1 part in 2**32 / (high - low)."""
@overload
def randn(*shape: int | Sequence[int], dtype: DType | str | None = None, device: AutodiffDevice) -> Tracked: ...
@overload
def randn(*shape: int | Sequence[int], dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return standard normal numbers (Box and Muller's transform of two uniforms)."""
@overload
def random_bits(shape: tuple[int, ...], *, device: AutodiffDevice) -> Tracked: ...
@overload
def random_bits(shape: tuple[int, ...], device: Device | str | None = None) -> Tensor:
    """Return uint32 random bits (Threefry-2x32-20), and move the device's stream on."""
@overload
def randperm(n: int, *, device: AutodiffDevice) -> Tracked: ...
@overload
def randperm(n: int, device: Device | str | None = None) -> Tensor:
    """Return the numbers 0 … n-1 in random order."""
@overload
def uniform(low: float, high: float, shape: tuple[int, ...], dtype: DType | str | None = None, *, device: AutodiffDevice) -> Tracked: ...
@overload
def uniform(low: float, high: float, shape: tuple[int, ...], dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return uniform numbers in [low, high)."""
def abs(x: T) -> T:
    """Return `|x|`."""
def absolute(x: T) -> T:
    """Return `|x|`."""
@overload
def add(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def add(x: T, y: Tensor | float) -> T:
    """Return `x + y`. Shapes broadcast, dtypes promote."""
def astype(x: T, dtype: DType | str, copy: _bool = True, device: Device | str | None = None) -> T:
    """Convert to another dtype, and to another device."""
@overload
def atan2(y: Tensor, x: Tracked) -> Tracked: ...
@overload
def atan2(y: T, x: Tensor | float) -> T:
    """Return the angle of the point (x, y) in radians, in [-pi, pi]."""
def ceil(x: T) -> T:
    """Return the smallest whole number not below x."""
def clamp(x: T, min: float | None = None, max: float | None = None) -> T:
    """Bring x into [min, max]; either bound may be None."""
def clip(x: T, min: float | None = None, max: float | None = None) -> T:
    """Bring x into [min, max]; either bound may be None."""
def contiguous(x: T) -> T:
    """Return x laid out row-major: a copy only where it is not so already."""
@overload
def div(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def div(x: T, y: Tensor | float) -> T:
    """Return `x / y`; integers become float32 first."""
@overload
def divide(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def divide(x: T, y: Tensor | float) -> T:
    """Return `x / y`; integers become float32 first."""
def floor(x: T) -> T:
    """Return the largest whole number not above x; integers are that themselves."""
@overload
def floor_divide(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def floor_divide(x: T, y: Tensor | float) -> T:
    """Return `floor(x / y)`; 0 where an integer is divided by zero."""
def isfinite(x: T) -> T:
    """Say where x is neither nan nor infinite. Dtype: bool."""
def isinf(x: T) -> T:
    """Say where x is inf or -inf. Dtype: bool."""
def isnan(x: T) -> T:
    """Say where x is nan. Dtype: bool."""
@overload
def maximum(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def maximum(x: T, y: Tensor | float) -> T:
    """Return the larger of each pair; nan where either is nan."""
@overload
def minimum(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def minimum(x: T, y: Tensor | float) -> T:
    """Return the smaller of each pair; nan where either is nan."""
@overload
def mul(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def mul(x: T, y: Tensor | float) -> T:
    """Return `x * y`. Shapes broadcast, dtypes promote."""
@overload
def multiply(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def multiply(x: T, y: Tensor | float) -> T:
    """Return `x * y`. Shapes broadcast, dtypes promote."""
def neg(x: T) -> T:
    """Return `-x`."""
def negative(x: T) -> T:
    """Return `-x`."""
@overload
def pow(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def pow(x: T, y: Tensor | float) -> T:
    """Return `x ** y`; a negative integer power of an integer is truncated."""
def reciprocal(x: T) -> T:
    """Return `1 / x`."""
@overload
def remainder(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def remainder(x: T, y: Tensor | float) -> T:
    """Return the remainder of `x / y`, with the sign of `y` (Python's `%`)."""
def round(x: T) -> T:
    """Return the nearest whole number, halves to even."""
def sign(x: T) -> T:
    """Return -1, 0 or 1 by the sign of x; nan stays nan."""
def square(x: T) -> T:
    """Return `x * x`."""
@overload
def sub(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def sub(x: T, y: Tensor | float) -> T:
    """Return `x - y`. Shapes broadcast, dtypes promote."""
@overload
def subtract(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def subtract(x: T, y: Tensor | float) -> T:
    """Return `x - y`. Shapes broadcast, dtypes promote."""
def trunc(x: T) -> T:
    """Return x without its fraction."""
@overload
def where(condition: Tensor, x: Tracked, y: Tensor | float) -> Tracked: ...
@overload
def where(condition: Tensor, x: Tensor | float, y: Tracked) -> Tracked: ...
@overload
def where(condition: T, x: Tensor | float, y: Tensor | float) -> T:
    """Choose `x` where the condition holds, else `y`. All three broadcast."""
def acos(x: T) -> T:
    """Return the arccosine, in radians."""
def acosh(x: T) -> T:
    """Return the inverse hyperbolic cosine; nan below 1."""
def asin(x: T) -> T:
    """Return the arcsine, in radians."""
def asinh(x: T) -> T:
    """Return the inverse hyperbolic sine."""
def atan(x: T) -> T:
    """Return the arctangent, in radians."""
def atanh(x: T) -> T:
    """Return the inverse hyperbolic tangent."""
def cos(x: T) -> T:
    """Return the cosine of x in radians."""
def cosh(x: T) -> T:
    """Return the hyperbolic cosine."""
def erf(x: T) -> T:
    """Return the error function, 2/sqrt(pi) times the integral of exp(-t^2)."""
def exp(x: T) -> T:
    """Return e to the power x."""
def expm1(x: T) -> T:
    """Return `exp(x) - 1`, exact also for small x."""
def log(x: T) -> T:
    """Return the natural logarithm; -inf at 0, nan below."""
def log10(x: T) -> T:
    """Return the logarithm to base 10."""
def log1p(x: T) -> T:
    """Return `log(1 + x)`, exact also for small x."""
def log2(x: T) -> T:
    """Return the logarithm to base 2."""
def rsqrt(x: T) -> T:
    """Return `1 / sqrt(x)`."""
def sin(x: T) -> T:
    """Return the sine of x in radians."""
def sinh(x: T) -> T:
    """Return the hyperbolic sine."""
def sqrt(x: T) -> T:
    """Return the square root; nan below 0."""
def tan(x: T) -> T:
    """Return the tangent of x in radians."""
def tanh(x: T) -> T:
    """Return the hyperbolic tangent."""
@overload
def bitwise_and(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def bitwise_and(x: T, y: Tensor | int) -> T:
    """Return `x & y` of integers, or of bools."""
def bitwise_invert(x: T) -> T:
    """Return `~x` of integers, or `not x` of bools."""
@overload
def bitwise_left_shift(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def bitwise_left_shift(x: T, y: Tensor | int) -> T:
    """Return `x << y`; bits shifted out are lost."""
def bitwise_not(x: T) -> T:
    """Return `~x` of integers, or `not x` of bools."""
@overload
def bitwise_or(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def bitwise_or(x: T, y: Tensor | int) -> T:
    """Return `x | y` of integers, or of bools."""
@overload
def bitwise_right_shift(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def bitwise_right_shift(x: T, y: Tensor | int) -> T:
    """Return `x >> y`; the sign is kept."""
@overload
def bitwise_xor(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def bitwise_xor(x: T, y: Tensor | int) -> T:
    """Return `x ^ y` of integers, or of bools."""
@overload
def equal(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def equal(x: T, y: Tensor | float) -> T:
    """Say where `x == y`. Dtype: bool."""
@overload
def greater(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def greater(x: T, y: Tensor | float) -> T:
    """Say where `x > y`. Dtype: bool."""
@overload
def greater_equal(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def greater_equal(x: T, y: Tensor | float) -> T:
    """Say where `x >= y`. Dtype: bool."""
@overload
def less(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def less(x: T, y: Tensor | float) -> T:
    """Say where `x < y`. Dtype: bool."""
@overload
def less_equal(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def less_equal(x: T, y: Tensor | float) -> T:
    """Say where `x <= y`. Dtype: bool."""
@overload
def logical_and(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def logical_and(x: T, y: Tensor | float) -> T:
    """Say where both are true (not 0). Dtype: bool."""
def logical_not(x: T) -> T:
    """Say where x is false (0). Dtype: bool."""
@overload
def logical_or(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def logical_or(x: T, y: Tensor | float) -> T:
    """Say where one of them, or both, are true (not 0). Dtype: bool."""
@overload
def logical_xor(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def logical_xor(x: T, y: Tensor | float) -> T:
    """Say where just one of them is true (not 0). Dtype: bool."""
@overload
def not_equal(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def not_equal(x: T, y: Tensor | float) -> T:
    """Say where `x != y`. Dtype: bool."""
def all(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Say whether every element over `axis` is true (non-zero). Dtype: bool."""
def amax(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Return the largest element over `axis`; nan if there is one."""
def amin(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Return the smallest element over `axis`; nan if there is one."""
def any(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Say whether some element over `axis` is true (non-zero). Dtype: bool."""
def argmax(x: T, axis: int | None = None, keepdims: _bool = False) -> T:
    """Return the position of the (first) largest element. Dtype: default integer."""
def argmin(x: T, axis: int | None = None, keepdims: _bool = False) -> T:
    """Return the position of the (first) smallest element. Dtype: default integer."""
def count_nonzero(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Return how many elements over `axis` are not 0. Dtype: the default integer."""
def max(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Return the largest element over `axis`; nan if there is one."""
def mean(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Return the arithmetic mean over `axis`; integers become float32."""
def min(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Return the smallest element over `axis`; nan if there is one."""
def prod(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False, dtype: DType | None = None) -> T:
    """Return the product over `axis`; dtypes as in `sum`."""
def std(x: T, axis: int | tuple[int, ...] | None = None, correction: float = 0.0, keepdims: _bool = False) -> T:
    """Return the standard deviation over `axis`; see `var`."""
def sum(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False, dtype: DType | None = None) -> T:
    """Return the sum over `axis` (all axes if None)."""
def var(x: T, axis: int | tuple[int, ...] | None = None, correction: float = 0.0, keepdims: _bool = False) -> T:
    """Return the variance over `axis`, divided by `n - correction`."""
def pad(x: T, widths: Sequence[Sequence[int]] | Sequence[int] | int, mode: str = 'constant', value: float = 0.0) -> T:
    """Add elements around x."""
def broadcast_to(x: T, shape: Sequence[int]) -> T:
    """`expand` by its name in the array API standard, where -1 has no meaning."""
def cat(arrays: Sequence[T], axis: int | None = 0) -> T:
    """Join tensors along an axis (flattened first if None); dtypes promote."""
def concat(arrays: Sequence[T], axis: int | None = 0) -> T:
    """Join tensors along an axis (flattened first if None); dtypes promote."""
def expand(x: T, *shape: int | Sequence[int]) -> T:
    """Repeat axes of size 1 (and new leading ones) to a larger shape. A view."""
def expand_dims(x: T, axis: int = 0) -> T:
    """`unsqueeze`, by its name in the array API standard."""
def flip(x: T, axis: int | tuple[int, ...] | None = None) -> T:
    """Reverse axes (all if None). A view."""
def matrix_transpose(x: T) -> T:
    """Exchange the last two axes. A view. Raises: ShapeError below two axes."""
def moveaxis(x: T, source: int | Sequence[int], destination: int | Sequence[int]) -> T:
    """Move axes to other places; the rest keep their order. A view."""
def narrow(x: T, dim: int, start: int, length: int) -> T:
    """Return `length` elements of one axis from `start`. A view; raises ShapeError."""
def permute(x: T, *axes: int | Sequence[int]) -> T:
    """Reorder the axes: axis i of the result is axis `axes[i]` of x. A view."""
def permute_dims(x: T, axes: Sequence[int]) -> T:
    """`permute`, by its name in the array API standard."""
def reshape(x: T, shape: int | Sequence[int], *more: int | Sequence[int], copy: _bool | None = None) -> T:
    """Return the elements in row-major order under another shape; one size may be -1."""
@overload
def slice_assign(x: Tensor, values: Tracked, starts: Sequence[int], steps: Sequence[int]) -> Tracked: ...
@overload
def slice_assign(x: T, values: Tensor, starts: Sequence[int], steps: Sequence[int]) -> T:
    """Return x with `values` at `starts + i*steps`; x itself stays as it is."""
def stack(arrays: Sequence[T], axis: int = 0) -> T:
    """Join tensors of equal shape along a new axis."""
def strided_slice(x: T, starts: Sequence[int], steps: Sequence[int], shape: Sequence[int]) -> T:
    """Take `shape` elements from `starts` by `steps`, one number per axis. A view."""
def sum_to(x: T, shape: Sequence[int]) -> T:
    """Sum over the axes that broadcasting `shape` to x's shape would repeat."""
def swapaxes(x: T, dim0: int = -2, dim1: int = -1) -> T:
    """Exchange two axes (the last two by default). A view."""
def transpose(x: T, dim0: int = -2, dim1: int = -1) -> T:
    """Exchange two axes (the last two by default). A view."""
def unsqueeze(x: T, axis: int) -> T:
    """Add an axis of size 1. A view."""
def chunk(x: T, chunks: int, axis: int = 0) -> list[T]:
    """Cut x along an axis into at most `chunks` parts of equal size (the last less)."""
def flatten(x: T, start_dim: int = 0, end_dim: int = -1) -> T:
    """Merge the axes from `start_dim` to `end_dim` into one."""
def roll(x: T, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> T:
    """Shift elements along axes; those pushed out come in at the other end."""
def split(x: T, size_or_sections: int | Sequence[int], axis: int = 0) -> list[T]:
    """Cut x along an axis into parts of one size (the last may be smaller), or listed."""
def squeeze(x: T, axis: int | tuple[int, ...] | None = None) -> T:
    """Remove axes of size 1 (all such if None); raises ShapeError for another size."""
@overload
def arange(start: float, stop: float | None = None, step: float = 1, dtype: DType | str | None = None, *, device: AutodiffDevice) -> Tracked: ...
@overload
def arange(start: float, stop: float | None = None, step: float = 1, dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return start, start+step, … below stop (from 0 when only one bound is given)."""
@overload
def empty(shape: int | Sequence[int], *more: int, dtype: DType | str | None = None, device: AutodiffDevice) -> Tracked: ...
@overload
def empty(shape: int | Sequence[int], *more: int, dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return a tensor whose values are of no account: zeros, as it happens."""
def empty_like(x: T, dtype: DType | str | None = None, device: Device | str | None = None) -> T:
    """Return a tensor of x's shape whose values are of no account."""
@overload
def eye(n_rows: int, n_cols: int | None = None, k: int = 0, dtype: DType | str | None = None, *, device: AutodiffDevice) -> Tracked: ...
@overload
def eye(n_rows: int, n_cols: int | None = None, k: int = 0, dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return ones on the k-th diagonal, zeros elsewhere."""
@overload
def full(shape: Sequence[int] | int, fill_value: complex, dtype: DType | str | None = None, *, device: AutodiffDevice) -> Tracked: ...
@overload
def full(shape: Sequence[int] | int, fill_value: complex, dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return a tensor of one value. Dtype by default: that of the value."""
def full_like(x: T, fill_value: complex, dtype: DType | str | None = None, device: Device | str | None = None) -> T:
    """Return a constant of x's shape; of its dtype and on its device unless given."""
@overload
def linspace(start: complex, stop: complex, num: int, dtype: DType | str | None = None, *, device: AutodiffDevice, endpoint: _bool = True) -> Tracked: ...
@overload
def linspace(start: complex, stop: complex, num: int, dtype: DType | str | None = None, device: Device | str | None = None, endpoint: _bool = True) -> Tensor:
    """Return `num` evenly spaced values from start to stop (with it, or without)."""
@overload
def ones(shape: int | Sequence[int], *more: int, dtype: DType | str | None = None, device: AutodiffDevice) -> Tracked: ...
@overload
def ones(shape: int | Sequence[int], *more: int, dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return ones, float32 by default. The sizes may come one by one."""
def ones_like(x: T, dtype: DType | str | None = None, device: Device | str | None = None) -> T:
    """Return ones of x's shape; of its dtype and on its device unless given."""
def tril(x: T, k: int = 0) -> T:
    """Return x with zeros above the k-th diagonal of its last two axes."""
def triu(x: T, k: int = 0) -> T:
    """Return x with zeros below the k-th diagonal of its last two axes."""
@overload
def zeros(shape: int | Sequence[int], *more: int, dtype: DType | str | None = None, device: AutodiffDevice) -> Tracked: ...
@overload
def zeros(shape: int | Sequence[int], *more: int, dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return zeros, float32 by default. The sizes may come one by one."""
def zeros_like(x: T, dtype: DType | str | None = None, device: Device | str | None = None) -> T:
    """Return zeros of x's shape; of its dtype and on its device unless given."""
@overload
def dot(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def dot(x: T, y: Tensor) -> T:
    """Return the inner product of two vectors; raises ShapeError for other ranks."""
@overload
def matmul(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def matmul(x: T, y: Tensor) -> T:
    """Return the matrix product over the last two axes; leading axes broadcast."""
@overload
def outer(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def outer(x: T, y: Tensor) -> T:
    """Return the products of every pair: x [N], y [M] -> [N, M]."""
@overload
def add_along_axis(x: Tensor, index: Tracked, values: Tensor | float, axis: int = -1) -> Tracked: ...
@overload
def add_along_axis(x: Tensor, index: Tensor, values: Tracked, axis: int = -1) -> Tracked: ...
@overload
def add_along_axis(x: T, index: Tensor, values: Tensor | float, axis: int = -1) -> T:
    """Return x with `values` added at `x[…, index[…, j, …], …]`; all add up."""
@overload
def add_at(x: Tensor, index: Tracked, values: Tensor | float, axis: int = 0) -> Tracked: ...
@overload
def add_at(x: Tensor, index: Tensor, values: Tracked, axis: int = 0) -> Tracked: ...
@overload
def add_at(x: T, index: Tensor, values: Tensor | float, axis: int = 0) -> T:
    """Return x with `values` added to the slices that an index names; all add up."""
@overload
def embedding(index: Tensor, weight: Tracked, padding_idx: int | None = None) -> Tracked: ...
@overload
def embedding(index: Tensor, weight: T, padding_idx: int | None = None) -> T:
    """Return the row of `weight` for each index; the row `padding_idx` learns nothing."""
@overload
def gather(x: Tensor, axis: int, index: Tracked) -> Tracked: ...
@overload
def gather(x: T, axis: int, index: Tensor) -> T:
    """`take_along_axis` as in PyTorch: the index may be smaller on the other axes."""
@overload
def index_add(x: Tensor, axis: int, index: Tracked, values: Tensor, alpha: float = 1.0) -> Tracked: ...
@overload
def index_add(x: Tensor, axis: int, index: Tensor, values: Tracked, alpha: float = 1.0) -> Tracked: ...
@overload
def index_add(x: T, axis: int, index: Tensor, values: Tensor, alpha: float = 1.0) -> T:
    """`add_at` with PyTorch's name and order of arguments; values times alpha."""
@overload
def index_copy(x: Tensor, axis: int, index: Tracked, values: Tensor) -> Tracked: ...
@overload
def index_copy(x: Tensor, axis: int, index: Tensor, values: Tracked) -> Tracked: ...
@overload
def index_copy(x: T, axis: int, index: Tensor, values: Tensor) -> T:
    """`put_at` with PyTorch's name and order of arguments."""
@overload
def index_select(x: Tensor, axis: int, index: Tracked) -> Tracked: ...
@overload
def index_select(x: T, axis: int, index: Tensor) -> T:
    """`take` with PyTorch's name and order of arguments."""
@overload
def masked_fill(x: Tensor, mask: Tracked, value: Tensor | float) -> Tracked: ...
@overload
def masked_fill(x: Tensor, mask: Tensor, value: Tracked) -> Tracked: ...
@overload
def masked_fill(x: T, mask: Tensor, value: Tensor | float) -> T:
    """Return x with `value` where the mask holds; all broadcast."""
def one_hot(index: Tensor, num_classes: int, dtype: str | None = None) -> Tensor:
    """Return 1 at each index along a new last axis, 0 elsewhere."""
@overload
def put(x: Tensor, index: Tracked, values: Tensor | float) -> Tracked: ...
@overload
def put(x: Tensor, index: Tensor, values: Tracked) -> Tracked: ...
@overload
def put(x: T, index: Tensor, values: Tensor | float) -> T:
    """Return x with `values` (broadcast) at flat positions; the last one wins."""
@overload
def put_along_axis(x: Tensor, index: Tracked, values: Tensor | float, axis: int = -1) -> Tracked: ...
@overload
def put_along_axis(x: Tensor, index: Tensor, values: Tracked, axis: int = -1) -> Tracked: ...
@overload
def put_along_axis(x: T, index: Tensor, values: Tensor | float, axis: int = -1) -> T:
    """Return x with `values` at `x[…, index[…, j, …], …]`; the last one wins."""
@overload
def put_at(x: Tensor, index: Tracked, values: Tensor | float, axis: int = 0) -> Tracked: ...
@overload
def put_at(x: Tensor, index: Tensor, values: Tracked, axis: int = 0) -> Tracked: ...
@overload
def put_at(x: T, index: Tensor, values: Tensor | float, axis: int = 0) -> T:
    """Return x with the slices that an index names replaced; the last one wins."""
@overload
def scatter(x: Tensor, axis: int, index: Tracked, src: Tensor | float) -> Tracked: ...
@overload
def scatter(x: Tensor, axis: int, index: Tensor, src: Tracked) -> Tracked: ...
@overload
def scatter(x: T, axis: int, index: Tensor, src: Tensor | float) -> T:
    """`put_along_axis` as in PyTorch: index and src may be smaller, or src a number."""
@overload
def scatter_add(x: Tensor, axis: int, index: Tracked, src: Tensor | float) -> Tracked: ...
@overload
def scatter_add(x: Tensor, axis: int, index: Tensor, src: Tracked) -> Tracked: ...
@overload
def scatter_add(x: T, axis: int, index: Tensor, src: Tensor | float) -> T:
    """`add_along_axis` as in PyTorch: index and src may be smaller than x."""
@overload
def take(x: Tensor, indices: Tracked, axis: int | None = None) -> Tracked: ...
@overload
def take(x: T, indices: Tensor, axis: int | None = None) -> T:
    """Return the elements (or slices of an axis) that an index tensor names."""
@overload
def take_along_axis(x: Tensor, indices: Tracked, axis: int = -1) -> Tracked: ...
@overload
def take_along_axis(x: T, indices: Tensor, axis: int = -1) -> T:
    """Return `x[…, indices[…, j, …], …]`: an index of its own for every other place."""
def diagonal(x: T, offset: int = 0, axis1: int = -2, axis2: int = -1) -> T:
    """Return the diagonal of two axes, as a new last axis."""
def trace(x: T, offset: int = 0, axis1: int = -2, axis2: int = -1, *, dtype: DType | None = None) -> T:
    """Return the sum of the diagonal of two axes; dtype: as in `sum`."""
def celu(x: T, alpha: float = 1.0) -> T:
    """Return x where it is positive, else `alpha * (exp(x / alpha) - 1)`."""
def elu(x: T, alpha: float = 1.0) -> T:
    """Return x where it is positive, else `alpha * (exp(x) - 1)`."""
def gelu(x: T, approximate: str = 'none') -> T:
    """Return `x * P(normal < x)`; approximate="tanh" takes the usual tanh formula."""
def glu(x: T, axis: int = -1) -> T:
    """Cut an axis in halves a and b; return `a * sigmoid(b)`."""
def hard_sigmoid(x: T) -> T:
    """Return `(x + 3) / 6` brought into [0, 1]."""
def hard_swish(x: T) -> T:
    """Return `x * hard_sigmoid(x)`."""
def hardshrink(x: T, lambd: float = 0.5) -> T:
    """Return x, with 0 where it lies in [-lambd, lambd]."""
def hardsigmoid(x: T) -> T:
    """Return `(x + 3) / 6` brought into [0, 1]."""
def hardswish(x: T) -> T:
    """Return `x * hard_sigmoid(x)`."""
def hardtanh(x: T, min_val: float = -1.0, max_val: float = 1.0) -> T:
    """Return x brought into [min_val, max_val]; the gradient is 0 at both bounds."""
def leaky_relu(x: T, negative_slope: float = 0.01) -> T:
    """Return x where it is positive, else `x * negative_slope`."""
def log_sigmoid(x: T) -> T:
    """Return `log(sigmoid(x))`, exact also for very negative x."""
def log_softmax(x: T, axis: int = -1) -> T:
    """Return `log(softmax(x))`, without the loss of digits of doing it in two steps."""
def logsigmoid(x: T) -> T:
    """Return `log(sigmoid(x))`, exact also for very negative x."""
def logsumexp(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Return `log(sum(exp(x)))` over `axis` (all if None); no overflow on the way."""
def mish(x: T) -> T:
    """Return `x * tanh(softplus(x))`."""
@overload
def prelu(x: Tensor, weight: Tracked) -> Tracked: ...
@overload
def prelu(x: T, weight: Tensor) -> T:
    """`leaky_relu` with a learned slope for each channel (axis 1), or one for all."""
def relu(x: T) -> T:
    """Return x where it is positive, else 0."""
def relu6(x: T) -> T:
    """Return x brought into [0, 6]."""
def selu(x: T) -> T:
    """Return `elu` scaled so that deep nets keep mean 0 and variance 1."""
def sigmoid(x: T) -> T:
    """Return `1 / (1 + exp(-x))`; neither side overflows."""
def silu(x: T) -> T:
    """Return `x * sigmoid(x)` (also called swish)."""
def softmax(x: T, axis: int = -1) -> T:
    """Return `exp(x) / sum(exp(x))` along an axis: positive numbers that add up to 1."""
def softmin(x: T, axis: int = -1) -> T:
    """Return `softmax(-x)`."""
def softplus(x: T, beta: float = 1.0, threshold: float = 20.0) -> T:
    """Return `log(1 + exp(beta * x)) / beta`; x itself where beta * x > threshold."""
def softshrink(x: T, lambd: float = 0.5) -> T:
    """Return x moved towards 0 by `lambd`, and 0 where it is nearer than that."""
def softsign(x: T) -> T:
    """Return `x / (1 + |x|)`."""
def swish(x: T) -> T:
    """Return `x * sigmoid(x)` (also called swish)."""
def tanhshrink(x: T) -> T:
    """Return `x - tanh(x)`."""
def threshold(x: T, threshold: float, value: float) -> T:
    """Return x where it is above `threshold`, else `value`."""
@overload
def conv(x: Tensor, weight: Tracked, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv(x: Tensor, weight: Tensor, bias: Tracked, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv(x: T, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> T:
    """Return the convolution (cross-correlation) over all axes after the first two."""
@overload
def conv1d(x: Tensor, weight: Tracked, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv1d(x: Tensor, weight: Tensor, bias: Tracked, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv1d(x: T, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> T:
    """`conv` over one axis: x [N, C, L] or [C, L], weight [O, C/groups, K]."""
@overload
def conv2d(x: Tensor, weight: Tracked, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv2d(x: Tensor, weight: Tensor, bias: Tracked, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv2d(x: T, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> T:
    """`conv` over two axes: x [N, C, H, W] or [C, H, W], weight [O, C/groups, K, K]."""
@overload
def conv3d(x: Tensor, weight: Tracked, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv3d(x: Tensor, weight: Tensor, bias: Tracked, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv3d(x: T, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> T:
    """`conv` over three axes: x [N, C, D, H, W] or [C, D, H, W]."""
@overload
def conv_input_grad(g: Tensor, weight: Tracked, size: tuple[int, ...], stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv_input_grad(g: T, weight: Tensor, size: tuple[int, ...], stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> T:
    """Return the gradient of `conv` by x, whose spatial sizes are `size`."""
@overload
def conv_transpose1d(x: Tensor, weight: Tracked, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1, dilation: int | tuple[int, ...] = 1) -> Tracked: ...
@overload
def conv_transpose1d(x: Tensor, weight: Tensor, bias: Tracked, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1, dilation: int | tuple[int, ...] = 1) -> Tracked: ...
@overload
def conv_transpose1d(x: T, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1, dilation: int | tuple[int, ...] = 1) -> T:
    """Return the transposed convolution: x [N, C, L], weight [C, O/groups, K]."""
@overload
def conv_transpose2d(x: Tensor, weight: Tracked, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1, dilation: int | tuple[int, ...] = 1) -> Tracked: ...
@overload
def conv_transpose2d(x: Tensor, weight: Tensor, bias: Tracked, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1, dilation: int | tuple[int, ...] = 1) -> Tracked: ...
@overload
def conv_transpose2d(x: T, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1, dilation: int | tuple[int, ...] = 1) -> T:
    """Return the transposed convolution: x [N, C, H, W], weight [C, O/groups, K, K]."""
@overload
def conv_transpose3d(x: Tensor, weight: Tracked, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1, dilation: int | tuple[int, ...] = 1) -> Tracked: ...
@overload
def conv_transpose3d(x: Tensor, weight: Tensor, bias: Tracked, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1, dilation: int | tuple[int, ...] = 1) -> Tracked: ...
@overload
def conv_transpose3d(x: T, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, output_padding: int | tuple[int, ...] = 0, groups: int = 1, dilation: int | tuple[int, ...] = 1) -> T:
    """Return the transposed convolution: x [N, C, D, H, W], weight [C, O/groups, …]."""
@overload
def conv_weight_grad(x: Tensor, g: Tracked, size: tuple[int, ...], stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> Tracked: ...
@overload
def conv_weight_grad(x: T, g: Tensor, size: tuple[int, ...], stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] | str = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1) -> T:
    """Return the gradient of `conv` by weight, whose spatial sizes are `size`."""
def adaptive_avg_pool(x: T, output_size: tuple[int | None, ...]) -> T:
    """Return means over windows chosen so that the last axes get `output_size`."""
def adaptive_avg_pool1d(x: T, output_size: int | tuple[int | None, ...]) -> T:
    """`adaptive_avg_pool` over the last axis."""
def adaptive_avg_pool2d(x: T, output_size: int | tuple[int | None, ...]) -> T:
    """`adaptive_avg_pool` over the last two axes; a number stands for both."""
def adaptive_avg_pool3d(x: T, output_size: int | tuple[int | None, ...]) -> T:
    """`adaptive_avg_pool` over the last three axes; a number stands for all."""
def avg_pool(x: T, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: int | None = None) -> T:
    """Return the mean of each window; padding counts as zeros, or not at all."""
def avg_pool1d(x: T, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> T:
    """Return the mean of each window of [N, C, L]; see `avg_pool`."""
def avg_pool2d(x: T, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: int | None = None) -> T:
    """Return the mean of each window of [N, C, H, W]; see `avg_pool`."""
def avg_pool3d(x: T, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: int | None = None) -> T:
    """Return the mean of each window of [N, C, D, H, W]; see `avg_pool`."""
def global_avg_pool(x: T) -> T:
    """Return the mean of each plane: [N, C, ...S] -> [N, C, 1, …]."""
def global_max_pool(x: T) -> T:
    """Return the largest element of each plane: [N, C, ...S] -> [N, C, 1, …]."""
def max_pool(x: T, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, ceil_mode: _bool = False) -> tuple[T, T]:
    """Return the largest element of each window, and its place."""
def max_pool1d(x: T, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """Return the largest of each window of [N, C, L]; `return_indices`: places too."""
def max_pool2d(x: T, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """Return the largest of each window of [N, C, H, W]; `return_indices`: places too."""
def max_pool3d(x: T, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """Return the largest element of each window of [N, C, D, H, W]."""
@overload
def batch_norm(x: Tensor, running_mean: Tracked, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, momentum: float | Tensor = 0.1, eps: float = 1e-05) -> tuple[Tracked, Tensor | None, Tensor | None]: ...
@overload
def batch_norm(x: Tensor, running_mean: Tensor | None, running_var: Tracked, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, momentum: float | Tensor = 0.1, eps: float = 1e-05) -> tuple[Tracked, Tensor | None, Tensor | None]: ...
@overload
def batch_norm(x: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tracked, bias: Tensor | None = None, training: _bool = False, momentum: float | Tensor = 0.1, eps: float = 1e-05) -> tuple[Tracked, Tensor | None, Tensor | None]: ...
@overload
def batch_norm(x: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, *, bias: Tracked, training: _bool = False, momentum: float | Tensor = 0.1, eps: float = 1e-05) -> tuple[Tracked, Tensor | None, Tensor | None]: ...
@overload
def batch_norm(x: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, *, momentum: Tracked, eps: float = 1e-05) -> tuple[Tracked, Tensor | None, Tensor | None]: ...
@overload
def batch_norm(x: T, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, momentum: float | Tensor = 0.1, eps: float = 1e-05) -> tuple[T, Tensor | None, Tensor | None]:
    """Normalise each channel over batch and places; return it and the new statistics."""
def dropout(x: T, p: float = 0.5, training: _bool = True) -> T:
    """Set elements to 0 with probability p and divide the rest by 1 - p."""
@overload
def group_norm(x: Tensor, num_groups: int, weight: Tracked, bias: Tensor | None = None, eps: float = 1e-05) -> Tracked: ...
@overload
def group_norm(x: Tensor, num_groups: int, weight: Tensor | None = None, *, bias: Tracked, eps: float = 1e-05) -> Tracked: ...
@overload
def group_norm(x: T, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05) -> T:
    """Normalise groups of channels of each sample over channels and places."""
@overload
def instance_norm(x: Tensor, running_mean: Tracked, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, eps: float = 1e-05) -> Tracked: ...
@overload
def instance_norm(x: Tensor, running_mean: Tensor | None = None, *, running_var: Tracked, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, eps: float = 1e-05) -> Tracked: ...
@overload
def instance_norm(x: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, *, weight: Tracked, bias: Tensor | None = None, use_input_stats: _bool = True, eps: float = 1e-05) -> Tracked: ...
@overload
def instance_norm(x: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, *, bias: Tracked, use_input_stats: _bool = True, eps: float = 1e-05) -> Tracked: ...
@overload
def instance_norm(x: T, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, eps: float = 1e-05) -> T:
    """Normalise each channel of each sample over its places."""
@overload
def layer_norm(x: Tensor, normalized_shape: int | tuple[int, ...], weight: Tracked, bias: Tensor | None = None, eps: float = 1e-05) -> Tracked: ...
@overload
def layer_norm(x: Tensor, normalized_shape: int | tuple[int, ...], weight: Tensor | None = None, *, bias: Tracked, eps: float = 1e-05) -> Tracked: ...
@overload
def layer_norm(x: T, normalized_shape: int | tuple[int, ...], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05) -> T:
    """Normalise over the last axes, whose sizes are `normalized_shape`."""
@overload
def rms_norm(x: Tensor, normalized_shape: int | tuple[int, ...], weight: Tracked, eps: float = 1e-06) -> Tracked: ...
@overload
def rms_norm(x: T, normalized_shape: int | tuple[int, ...], weight: Tensor | None = None, eps: float = 1e-06) -> T:
    """Return `x / sqrt(mean(x*x) + eps)` over the last axes, times weight."""
def standardize(x: T, axis: int | tuple[int, ...] | None = None, eps: float = 1e-05) -> tuple[T, T, T]:
    """Return `(x - mean) / sqrt(var + eps)`, mean and variance over `axis` (kept)."""
@overload
def binary_cross_entropy(x: Tensor, target: Tracked, weight: Tensor | None = None, reduction: str = 'mean') -> Tracked: ...
@overload
def binary_cross_entropy(x: Tensor, target: Tensor, weight: Tracked, reduction: str = 'mean') -> Tracked: ...
@overload
def binary_cross_entropy(x: T, target: Tensor, weight: Tensor | None = None, reduction: str = 'mean') -> T:
    """Return `-t*log(x) - (1-t)*log(1-x)` for probabilities x; logs stop at -100."""
@overload
def binary_cross_entropy_with_logits(x: Tensor, target: Tracked, weight: Tensor | None = None, reduction: str = 'mean', pos_weight: Tensor | None = None) -> Tracked: ...
@overload
def binary_cross_entropy_with_logits(x: Tensor, target: Tensor, weight: Tracked, reduction: str = 'mean', pos_weight: Tensor | None = None) -> Tracked: ...
@overload
def binary_cross_entropy_with_logits(x: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = 'mean', *, pos_weight: Tracked) -> Tracked: ...
@overload
def binary_cross_entropy_with_logits(x: T, target: Tensor, weight: Tensor | None = None, reduction: str = 'mean', pos_weight: Tensor | None = None) -> T:
    """Return `binary_cross_entropy(sigmoid(x), target)`, exact for large |x| too."""
@overload
def cross_entropy(x: Tensor, target: Tracked, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = 'mean', label_smoothing: float = 0.0) -> Tracked: ...
@overload
def cross_entropy(x: Tensor, target: Tensor, weight: Tracked, ignore_index: int = -100, reduction: str = 'mean', label_smoothing: float = 0.0) -> Tracked: ...
@overload
def cross_entropy(x: T, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = 'mean', label_smoothing: float = 0.0) -> T:
    """Return `nll_loss(log_softmax(x), target)`, or the same for target probabilities."""
@overload
def huber_loss(x: Tensor, target: Tracked, reduction: str = 'mean', delta: float = 1.0) -> Tracked: ...
@overload
def huber_loss(x: T, target: Tensor, reduction: str = 'mean', delta: float = 1.0) -> T:
    """Return `d*d / 2` where |d| <= delta, else `delta * (|d| - delta/2)`."""
@overload
def kl_div(x: Tensor, target: Tracked, reduction: str = 'mean', log_target: _bool = False) -> Tracked: ...
@overload
def kl_div(x: T, target: Tensor, reduction: str = 'mean', log_target: _bool = False) -> T:
    """Return `t * (log(t) - x)` for log-probabilities x and probabilities t."""
@overload
def l1_loss(x: Tensor, target: Tracked, reduction: str = 'mean') -> Tracked: ...
@overload
def l1_loss(x: T, target: Tensor, reduction: str = 'mean') -> T:
    """Return the absolute differences. Raises: ShapeError where shapes differ."""
@overload
def mse_loss(x: Tensor, target: Tracked, reduction: str = 'mean') -> Tracked: ...
@overload
def mse_loss(x: T, target: Tensor, reduction: str = 'mean') -> T:
    """Return the squared differences. Raises: ShapeError where shapes differ."""
@overload
def nll_loss(x: Tensor, target: Tracked, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = 'mean') -> Tracked: ...
@overload
def nll_loss(x: Tensor, target: Tensor, weight: Tracked, ignore_index: int = -100, reduction: str = 'mean') -> Tracked: ...
@overload
def nll_loss(x: T, target: Tensor, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = 'mean') -> T:
    """Return `-weight[t] * x[t]` for log-probabilities x and class targets t."""
@overload
def smooth_l1_loss(x: Tensor, target: Tracked, reduction: str = 'mean', beta: float = 1.0) -> Tracked: ...
@overload
def smooth_l1_loss(x: T, target: Tensor, reduction: str = 'mean', beta: float = 1.0) -> T:
    """Return `d*d / (2*beta)` where |d| < beta, else `|d| - beta/2`; d = x - target."""
def cummax(x: T, axis: int) -> Placed[T]:
    """Return the largest element up to each one along an axis, and its place."""
def cummin(x: T, axis: int) -> Placed[T]:
    """Return the smallest element up to each one along an axis, and its place."""
def cumprod(x: T, axis: int, dtype: DType | None = None) -> T:
    """Return the products of all elements up to each one; dtypes as in `cumsum`."""
def cumsum(x: T, axis: int, dtype: DType | None = None) -> T:
    """Return the sums of all elements up to each one along an axis."""
def cumulative_prod(x: T, axis: int | None = None, dtype: DType | None = None, include_initial: _bool = False) -> T:
    """`cumprod`, by its name in the array API standard; may begin with 1."""
def cumulative_sum(x: T, axis: int | None = None, dtype: DType | None = None, include_initial: _bool = False) -> T:
    """`cumsum`, by its name in the array API standard; may begin with 0."""
def exclusive_products(x: T, axes: int | tuple[int, ...] | None = None) -> T:
    """Return for each element the product of all others over `axes`: no division."""
@overload
def linear_scan(a: Tensor, b: Tracked, axis: int = -1) -> Tracked: ...
@overload
def linear_scan(a: T, b: Tensor, axis: int = -1) -> T:
    """Return h with `h[i] = a[i] * h[i-1] + b[i]` along an axis, from h[-1] = 0."""
def argsort(x: T, axis: int = -1, descending: _bool = False, stable: _bool = True) -> T:
    """Return the positions that would sort x along an axis; equal ones keep order."""
@overload
def searchsorted(x1: Tensor, x2: Tracked, side: str = 'left', sorter: Tensor | None = None) -> Tracked: ...
@overload
def searchsorted(x1: Tensor, x2: Tensor | float, side: str = 'left', *, sorter: Tracked) -> Tracked: ...
@overload
def searchsorted(x1: T, x2: Tensor | float, side: str = 'left', sorter: Tensor | None = None) -> T:
    """Return where each element of x2 would go into sorted x1 to keep the order."""
def sort(x: T, axis: int = -1, descending: _bool = False, stable: _bool = True) -> T:
    """Return x sorted along an axis, as the array API does; see also `sort_pairs`."""
def sort_pairs(x: T, axis: int = -1, descending: _bool = False, stable: _bool = True) -> Placed[T]:
    """Return x sorted along an axis, and the places its elements came from."""
def topk(x: T, k: int, axis: int = -1, largest: _bool = True, sorted: _bool = True) -> Placed[T]:
    """Return the k largest (or smallest) elements along an axis, and their positions."""
@overload
def masked_scatter(x: Tensor, mask: Tracked, source: Tensor) -> Tracked: ...
@overload
def masked_scatter(x: Tensor, mask: Tensor, source: Tracked) -> Tracked: ...
@overload
def masked_scatter(x: T, mask: Tensor, source: Tensor) -> T:
    """Return x with the elements of `source`, in order, where the mask holds."""
@overload
def masked_select(x: Tensor, mask: Tracked) -> Tracked: ...
@overload
def masked_select(x: T, mask: Tensor) -> T:
    """Return the elements where the mask holds, in row-major order: `x[mask]`."""
@overload
async def masked_select_async(x: Tensor, mask: Tracked) -> Tracked: ...
@overload
async def masked_select_async(x: T, mask: Tensor) -> T:
    """`masked_select` for platforms where a thread cannot wait."""
def nonzero(x: Tensor) -> tuple[Tensor, ...]:
    """Return where x is not 0: one integer tensor [K] per axis, in row-major order."""
async def nonzero_async(x: Tensor) -> tuple[Tensor, ...]:
    """`nonzero` for platforms where a thread cannot wait."""
def fold(x: T, output_size: int | tuple[int, int], kernel_size: int | tuple[int, int], dilation: int | tuple[int, int] = 1, padding: int | tuple[int, int] = 0, stride: int | tuple[int, int] = 1) -> T:
    """Add columns of windows up to images (col2im): the transpose of `unfold`."""
def sliding_windows(x: T, axis: int, size: int, step: int = 1, dilation: int = 1) -> T:
    """Return every window of an axis, its elements along a new last axis. A view."""
def unfold(x: T, kernel_size: int | tuple[int, int], dilation: int | tuple[int, int] = 1, padding: int | tuple[int, int] = 0, stride: int | tuple[int, int] = 1) -> T:
    """Return the windows of images as columns (im2col, as in PyTorch)."""
@overload
def scaled_dot_product_attention(q: Tensor, k: Tracked, v: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: _bool = False, scale: float | None = None, enable_gqa: _bool = False, *, bias: Tensor | None = None, softcap: float | None = None) -> Tracked: ...
@overload
def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tracked, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: _bool = False, scale: float | None = None, enable_gqa: _bool = False, *, bias: Tensor | None = None, softcap: float | None = None) -> Tracked: ...
@overload
def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tensor, attn_mask: Tracked, dropout_p: float = 0.0, is_causal: _bool = False, scale: float | None = None, enable_gqa: _bool = False, *, bias: Tensor | None = None, softcap: float | None = None) -> Tracked: ...
@overload
def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: _bool = False, scale: float | None = None, enable_gqa: _bool = False, *, bias: Tracked, softcap: float | None = None) -> Tracked: ...
@overload
def scaled_dot_product_attention(q: T, k: Tensor, v: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: _bool = False, scale: float | None = None, enable_gqa: _bool = False, *, bias: Tensor | None = None, softcap: float | None = None) -> T:
    """Return `softmax(q @ k.T * scale) @ v`: each query's mix of the values."""
@overload
def cosine_embedding_loss(x1: Tensor, x2: Tracked, target: Tensor, margin: float = 0.0, reduction: str = 'mean') -> Tracked: ...
@overload
def cosine_embedding_loss(x1: Tensor, x2: Tensor, target: Tracked, margin: float = 0.0, reduction: str = 'mean') -> Tracked: ...
@overload
def cosine_embedding_loss(x1: T, x2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = 'mean') -> T:
    """Return `1 - cos(x1, x2)` where the target is 1, `max(0, cos - margin)` at -1."""
@overload
def hinge_embedding_loss(x: Tensor, target: Tracked, margin: float = 1.0, reduction: str = 'mean') -> Tracked: ...
@overload
def hinge_embedding_loss(x: T, target: Tensor, margin: float = 1.0, reduction: str = 'mean') -> T:
    """Return x where the target is 1, `max(0, margin - x)` where it is -1."""
@overload
def margin_ranking_loss(x1: Tensor, x2: Tracked, target: Tensor, margin: float = 0.0, reduction: str = 'mean') -> Tracked: ...
@overload
def margin_ranking_loss(x1: Tensor, x2: Tensor, target: Tracked, margin: float = 0.0, reduction: str = 'mean') -> Tracked: ...
@overload
def margin_ranking_loss(x1: T, x2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = 'mean') -> T:
    """Return `max(0, margin - target * (x1 - x2))`: target 1 wants x1 above x2."""
@overload
def multi_margin_loss(x: Tensor, target: Tracked, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, reduction: str = 'mean') -> Tracked: ...
@overload
def multi_margin_loss(x: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, *, weight: Tracked, reduction: str = 'mean') -> Tracked: ...
@overload
def multi_margin_loss(x: T, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, reduction: str = 'mean') -> T:
    """Return the mean over other classes i of `max(0, margin - x[t] + x[i]) ** p`."""
@overload
def multilabel_margin_loss(x: Tensor, target: Tracked, reduction: str = 'mean') -> Tracked: ...
@overload
def multilabel_margin_loss(x: T, target: Tensor, reduction: str = 'mean') -> T:
    """Return the margins of all pairs of a class that is a target and one that is not."""
@overload
def multilabel_soft_margin_loss(x: Tensor, target: Tracked, weight: Tensor | None = None, reduction: str = 'mean') -> Tracked: ...
@overload
def multilabel_soft_margin_loss(x: Tensor, target: Tensor, weight: Tracked, reduction: str = 'mean') -> Tracked: ...
@overload
def multilabel_soft_margin_loss(x: T, target: Tensor, weight: Tensor | None = None, reduction: str = 'mean') -> T:
    """Return the mean over classes of the binary cross-entropies of sigmoid(x)."""
@overload
def soft_margin_loss(x: Tensor, target: Tracked, reduction: str = 'mean') -> Tracked: ...
@overload
def soft_margin_loss(x: T, target: Tensor, reduction: str = 'mean') -> T:
    """Return `log(1 + exp(-target * x))` for targets 1 and -1, without its overflow."""
@overload
def triplet_margin_loss(anchor: Tensor, positive: Tracked, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-06, swap: _bool = False, reduction: str = 'mean') -> Tracked: ...
@overload
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tracked, margin: float = 1.0, p: float = 2.0, eps: float = 1e-06, swap: _bool = False, reduction: str = 'mean') -> Tracked: ...
@overload
def triplet_margin_loss(anchor: T, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-06, swap: _bool = False, reduction: str = 'mean') -> T:
    """Return `max(0, d(anchor, positive) - d(anchor, negative) + margin)`."""
@overload
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tracked, negative: Tensor, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0, swap: _bool = False, reduction: str = 'mean') -> Tracked: ...
@overload
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tracked, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0, swap: _bool = False, reduction: str = 'mean') -> Tracked: ...
@overload
def triplet_margin_with_distance_loss(anchor: T, positive: Tensor, negative: Tensor, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0, swap: _bool = False, reduction: str = 'mean') -> T:
    """Return `triplet_margin_loss` with a distance of one's own (Euclidean if None)."""
@overload
def dice_loss(x: Tensor, target: Tracked, smooth: float = 1.0, reduction: str = 'mean') -> Tracked: ...
@overload
def dice_loss(x: T, target: Tensor, smooth: float = 1.0, reduction: str = 'mean') -> T:
    """Return `1 - (2 sum(x * t) + smooth) / (sum(x) + sum(t) + smooth)` a sample."""
@overload
def focal_loss(x: Tensor, target: Tracked, weight: Tensor | None = None, gamma: float = 2.0, ignore_index: int = -100, reduction: str = 'mean') -> Tracked: ...
@overload
def focal_loss(x: Tensor, target: Tensor, weight: Tracked, gamma: float = 2.0, ignore_index: int = -100, reduction: str = 'mean') -> Tracked: ...
@overload
def focal_loss(x: T, target: Tensor, weight: Tensor | None = None, gamma: float = 2.0, ignore_index: int = -100, reduction: str = 'mean') -> T:
    """Return the cross-entropy of classes, times `(1 - p_t) ** gamma`."""
@overload
def gaussian_nll_loss(x: Tensor, target: Tracked, var: Tensor | float, full: _bool = False, eps: float = 1e-06, reduction: str = 'mean') -> Tracked: ...
@overload
def gaussian_nll_loss(x: Tensor, target: Tensor, var: Tracked, full: _bool = False, eps: float = 1e-06, reduction: str = 'mean') -> Tracked: ...
@overload
def gaussian_nll_loss(x: T, target: Tensor, var: Tensor | float, full: _bool = False, eps: float = 1e-06, reduction: str = 'mean') -> T:
    """Return `(log(var) + (x - target)**2 / var) / 2`, var taken as at least eps."""
def gram_matrix(x: T) -> T:
    """Return `F @ F.T / (C * size)` of feature maps F: their style (Gatys et al. 2015)."""
@overload
def gram_matrix_loss(x: Tensor, target: Tracked, reduction: str = 'mean') -> Tracked: ...
@overload
def gram_matrix_loss(x: T, target: Tensor, reduction: str = 'mean') -> T:
    """Return the squared differences of the Gram matrices of two feature maps."""
@overload
def info_nce_loss(query: Tensor, positive: Tracked, negatives: Tensor | None = None, temperature: float = 0.1, reduction: str = 'mean') -> Tracked: ...
@overload
def info_nce_loss(query: Tensor, positive: Tensor, negatives: Tracked, temperature: float = 0.1, reduction: str = 'mean') -> Tracked: ...
@overload
def info_nce_loss(query: T, positive: Tensor, negatives: Tensor | None = None, temperature: float = 0.1, reduction: str = 'mean') -> T:
    """Return the cross-entropy of finding each query's positive by cosine similarity."""
@overload
def lp_loss(x: Tensor, target: Tracked, p: float = 2.0, reduction: str = 'mean') -> Tracked: ...
@overload
def lp_loss(x: T, target: Tensor, p: float = 2.0, reduction: str = 'mean') -> T:
    """Return `|x - target| ** p`; p above 0."""
@overload
def poisson_nll_loss(x: Tensor, target: Tracked, log_input: _bool = True, full: _bool = False, eps: float = 1e-08, reduction: str = 'mean') -> Tracked: ...
@overload
def poisson_nll_loss(x: T, target: Tensor, log_input: _bool = True, full: _bool = False, eps: float = 1e-08, reduction: str = 'mean') -> T:
    """Return `exp(x) - target * x`, or `x - target * log(x + eps)` for plain rates x."""
@overload
def sigmoid_focal_loss(x: Tensor, target: Tracked, alpha: float = 0.25, gamma: float = 2.0, reduction: str = 'none') -> Tracked: ...
@overload
def sigmoid_focal_loss(x: T, target: Tensor, alpha: float = 0.25, gamma: float = 2.0, reduction: str = 'none') -> T:
    """Return the binary cross-entropy of logits, times `(1 - p_t) ** gamma`."""
@overload
def copysign(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def copysign(x: T, y: Tensor | float) -> T:
    """Return `|x|` with the sign of y, also of a zero. Shapes broadcast."""
@overload
def hypot(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def hypot(x: T, y: Tensor | float) -> T:
    """Return `sqrt(x*x + y*y)`, whose squares do not overflow. Shapes broadcast."""
@overload
def logaddexp(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def logaddexp(x: T, y: Tensor | float) -> T:
    """Return `log(exp(x) + exp(y))` without overflow. Shapes broadcast."""
@overload
def nextafter(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def nextafter(x: T, y: Tensor | float) -> T:
    """Return the float beside x in the direction of y; y where they are equal."""
def positive(x: T) -> T:
    """Return `+x`: the same values, as a tensor of its own."""
def signbit(x: T) -> T:
    """Say where the sign is set: of numbers below 0, of -0.0, of a nan with a sign."""
def angle(x: T) -> T:
    """Return the angle of complex numbers, in [-pi, pi]: pi of real ones below 0."""
def conj(x: T) -> T:
    """Return the complex conjugate."""
def imag(x: T) -> T:
    """Return the imaginary part; zeros of real numbers. Dtype as of `real`."""
def real(x: T) -> T:
    """Return the real part. Dtype: float32 of complex64, float64 of complex128."""
def broadcast_arrays(*arrays: T) -> list[T]:
    """Return the tensors expanded to the one shape they broadcast to. Views."""
@overload
def diff(x: Tensor, axis: int = -1, n: int = 1, *, prepend: Tracked, append: Tensor | None = None) -> Tracked: ...
@overload
def diff(x: Tensor, axis: int = -1, n: int = 1, prepend: Tensor | None = None, *, append: Tracked) -> Tracked: ...
@overload
def diff(x: T, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None) -> T:
    """Return the n-th differences of neighbours along an axis."""
def meshgrid(*arrays: T, indexing: str = 'xy') -> list[T]:
    """Return coordinates of the grid that vectors span: one tensor for each of them."""
@overload
def repeat(x: Tensor, repeats: Tracked, axis: int | None = None) -> Tracked: ...
@overload
def repeat(x: T, repeats: int | Tensor, axis: int | None = None) -> T:
    """Repeat each element along an axis; without one x counts as flat."""
@overload
def tensordot(x1: Tensor, x2: Tracked, axes: int | Sequence[Sequence[int]] = 2) -> Tracked: ...
@overload
def tensordot(x1: T, x2: Tensor, axes: int | Sequence[Sequence[int]] = 2) -> T:
    """Return the sums of products over axes of both tensors."""
def tile(x: T, repetitions: Sequence[int]) -> T:
    """Repeat the whole tensor along each axis."""
def unstack(x: T, axis: int = 0) -> tuple[T, ...]:
    """Return the slices along an axis, which goes away. Views. Raises: ShapeError."""
@overload
def vecdot(x1: Tensor, x2: Tracked, axis: int = -1) -> Tracked: ...
@overload
def vecdot(x1: T, x2: Tensor, axis: int = -1) -> T:
    """Return the inner products of vectors along an axis; the other axes broadcast."""
def unique_all(x: Tensor) -> UniqueAllResult:
    """Return (values, indices, inverse_indices, counts): each value of x once."""
def unique_counts(x: Tensor) -> UniqueCountsResult:
    """Return (values, counts): each value of x once, and how often it is there."""
def unique_inverse(x: Tensor) -> UniqueInverseResult:
    """Return (values, inverse_indices): `values[inverse_indices]` is x."""
def unique_values(x: Tensor) -> Tensor:
    """Return each value of x once, in order; see `unique_all`."""
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor | Sequence[int] | int, target_lengths: Tensor | Sequence[int] | int, blank: int = 0, reduction: str = 'mean', zero_infinity: _bool = False) -> Tensor:
    """Return minus the log-probability of labels, over all alignments with frames."""
def rnnt_loss(logits: Tensor, targets: Tensor, logit_lengths: Tensor | Sequence[int], target_lengths: Tensor | Sequence[int], blank: int = -1, clamp: float = -1.0, reduction: str = 'mean', fused_log_softmax: _bool = True) -> Tensor:
    """Return minus the log-probability of labels in a transducer, over all alignments."""
def channel_shuffle(x: T, groups: int) -> T:
    """Deal the channels of groups out in turn (Zhang et al., ShuffleNet, 2018)."""
def pixel_shuffle(x: T, upscale_factor: int) -> T:
    """Lay r * r channels out as squares of r by r places (Shi et al. 2016)."""
def pixel_unshuffle(x: T, downscale_factor: int) -> T:
    """Lay squares of r by r places out as r * r channels: undoes `pixel_shuffle`."""
def adaptive_max_pool(x: T, output_size: tuple[int | None, ...]) -> tuple[T, T]:
    """Return the largest of windows chosen so that the last axes get `output_size`."""
def adaptive_max_pool1d(x: T, output_size: int | tuple[int | None, ...], return_indices: _bool = False) -> Any:
    """`adaptive_max_pool` over the last axis; places too if `return_indices`."""
def adaptive_max_pool2d(x: T, output_size: int | tuple[int | None, ...], return_indices: _bool = False) -> Any:
    """`adaptive_max_pool` over the last two axes; a number stands for both."""
def adaptive_max_pool3d(x: T, output_size: int | tuple[int | None, ...], return_indices: _bool = False) -> Any:
    """`adaptive_max_pool` over the last three axes; a number stands for all."""
def lp_pool1d(x: T, norm_type: float, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, ceil_mode: _bool = False) -> T:
    """Return `sum(x ** p) ** (1 / p)` of each window of [N, C, L], p = norm_type."""
def lp_pool2d(x: T, norm_type: float, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, ceil_mode: _bool = False) -> T:
    """Return `sum(x ** p) ** (1 / p)` of each window of [N, C, H, W]."""
def lp_pool3d(x: T, norm_type: float, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, ceil_mode: _bool = False) -> T:
    """Return `sum(x ** p) ** (1 / p)` of each window of [N, C, D, H, W]."""
@overload
def max_unpool1d(x: Tensor, indices: Tracked, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, output_size: tuple[int, ...] | None = None) -> Tracked: ...
@overload
def max_unpool1d(x: T, indices: Tensor, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, output_size: tuple[int, ...] | None = None) -> T:
    """Put what `max_pool` found back where it was: [N, C, L'] -> [N, C, L], else 0."""
@overload
def max_unpool2d(x: Tensor, indices: Tracked, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, output_size: tuple[int, ...] | None = None) -> Tracked: ...
@overload
def max_unpool2d(x: T, indices: Tensor, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, output_size: tuple[int, ...] | None = None) -> T:
    """Put what `max_pool` found in [N, C, H, W] back where it was, 0 elsewhere."""
@overload
def max_unpool3d(x: Tensor, indices: Tracked, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, output_size: tuple[int, ...] | None = None) -> Tracked: ...
@overload
def max_unpool3d(x: T, indices: Tensor, kernel_size: int | tuple[int, ...], stride: int | tuple[int, ...] | None = None, padding: int | tuple[int, ...] = 0, output_size: tuple[int, ...] | None = None) -> T:
    """Put what `max_pool` found in [N, C, D, H, W] back where it was, 0 elsewhere."""
def interpolate(x: T, size: int | tuple[int, ...] | None = None, scale_factor: float | tuple[float, ...] | None = None, mode: str = 'nearest', align_corners: _bool | None = None, recompute_scale_factor: _bool | None = None, antialias: _bool = False) -> T:
    """Return x resampled to `size`, or to its size times `scale_factor`."""
def affine_grid(theta: T, size: tuple[int, ...], align_corners: _bool = False) -> T:
    """Return the grid for `grid_sample` that an affine map makes of the output's."""
@overload
def grid_sample(x: Tensor, grid: Tracked, mode: str = 'bilinear', padding_mode: str = 'zeros', align_corners: _bool = False) -> Tracked: ...
@overload
def grid_sample(x: T, grid: Tensor, mode: str = 'bilinear', padding_mode: str = 'zeros', align_corners: _bool = False) -> T:
    """Return x at the places of a grid; -1 and 1 are its edges (or corners' centres)."""
@overload
def deform_conv2d(x: Tensor, offset: Tracked, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, mask: Tensor | None = None) -> Tracked: ...
@overload
def deform_conv2d(x: Tensor, offset: Tensor, weight: Tracked, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, mask: Tensor | None = None) -> Tracked: ...
@overload
def deform_conv2d(x: Tensor, offset: Tensor, weight: Tensor, bias: Tracked, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, mask: Tensor | None = None) -> Tracked: ...
@overload
def deform_conv2d(x: Tensor, offset: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, *, mask: Tracked) -> Tracked: ...
@overload
def deform_conv2d(x: T, offset: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, mask: Tensor | None = None) -> T:
    """Return a convolution whose taps are moved by offsets and weighed by a mask."""
def hard_shrink(x: T, lambd: float = 0.5) -> T:
    """Return x, with 0 where it lies in [-lambd, lambd]."""
def quiet_softmax(x: T, axis: int = -1) -> T:
    """Return `exp(x) / (1 + sum(exp(x)))`: weights that may all be small."""
def rrelu(x: T, lower: float = 0.125, upper: float = 0.3333333333333333, training: _bool = False) -> T:
    """`leaky_relu` with slopes drawn evenly from [lower, upper] for each element."""
def shrink(x: T, lambd: float = 0.5, bias: float = 0.0) -> T:
    """Return x moved towards 0 by `bias`, and 0 where |x| is at most `lambd`."""
def soft_shrink(x: T, lambd: float = 0.5) -> T:
    """Return x moved towards 0 by `lambd`, and 0 where it is nearer than that."""
def swiglu(x: T, axis: int = -1) -> T:
    """Cut an axis in halves a and b; return `silu(a) * b`."""
def thresholded_relu(x: T, alpha: float = 1.0) -> T:
    """Return x where it is above `alpha`, else 0."""
def alpha_dropout(x: T, p: float = 0.5, training: _bool = True) -> T:
    """Dropout that keeps mean 0 and variance 1 of what `selu` gives."""
def dropout1d(x: T, p: float = 0.5, training: _bool = True) -> T:
    """Set channels of [N, C, L] to 0 with probability p, divide the rest by 1 - p."""
def dropout2d(x: T, p: float = 0.5, training: _bool = True) -> T:
    """Set channels of [N, C, H, W] to 0 with probability p; scale the rest."""
def dropout3d(x: T, p: float = 0.5, training: _bool = True) -> T:
    """Set channels of [N, C, D, H, W] to 0 with probability p; scale the rest."""
def feature_alpha_dropout(x: T, p: float = 0.5, training: _bool = True) -> T:
    """`alpha_dropout` of whole channels: x [N, C, ...]. Raises: ShapeError."""
def gaussian_noise(x: T, std: float = 1.0, training: _bool = True) -> T:
    """Add normal noise of a standard deviation; outside training return x."""
@overload
def cosine_similarity(x1: Tensor, x2: Tracked, dim: int = 1, eps: float = 1e-08) -> Tracked: ...
@overload
def cosine_similarity(x1: T, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> T:
    """Return the cosine of the angle between vectors along an axis; both broadcast."""
def local_response_norm(x: T, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> T:
    """Return `x / (k + alpha * mean of x * x over size channels around) ** beta`."""
def normalize(x: T, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> T:
    """Return vectors along an axis divided by their p-norm, which is at least eps."""
@overload
def pairwise_distance(x1: Tensor, x2: Tracked, p: float = 2.0, eps: float = 1e-06, keepdim: _bool = False) -> Tracked: ...
@overload
def pairwise_distance(x1: T, x2: Tensor, p: float = 2.0, eps: float = 1e-06, keepdim: _bool = False) -> T:
    """Return the p-norm of `x1 - x2 + eps` along the last axis; both broadcast."""
@overload
def bilinear(x1: Tensor, x2: Tracked, weight: Tensor, bias: Tensor | None = None) -> Tracked: ...
@overload
def bilinear(x1: Tensor, x2: Tensor, weight: Tracked, bias: Tensor | None = None) -> Tracked: ...
@overload
def bilinear(x1: Tensor, x2: Tensor, weight: Tensor, bias: Tracked) -> Tracked: ...
@overload
def bilinear(x1: T, x2: Tensor, weight: Tensor, bias: Tensor | None = None) -> T:
    """Return `x1 @ weight[o] @ x2 + bias[o]` for each output o."""
@overload
def linear(x: Tensor, weight: Tracked, bias: Tensor | None = None) -> Tracked: ...
@overload
def linear(x: Tensor, weight: Tensor, bias: Tracked) -> Tracked: ...
@overload
def linear(x: T, weight: Tensor, bias: Tensor | None = None) -> T:
    """Return `x @ weight.T + bias` over the last axis."""
@overload
def addcdiv(x: Tensor, tensor1: Tracked, tensor2: Tensor | float, value: float = 1) -> Tracked: ...
@overload
def addcdiv(x: Tensor, tensor1: Tensor | float, tensor2: Tracked, value: float = 1) -> Tracked: ...
@overload
def addcdiv(x: T, tensor1: Tensor | float, tensor2: Tensor | float, value: float = 1) -> T:
    """Return `x + value * tensor1 / tensor2`; all broadcast."""
@overload
def addcmul(x: Tensor, tensor1: Tracked, tensor2: Tensor | float, value: float = 1) -> Tracked: ...
@overload
def addcmul(x: Tensor, tensor1: Tensor | float, tensor2: Tracked, value: float = 1) -> Tracked: ...
@overload
def addcmul(x: T, tensor1: Tensor | float, tensor2: Tensor | float, value: float = 1) -> T:
    """Return `x + value * tensor1 * tensor2`; all broadcast."""
def deg2rad(x: T) -> T:
    """Return degrees as radians: `x * pi / 180`."""
def erfc(x: T) -> T:
    """Return `1 - erf(x)`, exact also where that is tiny."""
def erfinv(x: T) -> T:
    """Return y with `erf(y) = x`: ±inf at ±1, nan beyond."""
def exp2(x: T) -> T:
    """Return 2 to the power x."""
def expit(x: T) -> T:
    """Return `1 / (1 + exp(-x))`; neither side overflows."""
@overload
def fmod(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def fmod(x: T, y: Tensor | float) -> T:
    """Return the remainder of `x / y`, with the sign of `x` (C's fmod)."""
def frac(x: T) -> T:
    """Return `x - trunc(x)`: the part behind the point, with the sign of x."""
def i0(x: T) -> T:
    """Return the modified Bessel function of the first kind and order 0."""
@overload
def lerp(x: Tensor, end: Tracked, weight: Tensor | float) -> Tracked: ...
@overload
def lerp(x: Tensor, end: Tensor | float, weight: Tracked) -> Tracked: ...
@overload
def lerp(x: T, end: Tensor | float, weight: Tensor | float) -> T:
    """Return `x + weight * (end - x)`: on the line from x to `end`."""
def logit(x: T, eps: float | None = None) -> T:
    """Return `log(x / (1 - x))`: the inverse of `sigmoid`; nan outside [0, 1]."""
def rad2deg(x: T) -> T:
    """Return radians as degrees: `x * 180 / pi`."""
def sgn(x: T) -> T:
    """Return -1, 0 or 1 by the sign of x; nan stays nan."""
def sinc(x: T) -> T:
    """Return `sin(pi*x) / (pi*x)`, and 1 at 0."""
@overload
def xlogy(x: Tensor, y: Tracked) -> Tracked: ...
@overload
def xlogy(x: T, y: Tensor | float) -> T:
    """Return `x * log(y)`, and 0 where x is 0 (nan where y is nan)."""
def digamma(x: T) -> T:
    """Return the derivative of `lgamma`; nan at the negative integers, ∓inf at ±0."""
def lgamma(x: T) -> T:
    """Return the logarithm of |Gamma(x)|; inf at 0 and the negative integers."""
@overload
def diagonal_scatter(x: Tensor, src: Tracked, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tracked: ...
@overload
def diagonal_scatter(x: T, src: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> T:
    """Return x with `src` in place of a diagonal of two axes (the last axis of src)."""
@overload
def expand_as(x: Tensor, other: Tracked) -> Tracked: ...
@overload
def expand_as(x: T, other: Tensor) -> T:
    """Repeat axes of size 1 to the shape of `other`. A view."""
def fliplr(x: T) -> T:
    """Reverse axis 1. A view."""
def flipud(x: T) -> T:
    """Reverse axis 0. A view."""
def movedim(x: T, source: int | Sequence[int], destination: int | Sequence[int]) -> T:
    """Move axes to other places; the rest keep their order. A view."""
def ravel(x: T) -> T:
    """Return the elements in row-major order along one axis."""
@overload
def reshape_as(x: Tensor, other: Tracked) -> Tracked: ...
@overload
def reshape_as(x: T, other: Tensor) -> T:
    """Return x's elements under the shape of `other`."""
def rot90(x: T, k: int = 1, axes: Sequence[int] = (0, 1)) -> T:
    """Turn x by k quarters in the plane of two axes, from the first to the second."""
def select(x: T, axis: int, index: int) -> T:
    """Return the slice of an axis at one index; the axis goes away. A view."""
@overload
def select_scatter(x: Tensor, src: Tracked, axis: int, index: int) -> Tracked: ...
@overload
def select_scatter(x: T, src: Tensor, axis: int, index: int) -> T:
    """Return x with `src` in place of the slice that `select` would give."""
@overload
def slice_scatter(x: Tensor, src: Tracked, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tracked: ...
@overload
def slice_scatter(x: T, src: Tensor, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> T:
    """Return x with `src` in place of `x[start:end:step]` of an axis."""
def swapdims(x: T, dim0: int = -2, dim1: int = -1) -> T:
    """Exchange two axes (the last two by default). A view."""
def t(x: T) -> T:
    """Exchange the axes of a matrix; vectors and 0-d tensors stay. A view."""
def unbind(x: T, axis: int = 0) -> list[T]:
    """Return the slices of an axis, one after the other, without it. Views."""
def unflatten(x: T, axis: int, sizes: Sequence[int]) -> T:
    """Cut one axis into several of these sizes; one may be -1. A view."""
def view(x: T, *shape: int | Sequence[int]) -> T:
    """`reshape`, by PyTorch's name: a view where the layout allows, else a copy."""
@overload
def view_as(x: Tensor, other: Tracked) -> Tracked: ...
@overload
def view_as(x: T, other: Tensor) -> T:
    """Return x's elements under the shape of `other`."""
def atleast_1d(x: T) -> T:
    """Return x with at least one axis."""
def atleast_2d(x: T) -> T:
    """Return x with at least two axes; new ones come in front."""
def atleast_3d(x: T) -> T:
    """Return x with at least three axes: [M, N] -> [M, N, 1], [N] -> [1, N, 1]."""
def column_stack(tensors: Sequence[T]) -> T:
    """Join tensors along axis 1; vectors are columns."""
def dsplit(x: T, indices_or_sections: int | Sequence[int]) -> list[T]:
    """`tensor_split` along axis 2."""
def dstack(tensors: Sequence[T]) -> T:
    """Join tensors along axis 2; see `atleast_3d`."""
def hsplit(x: T, indices_or_sections: int | Sequence[int]) -> list[T]:
    """`tensor_split` along axis 1 (axis 0 of a vector)."""
def hstack(tensors: Sequence[T]) -> T:
    """Join tensors along axis 1 (axis 0 of vectors)."""
def row_stack(tensors: Sequence[T]) -> T:
    """Join tensors along axis 0; vectors are rows."""
def split_with_sizes(x: T, sizes: Sequence[int], axis: int = 0) -> list[T]:
    """Cut x along an axis into parts of these sizes: `split` with a list."""
def tensor_split(x: T, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[T]:
    """Cut an axis into a number of parts, or before the indices that are listed."""
def vsplit(x: T, indices_or_sections: int | Sequence[int]) -> list[T]:
    """`tensor_split` along axis 0 of at least a matrix."""
def vstack(tensors: Sequence[T]) -> T:
    """Join tensors along axis 0; vectors are rows."""
def aminmax(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> Extremes[T]:
    """Return the smallest and the largest elements over `axis`: `.min`, `.max`."""
def corrcoef(x: T) -> T:
    """Return the correlations of the rows: x [V, N] -> [V, V], from -1 to 1."""
@overload
def cov(x: Tensor, correction: float = 1, *, fweights: Tracked, aweights: Tensor | None = None) -> Tracked: ...
@overload
def cov(x: Tensor, correction: float = 1, fweights: Tensor | None = None, *, aweights: Tracked) -> Tracked: ...
@overload
def cov(x: T, correction: float = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> T:
    """Return the covariances of the rows: x [V, N] -> [V, V]; a vector's variance."""
def nanmean(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Return the mean over `axis` of what is not nan; nan where nothing is left."""
def nansum(x: T, axis: int | tuple[int, ...] | None = None, keepdims: _bool = False) -> T:
    """Return the sum over `axis`, with nan counted as 0."""
def std_mean(x: T, axis: int | tuple[int, ...] | None = None, correction: float = 0.0, keepdims: _bool = False) -> tuple[T, T]:
    """Return the standard deviation and the mean over `axis`; see `var`."""
def var_mean(x: T, axis: int | tuple[int, ...] | None = None, correction: float = 0.0, keepdims: _bool = False) -> tuple[T, T]:
    """Return the variance and the mean over `axis`; see `var` for the correction."""
def argtopk(x: T, k: int, axis: int = -1, largest: _bool = True) -> T:
    """Return the positions of the k largest (or smallest) elements: `topk`'s."""
def kthvalue(x: T, k: int, axis: int = -1, keepdims: _bool = False) -> Placed[T]:
    """Return the k-th smallest element of each line (from 1), and where it stands."""
def median(x: T, axis: int | None = None, keepdims: _bool = False) -> T | Placed[T]:
    """Return the median; with an axis, the medians along it and where they stand."""
def mode(x: T, axis: int = -1, keepdims: _bool = False) -> Placed[T]:
    """Return the most frequent element of each line, and where it last stands."""
def msort(x: T) -> T:
    """Return x sorted along its first axis."""
def nanmedian(x: T, axis: int | None = None, keepdims: _bool = False) -> T | Placed[T]:
    """`median` of what is not nan; nan where nothing is left."""
@overload
def nanquantile(x: Tensor, q: Tracked, axis: int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> Tracked: ...
@overload
def nanquantile(x: T, q: Tensor | float | Sequence[float], axis: int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> T:
    """`quantile` of what is not nan; nan where nothing is left."""
@overload
def percentile(x: Tensor, q: Tracked, axis: int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> Tracked: ...
@overload
def percentile(x: T, q: Tensor | float | Sequence[float], axis: int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> T:
    """`quantile` with q in percent, as in NumPy."""
@overload
def quantile(x: Tensor, q: Tracked, axis: int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> Tracked: ...
@overload
def quantile(x: T, q: Tensor | float | Sequence[float], axis: int | None = None, keepdims: _bool = False, interpolation: str = 'linear') -> T:
    """Return the elements below which the share q of each line lies."""
@overload
def einsum(equation: str, *operands: Tracked) -> Tracked: ...
@overload
def einsum(equation: str, *operands: T) -> T:
    """Return the sum of products that the equation describes, as in NumPy."""
@overload
def allclose(x: Tensor, other: Tracked, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False) -> Tracked: ...
@overload
def allclose(x: T, other: Tensor | float, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False) -> T:
    """Say whether all elements are close; see `isclose`. A 0-d bool tensor."""
@overload
def isclose(x: Tensor, other: Tracked, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False) -> Tracked: ...
@overload
def isclose(x: T, other: Tensor | float, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: _bool = False) -> T:
    """Say where `|x - other| <= atol + rtol * |other|`. Dtype: bool."""
def isneginf(x: T) -> T:
    """Say where x is -inf. Dtype: bool."""
def isposinf(x: T) -> T:
    """Say where x is inf. Dtype: bool."""
def nan_to_num(x: T, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> T:
    """Return x with numbers for nan, inf and -inf: 0 and the dtype's extremes."""
@overload
def index_reduce(x: Tensor, axis: int, index: Tracked, source: Tensor, reduce: str, include_self: _bool = True) -> Tracked: ...
@overload
def index_reduce(x: Tensor, axis: int, index: Tensor, source: Tracked, reduce: str, include_self: _bool = True) -> Tracked: ...
@overload
def index_reduce(x: T, axis: int, index: Tensor, source: Tensor, reduce: str, include_self: _bool = True) -> T:
    """`scatter_reduce` with one index for whole slices of an axis."""
@overload
def scatter_reduce(x: Tensor, axis: int, index: Tracked, src: Tensor, reduce: str, include_self: _bool = True) -> Tracked: ...
@overload
def scatter_reduce(x: Tensor, axis: int, index: Tensor, src: Tracked, reduce: str, include_self: _bool = True) -> Tracked: ...
@overload
def scatter_reduce(x: T, axis: int, index: Tensor, src: Tensor, reduce: str, include_self: _bool = True) -> T:
    """Return x with the elements of `src` joined to those that the index names."""
def argwhere(x: Tensor) -> Tensor:
    """Return where x is not 0, one place a row: [K, axes] integers."""
async def argwhere_async(x: Tensor) -> Tensor:
    """`argwhere` for platforms where a thread cannot wait."""
@overload
def gather_nd(x: Tensor, index: Tracked) -> Tracked: ...
@overload
def gather_nd(x: T, index: Tensor) -> T:
    """Return what lies at places: the last axis of the index holds their coordinates."""
@overload
def index_fill(x: Tensor, axis: int, index: Tracked, value: Tensor | float) -> Tracked: ...
@overload
def index_fill(x: Tensor, axis: int, index: Tensor, value: Tracked) -> Tracked: ...
@overload
def index_fill(x: T, axis: int, index: Tensor, value: Tensor | float) -> T:
    """Return x with one value in the slices of an axis that an index [K] names."""
@overload
def index_put(x: Tensor, indices: Tracked, values: Tensor | float, accumulate: _bool = False) -> Tracked: ...
@overload
def index_put(x: Tensor, indices: Sequence[Tensor | None] | Tensor, values: Tracked, accumulate: _bool = False) -> Tracked: ...
@overload
def index_put(x: T, indices: Sequence[Tensor | None] | Tensor, values: Tensor | float, accumulate: _bool = False) -> T:
    """Return x with `values` at `x[indices]`; with accumulate, added to what is there."""
@overload
def scatter_nd(x: Tensor, index: Tracked, values: Tensor | float, reduce: str | None = None) -> Tracked: ...
@overload
def scatter_nd(x: Tensor, index: Tensor, values: Tracked, reduce: str | None = None) -> Tracked: ...
@overload
def scatter_nd(x: T, index: Tensor, values: Tensor | float, reduce: str | None = None) -> T:
    """Return x with values put (or joined) at places; see `gather_nd`."""
@overload
def take_along_dim(x: Tensor, index: Tracked, dim: int | None = None) -> Tracked: ...
@overload
def take_along_dim(x: T, index: Tensor, dim: int | None = None) -> T:
    """`take_along_axis` with PyTorch's name; without an axis both count as flat."""
def block_diag(*tensors: T) -> T:
    """Return the matrices along a diagonal of one matrix, 0 elsewhere."""
def cartesian_prod(*tensors: T) -> T:
    """Return every choice of one element from each vector: [N1 * … * Nk, k]."""
def diag(x: T, offset: int = 0) -> T:
    """Return a matrix with the vector x on a diagonal, or the diagonal of a matrix."""
def diag_embed(x: T, offset: int = 0, axis1: int = -2, axis2: int = -1) -> T:
    """Return matrices with the last axis of x on a diagonal, 0 elsewhere."""
@overload
def diag_mask(shape: Sequence[int], offset: int = 0, *, device: AutodiffDevice) -> Tracked: ...
@overload
def diag_mask(shape: Sequence[int], offset: int = 0, device: Device | str | None = None) -> Tensor:
    """Return bools [..., R, C]: false on a diagonal, true elsewhere."""
def diagflat(x: T, offset: int = 0) -> T:
    """Return a matrix with all elements of x on a diagonal."""
@overload
def logspace(start: float, end: float, steps: int, base: float = 10.0, dtype: DType | str | None = None, *, device: AutodiffDevice) -> Tracked: ...
@overload
def logspace(start: float, end: float, steps: int, base: float = 10.0, dtype: DType | str | None = None, device: Device | str | None = None) -> Tensor:
    """Return `steps` powers of base, their exponents evenly spaced from start to end."""
def one_hot_fill(index: Tensor, num_classes: int, on_value: float = 1.0, off_value: float = 0.0, axis: int = -1, dtype: DType | str = 'float32') -> Tensor:
    """Return `on_value` at each index along a new axis, `off_value` elsewhere."""
@overload
def tril_indices(rows: int, cols: int, offset: int = 0, *, device: AutodiffDevice) -> Tracked: ...
@overload
def tril_indices(rows: int, cols: int, offset: int = 0, device: Device | str | None = None) -> Tensor:
    """Return the places of the lower triangle of a matrix, row by row: [2, K] integers."""
@overload
def tril_mask(shape: Sequence[int], offset: int = 0, *, device: AutodiffDevice) -> Tracked: ...
@overload
def tril_mask(shape: Sequence[int], offset: int = 0, device: Device | str | None = None) -> Tensor:
    """Return bools [..., R, C]: false in the lower triangle, true above it."""
@overload
def triu_indices(rows: int, cols: int, offset: int = 0, *, device: AutodiffDevice) -> Tracked: ...
@overload
def triu_indices(rows: int, cols: int, offset: int = 0, device: Device | str | None = None) -> Tensor:
    """Return the places of the upper triangle of a matrix, row by row: [2, K]."""
@overload
def triu_mask(shape: Sequence[int], offset: int = 0, *, device: AutodiffDevice) -> Tracked: ...
@overload
def triu_mask(shape: Sequence[int], offset: int = 0, device: Device | str | None = None) -> Tensor:
    """Return bools [..., R, C]: false in the upper triangle, true below it."""
def bincount(x: Tensor, weights: Tensor | None = None, minlength: int = 0, length: int | None = None) -> Tensor:
    """Return how often each whole number is in x [N]: [K], K above the largest."""
async def bincount_async(x: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """`bincount` for platforms where a thread cannot wait."""
def bucketize(x: Tensor, boundaries: Tensor, right: _bool = False) -> Tensor:
    """Return the number of the bucket that each element falls into."""
def histc(x: T, bins: int = 100, min: float = 0.0, max: float = 0.0) -> T:
    """Return how many elements fall into each of `bins` even parts of [min, max]."""
@overload
def histogram(x: Tensor, bins: Tracked, range: tuple[float, float] | None = None, weight: Tensor | None = None, density: _bool = False) -> Histogram[Tracked]: ...
@overload
def histogram(x: Tensor, bins: int | Tensor = 10, range: tuple[float, float] | None = None, *, weight: Tracked, density: _bool = False) -> Histogram[Tracked]: ...
@overload
def histogram(x: T, bins: int | Tensor = 10, range: tuple[float, float] | None = None, weight: Tensor | None = None, density: _bool = False) -> Histogram[T]:
    """Return (hist, edges): what falls between edges, and these."""
@overload
def cdist(x1: Tensor, x2: Tracked, p: float = 2.0) -> Tracked: ...
@overload
def cdist(x1: T, x2: Tensor, p: float = 2.0) -> T:
    """Return the p-norms of the differences of every two rows."""
def logcumsumexp(x: T, axis: int = -1) -> T:
    """Return `log(cumsum(exp(x)))` along an axis, without overflow."""
def unique(x: T, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, axis: int | None = None) -> T | tuple[T, ...]:
    """Return each value of x once, in order; with an axis, each slice of it."""
async def unique_async(x: T, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, axis: int | None = None) -> T | tuple[T, ...]:
    """`unique` for platforms where a thread cannot wait."""
def unique_consecutive(x: T, return_inverse: _bool = False, return_counts: _bool = False, axis: int | None = None) -> T | tuple[T, ...]:
    """Return the first of each run of equal neighbours; see `unique`."""
def multinomial(x: Tensor, num_samples: int, replacement: _bool = False) -> Tensor:
    """Return places drawn with the probabilities (or weights) of the last axis."""
def rand_like(x: Tensor, dtype: DType | None = None) -> Tensor:
    """Return uniform numbers in [0, 1) of x's shape, dtype and device."""
def randint_like(x: Tensor, low: int, high: int | None = None, dtype: DType | None = None) -> Tensor:
    """Return integers in [low, high) (or [0, low)) of x's shape, dtype and device."""
def randn_like(x: Tensor, dtype: DType | None = None) -> Tensor:
    """Return standard normal numbers of x's shape, dtype and device."""
@overload
def repeat_interleave(x: Tensor, repeats: Tracked, axis: int | None = None) -> Tracked: ...
@overload
def repeat_interleave(x: T, repeats: int | Tensor, axis: int | None = None) -> T:
    """Repeat each element along an axis; without one x counts as flat."""
@overload
def addmm(x: Tensor, mat1: Tracked, mat2: Tensor, beta: float = 1.0, alpha: float = 1.0) -> Tracked: ...
@overload
def addmm(x: Tensor, mat1: Tensor, mat2: Tracked, beta: float = 1.0, alpha: float = 1.0) -> Tracked: ...
@overload
def addmm(x: T, mat1: Tensor, mat2: Tensor, beta: float = 1.0, alpha: float = 1.0) -> T:
    """Return `beta * x + alpha * (mat1 @ mat2)`; x broadcasts."""
@overload
def bmm(x: Tensor, other: Tracked) -> Tracked: ...
@overload
def bmm(x: T, other: Tensor) -> T:
    """Return the products of two batches of matrices: [B, M, K], [B, K, N]."""
@overload
def cross(x: Tensor, other: Tracked, axis: int = -1) -> Tracked: ...
@overload
def cross(x: T, other: Tensor, axis: int = -1) -> T:
    """Return the cross products of vectors of three along an axis; both broadcast."""
@overload
def mm(x: Tensor, other: Tracked) -> Tracked: ...
@overload
def mm(x: T, other: Tensor) -> T:
    """Return the product of two matrices; raises ShapeError for other ranks."""
@overload
def mv(x: Tensor, other: Tracked) -> Tracked: ...
@overload
def mv(x: T, other: Tensor) -> T:
    """Return the product of a matrix and a vector: [M, K], [K] -> [M]."""

"""`autocast`: products in a narrow float, what needs digits in float32.

It is a decorator of backends, there only while the context is: each op is looked up in
two lists, its operands are cast, and what autodiff sees are the casts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dispatch import wrap
from ..dtypes import DType, bfloat16, float32
from ..dtypes import dtype as _dtype
from ..errors import DTypeError
from .around import Around, reached, release, surround
from .autodiff import Var
from .grad_mode import decorated
from .policy import POLICY

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..device import Device

# Names of ops; everything else runs in the dtype that promotion gives.
LOW = ("matmul", "conv", "conv_input_grad", "conv_weight_grad", "attention")
FULL = (
    "softmax", "log_softmax", "logsumexp", "standardize", "rms_scale", "cross_entropy",
    "sum", "prod", "cumsum", "long_cumsum", "cumprod", "linear_scan", "exp", "expm1",
    "log", "log1p", "log2", "log10", "logaddexp", "pow", "rsqrt", "reciprocal", "cosh",
    "sinh", "tan", "acos", "asin", "acosh", "erfinv", "softplus",
)  # fmt: skip


WIDENING = ("cast_float32", "widen_bfloat16")


class Casting(Around):
    """Runs each op on operands cast as the lists say."""

    def execute(self, op, inputs, attrs, outs):
        target = POLICY.dtype
        if target is None:
            return self.below.execute(op, inputs, attrs, outs)
        low = op.name in LOW
        if low:
            inputs, outs = self._cast(op, inputs, attrs, outs, target)
            if target is bfloat16:  # only stored: computed in float32
                inputs, outs = self._cast(op, inputs, attrs, outs, float32)
        elif op.name in FULL:
            inputs, outs = self._cast(op, inputs, attrs, outs, float32)
        POLICY.dtype = None  # what the op is made of runs as it is
        try:
            results = self.below.execute(op, inputs, attrs, outs)
        finally:
            POLICY.dtype = target
        if low and target is bfloat16:
            results = tuple([self._as(r, target) for r in results])
        if op.name in WIDENING and inputs[0].dtype is target:
            _remember(results[0], inputs[0])
        return results

    def _cast(self, op, inputs, attrs, outs, target):
        made = [self._as(h, target) for h in inputs]
        changed = [a for a, b in zip(made, inputs) if a is not b]
        if not changed:
            return inputs, outs
        return made, op.infer(made, attrs)

    def _as(self, h, target):
        """A handle in a dtype; float64, integers and bools stay as they are."""
        if h.dtype is target or not h.dtype.is_float or h.dtype.bits > 32:
            return h
        if target is not float32 and h.dtype is not float32:
            return h
        if target is not float32:
            for wide, narrow in POLICY.recent:
                if wide is h and narrow.dtype is target:
                    return narrow
        key = _weight(h) if POLICY.caches else None
        found = POLICY.cache.get((key, target)) if key is not None else None
        if found is None:
            found = wrap(h, self.wrapped.device).astype(target)._handle
            if key is not None:
                POLICY.cache[(key, target)] = found
        return found


def _remember(wide, narrow):
    """Promotion widens a product's operand; if it goes into a product, it need not."""
    POLICY.recent = POLICY.recent[-1:] + [(wide, narrow)]


def _weight(h):
    """What a leaf, or a view of one, goes by; None for other handles."""
    views = ()
    while isinstance(h, Var) and h.node is not None:
        node = h.node
        if node.op is None:
            return (node.number,) + views
        parent = node.parents[0] if node.op.view is not None else None
        if parent is None:
            return None
        views = views + ((node.op.name, node.attrs),)
        h = _Edge(parent)
    return None


class _Edge(Var):
    """Where a view's input came from."""

    __slots__ = ()

    def __init__(self, parent):
        self.node, self.index = parent


class autocast:
    """`with autocast(dtype):` run products in `dtype`, what needs digits in float32.

    dtype: float16 or bfloat16. device: every open one, unless given; all its autodiff
    levels take part. Decorates functions too; enabled=False switches it off inside.
    In low precision: matmul, convolutions and their gradients, attention, and so the
    layers made of them. In float32: softmax and its kin, norms, losses, sums, products
    and running ones, exp, log, pow. Other ops take the dtype that promotion gives.
    float64 stays. Parameters stay float32; each is cast once per context. Losses of
    squares or absolute values take their differences in the dtype they are given.
    Call `backward` outside: gradients run in the dtypes of their ops.
    On a GPU without `shader-f16` float16 is stored packed and computed in float32, so
    that it saves memory there, and no time; bfloat16 is so everywhere.
    Raises: DTypeError for other dtypes, or one that the device does not hold.

    Example:
        >>> import fogo
        >>> x = fogo.ones(2, 2)
        >>> with fogo.autocast("float16"):
        ...     y = x @ x
        ...     z = y.softmax(0)
        >>> y.dtype, z.dtype
        (fogo.float16, fogo.float32)
    """

    def __init__(
        self,
        dtype: DType | str = "float16",
        device: Device | str | None = None,
        enabled: bool = True,
        cache_enabled: bool = True,
    ) -> None:
        from ..device import device as lookup

        self.dtype = _dtype(dtype)
        if not self.dtype.is_float or self.dtype.bits != 16:
            raise DTypeError(
                "autocast: the dtype is a float of 16 bits; given %s; use float16 or "
                "bfloat16" % self.dtype.name
            )
        self.device = None if device is None else lookup(device)
        self.enabled = enabled
        self.cache_enabled = cache_enabled
        self._entered: list[Any] = []

    def __enter__(self) -> autocast:
        devices = reached(self.device) if self.enabled else []
        if self.device is not None:
            self.device.base().backend.check_dtype(self.dtype)
        surround(Casting, devices)
        self._entered.append((devices, POLICY.dtype, POLICY.cache, POLICY.caches))
        POLICY.dtype = self.dtype if self.enabled else None
        POLICY.caches = self.cache_enabled
        if POLICY.cache is None:
            POLICY.cache, POLICY.recent = {}, []
        return self

    def __exit__(self, *error: object) -> None:
        devices, POLICY.dtype, POLICY.cache, POLICY.caches = self._entered.pop()
        if POLICY.cache is None:
            POLICY.recent = []
        release(Casting, devices)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return decorated(function, self)


class paused:
    """`with paused():` this thread casts nothing inside (a backward's ops)."""

    def __enter__(self) -> None:
        self.before = POLICY.dtype
        POLICY.dtype = None

    def __exit__(self, *error: object) -> None:
        POLICY.dtype = self.before


def is_autocast_enabled() -> bool:
    """Say whether this thread is inside an `autocast` that is on.

    Example:
        >>> import fogo
        >>> with fogo.autocast("float16"):
        ...     fogo.is_autocast_enabled()
        True
    """
    return POLICY.dtype is not None


def get_autocast_dtype() -> DType | None:
    """Return what products are cast to now, or None.

    Example:
        >>> import fogo
        >>> fogo.get_autocast_dtype() is None
        True
    """
    found: DType | None = POLICY.dtype
    return found

"""What `autocast` casts to in a thread."""

from __future__ import annotations

from typing import Any

from .threads import Local


class _Policy(Local):
    """What this thread casts to (None: nothing), and what it has cast.

    cache    weights, if `caches`; recent: products' operands that promotion widened
    """

    dtype: Any = None
    cache: Any = None
    caches = True
    recent: Any = ()


POLICY = _Policy()


def beside(bias: Any, y: Any) -> Any:
    """A bias in the dtype of the product it is added to, inside autocast."""
    return bias if POLICY.dtype is None else bias.astype(y.dtype)

"""Random bits by Threefry-2x32: a counter and a key, equal on every backend.

Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011; 20 rounds.
"""

from __future__ import annotations

from ..dtypes import uint32
from ..expr import cast, literal
from ..shapes import size
from .define import define_op
from .record import Aval

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA


def threefry(k, key0, key1, x0, x1):
    """Encrypt the counter (x0, x1): two uint32 Exprs from four."""
    keys = (key0, key1, k.let(key0 ^ key1 ^ literal(_PARITY, uint32)))
    x0 = x0 + keys[0]
    x1 = x1 + keys[1]
    for block in range(5):
        for r in _ROTATIONS[block % 2]:
            x0 = k.let(x0 + x1)
            x1 = k.let(((x1 << r) | (x1 >> (32 - r))) ^ x0)
        x0 = x0 + keys[(block + 1) % 3]
        x1 = x1 + keys[(block + 2) % 3] + (block + 1)
    return x0, x1


def _bits_kernel(k, state, out, shape):
    """Element i is the first word of block (i, draw) under the state's key."""
    (i,) = k.grid(out.shape)
    key0, key1, draw = state[0], state[1], state[2]
    out[(i,)] = threefry(k, key0, key1, cast(i, uint32), draw)[0]


def _next_kernel(k, state, out):
    """The state of the next draw: its number goes up by one."""
    (i,) = k.grid(out.shape)
    out[(i,)] = state[(i,)] + cast(cast(i, uint32) // 2, uint32)


def _bits_infer(avals, attrs):
    return (Aval((size(attrs[0]),), uint32),)


BITS = define_op(
    "random_bits", infer=_bits_infer, attrs=("shape",), kernel=_bits_kernel,
    unread=("shape",), diff=(False,),
)  # fmt: skip
NEXT = define_op(
    "random_next", kernel=_next_kernel, diff=(False,),
    infer=lambda avals, attrs: (Aval(avals[0].shape, uint32),),
)  # fmt: skip

__all__ = []
NOT_METHODS = ()

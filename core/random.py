"""Random tensors. The same seed gives the same numbers on every device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .backend.levels import LEVELS
from .backend.threads import Lock
from .device import device as _device
from .dtypes import DEFAULT_FLOAT, DType, uint32
from .dtypes import dtype as _dtype
from .errors import ShapeError
from .shapes import check_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .device import Device
    from .tensor import Tensor

_seed = [0]
_DRAWING = Lock()  # no two threads draw the same numbers


def manual_seed(seed: int) -> None:
    """Restart the random stream of every device: those open, and those opened later.

    Each device has a stream of its own: drawing on one moves no other.

    Example:
        >>> import fogo
        >>> fogo.manual_seed(7)
        >>> a = fogo.rand(2)
        >>> fogo.manual_seed(7)
        >>> bool((a == fogo.rand(2)).all())
        True
    """
    from .device import DEVICES

    _seed[0] = int(seed)
    for found in DEVICES.values():
        if found.generator is not None:
            seed_device(found, _seed[0])


def current_seed() -> int:
    """Return the seed of streams that are opened now.

    Example:
        >>> import fogo
        >>> fogo.manual_seed(7)
        >>> fogo.random.current_seed()
        7
    """
    return _seed[0]


def seed_device(base: Device, seed: int) -> None:
    """Restart one device's stream: the state (key, key, draw) lives on the device."""
    from .tensor import tensor

    seed = int(seed)
    words = [seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF, 0]
    state = tensor(words, dtype=uint32, device=base)
    with _DRAWING:
        if base.generator is None:
            base.generator = state
        else:
            base.generator.assign(state)


def random_bits(shape: tuple[int, ...], device: Device | str | None = None) -> Tensor:
    """Return uint32 random bits (Threefry-2x32-20), and move the device's stream on.

    Example:
        >>> import fogo
        >>> fogo.random_bits((3,)).dtype
        fogo.uint32
    """
    from .dispatch import call
    from .ops.random import BITS, NEXT

    where = _device(device)
    base = where.base()
    sizes = check_shape("random", shape)
    lead: tuple[int, ...] = ()
    if LEVELS.stack:
        from .func.randomness import lead as axes
        from .func.randomness import spread

        lead = axes(base)
        sizes = lead + sizes
    with _DRAWING:
        if base.generator is None:
            seed_device(base, _seed[0])
        state = base.generator
        bits = call(BITS, (state,), (sizes,)).reshape(sizes)
        state.assign(call(NEXT, (state,)))
    if lead:
        bits = spread(bits, base)
    return bits if where is base or lead else bits.to(where)


def _unit(shape, where):
    """Uniform float32 in [0, 1): 24 random bits each, exact on every backend."""
    bits = random_bits(shape, where)
    return (bits >> 8).astype(DEFAULT_FLOAT) * (1.0 / (1 << 24))


def _sizes(shape):
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        return tuple(shape[0])
    return shape


def rand(
    *shape: int | Sequence[int],
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return uniform numbers in [0, 1).

    Example:
        >>> import fogo
        >>> fogo.rand(2, 3).shape
        (2, 3)
    """
    x = _unit(_sizes(shape), _device(device))
    return x if dtype is None else x.astype(_dtype(dtype))


def uniform(
    low: float,
    high: float,
    shape: tuple[int, ...],
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return uniform numbers in [low, high).

    Example:
        >>> import fogo
        >>> x = fogo.uniform(2.0, 3.0, (100,))
        >>> bool((x >= 2).all()), bool((x < 3).all())
        (True, True)
    """
    x = _unit(shape, _device(device)) * float(high - low) + float(low)
    return x if dtype is None else x.astype(_dtype(dtype))


def randn(
    *shape: int | Sequence[int],
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return standard normal numbers (Box and Muller's transform of two uniforms).

    Example:
        >>> import fogo
        >>> fogo.randn(2, 3).shape
        (2, 3)
    """
    where = _device(device)
    sizes = _sizes(shape)
    u = 1.0 - _unit(sizes, where)  # in (0, 1]: its logarithm is finite
    v = _unit(sizes, where)
    x = (u.log() * -2.0).sqrt() * (v * 6.283185307179586).cos()
    return x if dtype is None else x.astype(_dtype(dtype))


def normal(
    mean: float,
    std: float,
    shape: tuple[int, ...],
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return normal numbers of a mean and a standard deviation.

    Example:
        >>> import fogo
        >>> fogo.normal(0.0, 1.0, (2, 3)).shape
        (2, 3)
    """
    return randn(shape, dtype=dtype, device=device) * float(std) + float(mean)


def randint(
    low: int,
    high: int,
    shape: tuple[int, ...],
    dtype: DType | str | None = None,
    device: Device | str | None = None,
) -> Tensor:
    """Return integers in [low, high), evenly up to 1 part in 2**32 / (high - low).

    Raises: ShapeError where the range is empty or above 2**32 numbers.

    Example:
        >>> import fogo
        >>> fogo.randint(5, 6, (3,)).tolist()
        [5, 5, 5]
    """
    if not 0 < high - low <= 1 << 32:
        raise ShapeError(
            "randint: the range must hold 1 to 2**32 numbers; given low=%d, high=%d"
            % (low, high)
        )
    where = _device(device)
    kind = where.default_int if dtype is None else _dtype(dtype)
    bits = random_bits(shape, where)
    span = high - low
    offset = bits if span == 1 << 32 else bits % span
    return offset.astype(kind) + low


def bernoulli(
    p: float,
    shape: tuple[int, ...],
    device: Device | str | None = None,
) -> Tensor:
    """Return bools that are true with probability p.

    Example:
        >>> import fogo
        >>> fogo.bernoulli(1.0, (3,)).tolist()
        [True, True, True]
    """
    return _unit(shape, _device(device)) < float(p)


def randperm(n: int, device: Device | str | None = None) -> Tensor:
    """Return the numbers 0 … n-1 in random order.

    Example:
        >>> import fogo
        >>> sorted(fogo.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    where = _device(device)
    return random_bits((n,), where).argsort().astype(where.default_int)

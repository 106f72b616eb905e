"""Pooling over strided windows of a padded array."""

from __future__ import annotations

from itertools import product

import numpy as np


def _count(sizes):
    n = 1
    for d in sizes:
        n *= d
    return n


def _needed(outs, attrs):
    """How far the windows reach on each axis, from the first padding on."""
    kernel, stride, _, dilation = attrs[:4]
    return [
        (o - 1) * s + d * (k - 1) + 1
        for o, s, d, k in zip(outs, stride, dilation, kernel)
    ]


def _windows(x, outs, attrs, fill):
    """A view [P, *outs, *kernel] of x [..., *size], padded with `fill`."""
    kernel, stride, padding, dilation = attrs[:4]
    rank = len(kernel)
    x = x.reshape((_count(x.shape[:-rank]),) + x.shape[-rank:])
    widths = [(0, 0)]
    for n, (before, _), far in zip(x.shape[1:], padding, _needed(outs, attrs)):
        widths.append((before, max(far - before - n, 0)))
    if any(w != (0, 0) for w in widths):
        x = np.pad(x, widths, constant_values=fill)
    x = np.ascontiguousarray(x)
    steps = x.strides
    strides = steps[:1] + tuple([s * t for s, t in zip(steps[1:], stride)])
    strides += tuple([s * d for s, d in zip(steps[1:], dilation)])
    return np.ndarray(x.shape[:1] + tuple(outs) + tuple(kernel), x.dtype, x, 0, strides)


def max_pool(backend, inputs, attrs, outs):
    x = backend.view(inputs[0])
    if 0 in x.shape or 0 in outs[0].shape:
        return None
    kernel, stride, padding, dilation, dtype = attrs
    rank = len(kernel)
    sizes, counts = x.shape[-rank:], outs[0].shape[-rank:]
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    windows = _windows(x, counts, attrs, lowest)
    windows = windows.reshape(windows.shape[: 1 + rank] + (-1,))
    tap = windows.argmax(-1)
    best = np.take_along_axis(windows, tap[..., None], -1)[..., 0]
    if not (best > lowest).all():  # a nan, or a window that the padding might win
        return None
    place = 0
    for a, t in enumerate(np.unravel_index(tap, kernel)):
        first = np.arange(counts[a]) * stride[a] - padding[a][0]
        first = first.reshape((-1,) + (1,) * (rank - 1 - a))
        place = place * sizes[a] + first + t * dilation[a]
    shape = outs[0].shape
    return (
        backend.handle(best.reshape(shape), outs[0].dtype),
        backend.handle(place.reshape(shape), dtype),
    )


def max_pool_grad(backend, inputs, attrs, outs):
    """Add up by place; float64 holds the sums exactly enough for any dtype."""
    g, places = [backend.view(h) for h in inputs]
    shape = outs[0].shape
    plane = _count(attrs[0])
    if g.size == 0 or plane == 0:
        return None
    planes = _count(shape) // plane
    flat = places.reshape(planes, -1) + np.arange(planes)[:, None] * plane
    total = np.bincount(flat.reshape(-1), g.reshape(-1), planes * plane)
    return (backend.handle(total.reshape(shape), outs[0].dtype),)


def _divisors(sizes, counts, attrs, divisor):
    """What each window's sum is divided by: a number, or an array [*counts]."""
    if divisor > 0:
        return divisor
    total = np.ones((), np.int64)
    for n, o, k, s, (before, _) in zip(sizes, counts, attrs[0], attrs[1], attrs[2]):
        first = np.arange(o) * s - before
        limit = n if divisor == 0 else n + before
        each = np.minimum(first + k, limit)
        each = each - (np.maximum(first, 0) if divisor == 0 else first)
        total = total[..., None] * each
    return total


def _wide(x):
    return x.astype(np.float32) if x.dtype == np.float16 else x


def avg_pool(backend, inputs, attrs, outs):
    x = _wide(backend.view(inputs[0]))
    if 0 in x.shape or 0 in outs[0].shape:
        return None
    rank = len(attrs[0])
    counts = outs[0].shape[-rank:]
    windows = _windows(x, counts, attrs, 0)
    total = windows.sum(tuple(range(1 + rank, 1 + 2 * rank)))
    divisors = _divisors(x.shape[-rank:], counts, attrs, attrs[4])
    out = total / np.asarray(divisors, x.dtype)
    return (backend.handle(out.reshape(outs[0].shape), outs[0].dtype),)


def avg_pool_grad(backend, inputs, attrs, outs):
    """Each tap spreads its share of the windows over the places it sees."""
    g = _wide(backend.view(inputs[0]))
    size, attrs = attrs[0], attrs[1:]
    if g.size == 0 or 0 in size:
        return None
    rank = len(size)
    counts = g.shape[-rank:]
    share = g / np.asarray(_divisors(size, counts, attrs, attrs[4]), g.dtype)
    share = share.reshape((-1,) + counts)
    stride, dilation = attrs[1], attrs[3]
    far = [max(f, p[0] + n) for f, p, n in zip(_needed(counts, attrs), attrs[2], size)]
    out = np.zeros((len(share),) + tuple(far), g.dtype)
    for taps in product(*[range(k) for k in attrs[0]]):
        at = [slice(None)]
        for t, d, s, o in zip(taps, dilation, stride, counts):
            at.append(slice(t * d, t * d + (o - 1) * s + 1, s))
        out[tuple(at)] += share
    crop = [slice(None)] + [slice(p[0], p[0] + n) for p, n in zip(attrs[2], size)]
    return (backend.handle(out[tuple(crop)].reshape(outs[0].shape), outs[0].dtype),)


SPECIAL = {
    "max_pool": max_pool,
    "max_pool_grad": max_pool_grad,
    "avg_pool": avg_pool,
    "avg_pool_grad": avg_pool_grad,
}

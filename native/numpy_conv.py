"""Convolutions as matrix products: windows of the input become columns (im2col)."""

from __future__ import annotations

from itertools import product

import numpy as np


def _wide(x):
    """float16 adds up in float32; integers stay."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _padded(x, padding, out, reach, stride):
    """x with room for every window: cropped where the last ones do not reach."""
    widths = [(0, 0), (0, 0)]
    crop = [slice(None), slice(None)]
    for n, (before, _), count, r, s in zip(
        x.shape[2:], padding, out, reach, stride
    ):  # fmt: skip
        needed = (count - 1) * s + r if count else 0
        widths.append((before, max(needed - before - n, 0)))
        crop.append(slice(0, needed))
    if any(w != (0, 0) for w in widths):
        x = np.pad(x, widths)
    return x[tuple(crop)]


def _windows(x, taps, out, attrs):
    """A view [N, G, C/G, *taps, *out] of x [N, C, *size], padded as asked."""
    stride, padding, dilation, groups = attrs
    reach = [d * (k - 1) + 1 for k, d in zip(taps, dilation)]
    x = np.ascontiguousarray(_padded(x, padding, out, reach, stride))
    n, channels = x.shape[:2]
    steps = x.strides
    strides = (steps[0], steps[1] * (channels // groups), steps[1])
    strides += tuple(s * d for s, d in zip(steps[2:], dilation))
    strides += tuple(s * t for s, t in zip(steps[2:], stride))
    shape = (n, groups, channels // groups) + tuple(taps) + tuple(out)
    return np.ndarray(shape, x.dtype, x, 0, strides)


def _count(sizes):
    n = 1
    for d in sizes:
        n *= d
    return n


def conv(backend, inputs, attrs, outs):
    """y [N, O, *out] = weights [G, O/G, C/G·taps] @ columns [N, G, C/G·taps, out]."""
    x, w = [_wide(backend.view(h)) for h in inputs]
    if 0 in x.shape + w.shape + outs[0].shape:
        return None
    groups = attrs[3]
    taps, out = w.shape[2:], outs[0].shape[2:]
    depth, points = w.shape[1] * _count(taps), _count(out)
    columns = _windows(x, taps, out, attrs)
    columns = columns.reshape(x.shape[0], groups, depth, points)
    weights = w.reshape(groups, w.shape[0] // groups, depth)
    return (backend.handle(np.matmul(weights, columns).reshape(outs[0].shape),
                           outs[0].dtype),)  # fmt: skip


def conv_weight_grad(backend, inputs, attrs, outs):
    """w' [G, O/G, C/G·taps] = sum over n of y' [G, O/G, out] @ columns'."""
    x, g = [_wide(backend.view(h)) for h in inputs]
    if 0 in x.shape + g.shape + outs[0].shape:
        return None
    groups = attrs[4]
    taps, out = outs[0].shape[2:], g.shape[2:]
    columns = _windows(x, taps, out, attrs[1:])
    depth, points = outs[0].shape[1] * _count(taps), _count(out)
    columns = columns.reshape(x.shape[0], groups, depth, points)
    g = g.reshape(g.shape[0], groups, g.shape[1] // groups, points)
    total = np.matmul(g, columns.swapaxes(2, 3)).sum(0)
    return (backend.handle(total.reshape(outs[0].shape), outs[0].dtype),)


def conv_input_grad(backend, inputs, attrs, outs):
    """x' gathers w.T @ y', one tap at a time (col2im)."""
    g, w = [_wide(backend.view(h)) for h in inputs]
    if 0 in g.shape + w.shape + outs[0].shape:
        return None
    size, stride, padding, dilation, groups = attrs
    taps, out = w.shape[2:], g.shape[2:]
    depth = w.shape[1] * _count(taps)
    weights = w.reshape(groups, w.shape[0] // groups, depth).transpose(0, 2, 1)
    weights = np.ascontiguousarray(weights)
    rows = g.reshape(g.shape[0], groups, g.shape[1] // groups, _count(out))
    columns = np.matmul(weights, rows)
    columns = columns.reshape((g.shape[0], groups * w.shape[1]) + taps + out)
    return (backend.handle(_scatter(columns, size, taps, out, stride, padding,
                                    dilation), outs[0].dtype),)  # fmt: skip


def _scatter(columns, size, taps, out, stride, padding, dilation):
    """Add every tap's plane of columns [N, C, *taps, *out] to where it came from."""
    room = []
    for n, k, m, s, (before, _), d in zip(size, taps, out, stride, padding, dilation):
        room.append(max(before + n, (m - 1) * s + d * (k - 1) + 1))
    x = np.zeros(columns.shape[:2] + tuple(room), columns.dtype)
    whole = (slice(None), slice(None))
    for tap in product(*[range(k) for k in taps]):
        where = tuple(
            slice(t * d, t * d + (m - 1) * s + 1, s)
            for t, d, m, s in zip(tap, dilation, out, stride)
        )
        x[whole + where] += columns[whole + tap]
    kept = tuple(slice(b, b + n) for n, (b, _) in zip(size, padding))
    return x[whole + kept]

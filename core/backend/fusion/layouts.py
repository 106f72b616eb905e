"""How views of a result that is computed on the fly reach its own operands."""

from __future__ import annotations

from ...shapes import Layout


def compose(outer, inner):
    """The layout of an operand, seen through a view of the result; None: no such.

    outer: a view of the row-major storage of a result with inner's shape; inner: how
    the element of the result at some place reads its operand. Each axis of the view
    must walk along one axis of the result (or several that the operand walks as one).
    """
    if inner.contiguous:
        return outer
    if outer.contiguous and outer.shape == inner.shape:
        return inner
    blocks = _blocks(inner)
    offset = inner.offset
    rest = outer.offset
    low = []
    for size, step, stride in blocks:
        first = rest // step if size > 1 else 0
        rest -= first * step
        offset += first * stride
        low.append(first)
    high = low[:]
    strides = []
    for n, s in zip(outer.shape, outer.strides):
        if n == 1 or s == 0:
            strides.append(0)
            continue
        i = _walked(blocks, s)
        if i is None:
            return None
        q = s // blocks[i][1]
        strides.append(q * blocks[i][2])
        if q > 0:
            high[i] += q * (n - 1)
        else:
            low[i] += q * (n - 1)
    for (size, _, _), a, b in zip(blocks, low, high):
        if a < 0 or b >= size:
            return None
    return Layout(outer.shape, tuple(strides), offset)


def _walked(blocks, stride):
    """The axis whose step a stride is a multiple of, outermost first."""
    for i, (_, step, _) in enumerate(blocks):
        if stride % step == 0:
            return i
    return None


def _blocks(layout):
    """(size, step in row-major storage, stride) of axes, merged where walked as one."""
    out = []
    step = 1
    for n, stride in zip(reversed(layout.shape), reversed(layout.strides)):
        if n != 1:
            if out and out[-1][2] * out[-1][0] == stride:
                out[-1][0] *= n
            else:
                out.append([n, step, stride])
        step *= n
    out.reverse()
    return out


def refine(a, b):
    """The coarsest shape that both shapes (of one size) are merged from, or None."""
    if a == b:
        return a
    ends = {}
    for shape in (a, b):
        step = 1
        for n in reversed(shape):
            step *= n
            ends[step] = True
    out = []
    last = 1
    for end in sorted(ends):
        if end % last:
            return None
        if end != last:
            out.append(end // last)
        last = end
    out.reverse()
    return tuple(out)


def reshaped(layout, shape):
    """The same elements under another shape, or None where a copy would be needed."""
    return layout if layout.shape == shape else layout.reshape(shape)


def whole(layout, shape):
    """Say whether a view is all of a storage of that shape, in its order."""
    if not layout.contiguous:
        return False
    have = wanted = 1
    for n in layout.shape:
        have *= n
    for n in shape:
        wanted *= n
    return have == wanted

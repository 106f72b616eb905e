"""Sums of products by index letters: pairs of operands become matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ShapeError
from ..shapes import size
from .define import Sample
from .matmul import matmul
from .movement import expand, permute, reshape

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")


def einsum(equation: str, *operands: T) -> T:
    """Return the sum of products that the equation describes, as in NumPy.

    "bij,bjk->bik": letters name axes, one that is not in the result is summed over;
    one that an operand has twice takes its diagonal; `...` stands for axes that
    broadcast. Without "->" the letters that occur once are the result, in order of the
    alphabet. The pair of operands with the smallest result is multiplied first.
    Raises: ShapeError where equation and operands do not fit.

    Example:
        >>> import fogo
        >>> x, y = fogo.tensor([[1.0, 2.0]]), fogo.tensor([[3.0], [4.0]])
        >>> fogo.einsum("ij,jk->ik", x, y).tolist()
        [[11.0]]
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    terms, result = _read(equation, [x.ndim for x in operands])
    sizes = _sizes(equation, operands, terms)
    parts = [_diagonals(x, term) for x, term in zip(operands, terms)]
    while len(parts) > 1:
        i, j = _cheapest(parts, result, sizes)
        b, a = parts.pop(j), parts.pop(i)
        kept = _needed(parts, result)
        parts.append(_multiply(a, b, kept))
    x, labels = _summed(parts[0][0], parts[0][1], result)
    return _ordered(x, labels, result, sizes)


def _wrong(equation, rule, given):
    raise ShapeError("einsum: %s; given %r for %s" % (rule, equation, given))


def _read(equation, ranks):
    """Labels of each operand, and of the result; those of `...` are numbers."""
    text = "".join(equation.split())
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        _wrong(equation, "one term for each operand", "%d operands" % len(ranks))
    terms = [_labels(equation, t, rank) for t, rank in zip(terms, ranks)]
    every = []
    for term in terms:
        every.extend(term)
    dots = sorted([c for c in set(every) if not isinstance(c, str)])
    if arrow:
        result = _labels(equation, right, len(right.replace("...", "")) + len(dots))
        if len(set(result)) != len(result) or not set(result) <= set(every):
            _wrong(equation, "the result has letters of the operands, each once", right)
        return terms, result
    once = sorted([c for c in set(every) if isinstance(c, str) and every.count(c) == 1])
    return terms, dots + once


def _labels(equation, term, rank):
    """One label for each axis: letters, and negative numbers for those of `...`."""
    head, dots, tail = term.partition("...")
    spare = rank - len(head) - len(tail)
    letters = [c for c in head + tail if c.isalpha()]
    if len(letters) != len(head + tail) or spare < 0 or (spare and not dots):
        _wrong(
            equation, "a letter for each axis, and ... for the rest", "%d axes" % rank
        )
    return list(head) + list(range(-spare, 0)) + list(tail)


def _sizes(equation, operands, terms):
    """The size of each label; 1 gives way to another size."""
    sizes = {}
    for x, term in zip(operands, terms):
        for label, n in zip(term, x.shape):
            have = sizes.get(label, 1)
            if 1 not in (have, n) and have != n:
                _wrong(
                    equation, "a letter has one size",
                    ", ".join([str(list(x.shape)) for x in operands]),
                )  # fmt: skip
            sizes[label] = n if have == 1 else have
    return sizes


def _diagonals(x, labels):
    """x with each label once: an axis that comes back is taken along the diagonal."""
    labels = list(labels)
    for label in set(labels):
        while labels.count(label) > 1:
            a = labels.index(label)
            b = labels.index(label, a + 1)
            n = max(x.shape[a], x.shape[b])
            shape = [n if i in (a, b) else d for i, d in enumerate(x.shape)]
            x = expand(x, shape).diagonal(0, a, b)
            labels = labels[:a] + labels[a + 1 : b] + labels[b + 1 :] + [label]
    return x, labels


def _needed(parts, result):
    """Labels that the other operands or the result still have."""
    found = set(result)
    for _, labels in parts:
        found.update(labels)
    return found


def _cheapest(parts, result, sizes):
    """The pair whose product is smallest."""
    best = None
    for i in range(len(parts)):
        for j in range(i + 1, len(parts)):
            rest = [p for k, p in enumerate(parts) if k not in (i, j)]
            kept = _needed(rest, result)
            here = set(parts[i][1] + parts[j][1]) & kept
            cost = size([sizes[label] for label in here])
            if best is None or cost < best[0]:
                best = cost, i, j
    return best[1:]


def _summed(x, labels, kept):
    """Sum over the axes that nobody needs."""
    gone = tuple([i for i, label in enumerate(labels) if label not in kept])
    if gone:
        x = x.sum(gone, dtype=x.dtype)
    return x, [label for label in labels if label in kept]


def _multiply(a, b, kept):
    """Two operands as one: a batch of matrix products."""
    x, left = _summed(a[0], a[1], kept | set(b[1]))
    y, right = _summed(b[0], b[1], kept | set(left))
    both = [label for label in left if label in right]
    batch = [label for label in both if label in kept]
    inner = [label for label in both if label not in kept]
    rows = [label for label in left if label not in right]
    cols = [label for label in right if label not in left]
    sizes = {}
    for array, labels in ((x, left), (y, right)):
        for label, n in zip(labels, array.shape):
            sizes[label] = (
                max(sizes.get(label, 0), n) if n != 1 else sizes.get(label, 1)
            )
    x = _ordered(x, left, batch + rows + inner, sizes)
    y = _ordered(y, right, batch + inner + cols, sizes)
    lead = [sizes[label] for label in batch]
    m, k, n = [size([sizes[c] for c in group]) for group in (rows, inner, cols)]
    if inner:
        x, y = reshape(x, lead + [m, k]), reshape(y, lead + [k, n])
        out = matmul(x, y)
    else:
        out = reshape(x, lead + [m, 1]) * reshape(y, lead + [1, n])
    shape = lead + [sizes[c] for c in rows] + [sizes[c] for c in cols]
    return reshape(out, shape), batch + rows + cols


def _ordered(x, labels, order, sizes):
    """x with its axes in another order, those of size 1 expanded."""
    x = permute(x, tuple([labels.index(label) for label in order]))
    return expand(x, tuple([sizes[label] for label in order]))


_M = ((3, 4), -2.0, 2.0)
SAMPLES = {
    "einsum": (
        Sample(_M, ((4, 5), -2.0, 2.0), equation="ij,jk->ik"),
        Sample(_M, ((3, 4), -2.0, 2.0), equation="ij,ij->j"),
        Sample(_M, ((3,), -2.0, 2.0), equation="ij,k"),
        Sample(((4, 4), -2.0, 2.0), equation="ii"),
        Sample(((2, 3, 3), -2.0, 2.0), equation="...ii->...i"),
        Sample(
            ((2, 1, 3, 4), -2.0, 2.0), ((5, 4, 2), -2.0, 2.0),
            equation="...ij, ...jk -> ...ik",
        ),
        Sample(
            _M, ((4, 2), -2.0, 2.0), ((2, 3), -2.0, 2.0), equation="ab,bc,ca->"
        ),
        Sample(_M, equation="ba"),
        Sample(
            ((2, 3, 4), -2.0, 2.0), ((3, 2, 4), -2.0, 2.0), equation="bij,ibj->bi"
        ),
        Sample(((3, 1), -2.0, 2.0), ((4, 2), -2.0, 2.0), equation="ij,jk->ik"),
        Sample(((3, 0), -2.0, 2.0), ((0, 2), -2.0, 2.0), equation="ij,jk->ik"),
    ),
}  # fmt: skip

__all__ = ["einsum"]
NOT_METHODS = ("einsum",)

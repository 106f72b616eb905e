"""Attention: one op for scores, softmax and weighted sum, and one for its gradient.

Between forward and backward only the result and one number a row are kept (the
logarithm of the softmax's denominator), so that a device with a kernel for it
(`core/fast/attention.py`) never holds the scores of all pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..dtypes import bool_, float16, float32, promote
from ..errors import DTypeError, ShapeError
from ..shapes import broadcast
from .activation import logsumexp
from .creation import arange
from .define import Sample, define_op
from .elementwise import where
from .matmul import matmul
from .record import Aval

if TYPE_CHECKING:
    from ..tensor import Tensor

T = TypeVar("T", bound="Tensor")
_NAME = "scaled_dot_product_attention"


def _wide(dtype):
    return float32 if dtype is float16 else dtype


def _infer(avals, attrs):
    q, _, v = avals[:3]
    out = Aval(q.shape[:-1] + v.shape[-1:], q.dtype)
    return out, Aval(q.shape[:-1], _wide(q.dtype))


def _scores(q, k, mask, causal, scale):
    """What the softmax is taken of: [..., L, S]."""
    return _hidden(matmul(q, k.transpose()) * scale, mask, causal)


def _hidden(scores, mask, causal):
    """The scores, -inf (or with a mask of numbers added) where a pair is not seen."""
    if causal:
        base = scores.device.base()
        rows = arange(scores.shape[-2], device=base).unsqueeze(1)
        seen = rows >= arange(scores.shape[-1], device=base)
        scores = where(seen, scores, _LOWEST)
    if mask is None:
        return scores
    if mask.dtype is bool_:
        return where(mask, scores, _LOWEST)
    return scores + mask.astype(scores.dtype)


_LOWEST = -float("inf")


def _weights(scores):
    """Softmax of the rows, 0 in rows without any pair; and their logsumexp."""
    if scores.shape[-1] == 0:  # no key at all
        return scores, scores.sum(-1) + _LOWEST
    total = logsumexp(scores, -1)
    base = where(total == _LOWEST, 0.0, total)
    return (scores - base.unsqueeze(-1)).exp(), total


def _widened(tensors):
    return [t.astype(_wide(t.dtype)) for t in tensors]


def _attend(*given):
    (q, k, v), mask = _widened(given[:3]), given[3:-2]
    weights, total = _weights(_scores(q, k, mask[0] if mask else None, *given[-2:]))
    return matmul(weights, v).astype(given[0].dtype), total


def _score_gradient(q, k, v, g, mask, causal, scale):
    """(weights, gradient of the scores, which is also that of a mask of numbers)."""
    weights, _ = _weights(_scores(q, k, mask, causal, scale))
    dweights = matmul(g, v.transpose())
    part = weights * dweights
    return weights, part - weights * part.sum(-1, True)


def _attend_grad(*given):
    q, k, v, g = _widened(given[:4])
    mask, (causal, scale) = given[6:-2], given[-2:]
    weights, ds = _score_gradient(q, k, v, g, mask[0] if mask else None, causal, scale)
    ds = ds * scale
    grads = matmul(ds, k), matmul(ds.transpose(), q), matmul(weights.transpose(), g)
    return tuple([t.astype(given[0].dtype) for t in grads])


def _grad(ctx):
    from ..dispatch import call

    q, k, v = ctx.inputs[:3]
    mask = tuple(ctx.inputs[3:])
    out, total = ctx.outputs
    g = ctx.g[0]
    wide = _wide(g.dtype)
    spread = (g.astype(wide) * out.astype(wide)).sum(-1)
    found = list(call(ATTENTION_GRAD, (q, k, v, g, total, spread) + mask, ctx.attrs))
    if mask:
        found.append(None)
        if ctx.needs[3] and mask[0].dtype.is_float:
            parts = _widened((q, k, v, g))
            _, ds = _score_gradient(*(parts + [mask[0]] + list(ctx.attrs)))
            found[3] = ds.astype(mask[0].dtype)
    return tuple(found)


_Q, _K, _V = ((2, 3, 4), -2.0, 2.0), ((2, 5, 4), -2.0, 2.0), ((2, 5, 3), -2.0, 2.0)
ATTENTION = define_op(
    "attention", infer=_infer, attrs=("causal", "scale"), decompose=_attend,
    grad=_grad, diff=(True, False), accepts="float", cost="compute",
)  # fmt: skip
ATTENTION_GRAD = define_op(
    "attention_grad", attrs=("causal", "scale"), decompose=_attend_grad,
    infer=lambda avals, attrs: tuple([Aval(a.shape, a.dtype) for a in avals[:3]]),
    diff=(True, True, True), accepts="float", cost="compute",
)  # fmt: skip


def scaled_dot_product_attention(
    q: T,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    bias: Tensor | None = None,
    softcap: float | None = None,
) -> T:
    """Return `softmax(q @ k.T * scale) @ v`: each query's mix of the values.

    Shapes: q [..., L, E], k [..., S, E], v [..., S, D] -> [..., L, D]; leading axes
    broadcast. attn_mask [..., L, S]: bools say which pairs take part, numbers are
    added to the scores. is_causal: query i sees keys up to i only. scale: 1/sqrt(E)
    if None. A query that sees no key gets zeros. enable_gqa: several heads (axis -3)
    of q share one of k and v. bias: numbers added besides a mask or is_causal.
    softcap: scores become softcap * tanh(score / softcap). These last two and
    dropout_p (of the weights) hold all scores in memory, but for a bias.
    Raises: ShapeError, DTypeError.

    Example:
        >>> import fogo
        >>> q, k = fogo.ones(1, 2), fogo.ones(3, 2)
        >>> v = fogo.tensor([[1.0], [2.0], [6.0]])
        >>> round(fogo.scaled_dot_product_attention(q, k, v).item(), 4)
        3.0
    """
    from ..dispatch import call, unify

    _check(q, k, v, attn_mask, is_causal)
    if enable_gqa and q.ndim > 2:
        return _grouped(
            q, k, v, attn_mask, dropout_p, is_causal, scale, bias=bias, softcap=softcap
        )
    if bias is not None:
        _check(q, k, v, bias, False)
        attn_mask, is_causal = _biased(q, k, attn_mask, is_causal, bias), False
    if dropout_p or softcap is not None:
        scale = 1.0 / max(q.shape[-1], 1) ** 0.5 if scale is None else scale
        return _spelled(q, k, v, attn_mask, dropout_p, is_causal, scale, softcap)
    given = unify(_NAME, [q, k, v] + ([] if attn_mask is None else [attn_mask]))
    tensors = _alike(given[:3]) + given[3:]
    ATTENTION.check(tensors[0].dtype)
    lead = broadcast(_NAME, *[t.shape[:-2] for t in tensors])
    shapes = [t.shape[-2:] for t in tensors[:3]] + [(q.shape[-2], k.shape[-2])]
    tensors = [t.expand(lead + shape) for t, shape in zip(tensors, shapes)]
    if scale is None:
        scale = 1.0 / max(q.shape[-1], 1) ** 0.5
    return call(ATTENTION, tuple(tensors), (bool(is_causal), float(scale)))[0]


def _grouped(q, k, v, mask, *rest, bias, softcap):
    """Heads of q side by side that share one head of k and v, as an axis more."""
    heads, shared = q.shape[-3], k.shape[-3] if k.ndim > 2 else 1
    if k.ndim != q.ndim or v.shape[:-2] != k.shape[:-2] or heads % max(shared, 1):
        raise ShapeError(
            "scaled_dot_product_attention: enable_gqa needs heads of k and v that "
            "divide those of q; given q=%s, k=%s, v=%s"
            % (list(q.shape), list(k.shape), list(v.shape))
        )
    per = heads // shared

    def split(t):
        """[..., H, L, S] -> [..., shared, per, L, S]; one head for all stays one."""
        if t is None or t.ndim < 3:
            return t
        pair = (1, 1) if t.shape[-3] == 1 else (shared, per)
        return t.reshape(t.shape[:-3] + pair + t.shape[-2:])

    out = scaled_dot_product_attention(
        split(q), k.unsqueeze(-3), v.unsqueeze(-3), split(mask), *rest,
        bias=split(bias), softcap=softcap,
    )  # fmt: skip
    return out.reshape(out.shape[:-4] + (heads,) + out.shape[-2:])


def _biased(q, k, mask, causal, bias):
    """A bias and whatever else hides pairs, as one mask of numbers."""
    if causal:
        base = q.device.base()
        rows = arange(q.shape[-2], device=base).unsqueeze(1)
        mask = rows >= arange(k.shape[-2], device=base)
    if mask is None:
        return bias
    return where(mask, bias, _LOWEST) if mask.dtype is bool_ else bias + mask


def _spelled(q, k, v, mask, dropout_p, causal, scale, softcap):
    """What no kernel does: scores that are capped, weights that are dropped."""
    from .norm import dropout

    kind = q.dtype
    q, k, v = _widened(_alike([q, k, v]))
    ATTENTION.check(q.dtype)
    scores = matmul(q, k.transpose()) * scale
    if softcap is not None:
        scores = (scores * (1.0 / softcap)).tanh() * softcap
    weights, _ = _weights(_hidden(scores, mask, causal))
    weights = dropout(weights, dropout_p)
    return matmul(weights, v).astype(kind)


def _alike(tensors):
    """The tensors in one dtype."""
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = promote(dtype, t.dtype, _NAME)
    return [t.astype(dtype) for t in tensors]


def _check(q, k, v, mask, causal):
    if min(q.ndim, k.ndim, v.ndim) < 2 or (
        q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]
    ):
        raise ShapeError(
            "scaled_dot_product_attention: q is [..., L, E], k [..., S, E], v "
            "[..., S, D]; given q=%s, k=%s, v=%s; transpose what is laid otherwise"
            % (list(q.shape), list(k.shape), list(v.shape))
        )
    if mask is None:
        return
    if causal:
        raise ShapeError(
            "scaled_dot_product_attention: attn_mask or is_causal, one of them; given "
            "both; put the triangle into the mask"
        )
    if not (mask.dtype is bool_ or mask.dtype.is_float):
        raise DTypeError(
            "scaled_dot_product_attention: attn_mask holds bools or floats; given %s; "
            "compare with != 0" % mask.dtype.name
        )
    pair = (q.shape[-2], k.shape[-2])
    if broadcast(_NAME, mask.shape[-2:], pair) != pair:
        raise ShapeError(
            "scaled_dot_product_attention: attn_mask is [..., L, S]; given %s for L=%d "
            "and S=%d" % (list(mask.shape), pair[0], pair[1])
        )


_MASK = ((3, 5), -2.0, 2.0)

# Samples of the function: the op's own inputs are what it makes of these.
SAMPLES = {
    _NAME: (
        Sample(_Q, _K, _V),
        Sample(_Q, _K, _V, is_causal=True),
        Sample(_Q, ((5, 4), -2.0, 2.0), _V, scale=0.5),
        Sample(_Q, _K, _V, _MASK),
        Sample(_Q, _K, _V, ((2, 3, 5), 0, 1, "bool")),
        Sample(((3, 2), -2.0, 2.0), ((4, 2), -2.0, 2.0), ((4, 2), -2.0, 2.0)),
        Sample(_Q, _K, _V, is_causal=True, softcap=2.0),
        Sample(_Q, _K, _V, _MASK, softcap=1.5, scale=1.0),
        Sample(((4, 3, 2), -2.0, 2.0), ((2, 5, 2), -2.0, 2.0), ((2, 5, 3), -2.0, 2.0),
               enable_gqa=True),
        Sample(((2, 4, 3, 2), -2.0, 2.0), ((2, 2, 5, 2), -2.0, 2.0),
               ((2, 2, 5, 3), -2.0, 2.0), ((4, 3, 5), -2.0, 2.0), enable_gqa=True),
    ),
}  # fmt: skip

__all__ = ["scaled_dot_product_attention"]
NOT_METHODS = __all__

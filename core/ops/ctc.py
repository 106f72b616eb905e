"""Connectionist temporal classification: all alignments of labels to frames at once.

Graves et al., "Connectionist temporal classification", ICML 2006. The labels with a
blank before, between and behind them are a line of states; one thread walks over it
for each sequence, forward for the loss and backward for the gradient, in logarithms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dtypes import float16, float32, int32
from ..errors import AutodiffError, DTypeError, ShapeError
from ..expr import INDEX, literal
from ..expr import call as E
from ..expr import where as _where
from .creation import arange
from .define import Sample, define_op
from .elementwise import where
from .index import take_along_axis
from .movement import concat, stack
from .record import Aval
from .scan import cumsum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor

LOW = -1e30  # stands for log(0): finite, so that no difference of two is nan


def log_total(k, values):
    """log of the sum of exp of a few numbers."""
    top = values[0]
    for v in values[1:]:
        top = E("max", top, v)
    top = k.let(top)
    total = E("exp", values[0] - top)
    for v in values[1:]:
        total = total + E("exp", v - top)
    return k.let(top + E("log", total))


def _ends(k, spans, n):
    """(last frame, last state, the label before it) of sequence n, as indices."""
    state = k.let(k.index(spans[(n, 1)]) * 2)
    return k.let(k.index(spans[(n, 0)]) - 1), state, k.let(state - 1)


def _before(k, line, n, t, s, hop):
    """What a state is reached from: itself, the one before, the one before that."""
    low = literal(LOW, line.dtype)
    back = [k.let(line[(n, t, s)])]
    for step in (1, 2):
        v = line[(n, t, E("max", s - step, 0))]
        allowed = s >= step
        if step == 2:
            allowed = allowed & (k.index(hop[(n, s)]) > 0)
        back.append(k.let(_where(allowed, v, low)))
    return back


def _alpha_kernel(k, e, hop, spans, loss, alpha):
    (n,) = k.grid(loss.shape)
    states, low = e.shape[2], literal(LOW, e.dtype)
    last, top, under = _ends(k, spans, n)
    with k.loop(states) as s:
        alpha[(n, 0, s)] = _where(s < 2, e[(n, 0, s)], low)
    with k.loop(e.shape[1], 1) as t, k.loop(states) as s:
        reached = log_total(k, _before(k, alpha, n, t - 1, s, hop))
        alpha[(n, t, s)] = reached + e[(n, t, s)]
    fits = (last >= 0) & (last < e.shape[1]) & (top < states)
    t = k.let(_where(fits, last, literal(0, INDEX)))
    a = k.let(alpha[(n, t, _where(fits, top, literal(0, INDEX)))])
    b = k.let(alpha[(n, t, _where(fits, E("max", under, 0), literal(0, INDEX)))])
    total = log_total(k, [a, k.let(_where(under >= 0, b, low))])
    found = fits & (total > LOW / 2)
    empty = (last < 0) & E("eq", top, 0)
    none = _where(empty, literal(0.0, e.dtype), literal(float("inf"), e.dtype))
    loss[(n,)] = _where(found, -total, none)


def _after(k, line, n, t, s, hop):
    """What a state leads to, one frame on."""
    low, states = literal(LOW, line.dtype), line.shape[2]
    ahead = [k.let(line[(n, t, s)])]
    for step in (1, 2):
        to = k.let(E("min", s + step, states - 1))
        allowed = s + step < states
        if step == 2:
            allowed = allowed & (k.index(hop[(n, to)]) > 0)
        ahead.append(k.let(_where(allowed, line[(n, t, to)], low)))
    return ahead


def _beta_kernel(k, e, hop, spans, alpha, loss, g, out, beta):
    """The gradient of e: minus the probability of being in a state at a frame.

    Eight arrays are what every browser's GPU binds.
    """
    (n,) = k.grid(loss.shape)
    frame_count, states, low = e.shape[1], e.shape[2], literal(LOW, e.dtype)
    last, top, under = _ends(k, spans, n)
    nothing = literal(0.0, e.dtype)
    known = loss[(n,)] < -LOW
    total = k.let(_where(known, -loss[(n,)], nothing))
    slope = k.let(g[(n,)])
    with k.loop(frame_count) as j, k.loop(states) as s:
        t = k.let(frame_count - 1 - j)
        here = k.let(e[(n, t, s)])
        ahead = k.let(E("min", t + 1, frame_count - 1))
        ends = E("eq", s, top) | E("eq", s, under)
        first = _where(ends, here, low)
        follows = k.cell(low)
        with k.when(t < last):
            follows.set(log_total(k, _after(k, beta, n, ahead, s, hop)) + here)
        b = k.let(_where(E("eq", t, last), first, follows))
        beta[(n, t, s)] = b
        path = k.let(alpha[(n, t, s)] + b - here - total)
        on = known & (t <= last) & (path > LOW / 2)
        held = E("exp", _where(on, path, low))
        out[(n, t, s)] = _where(on, -slope * held, nothing)


def _alpha_infer(avals, attrs):
    e = avals[0]
    return Aval(e.shape[:1], e.dtype), Aval(e.shape, e.dtype)


def _beta_infer(avals, attrs):
    e = avals[0]
    return Aval(e.shape, e.dtype), Aval(e.shape, e.dtype)


def _ctc_grad(ctx):
    from ..dispatch import call

    loss, alpha = ctx.outputs
    given = tuple(ctx.inputs) + (alpha, loss, ctx.g[0])
    return call(CTC_GRAD, given, ())[0], None, None


def once(name):
    """A gradient that refuses to be differentiated."""

    def refuse(ctx):
        raise AutodiffError(
            "%s: it has a first derivative only; given a gradient to differentiate "
            "again; take the gradient below one autodiff level" % name
        )

    return refuse


CTC = define_op(
    "ctc_alignment", infer=_alpha_infer, kernel=_alpha_kernel, grad=_ctc_grad,
    diff=(True, False), accepts="float", solo=True,
)  # fmt: skip
CTC_GRAD = define_op(
    "ctc_alignment_grad", infer=_beta_infer, kernel=_beta_kernel,
    grad=once("ctc_loss"), diff=(True, False), accepts="float", solo=True,
)  # fmt: skip


def as_lengths(name, lengths, count, device):
    """Lengths [N] as int32 on the device, from a tensor, a number or a sequence."""
    from ..tensor import Tensor, tensor

    if not isinstance(lengths, Tensor):
        values = [lengths] if isinstance(lengths, int) else list(lengths)
        lengths = tensor(values, dtype=int32, device=device)
    if not lengths.dtype.is_int or lengths.size != count:
        raise ShapeError(
            "%s: lengths are %d integers, one for each sequence; given %s%s"
            % (name, count, lengths.dtype.name, list(lengths.shape))
        )
    return lengths.reshape((count,)).astype(int32)


def _padded(targets, lengths, count, frames):
    """Labels [N, S] from a row of all, one sequence behind the other."""
    width = min(targets.size, frames)  # longer ones have no alignment anyway
    ends = cumsum(lengths, 0)
    places = arange(width, dtype=int32, device=targets.device)
    index = (ends - lengths).unsqueeze(1) + places
    rows = targets.unsqueeze(0).expand((count, targets.size))
    return take_along_axis(rows, index, 1)


def _states(targets, blank):
    """(states [N, 2S+1], which may be entered past a blank: int32 alike)."""
    n, width = targets.shape
    around = targets.device.constant(blank, int32).expand((n, width + 1))
    if width == 0:
        return around, around * 0
    pairs = stack([around.narrow(1, 0, width), targets], 2).reshape((n, 2 * width))
    states = concat([pairs, around.narrow(1, 0, 1)], 1)
    none = around.narrow(1, 0, 1) * 0
    differs = (targets != concat([targets.narrow(1, 0, 1), targets], 1).narrow(
        1, 0, width)).astype(int32)  # fmt: skip
    labels = stack([around.narrow(1, 0, width) * 0, differs], 2)
    return states, concat([labels.reshape((n, 2 * width)), none], 1)


def reduced_loss(name, loss, reduction, counts):
    """Reduce losses [N]; "mean" divides each by its count (at least 1) first."""
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum()
    if reduction != "mean":
        raise ShapeError(
            '%s: reduction is "none", "mean" or "sum"; given %r' % (name, reduction)
        )
    if counts is None:
        return loss.mean()
    shares = where(counts < 1, 1, counts).astype(loss.dtype)
    return (loss / shares).mean()


def _check(log_probs, targets, blank):
    if not log_probs.dtype.is_float or not targets.dtype.is_int:
        raise DTypeError(
            "ctc_loss: log_probs holds floats and targets integers; given %s and %s; "
            "cast with .astype(...)" % (log_probs.dtype.name, targets.dtype.name)
        )
    if log_probs.ndim not in (2, 3) or targets.ndim not in (1, 2):
        raise ShapeError(
            "ctc_loss: log_probs is [T, N, C] or [T, C], targets [N, S] or all in one "
            "row; given log_probs=%s, targets=%s"
            % (list(log_probs.shape), list(targets.shape))
        )
    if min(log_probs.shape) < 1 or not 0 <= blank < log_probs.shape[-1]:
        raise ShapeError(
            "ctc_loss: there are frames, and blank is one of the classes; given "
            "log_probs=%s, blank=%d" % (list(log_probs.shape), blank)
        )


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int] | int,
    target_lengths: Tensor | Sequence[int] | int,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return minus the log-probability of labels, over all alignments with frames.

    Shapes: log_probs [T, N, C] (of `log_softmax`) or [T, C]; targets [N, S], or the
    labels of all sequences in one row; both lengths [N]. reduction "mean" divides by
    the target's length, then averages. A target without alignment has loss inf (0 if
    `zero_infinity`) and gradient 0. It can be differentiated once.
    Raises: ShapeError, DTypeError. Graves et al. 2006.

    Example:
        >>> import fogo
        >>> logs = fogo.log_softmax(fogo.zeros(3, 1, 2))
        >>> loss = fogo.ctc_loss(logs, fogo.tensor([[1]]), [3], [1])
        >>> round(float(loss.exp().item()), 3)  # 6 of 8 paths
        1.333
    """
    from ..dispatch import call

    _check(log_probs, targets, blank)
    alone = log_probs.ndim == 2
    if alone:
        log_probs = log_probs.unsqueeze(1)
    kind = log_probs.dtype
    x = log_probs.astype(float32 if kind is float16 else kind).permute((1, 0, 2))
    count, frames = x.shape[0], x.shape[1]
    base = targets.device
    frame_counts = as_lengths("ctc_loss", input_lengths, count, base)
    label_counts = as_lengths("ctc_loss", target_lengths, count, base)
    targets = targets.astype(int32)
    if targets.ndim == 1:
        targets = _padded(targets, label_counts, count, frames)
    if targets.shape[0] != count:
        raise ShapeError(
            "ctc_loss: one row of targets for each sequence; given targets=%s for N=%d"
            % (list(targets.shape), count)
        )
    states, hop = _states(targets, blank)
    index = states.unsqueeze(1).expand((count, frames, states.shape[1]))
    e = take_along_axis(x, index, 2)
    spans = stack([frame_counts, label_counts], 1)
    loss = call(CTC, (e, hop, spans), ())[0]
    if zero_infinity:
        loss = where(loss.isinf(), 0.0, loss)
    loss = loss.astype(kind)
    if alone and reduction == "none":
        return loss.squeeze(0)
    return reduced_loss("ctc_loss", loss, reduction, label_counts)


_LOGS = ((5, 2, 4), -3.0, -0.2)
_LENGTHS = ((2,), 4, 5, "int32")

# Samples of the function: the op's own inputs are what it makes of these.
SAMPLES = {
    "ctc_loss": (
        Sample(_LOGS, ((2, 2), 1, 3, "int32"), _LENGTHS, ((2,), 1, 2, "int32"),
               reduction="none"),
        Sample(_LOGS, ((2, 3), 0, 2, "int32"), _LENGTHS, ((2,), 0, 3, "int32"),
               blank=3, reduction="sum", zero_infinity=True),
        Sample(_LOGS, ((4,), 1, 3, "int32"), _LENGTHS, ((2,), 2, 2, "int32")),
        Sample(((5, 4), -3.0, -0.2), ((2,), 1, 3, "int32"), ((1,), 5, 5, "int32"),
               ((1,), 2, 2, "int32"), reduction="sum"),
    ),
}  # fmt: skip

__all__ = ["ctc_loss"]
NOT_METHODS = __all__

"""The transducer loss: alignments of labels to frames, each depending on what was said.

Graves, "Sequence transduction with recurrent neural networks", 2012. A path starts at
frame 0 without a label, and either emits the next label or passes on to the next
frame; one thread walks over the lattice [T, U + 1] of each sequence, in logarithms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dtypes import float16, float32, int32
from ..errors import DTypeError, ShapeError
from ..expr import INDEX, literal
from ..expr import call as E
from ..expr import where as _where
from .activation import log_softmax
from .ctc import LOW, as_lengths, log_total, once, reduced_loss
from .define import Sample, define_op
from .elementwise import clip
from .index import take_along_axis
from .movement import concat, stack
from .record import Aval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..tensor import Tensor


def _alpha_kernel(k, skip, emit, spans, loss, alpha):
    (n,) = k.grid(loss.shape)
    low = literal(LOW, skip.dtype)
    with k.loop(skip.shape[1]) as t, k.loop(skip.shape[2]) as u:
        above = k.let(E("max", t - 1, 0))
        left = k.let(E("max", u - 1, 0))
        a = k.cell(low)
        b = k.cell(low)
        with k.when(t > 0):
            a.set(alpha[(n, above, u)] + skip[(n, above, u)])
        with k.when(u > 0):
            b.set(alpha[(n, t, left)] + emit[(n, t, left)])
        start = E("eq", t, 0) & E("eq", u, 0)
        total = log_total(k, [k.let(a), k.let(b)])
        alpha[(n, t, u)] = _where(start, literal(0.0, skip.dtype), total)
    last = k.let(k.index(spans[(n, 0)]) - 1)
    top = k.let(k.index(spans[(n, 1)]))
    fits = (last >= 0) & (last < skip.shape[1]) & (top < skip.shape[2])
    t = k.let(_where(fits, last, literal(0, INDEX)))
    u = k.let(_where(fits, top, literal(0, INDEX)))
    total = k.let(alpha[(n, t, u)] + skip[(n, t, u)])
    none = literal(float("inf"), skip.dtype)
    loss[(n,)] = _where(fits & (total > LOW / 2), -total, none)


def _beta_kernel(k, skip, emit, spans, alpha, ends, dskip, demit, beta):
    """Gradients: minus the probability of passing on, or of emitting, at a point.

    ends: the loss and its gradient, side by side: GPUs of browsers bind eight arrays.
    """
    (n,) = k.grid(ends.shape[:1])
    low, nothing = literal(LOW, skip.dtype), literal(0.0, skip.dtype)
    last = k.let(k.index(spans[(n, 0)]) - 1)
    top = k.let(k.index(spans[(n, 1)]))
    loss = k.let(ends[(n, 0)])
    known = loss < -LOW
    total = k.let(_where(known, -loss, nothing))
    slope = k.let(_where(known, ends[(n, 1)], nothing))
    rows, columns = skip.shape[1], skip.shape[2]
    with k.loop(rows) as i, k.loop(columns) as j:
        t, u = k.let(rows - 1 - i), k.let(columns - 1 - j)
        below, right = k.let(E("min", t + 1, rows - 1)), k.let(E("min", u + 1, top))
        on = k.cell(low)  # what comes after passing on to the next frame
        say = k.cell(low)  # what comes after emitting the next label
        with k.when((t < last) & (u <= top)):
            on.set(beta[(n, below, u)])
        with k.when(E("eq", t, last) & E("eq", u, top)):
            on.set(nothing)
        with k.when((t <= last) & (u < top)):
            say.set(beta[(n, t, right)])
        on_path = k.let(on + skip[(n, t, u)])
        say_path = k.let(say + emit[(n, t, u)])
        beta[(n, t, u)] = log_total(k, [on_path, say_path])
        base = k.let(alpha[(n, t, u)] - total)
        for path, out in ((on_path, dskip), (say_path, demit)):
            there = (base > LOW / 2) & (path > LOW / 2)
            out[(n, t, u)] = -slope * E("exp", _where(there, base + path, low))


def _grad(ctx):
    from ..dispatch import call

    loss, alpha = ctx.outputs
    given = tuple(ctx.inputs) + (alpha, stack([loss, ctx.g[0]], 1))
    dskip, demit, _ = call(TRANSDUCER_GRAD, given, ())
    return dskip, demit, None


TRANSDUCER = define_op(
    "transducer", kernel=_alpha_kernel, grad=_grad, diff=(True, False),
    infer=lambda avals, attrs: (
        Aval(avals[0].shape[:1], avals[0].dtype), Aval(avals[0].shape, avals[0].dtype),
    ),
    accepts="float", solo=True,
)  # fmt: skip
TRANSDUCER_GRAD = define_op(
    "transducer_grad", kernel=_beta_kernel, grad=once("rnnt_loss"),
    infer=lambda avals, attrs: (Aval(avals[0].shape, avals[0].dtype),) * 3,
    diff=(True, True, False), accepts="float", solo=True,
)  # fmt: skip


def _check(logits, targets, blank):
    if not logits.dtype.is_float or not targets.dtype.is_int:
        raise DTypeError(
            "rnnt_loss: logits holds floats and targets integers; given %s and %s; "
            "cast with .astype(...)" % (logits.dtype.name, targets.dtype.name)
        )
    count, width = logits.shape[0], 0
    if logits.ndim == 4:
        width = logits.shape[2] - 1
    if logits.ndim != 4 or min(logits.shape) < 1 or targets.shape != (count, width):
        raise ShapeError(
            "rnnt_loss: logits is [N, T, U + 1, C] and targets [N, U]; given logits="
            "%s, targets=%s" % (list(logits.shape), list(targets.shape))
        )
    classes = logits.shape[3]
    if not -classes <= blank < classes:
        raise ShapeError(
            "rnnt_loss: blank is one of the %d classes; given %d" % (classes, blank)
        )


def rnnt_loss(
    logits: Tensor,
    targets: Tensor,
    logit_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = -1,
    clamp: float = -1.0,
    reduction: str = "mean",
    fused_log_softmax: bool = True,
) -> Tensor:
    """Return minus the log-probability of labels in a transducer, over all alignments.

    Shapes: logits [N, T, U + 1, C] of a joint network, targets [N, U], both lengths
    [N]. fused_log_softmax=False: logits are log-probabilities already. clamp: a bound
    for the gradients of the logits, if positive. It can be differentiated once.
    Raises: ShapeError, DTypeError. torchaudio's name and arguments; Graves 2012.

    Example:
        >>> import fogo
        >>> logits = fogo.zeros(1, 2, 2, 3)
        >>> loss = fogo.rnnt_loss(logits, fogo.tensor([[1]]), [2], [1], blank=0)
        >>> round(float(loss.exp().item()), 3)  # 2 paths of 3 steps, each (1/3)**3
        13.5
    """
    from ..dispatch import call

    _check(logits, targets, blank)
    kind, count = logits.dtype, logits.shape[0]
    x = logits.astype(float32 if kind is float16 else kind)
    if clamp > 0:
        x = _bounded(x, clamp)
    if fused_log_softmax:
        x = log_softmax(x, -1)
    frames = as_lengths("rnnt_loss", logit_lengths, count, targets.device)
    labels = as_lengths("rnnt_loss", target_lengths, count, targets.device)
    skip = x.narrow(3, blank % x.shape[3], 1).squeeze(3)
    emit = _emitted(x, targets.astype(int32))
    spans = stack([frames, labels], 1)
    loss = call(TRANSDUCER, (skip, emit, spans), ())[0].astype(kind)
    return reduced_loss("rnnt_loss", loss, reduction, None)


def _emitted(x, targets):
    """The log-probability of the next label at each point; of none at the last."""
    n, frames, rows = x.shape[:3]
    last = x.narrow(2, rows - 1, 1).narrow(3, 0, 1).squeeze(3) * 0.0 + LOW
    if rows == 1:
        return last
    index = targets.unsqueeze(1).unsqueeze(3).expand((n, frames, rows - 1, 1))
    return concat([take_along_axis(x.narrow(2, 0, rows - 1), index, 3).squeeze(3),
                   last], 2)  # fmt: skip


BOUND = define_op(
    "bounded_gradient", attrs=("bound",), saves="", accepts="float",
    infer=lambda avals, attrs: (Aval(avals[0].shape, avals[0].dtype),),
    decompose=lambda x, bound: x + 0.0,
    grad=lambda ctx: (clip(ctx.g[0], -ctx.attrs[0], ctx.attrs[0]),),
)  # fmt: skip


def _bounded(x, bound):
    from ..dispatch import call

    return call(BOUND, (x,), (float(bound),))


_LOGITS = ((2, 4, 3, 4), -2.0, 2.0)
_LABELS = ((2, 2), 1, 3, "int32")

# Samples of the function: the op's own inputs are what it makes of these.
SAMPLES = {
    "rnnt_loss": (
        Sample(_LOGITS, _LABELS, ((2,), 3, 4, "int32"), ((2,), 1, 2, "int32"), blank=0,
               reduction="none"),
        Sample(_LOGITS, ((2, 2), 0, 2, "int32"), ((2,), 1, 4, "int32"),
               ((2,), 0, 2, "int32")),
        Sample(_LOGITS, _LABELS, ((2,), 2, 4, "int32"), ((2,), 2, 2, "int32"), blank=0,
               reduction="sum", fused_log_softmax=False, clamp=1000.0),
        Sample(((1, 3, 1, 4), -2.0, 2.0), ((1, 0), 1, 3, "int32"),
               ((1,), 3, 3, "int32"), ((1,), 0, 0, "int32"), blank=0),
    ),
}  # fmt: skip

__all__ = ["rnnt_loss"]
NOT_METHODS = __all__

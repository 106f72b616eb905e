"""The arithmetic of a step, as ops: one launch updates a parameter and its state.

Numbers that are the same for all parameters of a group are computed once a step, on
the device, into a small vector `now`; settings are kernel parameters, so a new value
compiles nothing. `mode` says where weight decay enters: "none", "l2" (added to the
gradient), "decoupled" (the weight shrinks beside the step) or "cautious" (so, but
only where the step makes it smaller, too). Arithmetic is in `now`'s
dtype: float32, or float64 where the parameters have it; a float16 parameter is only
rounded when it is stored.
"""

from __future__ import annotations

from ..dtypes import float32, float64
from ..expr import call as E
from ..expr import cast, where
from ..ops.define import define_op
from ..ops.record import Aval


def _define(name, settings, switches=(), diff=1, **rules):
    """The op for float32 and for float64; switches choose a kernel, settings do not."""
    made = {}
    for wide, suffix in ((float32, ""), (float64, "_float64")):
        made[wide] = define_op(
            name + suffix, attrs=settings + switches, diff=(False,) * diff,
            runtime=tuple([(s, wide) for s in settings]), **rules,
        )  # fmt: skip
    return made


def _clock_infer(numbers):
    def infer(avals, attrs):
        count, lr = avals
        return (Aval((numbers,), lr.dtype), Aval(count.shape, count.dtype))

    return infer


def _like(*positions):
    def infer(avals, attrs):
        return tuple([Aval(avals[i].shape, avals[i].dtype) for i in positions])

    return infer


def _gradient(w, g, decay, maximize, mode):
    """The gradient to go down by; in mode "l2" the decay is part of it."""
    g = -g if maximize else g
    return g + w * decay if mode == "l2" else g


# SGD: now = (learning rate, share of the gradient that enters the momentum).


def _sgd_clock(k, count, lr, now, later, dampening):
    k.grid((1,))
    n = k.let(count[()])
    now[(0,)] = lr[()]
    now[(1,)] = where(E("eq", n, 0), 1.0, 1.0 - dampening)
    later[()] = n + 1


def _sgd(k, p, g, now, out, decay, maximize, mode):
    c = k.grid(out.shape)
    wide = now.dtype
    w = cast(p[c], wide)
    out[c] = w - now[(0,)] * _gradient(w, cast(g[c], wide), decay, maximize, mode)


def _momentum(k, p, g, b, now, out, out_b, decay, momentum, maximize, mode, nesterov):
    c = k.grid(out.shape)
    wide = now.dtype
    w = cast(p[c], wide)
    grad = k.let(_gradient(w, cast(g[c], wide), decay, maximize, mode))
    buffer = k.let(b[c] * momentum + grad * now[(1,)])
    down = grad + buffer * momentum if nesterov else buffer
    out[c] = w - now[(0,)] * down
    out_b[c] = buffer


SGD_CLOCK = _define(
    "sgd_clock", ("dampening",), infer=_clock_infer(2), kernel=_sgd_clock, diff=2
)
SGD_STEP = _define(
    "sgd_update",
    ("decay",),
    ("maximize", "mode"),
    infer=_like(0),
    kernel=_sgd,
    pointwise=2,
)
MOMENTUM = _define(
    "momentum_update", ("decay", "momentum"), ("maximize", "mode", "nesterov"), diff=2,
    infer=_like(0, 2), kernel=_momentum, pointwise=3,
)  # fmt: skip


# Adam: now = (lr / bias1, 1 / sqrt(bias2), 1 - lr * decay).


def _adam_clock(k, count, lr, now, later, log_beta1, log_beta2, decay):
    """1 - beta**t as -expm1(t log(beta)): exact in float32 where t is small, too."""
    k.grid((1,))
    n = k.let(count[()])
    t = cast(n + 1, now.dtype)
    rate = k.let(lr[()])
    now[(0,)] = rate / -E("expm1", t * log_beta1)
    now[(1,)] = 1.0 / E("sqrt", -E("expm1", t * log_beta2))
    now[(2,)] = 1.0 - rate * decay
    later[()] = n + 1


def _moments(k, grad, m, v, gain1, gain2):
    """Running means of the gradient and of its square; gain = 1 - beta."""
    first = k.let(m + (grad - m) * gain1)
    second = k.let(v + (grad * grad - v) * gain2)
    return first, second


def _shrunk(w, mean, now, mode):
    """The weight less its decay; a cautious one only where the step goes down, too."""
    if mode == "cautious":
        return where(w * mean > 0.0, w * now[(2,)], w)
    return w * now[(2,)] if mode == "decoupled" else w


def _adam(k, p, g, m, v, now, out, out_m, out_v, gain1, gain2, eps, decay, maximize,
          mode):  # fmt: skip
    c = k.grid(out.shape)
    wide = now.dtype
    w = cast(p[c], wide)
    grad = k.let(_gradient(w, cast(g[c], wide), decay, maximize, mode))
    first, second = _moments(k, grad, m[c], v[c], gain1, gain2)
    w = _shrunk(w, first, now, mode)
    out[c] = w - now[(0,)] * first / (E("sqrt", second) * now[(1,)] + eps)
    out_m[c] = first
    out_v[c] = second


# AMSGrad in two launches: one would bind ten buffers, and browsers promise eight.


def _amsgrad(k, p, g, m, v, top, out_m, out_v, out_top, gain1, gain2, decay, maximize,
             mode):  # fmt: skip
    c = k.grid(out_m.shape)
    wide = m.dtype
    w = cast(p[c], wide)
    grad = k.let(_gradient(w, cast(g[c], wide), decay, maximize, mode))
    first, second = _moments(k, grad, m[c], v[c], gain1, gain2)
    out_m[c] = first
    out_v[c] = second
    out_top[c] = E("max", top[c], second)


def _adam_apply(k, p, m, v, now, out, eps, mode):
    c = k.grid(out.shape)
    w = cast(p[c], now.dtype)
    w = _shrunk(w, m[c], now, mode)
    out[c] = w - now[(0,)] * m[c] / (E("sqrt", v[c]) * now[(1,)] + eps)


ADAM_CLOCK = _define(
    "adam_clock", ("log_beta1", "log_beta2", "decay"), infer=_clock_infer(3),
    kernel=_adam_clock, diff=2,
)  # fmt: skip
ADAM_STEP = _define(
    "adam_update", ("gain1", "gain2", "eps", "decay"), ("maximize", "mode"),
    infer=_like(0, 2, 3), kernel=_adam, pointwise=4, diff=3,
)  # fmt: skip
AMSGRAD = _define(
    "amsgrad_moments", ("gain1", "gain2", "decay"), ("maximize", "mode"),
    infer=_like(2, 3, 4), kernel=_amsgrad, pointwise=5, diff=3,
)  # fmt: skip
ADAM_APPLY = _define(
    "adam_apply", ("eps",), ("mode",), infer=_like(0), kernel=_adam_apply,
    pointwise=3,
)  # fmt: skip

NAMES = [
    table[kind].name
    for table in (
        SGD_CLOCK,
        SGD_STEP,
        MOMENTUM,
        ADAM_CLOCK,
        ADAM_STEP,
        AMSGRAD,
        ADAM_APPLY,
    )
    for kind in (float32, float64)
]

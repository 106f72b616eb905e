"""Calls that mean something of their own in PyTorch: looked at when they do not fit.

Each takes (function, args, options) and returns NotImplemented where it has no answer.
"""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops.pairs import Placed


def _without(options, *names):
    return {key: options[key] for key in options if key not in names}


def _extreme(places):
    """`x.max(dim=1)` gives (values, indices), as `x.max(axis=1)` does not."""

    def call(function, args, options):
        axis = options.get("dim")
        if axis is None or _without(options, "dim", "keepdim", "keepdims", "input"):
            return NotImplemented
        x = args[0] if args else options["input"]
        keep = options.get("keepdim", options.get("keepdims", False))
        indices = ops.find(places)(x, axis, True)
        values = x.take_along_axis(indices, axis) if x.ndim else x
        if keep or x.ndim == 0:
            return Placed(values, indices)
        return Placed(values.squeeze(axis), indices.squeeze(axis))

    return call


def _sort(function, args, options):
    """`x.sort(dim=0)` gives (values, indices)."""
    if "dim" not in options:
        return NotImplemented
    options["axis"] = options.pop("dim")
    if "input" in options:
        args = (options.pop("input"),) + args
    return ops.find("sort_pairs")(*args, **options)


def _scaled(function, args, options):
    """`x.add(y, alpha=2)` is x + 2*y."""
    if "alpha" not in options or len(args) + len(options) != 3:
        return NotImplemented
    x, y = (tuple(args) + (options.get("other"),))[:2]
    return function(x, y * options["alpha"])


def _divided(function, args, options):
    """`x.div(y, rounding_mode="floor")`."""
    how = options.get("rounding_mode", "none")
    if "rounding_mode" not in options or how not in (None, "trunc", "floor"):
        return NotImplemented
    x, y = (tuple(args) + (options.get("other"),))[:2]
    if how == "floor":
        return ops.find("floor_divide")(x, y)
    if how is None:
        return function(x, y)
    rest = ops.find("fmod")(x, y)
    if rest.dtype.is_int:
        return ops.find("floor_divide")(x - rest, y)
    return function(x, y).trunc()


def _unbiased(function, args, options):
    """`x.var(unbiased=True)` is a correction of 1."""
    if "unbiased" not in options:
        return NotImplemented
    rest = _without(options, "unbiased", "dim", "keepdim")
    for own, other in (("axis", "dim"), ("keepdims", "keepdim")):
        if other in options:
            rest[own] = options[other]
    return function(*args, correction=1 if options["unbiased"] else 0, **rest)


def _scatter(function, args, options):
    """`x.scatter(0, index, src, reduce="add")`."""
    modes = {"add": "sum", "multiply": "prod"}
    if options.get("reduce") not in modes:
        return NotImplemented
    call = ops.find("scatter_reduce")
    rest = _without(options, "reduce", "dim", "value")
    if "dim" in options:
        rest["axis"] = options["dim"]
    if "value" in options:
        rest["src"] = options["value"]
    return call(*args, reduce=modes[options["reduce"]], **rest)


RESPELT: dict[str, Any] = {
    "max": _extreme("argmax"),
    "min": _extreme("argmin"),
    "sort": _sort,
    "add": _scaled,
    "sub": _scaled,
    "subtract": _scaled,
    "div": _divided,
    "divide": _divided,
    "var": _unbiased,
    "std": _unbiased,
    "var_mean": _unbiased,
    "std_mean": _unbiased,
    "scatter": _scatter,
}

"""Every public function understands PyTorch's spellings, and hints at its own.

A call that fits costs nothing more. One that does not is looked at again: arguments
are renamed where the function has the other name, trailing integers are gathered into
a tuple (`x.flip(0, 1)`), and what is left over is an ArgumentError with the signature.
"""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError

# What PyTorch (or NumPy) calls an argument: the names that it may have here.
SPELLINGS = {
    "dim": ("axis", "axes", "dim0"),
    "axis": ("dim", "axes", "dim0"),
    "dims": ("axis", "axes", "repetitions"),
    "axes": ("axis", "dims"),
    "dimension": ("axis",),
    "keepdim": ("keepdims",),
    "keepdims": ("keepdim",),
    "input": ("x", "x1", "a"),
    "self": ("x",),
    "a": ("x",),
    "other": ("y", "x2"),
    "tensor": ("x",),
    "shifts": ("shift",),
    "source": ("values", "src"),
    "src": ("values", "source"),
    "value": ("values",),
    "fill_value": ("value",),
    "end": ("stop",),
    "stop": ("end",),
    "steps": ("num",),
    "num": ("steps",),
    "diagonal": ("offset", "k"),
    "k": ("offset",),
    "offset": ("k",),
    "dim1": ("axis1",),
    "dim2": ("axis2",),
    "size": ("shape",),
    "shape": ("size",),
    "a_min": ("min",),
    "a_max": ("max",),
    "ddof": ("correction",),
    "method": ("interpolation",),
    "split_size_or_sections": ("size_or_sections",),
    "split_size": ("size_or_sections",),
    "split_sizes": ("sizes",),
    "sections": ("indices_or_sections",),
    "indices": ("indices_or_sections", "index"),
    "pad": ("widths",),
    "pad_width": ("widths",),
    "constant_values": ("value",),
    "sorted_sequence": ("edges",),
    "reps": ("repetitions",),
}
# Functions whose integers by position are one tuple: `x.flip(0, 1)`.
GATHERED = ("flip", "tile", "squeeze", "permute_dims", "broadcast_to", "count_nonzero")


def spelled(name: str, function: Any) -> Any:
    """Return the function as the public one: see above.

    Example:
        >>> import fogo
        >>> fogo.sum(fogo.ones(2, 3), dim=1, keepdim=True).shape
        (2, 1)
    """
    if name.endswith("_async"):
        return function

    def public(*args, **options):
        try:
            return function(*args, **options)
        except TypeError as error:
            if _within(error) and not str(error).startswith(name + "()"):
                raise
        return _again(name, function, args, options)

    return _like(public, function)


def _like(public, function):
    try:
        from functools import wraps
    except ImportError:  # MicroPython: functions carry no attributes
        return public
    return wraps(function)(public)


def _within(error):
    """Whether the function had begun: then the error is not one of its arguments."""
    trace = getattr(error, "__traceback__", None)
    return trace is not None and trace.tb_next is not None


def _again(name, function, args, options):
    from .respelt import RESPELT

    special = RESPELT.get(name)
    if special is not None:
        result = special(function, args, options)
        if result is not NotImplemented:
            return result
    known = parameters(function)
    renamed = _renamed(name, options, known)
    if name in GATHERED and len(args) > 2 and not [a for a in args[1:] if not _int(a)]:
        args = (args[0], tuple(args[1:]))
    try:
        args, renamed = _bound(function, args, renamed)
        if known is None:  # no signatures: only the call itself tells
            return function(*args, **renamed)
    except TypeError as unfit:
        takes = "the array functions' own names" if known is None else ", ".join(known)
        raise ArgumentError(
            "%s: the arguments must fit; given others: %s; it takes (%s)"
            % (name, unfit, takes)
        )
    return function(*args, **renamed)


def _int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def parameters(function: Any) -> list[str] | None:
    """Names of what a function takes, or None where Python cannot tell."""
    try:
        from inspect import signature
    except ImportError:  # MicroPython
        return None
    return list(signature(function).parameters)


def _renamed(name, options, known):
    """The options by the function's own names."""
    out = {}
    for key in options:
        target = key
        if known is None:
            target = {"dim": "axis", "keepdim": "keepdims"}.get(key, key)
        elif key not in known:
            fits = [s for s in SPELLINGS.get(key, ()) if s in known]
            target = fits[0] if fits else key
        if target in out or (target != key and target in options):
            raise ArgumentError(
                "%s: one argument once; given both %s and %s" % (name, key, target)
            )
        out[target] = options[key]
    return out


def _bound(function, args, options):
    """The arguments as the function takes them: a formula's all by position."""
    try:
        from inspect import signature
    except ImportError:  # MicroPython
        return args, options
    bound = signature(function).bind(*args, **options)
    return bound.args, bound.kwargs

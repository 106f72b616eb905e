"""Operations: each defined once, in one file; found here by name, loaded by module."""

from __future__ import annotations

import sys
from typing import Any

# The rooms; a name is looked for in this order. Adding an op to one needs no edit here.
MODULES = (
    "elementwise", "curves", "compare", "reduce", "padding", "movement", "cutting",
    "creation",
    "matmul", "index", "diagonals", "activation",
    "random", "conv", "pool", "norm", "loss", "scan", "sort", "select",
    "unfold", "attention", "loss_margin", "loss_density", "floats", "complex_",
    "arrays", "sets",
    "ctc", "transducer", "shuffle", "pool_more", "resample",
    "interpolate", "grid", "deform", "gates", "noise", "distance",
    "linear",
    "special", "gamma", "shaping", "stacking", "stats", "order",
    "einsum", "closeness", "scatter_modes", "places",
    "making", "histogram", "lengths", "log_scan", "unique",
    "sampling", "products",
)  # fmt: skip
_BASE = __name__
_LOADED: dict[str, Any] = {}


def load(module):
    """Import one module of ops."""
    found = _LOADED.get(module)
    if found is None:
        path = _BASE + "." + module
        __import__(path)  # waits, where another thread is at it
        found = _LOADED[module] = sys.modules[path]
    return found


def find(name):
    """Return the public function `name` of whichever module defines it, or None."""
    for module in MODULES:
        room = load(module)
        if name in room.__all__:
            return getattr(room, name)
    return None


def method(name):
    """Return the function behind the tensor method `name`, or None."""
    for module in MODULES:
        room = load(module)
        if name in room.__all__ and name not in room.NOT_METHODS:
            return getattr(room, name)
    return None


def names(methods=False):
    """List the public functions, or those of them that are tensor methods too."""
    found = []
    for module in MODULES:
        room = load(module)
        hidden = room.NOT_METHODS if methods else ()
        found.extend([name for name in room.__all__ if name not in hidden])
    return found


def __getattr__(name):
    if name in MODULES:
        return load(name)
    raise AttributeError("fogo.ops has no module %r" % name)

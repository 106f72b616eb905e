"""Trees of tensors: lists, tuples, dicts and objects that hold tensors somewhere.

`flatten` takes a tree apart into its tensors and a *form*, which says what stood where
and holds everything that is not a tensor; `unflatten` puts other leaves in their place.
A form is a tuple that can be compared, and hashed if what it holds can be.
"""

from __future__ import annotations

from typing import Any

LEAF = ("leaf",)
CLOSED = ("function", "method", "module", "bound_method", "closure", "str")


def is_tensor(x: Any) -> bool:
    """Say whether a value is a tensor."""
    from .tensor import Tensor

    return isinstance(x, Tensor)


def has_aval(x: Any) -> bool:
    """Say whether a value has what an abstract value has: a shape and a dtype."""
    return hasattr(x, "shape") and hasattr(x, "dtype")


def flatten(tree: Any, leaf: Any = is_tensor) -> tuple[list[Any], Any]:
    """Return the leaves of a tree, in order, and its form.

    Lists, tuples (named ones too), dicts and objects with attributes are opened where
    a leaf is inside; what has none is part of the form as it is.
    leaf: a function that says what a leaf is; tensors, unless told otherwise.

    Example:
        >>> import fogo
        >>> leaves, form = flatten({"a": fogo.ones(2), "n": 3})
        >>> len(leaves), unflatten(form, ["here"])
        (1, {'a': 'here', 'n': 3})
    """
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaf, leaves, ())


def _flatten(tree, leaf, leaves, parents):
    if leaf(tree):
        leaves.append(tree)
        return LEAF
    kind, keys, parts = _open(tree)
    if kind is None or [p for p in parents if p is tree]:
        return ("same", _fixed(tree))
    before = len(leaves)
    parents = parents + (tree,)
    forms = tuple([_flatten(p, leaf, leaves, parents) for p in parts])
    if len(leaves) == before and kind not in ("list", "tuple", "dict"):
        return ("same", tree)
    return (kind, keys, forms)


def _open(tree):
    """(kind, keys, parts) of a container; kind None: it is none."""
    if isinstance(tree, list):
        return "list", None, tree
    if isinstance(tree, tuple):
        named = hasattr(tree, "_fields")
        return ("named" if named else "tuple"), (type(tree) if named else None), tree
    if isinstance(tree, dict):
        keys = tuple(tree)
        return "dict", keys, [tree[k] for k in keys]
    names = () if isinstance(tree, (int, float, str)) else _attributes(tree)
    if not names:
        return None, None, ()
    return "object", (type(tree), names), [getattr(tree, n) for n in names]


def _attributes(tree):
    """Names of an object's own attributes; none for functions, classes, devices."""
    from .device import Device

    if isinstance(tree, (type, Device)) or type(tree).__name__ in CLOSED:
        return ()
    names = getattr(tree, "__dict__", None)
    if names is None:
        slots = getattr(tree, "__slots__", ())
        names = [n for n in slots if hasattr(tree, n)]
    return tuple(sorted(names))


def _fixed(value):
    """A value inside a form; numbers so that 1 is not 1.0 and nan is itself."""
    return Number(value) if isinstance(value, (bool, int, float)) else value


class Number:
    """A number that equals another only if the type and every bit agree."""

    def __init__(self, value):
        self.value = value
        self.key = (type(value).__name__, repr(value))

    def __eq__(self, other):
        return isinstance(other, Number) and self.key == other.key

    def __hash__(self):
        return hash(self.key)

    def __repr__(self):
        return self.key[1]


def unflatten(form: Any, leaves: Any) -> Any:
    """Return a tree of a form, with these leaves.

    Example:
        >>> leaves, form = flatten([1, (2, "two")], lambda x: isinstance(x, int))
        >>> unflatten(form, [10, 20])
        [10, (20, 'two')]
    """
    return _unflatten(form, iter(leaves))


def _unflatten(form, leaves):
    if form is LEAF or form == LEAF:
        return next(leaves)
    if form[0] == "same":
        value = form[1]
        return value.value if isinstance(value, Number) else value
    kind, keys, forms = form
    parts = [_unflatten(f, leaves) for f in forms]
    if kind == "list":
        return parts
    if kind == "tuple":
        return tuple(parts)
    if kind == "named":
        return keys(*parts)
    if kind == "dict":
        return dict(zip(keys, parts))
    return _rebuilt(keys[0], keys[1], parts)


def _rebuilt(cls, names, parts):
    """An object of a class with these attributes; frozen ones allow it, too."""
    made = object.__new__(cls)
    put = getattr(object, "__setattr__", setattr)
    for name, part in zip(names, parts):
        put(made, name, part)
    return made


def count(form: Any) -> int:
    """Return how many leaves a tree of this form has."""
    if form == LEAF:
        return 1
    if form[0] == "same":
        return 0
    return sum([count(f) for f in form[2]])


def along(form: Any, tree: Any) -> Any:
    """List what `tree` has where a tree of this form has leaves; None stands for None.

    Returns None where the trees differ in kind.
    """
    if tree is None:
        return [None] * count(form)
    if form == LEAF:
        return [tree]
    if form[0] == "same":
        return []
    kind, keys, parts = _open(tree)
    if kind != form[0] or len(parts) != len(form[2]) or keys != form[1]:
        return None
    found = []
    for f, part in zip(form[2], parts):
        inner = along(f, part)
        if inner is None:
            return None
        found.extend(inner)
    return found

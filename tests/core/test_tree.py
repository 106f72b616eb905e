"""Trees of tensors come apart and together again."""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import pytest

import fogo
from fogo import nn
from fogo.tree import along, count, flatten, unflatten

Pair = namedtuple("Pair", "left right")


@dataclass(frozen=True)
class Frozen:
    weight: Any
    name: str = "w"


@dataclass(slots=True)
class Slotted:
    a: Any
    b: int


class Loose:
    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.seen = "yes"


@pytest.fixture
def t() -> fogo.Tensor:
    return fogo.ones(2, device="python")


TREES = {
    "tensor": lambda t: t,
    "list": lambda t: [t, 1, [t, "x"]],
    "tuple": lambda t: (t, None, (2.5, t)),
    "named": lambda t: Pair(t, [t, 3]),
    "dict": lambda t: {"z": t, "a": [t], "n": 5},
    "frozen": lambda t: Frozen(t),
    "slots": lambda t: Slotted([t, t], 2),
    "object": lambda t: Loose({"k": Frozen((t, 1))}),
}


@pytest.mark.parametrize("name", list(TREES))
def test_there_and_back(name: str, t: fogo.Tensor) -> None:
    tree = TREES[name](t)
    leaves, form = flatten(tree)
    assert all(x is t for x in leaves) and len(leaves) == count(form) > 0
    other = list(range(len(leaves)))
    again = unflatten(form, other)
    assert type(again) is (int if name == "tensor" else type(tree))
    assert along(form, again) == other
    assert hash(form) == hash(flatten(TREES[name](t))[1])
    assert form == flatten(TREES[name](t))[1]


def test_what_is_not_a_tensor_passes_through(t: fogo.Tensor) -> None:
    device = fogo.device("python")
    tree = [t, device, math.sin, fogo.float32, "text", Slotted(1, 2)]
    leaves, form = flatten(tree)
    again = unflatten(form, leaves)
    assert len(leaves) == 1
    assert all(a is b for a, b in zip(again, tree))


def test_a_module_is_a_tree(t: fogo.Tensor) -> None:
    layer = nn.Linear(3, 2, device="python")
    leaves, form = flatten(layer)
    assert [x.shape for x in leaves].count((2,)) == 1
    again = unflatten(form, leaves)
    x = fogo.ones(4, 3, device="python")
    assert again(x).tolist() == layer(x).tolist()


def test_forms_tell_numbers_apart(t: fogo.Tensor) -> None:
    forms = [flatten([t, n])[1] for n in (1, 1.0, True, 0.0, -0.0, math.nan)]
    assert len(set(forms)) == 6
    assert flatten([t, math.nan])[1] == flatten([t, math.nan])[1]
    assert math.isnan(unflatten(forms[-1], [t])[1])


def test_trees_that_hold_themselves_end(t: fogo.Tensor) -> None:
    loop: Any = Loose(t)
    loop.me = loop
    leaves, form = flatten(loop)
    assert leaves == [t] or leaves[0] is t
    assert unflatten(form, [5]).inner == 5


def test_along_tells_trees_apart(t: fogo.Tensor) -> None:
    _, form = flatten({"a": t, "b": [t, t]})
    assert along(form, {"a": 1, "b": None}) == [1, None, None]
    assert along(form, None) == [None] * 3
    assert along(form, {"a": 1}) is None
    assert along(form, [1, 2]) is None
    assert along(form, {"a": 1, "b": [2]}) is None

"""Every public name has words and an example; test_examples.py runs the examples."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from docs.tools.public import rooms

# Names without an example of their own, and why.
WITHOUT = {
    "Tensor.cuda": "it needs such a GPU",
    "fogo.Tracked": "a Tensor, to type checkers: one that has gradients",
    "fogo.ArgumentError": "raised by calls that do not fit",
    "fogo.set_printoptions": "set_print_options by NumPy's name",
    "fogo.kernel.ir.Kernel": "what a kernel is given: the programs of docs/kernels.md",
    "fogo.kernel.ir.Array": "what a kernel is given: the programs of docs/kernels.md",
    "fogo.kernel.ir.Cell": "what a kernel is given: the programs of docs/kernels.md",
    "fogo.expr.call": "for kernels: the programs of docs/kernels.md",
    "fogo.expr.cast": "for kernels: the programs of docs/kernels.md",
    "fogo.expr.bitcast": "for kernels: the programs of docs/kernels.md",
    "fogo.expr.where": "for kernels: the programs of docs/kernels.md",
    "fogo.add_along_axis": "what index assignment calls: see Tensor",
    "fogo.put": "what index assignment calls: see Tensor",
    "fogo.put_at": "what index assignment calls: see Tensor",
    "fogo.nn.RNNBase": "the base of RNN, LSTM and GRU, which have examples",
    "fogo.nn.register_parametrization": "see nn.Reparameterization",
    "fogo.nn.remove_parametrizations": "see nn.Reparameterization",
    "fogo.nn.init.symmetric": "a part of the initialisers",
    "fogo.data.MnistDataset": "it downloads",
    "fogo.data.fetch": "it downloads",
    "fogo.data.package_file": "it downloads",
    "fogo.random.seed_device": "what manual_seed does to one device",
    "fogo.autotune.Store": "what autotune.load reads",
    "fogo.autotune.parse": "see autotune.load",
    "fogo.autotune.save": "see autotune.load",
}
NAMES: list[tuple[str, Any]] = [
    pair for room in rooms() for pair in room.names if callable(pair[1])
]


def words(value: Any) -> str:
    """Return the docstring that is a name's own."""
    own = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
    return inspect.cleandoc(own or "")


def plain(name: str) -> bool:
    """Say whether it is a method that another function explains: x.float(), x.add_()"""
    return name.startswith("Tensor.") and (
        name.endswith("_") or words(dict(NAMES)[name]).startswith("Return x in ")
    )


def test_there_are_names() -> None:
    assert len(NAMES) > 900


@pytest.mark.parametrize(("name", "value"), NAMES, ids=[n for n, _ in NAMES])
def test_every_name_has_words_and_an_example(name: str, value: Any) -> None:
    text = words(value)
    first = text.split("\n\n")[0]
    assert first.rstrip().endswith((".", ":", ")")), f"{name}: a sentence first"
    if name not in WITHOUT and not plain(name):
        assert ">>> " in text, f"{name}: an Example: that runs"


def test_exceptions_are_needed() -> None:
    known = dict(NAMES)
    assert set(WITHOUT) <= set(known)
    assert not [name for name in WITHOUT if ">>> " in words(known[name])]

"""What is public, by rooms: found where fogo keeps its names, and listed nowhere.

A `Room` is a page of the reference: a title, the module whose docstring introduces it,
and (name to write, object) pairs.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import fogo as _fogo
from fogo import habits
from fogo import ops as _ops
from fogo.habits import methods
from fogo.kernel import ir

fogo: Any = _fogo  # what is looked up in modules is beyond their types
ops: Any = _ops

# Modules of fogo that are no rooms of the reference, and why.
NO_ROOMS = {
    "ops": "its functions are fogo's: a page for each of its modules",
    "demo": "the demo's own program",
}
# Public modules below the rooms.
WITHIN = ("nn.init", "nn.functional", "nn.utils")
# What the functions of kernels are given, and what they call.
LANGUAGE = (
    ("fogo.kernel.ir", ("Kernel", "Array", "Cell")),
    ("fogo.expr", ("call", "cast", "bitcast", "where")),
)


@dataclass
class Room:
    """A page: where it lies, its title and introduction, and its names."""

    path: str
    title: str
    module: ModuleType
    names: list[tuple[str, Any]] = field(default_factory=list)


def rooms() -> Iterator[Room]:
    """Yield every page, in the order of the navigation."""
    yield from _main()
    for name in ops.MODULES:
        room = ops.load(name)
        names = [(f"fogo.{n}", getattr(room, n)) for n in room.__all__]
        if names:  # some only hold what others share
            title = name.strip("_")
            yield Room(f"ops/{title}", f"ops: {title}", room, names)
    for name in fogo._ROOMS:
        if name not in NO_ROOMS:
            yield from (room for room in _room(name) if room.names)


def _main() -> Iterator[Room]:
    own = [(f"fogo.{n}", getattr(fogo, n)) for n in fogo.__all__]
    yield Room("fogo", "Tensors, devices, dtypes", fogo, own)
    spelled = [(f"Tensor.{n}", methods.method(n)) for n in methods.names()]
    yield Room("methods", "More methods of tensors", habits, spelled)
    files: dict[str, list[str]] = {}
    for name, home in fogo._HOMES.items():
        files.setdefault(home, []).append(name)
    names = [(f"fogo.{n}", getattr(fogo, n)) for home in files.values() for n in home]
    yield Room("more", "Gradients, random numbers, compiling, profiling", fogo, names)
    inside = []
    for path, own_names in LANGUAGE:
        module = importlib.import_module(path)
        inside += [(f"{path}.{n}", getattr(module, n)) for n in own_names]
    yield Room("language", "The language of kernels", ir, inside)


def _room(path: str) -> Iterator[Room]:
    module = importlib.import_module(f"fogo.{path}")
    names = public(module)
    homes = getattr(module, "_FILES", None)
    if homes is not None and len(names) > 60:
        for home in homes:
            inside = [
                (f"fogo.{path}.{n}", getattr(module, n)) for n in homes[home].split()
            ]
            lives = importlib.import_module(f"fogo.{path}.{home}")
            yield Room(f"{path}/{home}", f"{path}: {home}", lives, inside)
    else:
        inside = [(f"fogo.{path}.{n}", getattr(module, n)) for n in names]
        yield Room(path.replace(".", "/"), path, module, inside)
    for name in WITHIN:
        if name.startswith(path + "."):
            yield from _room(name)


def public(module: ModuleType) -> list[str]:
    """List a room's names: its `__all__`, else what is defined in it."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [n for n in dir(module) if _belongs(getattr(module, n), module)]
    found = [n for n in names if not inspect.ismodule(getattr(module, n))]
    return [n for n in found if not n.startswith("_")]


def _belongs(value: Any, module: ModuleType) -> bool:
    home = getattr(value, "__module__", None) or ""
    return callable(value) and (home + ".").startswith(module.__name__ + ".")


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that a class itself defines."""
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if inspect.isfunction(value) or isinstance(value, property):
            yield name, value

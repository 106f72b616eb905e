"""Rows of the grid: what a function of `fogo` must agree with.

`ref("exp", numpy=np.exp, torch=torch.exp)`: the NumPy function gives the forward
values (floats come as float64, integers and bools in their own dtype), the PyTorch
function the gradients (float64). Both take the arguments of the public function.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import fogo
from fogo import ops
from fogo.ops.define import Sample
from fogo.ops.record import ACCEPTS, REGISTRY, Op

ROWS: dict[str, Row] = {}
HERE = Path(__file__).parent


class Row:
    """One public function, its references, and what is particular about it.

    numpy     forward reference; torch: gradient reference (None: no gradient exists)
    samples   inputs, where the op's record has none
    accepts   a key of fogo.ops.record.ACCEPTS, where there is no record
    out       dtype of the results: "same", "bool", "float", "int" (the default
              integer), "numpy" (that of the NumPy result), a dtype's name, a list of
              these, or a function of the dtype
    args      options that the function takes by position, in order, after the
              tensors, or before the tensor number `at`
    listed    takes its tensors as one list
    creates   takes no tensors but `device=`; typed: and the dtype under test
    casts     the function casts dtypes that its op refuses, to float32
    pointwise its samples with one tensor get special values and ties too
    factor    widens the tolerance; second: whether a second derivative is compared
    special   cases of nan, inf, extremes: True, False, or a bound for the magnitudes
    dtypes    names of the dtypes to try, where `accepts` says too much
    seed      restart the device's random stream with this before the call
    host      the op may touch the host
    why       the reason for any restriction above
    """

    def __init__(
        self,
        name: str,
        numpy: Callable[..., Any],
        torch: Callable[..., Any] | None = None,
        samples: Sequence[Sample] | None = None,
        accepts: str | None = None,
        out: Any = None,
        args: Sequence[str] = (),
        at: int | None = None,
        listed: bool = False,
        creates: bool = False,
        typed: bool = False,
        casts: bool = False,
        pointwise: bool = False,
        factor: float = 1.0,
        second: bool = True,
        special: bool | float = True,
        dtypes: Sequence[str] | None = None,
        seed: int | None = None,
        host: bool = False,
        why: str = "",
    ) -> None:
        self.name = name
        self.numpy = numpy
        self.torch = torch
        self.args = tuple(args)
        self.at = at
        self.pointwise = pointwise
        self.casts = casts
        self.typed = typed
        self.out = out
        self.listed = listed
        self.creates = creates
        self.factor = factor
        self.second = second
        self.special = special
        self.seed = seed
        self.why = why
        self.op = record(name)
        self._samples = samples
        self._accepts = accepts
        self._dtypes = dtypes
        self.host = host or bool(self.op and self.op.host)

    @property
    def elementwise(self) -> bool:
        """Say whether the cases are made from the formula's domain."""
        op = self.op
        return op is not None and op.formula is not None and is_public(op)

    @property
    def to_float(self) -> bool:
        """Say whether integers and bools become float32."""
        return self.casts or (self.op is not None and self.op.to_float)

    @property
    def samples(self) -> Sequence[Any]:
        """The row's samples, else those of the module or of the op's record."""
        if self._samples is not None:
            return self._samples
        extra = getattr(room_of(self.name), "SAMPLES", {})
        if self.name in extra:
            return extra[self.name]
        return self.op.samples if self.op else ()

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Names of the dtypes that the function takes (of its first real operand)."""
        if self._dtypes is not None:
            return tuple(self._dtypes)
        accepts = self._accepts or (self.op.accepts if self.op else "any")
        if self.to_float and self._accepts is None:
            accepts = "any"
        return tuple(d.name for d in ACCEPTS[accepts])

    def refused(self) -> tuple[str, ...]:
        """Names of the dtypes that the record refuses."""
        if self.op is None or self._accepts or self._dtypes or self.to_float:
            return ()
        return tuple(d.name for d in fogo.dtypes.REAL if d.name not in self.dtypes)


def is_public(op: Op) -> bool:
    """Say whether the op's formula is itself the public function."""
    return op.public is not None and op.public is ops.find(op.name)


def record(name: str) -> Op | None:
    """Return the op behind a public function: its formula's, or of the same name."""
    function = ops.find(name)
    for op in REGISTRY.values():
        if op.public is not None and op.public is function:
            return op
    return REGISTRY.get(name)


def room_of(name: str) -> ModuleType | None:
    """Return the module of ops that a public function belongs to."""
    for _, room in rooms():
        if name in room.__all__:
            return room
    return None


def ref(name: str, numpy: Callable[..., Any], **rules: Any) -> None:
    """Enter a row; a second one of the same name is refused."""
    if name in ROWS:
        raise ValueError(f"{name}: the row is there already")
    ROWS[name] = Row(name, numpy, **rules)


def load() -> dict[str, Row]:
    """Import every file of references; return all rows by name."""
    for file in sorted((HERE / "references").glob("[a-z]*.py")):
        importlib.import_module(f"tests.ops.references.{file.stem}")
    return ROWS


def rooms() -> list[tuple[str, ModuleType]]:
    """Return the modules of ops that exist: (name, module)."""
    found = [(name, ops.load(name)) for name in ops.MODULES]
    return [(name, module) for name, module in found if module is not None]


def public_functions() -> dict[str, str]:
    """Return each public function once: name -> module. Aliases are left out.

    An alias is a name whose function is that of an earlier name; the first is the one
    the function was defined by, where it is in `__all__`.
    """
    seen: dict[int, str] = {}
    found: dict[str, str] = {}
    for module, room in rooms():
        own = [n for n in room.__all__ if getattr(room, n).__name__ == n]
        for name in own + [n for n in room.__all__ if n not in own]:
            function = getattr(room, name)
            if inspect.iscoroutinefunction(function):  # tested beside the plain form
                continue
            if id(function) not in seen:
                seen[id(function)] = name
                found[name] = module
    return found

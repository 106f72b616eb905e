"""Random programs of tensors: written once, run on any device, compared value by value.

A program is a list of instructions over a growing list of values, of which it knows
dtype and shape. Values stay small, and nothing that jumps (a comparison, a rounding)
is asked of floats that were computed: rounding differs between devices.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

import fogo

KINDS = ("reduction", "matmul", "stepped view", "setitem", "gather", "random",
         "multi-output", "read")  # fmt: skip
UNARY = ("tanh", "sigmoid", "sin", "abs", "neg", "gelu", "square", "relu", "exp")
BINARY = ("add", "sub", "mul", "maximum", "minimum", "div")


class Source(Protocol):
    """Where decisions come from: Hypothesis, or a seed."""

    def below(self, n: int) -> int: ...


class Seeded:
    """Decisions from a seed alone."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def below(self, n: int) -> int:
        return self.random.randrange(n)


class Drawn:
    """Decisions drawn by Hypothesis, which makes them small."""

    def __init__(self, draw: Callable[[int], int]) -> None:
        self.draw = draw

    def below(self, n: int) -> int:
        return self.draw(n)


class Program:
    """The instructions, and which kinds (see KINDS) are among them."""

    def __init__(self, source: Source, most: int = 30) -> None:
        self.source = source
        self.kinds: set[str] = set()
        self.steps: list[tuple[Any, ...]] = []
        self.values: list[tuple[str, tuple[int, ...]]] = []
        self.seed = source.below(1000)
        self._inputs()
        for _ in range(4 + source.below(most - 3)):
            self._step()

    # Writing.

    def _new(self, dtype: str, shape: tuple[int, ...], *step: Any) -> int:
        self.steps.append(step)
        self.values.append((dtype, shape))
        return len(self.values) - 1

    def _size(self) -> int:
        return (1, 2, 3, 4, 5, 7)[self.source.below(6)]

    def _inputs(self) -> None:
        rows, columns = self._size(), self._size()
        self.common = (rows, columns)
        self._new("float32", (rows, columns), "input", "float32", (rows, columns))
        self._new("float32", (columns,), "input", "float32", (columns,))
        self._new("int32", (rows, columns), "input", "int32", (rows, columns))
        shape = tuple([self._size() for _ in range(self.source.below(4))])
        self._new("float32", shape, "input", "float32", shape)

    def _pick(self, dtype: str | None = None, rank: int = 0) -> int | None:
        """A value of a dtype and at least a rank; new ones are likelier."""
        fits = [
            i
            for i, (d, shape) in enumerate(self.values)
            if (dtype is None or d == dtype) and len(shape) >= rank
        ]
        if not fits:
            return None
        i = self.source.below(2 * len(fits))
        return fits[-1 - i % len(fits)] if i < len(fits) else fits[-1]

    def _step(self) -> None:
        makers = (
            self._unary, self._binary, self._binary, self._scalar, self._reduce,
            self._reduce, self._matmul, self._matmul, self._stepped, self._stepped,
            self._setitem, self._setitem, self._gather, self._gather, self._random,
            self._random, self._several, self._several, self._read, self._read,
            self._reshape, self._permute, self._concat, self._integer, self._compare,
            self._where, self._cast, self._normalise, self._expand, self._full,
        )  # fmt: skip
        makers[self.source.below(len(makers))]()

    def _unary(self) -> None:
        x = self._pick("float32")
        assert x is not None
        name = UNARY[self.source.below(len(UNARY))]
        self._new("float32", self.values[x][1], "unary", name, x)

    def _binary(self) -> None:
        x = self._pick("float32")
        assert x is not None
        fits = [
            i
            for i, (d, shape) in enumerate(self.values)
            if d == "float32" and _broadcasts(shape, self.values[x][1])
        ]
        if not fits:
            return
        y = fits[self.source.below(len(fits))]
        name = BINARY[self.source.below(len(BINARY))]
        shape = np.broadcast_shapes(self.values[x][1], self.values[y][1])
        self._new("float32", shape, "binary", name, x, y)

    def _scalar(self) -> None:
        x = self._pick("float32")
        assert x is not None
        number = (0.5, 1.5, -2.0, 3.0)[self.source.below(4)]
        name = BINARY[self.source.below(3)]
        self._new("float32", self.values[x][1], "scalar", name, x, number)

    def _reduce(self) -> None:
        x = self._pick(("float32", "int32")[self.source.below(4) // 3], 1)
        if x is None:
            return
        dtype, shape = self.values[x]
        axis = self.source.below(len(shape) + 1)
        keep = self.source.below(2) == 1
        name = ("sum", "mean", "max", "min")[self.source.below(4)]
        if dtype == "int32" and name == "mean":
            name = "sum"
        axes: Any = None if axis == len(shape) else axis
        out = np.sum(np.zeros(shape), axis=axes, keepdims=keep).shape
        self.kinds.add("reduction")
        self._new(dtype, out, "reduce", name, x, axes, keep)

    def _matmul(self) -> None:
        x = self._pick("float32", 2)
        assert x is not None
        a = self.values[x][1]
        fits = [
            i for i, (d, b) in enumerate(self.values) if d == "float32" and len(b) == 2
        ]
        y = fits[self.source.below(len(fits))]
        b = self.values[y][1]
        turned = b[0] != a[-1]
        if turned and b[1] != a[-1]:
            y, turned, b = x, True, a[-2:]
        if len(self.values[y][1]) > 2:
            return
        self.kinds.add("matmul")
        shape = a[:-1] + (b[0] if turned else b[1],)
        self._new("float32", shape, "matmul", x, y, turned)

    def _keys(self, shape: tuple[int, ...]) -> tuple[slice, ...]:
        keys = []
        for n in shape:
            step = (1, 2, -1, 3, -2)[self.source.below(5)]
            first = self.source.below(n) if self.source.below(2) else None
            if step < 0:
                keys.append(slice(None if first is None else n - 1 - first, None, step))
            else:
                keys.append(slice(first, None, step))
        return tuple(keys)

    def _stepped(self) -> None:
        x = self._pick(None, 1)
        assert x is not None
        dtype, shape = self.values[x]
        keys = self._keys(shape)
        if not [k for k in keys if k.step != 1]:
            return
        self.kinds.add("stepped view")
        self._new(dtype, np.empty(shape)[keys].shape, "getitem", x, keys)

    def _setitem(self) -> None:
        x = self._pick("float32", 1)
        assert x is not None
        dtype, shape = self.values[x]
        keys = self._keys(shape)
        part = np.empty(shape)[keys].shape
        fits = [
            i
            for i, (d, s) in enumerate(self.values)
            if d == dtype and _broadcasts(s, part)
            if np.broadcast_shapes(s, part) == part
        ]
        y = fits[self.source.below(len(fits))] if fits else None
        self.kinds.add("setitem")
        self._new(dtype, shape, "setitem", x, keys, y)

    def _gather(self) -> None:
        x = self._pick(None, 1)
        index = self._pick("int32", 1)
        assert x is not None and index is not None
        dtype, shape = self.values[x]
        axis = self.source.below(len(shape))
        along = [
            i
            for i, (d, s) in enumerate(self.values)
            if d == "int32" and len(s) == len(shape)
            if s[:axis] + s[axis + 1 :] == shape[:axis] + shape[axis + 1 :]
        ]
        self.kinds.add("gather")
        if along and self.source.below(2):
            i = along[self.source.below(len(along))]
            self._new(dtype, self.values[i][1], "along", x, i, axis)
            return
        out = shape[:axis] + self.values[index][1] + shape[axis + 1 :]
        if np.prod(out) < 400:
            self._new(dtype, out, "take", x, index, axis)

    def _random(self) -> None:
        self.kinds.add("random")
        name = ("rand", "bernoulli", "randint", "dropout")[self.source.below(4)]
        x = self._pick("float32")
        assert x is not None
        shape = self.values[x][1]
        dtype = {"bernoulli": "bool", "randint": "int32"}.get(name, "float32")
        self._new(dtype, shape, "random", name, shape, x)

    def _several(self) -> None:
        x = self._pick("float32", 1)
        assert x is not None
        shape = self.values[x][1]
        axis = self.source.below(len(shape))
        self.kinds.add("multi-output")
        name = ("cummax", "sort", "standardize", "cummin")[self.source.below(4)]
        self._new("float32", shape, "several", name, x, axis)
        if name == "standardize":
            small = shape[:axis] + (1,) + shape[axis + 1 :]
            self._new("float32", small, "other", 1)
            self._new("float32", small, "other", 2)

    def _read(self) -> None:
        x = self._pick()
        self.kinds.add("read")
        self.steps.append(("read", x))

    def _reshape(self) -> None:
        x = self._pick()
        assert x is not None
        dtype, shape = self.values[x]
        count = int(np.prod(shape))
        choices: list[tuple[int, ...]] = [(count,), (1, count), shape + (1,)]
        if count % 2 == 0:
            choices.append((2, count // 2))
        out = choices[self.source.below(len(choices))]
        self._new(dtype, out, "reshape", x, out)

    def _permute(self) -> None:
        x = self._pick(None, 2)
        assert x is not None
        dtype, shape = self.values[x]
        axes = list(range(len(shape)))
        i = self.source.below(len(axes))
        axes[0], axes[i] = axes[i], axes[0]
        out = tuple([shape[a] for a in axes])
        self._new(dtype, out, "permute", x, tuple(axes))

    def _concat(self) -> None:
        x = self._pick(None, 1)
        assert x is not None
        dtype, shape = self.values[x]
        axis = self.source.below(len(shape))
        fits = [
            i
            for i, (d, s) in enumerate(self.values)
            if d == dtype and len(s) == len(shape)
            if s[:axis] + s[axis + 1 :] == shape[:axis] + shape[axis + 1 :]
        ]
        y = fits[self.source.below(len(fits))]
        out = list(shape)
        out[axis] += self.values[y][1][axis]
        if out[axis] < 40:
            self._new(dtype, tuple(out), "concat", x, y, axis)

    def _integer(self) -> None:
        x = self._pick("int32")
        assert x is not None
        shape = self.values[x][1]
        fits = [
            i
            for i, (d, s) in enumerate(self.values)
            if d == "int32" and _broadcasts(s, shape)
        ]
        if not fits:
            return
        y = fits[self.source.below(len(fits))]
        name = ("add", "mul", "maximum", "sub")[self.source.below(4)]
        out = np.broadcast_shapes(shape, self.values[y][1])
        self._new("int32", out, "integer", name, x, y)

    def _compare(self) -> None:
        x = self._pick("int32")
        assert x is not None
        shape = self.values[x][1]
        self._new("bool", shape, "compare", x, self.source.below(5))

    def _where(self) -> None:
        c = self._pick("bool")
        if c is None:
            return
        shape = self.values[c][1]
        fits = [
            i
            for i, (d, s) in enumerate(self.values)
            if d == "float32" and _broadcasts(s, shape)
        ]
        x = fits[self.source.below(len(fits))] if fits else None
        if x is None:
            return
        out = np.broadcast_shapes(shape, self.values[x][1])
        self._new("float32", out, "where", c, x)

    def _cast(self) -> None:
        x = self._pick(("int32", "bool")[self.source.below(2)])
        if x is not None:
            dtype = ("float32", "int32")[self.source.below(2)]
            self._new(dtype, self.values[x][1], "cast", x, dtype)

    def _normalise(self) -> None:
        x = self._pick("float32", 1)
        assert x is not None
        shape = self.values[x][1]
        name = ("softmax", "log_softmax", "layer_norm")[self.source.below(3)]
        self.kinds.add("reduction")
        self._new("float32", shape, "normalise", name, x)

    def _expand(self) -> None:
        x = self._pick()
        assert x is not None
        dtype, shape = self.values[x]
        if np.prod(shape) < 100:
            n = self._size()
            self._new(dtype, (n, *shape), "expand", x, n)

    def _full(self) -> None:
        x = self._pick("float32")
        assert x is not None
        self._new("float32", self.values[x][1], "full", self.values[x][1])

    # Running.

    def run(self, device: fogo.Device) -> list[Any]:
        """Run on a device; returns what is read on the way, then every value.

        Values that nobody reads may never be computed: only one in three is read at
        the end, the last among them.
        """
        device.seed(self.seed)
        found: list[Any] = []
        out = self.compute(device, self.inputs(device), found)
        return found + [t.numpy() for t in out]

    def inputs(self, device: fogo.Device, number: int = 0) -> list[fogo.Tensor]:
        """Return its arguments; `number`: others of the same shapes."""
        numbers = np.random.default_rng(self.seed + 1000 * number)
        given = [args for name, *args in self.steps if name == "input"]
        return [_input(device, numbers, dtype, shape) for dtype, shape in given]

    def compute(
        self,
        device: fogo.Device,
        inputs: list[fogo.Tensor],
        found: list[Any] | None,
    ) -> list[fogo.Tensor]:
        """Return one value in three; reads go to `found` (None: nothing is read)."""
        out: list[fogo.Tensor] = []
        rest: tuple[fogo.Tensor, ...] = ()
        for name, *args in self.steps:
            if name == "input":
                out.append(inputs[len(out)])
            elif name == "read":
                if found is not None:
                    found.append(out[args[0]].numpy())
            elif name == "other":
                out.append(rest[args[0]])
            else:
                made = RUN[name](device, out, *args)
                if isinstance(made, tuple):
                    rest = made
                    made = made[0]
                out.append(made)
        last = len(out) - 1
        return [t for i, t in enumerate(out) if (last - i) % 3 == 0]

    def __repr__(self) -> str:
        lines = [f"program, seed {self.seed}:"]
        at = 0
        for step in self.steps:
            if step[0] == "read":
                lines.append(f"  read {step[1]}")
            else:
                dtype, shape = self.values[at]
                lines.append(f"  {at}: {dtype}{list(shape)} = {step}")
                at += 1
        return "\n".join(lines)


def _broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    try:
        return int(np.prod(np.broadcast_shapes(a, b))) < 400
    except ValueError:
        return False


def _tame(x: fogo.Tensor) -> fogo.Tensor:
    """Keep values within [-4, 4], continuously."""
    return x.clip(-4.0, 4.0)


def _input(device: fogo.Device, numbers: Any, dtype: str, shape: Any) -> fogo.Tensor:
    if dtype == "int32":
        return fogo.tensor(numbers.integers(-6, 7, shape).astype(dtype), device=device)
    return fogo.tensor(numbers.uniform(-2, 2, shape).astype(dtype), device=device)


def _binary(device: Any, out: Any, name: str, x: int, y: int) -> Any:
    a, b = out[x], out[y]
    if name == "div":
        return a / (b.abs() + 1.0)
    return _tame(getattr(fogo, name)(a, b))


def _reduce(d: Any, out: Any, name: str, x: int, axis: Any, keep: bool) -> Any:
    made = getattr(out[x], name)(axis=axis, keepdims=keep)
    if out[x].dtype.is_int:
        return (made % 17).astype("int32")
    return _tame(made)


def _matmul(d: Any, out: Any, x: int, y: int, turned: bool) -> Any:
    return _tame(out[x] @ (out[y].T if turned else out[y]))


def _setitem(d: Any, out: Any, x: int, keys: Any, y: int | None) -> Any:
    made = out[x] * 1.0
    before = made[keys] + 0.0
    made[keys] = 0.5 if y is None else out[y]
    made[tuple([slice(0, 1)] * made.ndim)] = before[
        tuple([slice(0, 1)] * made.ndim)
    ].sum()
    return _tame(made)


def _random(d: Any, out: Any, name: str, shape: Any, x: int) -> Any:
    if name == "rand":
        return fogo.rand(shape, device=d)
    if name == "bernoulli":
        return fogo.random.bernoulli(0.4, shape, device=d)
    if name == "randint":
        return fogo.random.randint(-5, 6, shape, dtype="int32", device=d)
    return _tame(fogo.dropout(out[x], 0.3))


def _several(d: Any, out: Any, name: str, x: int, axis: int) -> Any:
    if name == "standardize":
        y, mean, var = fogo.standardize(out[x], axis, 0.5)
        return y, mean, _tame(var)
    if name == "sort":
        return fogo.sort(out[x], axis)
    return getattr(out[x], name)(axis)[0]


def _integer(d: Any, out: Any, name: str, x: int, y: int) -> Any:
    return getattr(fogo, name)(out[x], out[y]) % 13 - 6


def _normalise(d: Any, out: Any, name: str, x: int) -> Any:
    if name == "layer_norm":
        return fogo.layer_norm(out[x], out[x].shape[-1], eps=0.5)
    return getattr(out[x], name)(-1)


RUN: dict[str, Callable[..., Any]] = {
    "unary": lambda d, out, name, x: _tame(getattr(out[x], name)()),
    "binary": _binary,
    "scalar": lambda d, out, name, x, y: _tame(getattr(fogo, name)(out[x], y)),
    "reduce": _reduce,
    "matmul": _matmul,
    "getitem": lambda d, out, x, keys: out[x][keys],
    "setitem": _setitem,
    "take": lambda d, out, x, i, axis: fogo.take(out[x], out[i], axis),
    "along": lambda d, out, x, i, axis: fogo.take_along_axis(out[x], out[i], axis),
    "random": _random,
    "several": _several,
    "reshape": lambda d, out, x, shape: out[x].reshape(shape),
    "permute": lambda d, out, x, axes: out[x].permute(axes),
    "concat": lambda d, out, x, y, axis: fogo.concat([out[x], out[y]], axis),
    "integer": _integer,
    "compare": lambda d, out, x, y: out[x] % 5 > y,
    "where": lambda d, out, c, x: fogo.where(out[c], out[x], 0.25),
    "cast": lambda d, out, x, dtype: out[x].astype(dtype),
    "normalise": _normalise,
    "expand": lambda d, out, x, count: out[x].expand((count, *out[x].shape)),
    "full": lambda d, out, shape: fogo.full(shape, 0.75, device=d),
}


def compare(program: Program, one: list[Any], other: list[Any], what: str) -> None:
    """Assert that two runs gave the same; AssertionError with the program."""
    assert len(one) == len(other)
    for i, (a, b) in enumerate(zip(one, other, strict=True)):
        note = f"{what}, value {i}\n{program!r}"
        assert a.dtype == b.dtype and a.shape == b.shape, note
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4, err_msg=note)
        else:
            np.testing.assert_array_equal(a, b, err_msg=note)

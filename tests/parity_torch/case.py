"""A case of parity: one thing built and called in fogo and in PyTorch, and compared.

A room (`rnn.py`, `losses.py`, …) has a list `CASES`; `test_parity.py` runs them all on
every backend. A case is written once: `build` gets a library, `Ours` or `Theirs`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

import fogo
from fogo import nn
from tests.parity_torch.tolerance import FORWARD, GRADIENT, lookup

EVERY = ("float16", "float32", "float64")


class Case:
    """build(lib) -> a module or function of that library; inputs: arrays for it.

    call     (lib, f, *inputs) -> outputs, nested as they like; f(*inputs) if None
    fixed    positions of float inputs that want no gradient
    unused   names of parameters that fogo's module has not, with why
    factor   widens the tolerances; why: the reason
    training whether the modules train (else eval)
    grads    whether gradients are compared; dtypes: of the floats
    """

    def __init__(
        self,
        name: str,
        build: Callable[[Any], Any],
        inputs: Sequence[Any] = (),
        call: Callable[..., Any] | None = None,
        fixed: Sequence[int] = (),
        factor: float = 1.0,
        why: str = "",
        training: bool = True,
        grads: bool = True,
        dtypes: Sequence[str] = ("float32", "float64"),
    ) -> None:
        assert factor == 1.0 or why, f"{name}: a wider tolerance needs a reason"
        self.name = name
        self.build = build
        self.inputs = list(inputs)
        self.call = call
        self.fixed = tuple(fixed)
        self.factor = factor
        self.training = training
        self.grads = grads
        self.dtypes = tuple(dtypes)

    def __repr__(self) -> str:
        return self.name


class Theirs:
    """PyTorch in float64: `nn`, `F` and `tensor`."""

    ours = False
    nn = torch.nn
    F = torch.nn.functional
    lib = torch

    def tensor(self, array: Any) -> torch.Tensor:
        """A tensor of an array: float64, bool or int64."""
        array = np.asarray(array)
        found = torch.tensor(array)
        if array.dtype.kind == "f":
            return found.double()
        return found if array.dtype.kind == "b" else found.long()


class Ours:
    """fogo on an autodiff device in a float dtype: `nn`, `F` and `tensor`."""

    ours = True
    nn = nn
    F = fogo
    lib = fogo

    def __init__(self, device: fogo.Device, dtype: str) -> None:
        self.device = device.autodiff()
        self.dtype = dtype

    def tensor(self, array: Any) -> fogo.Tensor:
        """A tensor of an array: floats in the dtype, int32 or bool."""
        array = np.asarray(array)
        kind = {"f": self.dtype, "b": "bool"}.get(array.dtype.kind, "int32")
        return fogo.tensor(array.tolist(), dtype=kind, device=self.device).reshape(
            array.shape
        )


def floats(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> Any:
    """Return float64 numbers that float32 holds exactly."""
    rng = np.random.default_rng(zlib.crc32(repr((shape, seed)).encode()))
    return rng.uniform(low, high, shape).astype(np.float32).astype(np.float64)


def ints(*shape: int, low: int = 0, high: int = 5, seed: int = 0) -> Any:
    """Return int64 numbers in [low, high)."""
    rng = np.random.default_rng(zlib.crc32(repr((shape, seed)).encode()))
    return rng.integers(low, high, shape)


def leaves(tree: Any) -> list[Any]:
    """The tensors of nested lists and tuples (and of packed sequences), in order."""
    if isinstance(tree, (fogo.Tensor, torch.Tensor)):
        return [tree]
    if hasattr(tree, "batch_sizes"):
        return [tree.data]
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves(part)]
    return []


def near(
    actual: Any, wanted: torch.Tensor, bounds: tuple[float, float], what: str
) -> None:
    """Fail unless a fogo tensor agrees with a PyTorch one in shape and values."""
    expected = wanted.detach().numpy()
    found = np.array(actual.tolist(), dtype=np.float64).reshape(actual.shape)
    assert found.shape == expected.shape, what
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected, err_msg=what)
        return
    finite = np.abs(expected[np.isfinite(expected)])
    largest = float(finite.max()) if finite.size else 0.0
    rtol, atol = bounds
    np.testing.assert_allclose(
        found, expected, rtol, atol * (1.0 + largest), err_msg=what
    )


def _built(case: Case, lib: Any) -> Any:
    torch.manual_seed(zlib.crc32(case.name.encode()))
    return case.build(lib)


def _twins(case: Case, ours: Ours, theirs: Theirs) -> tuple[Any, Any]:
    """Both, with PyTorch's weights in ours, by name and unchanged."""
    b = _built(case, theirs)
    a = _built(case, ours)
    if isinstance(b, torch.nn.Module):
        rng = np.random.default_rng(5)
        with torch.no_grad():
            for p in b.parameters():  # ones and zeros would hide a mistake
                shift = rng.uniform(-0.3, 0.3, tuple(p.shape))
                p.add_(torch.tensor(shift, dtype=p.dtype))
        assert list(a.state_dict()) == list(b.state_dict()), "names of the state"
        a.to(ours.device).to(fogo.dtype(ours.dtype))
        a.load_state_dict(b.state_dict())
        b.double()
        a.train(case.training)
        b.train(case.training)
    return a, b


def _given(case: Case, lib: Any) -> list[Any]:
    made = []
    for i, array in enumerate(case.inputs):
        x = lib.tensor(array)
        if np.asarray(array).dtype.kind == "f" and i not in case.fixed and case.grads:
            x.requires_grad_()
        made.append(x)
    return made


def check(case: Case, device: fogo.Device, backend: str, dtype: str) -> None:
    """Compare outputs, and the gradients by every float input and parameter."""
    ours, theirs = Ours(device, dtype), Theirs()
    a, b = _twins(case, ours, theirs)
    mine, given = _given(case, ours), _given(case, theirs)
    call = case.call or (lambda lib, f, *inputs: f(*inputs))
    found, wanted = leaves(call(ours, a, *mine)), leaves(call(theirs, b, *given))
    assert len(found) == len(wanted), "number of results"
    bounds = lookup(FORWARD, backend, dtype, case.factor)
    for i, (x, y) in enumerate(zip(found, wanted, strict=True)):
        near(x, y, bounds, f"result {i}")
    if case.grads:
        bounds = lookup(GRADIENT, backend, dtype, case.factor)
        _gradients(a, b, mine, given, found, wanted, ours, bounds)


def _gradients(
    a: Any, b: Any, mine: Any, given: Any, found: Any, wanted: Any, ours: Ours,
    bounds: tuple[float, float],
) -> None:  # fmt: skip
    total, sums = None, []
    rng = np.random.default_rng(7)
    for x, y in zip(found, wanted, strict=True):
        if not (y.is_floating_point() and y.requires_grad):
            continue
        seed = rng.uniform(-1, 1, tuple(y.shape))
        part = (x * ours.tensor(seed)).sum()
        total = part if total is None else total + part
        sums.append((y * torch.tensor(seed)).sum())
    assert total is not None, "nothing depends on what wants gradients"
    grads = total.backward()
    sum(sums[1:], sums[0]).backward()
    pairs = [(f"input {i}", x, y) for i, (x, y) in enumerate(zip(mine, given))]
    if isinstance(b, torch.nn.Module):
        own = dict(a.named_parameters())
        pairs += [(name, own[name], p) for name, p in b.named_parameters()]
    for what, x, y in pairs:
        if y.requires_grad and y.grad is not None:
            near(grads[x], y.grad, bounds, f"gradient by {what}")

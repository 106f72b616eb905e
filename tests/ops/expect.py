"""Expected values of a case: NumPy in float64 forward, PyTorch in float64 backward."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch

import fogo
from tests.ops.data import encode, kind, tensor
from tests.ops.rows import Row

Case = dict[str, Any]


def complete(row: Row, dtype: str, case: Case) -> Case:
    """Return the case as plain values, with what it must give."""
    inputs = case["arrays"]
    args, options = case.get("args", []), case.get("options", {})
    out: Case = {"id": case["id"], "op": case["op"], "inputs": _specs(case)}
    for name, value in (("args", args), ("options", options), ("at", row.at)):
        if value or value == 0:
            out[name] = value
    for flag in ("listed", "creates", "host"):
        if getattr(row, flag):
            out[{"listed": "list"}.get(flag, flag)] = 1
    if row.seed is not None:
        out["seed"] = row.seed
    if row.factor != 1.0:
        out["factor"] = row.factor
    out["outputs"] = forward(row, dtype, inputs, args, options)
    level = case.get("level", 0)
    floats = any(kind(o["dtype"]) == "float" for o in out["outputs"])
    if level and floats and row.torch is not None:
        first, second = derivatives(row, inputs, args, options)
        out["grads"] = [None if g is None else encode(g) for g in first]
        if level == 2 and row.second:
            out["second"] = [None if g is None else encode(g) for g in second]
    return out


def positions(row: Row, tensors: list[Any], args: list[Any]) -> list[Any]:
    """Return the positional arguments of the call: tensors, and options among them."""
    operands: list[Any] = [tensors] if row.listed else list(tensors)
    at = len(operands) if row.at is None else row.at
    return operands[:at] + list(args) + operands[at:]


def _specs(case: Case) -> list[Any]:
    specs = []
    for array, layout in zip(case["arrays"], case["layouts"]):
        scalar = not isinstance(array, np.ndarray)
        specs.append({"scalar": array} if scalar else tensor(array, layout))
    return specs


def forward(
    row: Row, dtype: str, inputs: list[Any], args: list[Any], options: dict[str, Any]
) -> list[Any]:
    """Run the NumPy reference; floats as float64, others as they are."""
    operands = positions(row, [_wide(x, row.to_float) for x in inputs], args)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = row.numpy(*operands, **options)
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        kinds = row.out if isinstance(row.out, (list, tuple)) else [row.out] * 99
        return [_output(row, dtype, r, k) for r, k in zip(results, kinds)]


def _wide(x: Any, to_float: bool) -> Any:
    if not isinstance(x, np.ndarray):
        return x
    return x.astype("float64") if to_float or kind(str(x.dtype)) == "float" else x


def _output(row: Row, dtype: str, result: Any, rule: Any) -> dict[str, Any]:
    array = np.asarray(result)
    name = rule(dtype) if callable(rule) else rule
    if name is None:
        name = _natural(row, dtype, array)
    known = {"same": dtype, "float": "float32", "numpy": str(array.dtype)}
    name = known.get(name, name)
    values = array.astype({"int": "int64", "uint": "uint64"}.get(name, name))
    return {"dtype": name, "shape": list(array.shape), "values": encode(values)}


def _natural(row: Row, dtype: str, array: Any) -> str:
    if array.dtype.kind == "b":
        return "bool"
    if row.to_float and kind(dtype) != "float":
        return "float32"
    return "same"


def weights(count: int, first: bool) -> Any:
    """The cotangent of tests/shared/cases.py, by the same rule."""
    i = np.arange(count)
    return ((i * 5 + 3) % 9 - 4) / 4.0 if first else ((i * 7 + 3) % 11 - 4) / 4.0


def derivatives(
    row: Row, inputs: list[Any], args: list[Any], options: dict[str, Any]
) -> tuple[list[Any], list[Any]]:
    """First and second derivatives of the weighted sum of all float results."""
    assert row.torch is not None
    leaves = [_leaf(x) for x in inputs]
    operands = positions(row, leaves, [_torch_option(a) for a in args])
    options = {k: _torch_option(v) for k, v in options.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = row.torch(*operands, **options)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    floats = [x for x in leaves if _needs(x)]
    first = _grads(_total(results, True), floats, floats)
    again = _grads(_total([g for g in first if g.requires_grad], False), floats, first)
    return _spread(leaves, first, inputs), _spread(leaves, again, inputs)


def _leaf(x: Any) -> Any:
    if not isinstance(x, np.ndarray):
        return x
    if kind(str(x.dtype)) == "float":
        return torch.tensor(x.astype("float64"), requires_grad=True)
    return torch.tensor(x.astype("bool" if x.dtype.kind == "b" else "int64"))


def _torch_option(value: Any) -> Any:
    return getattr(torch, value) if str(value) in fogo.dtypes.BY_NAME else value


def _needs(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.requires_grad


def _total(results: list[Any], first: bool) -> Any:
    total = torch.zeros((), dtype=torch.float64)
    for r in results:
        if r.is_floating_point():
            w = torch.tensor(weights(r.numel(), first)).reshape(r.shape)
            total = total + (r * w).sum()
    return total


def _grads(total: Any, leaves: list[Any], like: list[Any]) -> list[Any]:
    if not total.requires_grad or not leaves:
        return [torch.zeros_like(x) for x in leaves]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grads = torch.autograd.grad(total, leaves, create_graph=True, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for g, x in zip(grads, leaves)]


def _spread(leaves: list[Any], grads: list[Any], inputs: list[Any]) -> list[Any]:
    """One entry per input: None for those that are not float tensors."""
    found = iter(grads)
    out = []
    for leaf, given in zip(leaves, inputs):
        if _needs(leaf):
            out.append(next(found).detach().numpy(force=True).astype(given.dtype))
        else:
            out.append(None)
    return out

"""Every name of the standard is there, with its parameters."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import fogo
from tests.array_api import standard

FUNCTIONS = standard.signatures()
METHODS = standard.signatures(standard.METHODS)
POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)


def test_the_table_is_whole() -> None:
    """As many functions as the standard's lists have."""
    assert len(standard.ELEMENTWISE) == 66
    assert len(FUNCTIONS) == 66 + 68


def compare(ours: inspect.Signature, theirs: inspect.Signature) -> None:
    """Positions in order, keywords by name and default; what is more has a default.

    Names of what is given by position only are free; `*more` may follow.
    """
    mine = ours.parameters
    order = [p for p in mine.values() if p.kind in POSITIONAL]
    for place, (name, p) in enumerate(theirs.parameters.items()):
        if p.kind is p.VAR_POSITIONAL:
            assert any(q.kind is p.VAR_POSITIONAL for q in mine.values())
            continue
        if p.kind in POSITIONAL:
            assert len(order) > place, f"no parameter at place {place}"
        if p.kind is not p.POSITIONAL_ONLY:
            assert name in mine, f"no parameter {name}"
            assert p.kind is p.KEYWORD_ONLY or order[place].name == name
        if p.default is not p.empty:
            known = mine[name] if name in mine else order[place]
            assert known.default == p.default, f"{name}={known.default}"
    known = set(theirs.parameters)
    count = len([p for p in theirs.parameters.values() if p.kind in POSITIONAL])
    for q in order[count:]:
        assert q.name in known or q.default is not q.empty, f"{q.name} is required"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function(name: str) -> None:
    assert name in dir(fogo) or name.startswith("__")
    compare(inspect.signature(getattr(fogo, name)), FUNCTIONS[name])


@pytest.mark.parametrize("name", sorted(METHODS))
def test_method(name: str) -> None:
    compare(inspect.signature(getattr(fogo.Tensor, name)), METHODS[name])


def test_operators_and_attributes() -> None:
    names = list(standard.UNARY) + [f"__{n}__" for n in standard.COMPARISONS]
    for n in [*standard.BINARY, "matmul"]:
        names += [f"__{n}__", f"__r{n}__"]
    missing = [n for n in names if n not in dir(fogo.Tensor)]
    x = fogo.ones(1, 1, device="python")
    missing += [n for n in standard.ATTRIBUTES if not hasattr(x, n)]
    assert not missing


def test_constants_and_dtypes() -> None:
    import math

    assert (fogo.e, fogo.pi, fogo.inf) == (math.e, math.pi, math.inf)
    assert math.isnan(fogo.nan) and fogo.newaxis is None
    for name in standard.DTYPES:
        assert getattr(fogo, name) is fogo.dtype(name)
        assert getattr(fogo, name) == fogo.dtype(name)
        assert fogo.dtype(name) != fogo.float16
    assert fogo.__array_api_version__ == standard.VERSION


def test_the_namespace_of_a_tensor(device: fogo.Device) -> None:
    x = fogo.ones(2, device=device)
    assert x.__array_namespace__() is fogo
    assert x.__array_namespace__(api_version="2024.12") is fogo
    with pytest.raises(fogo.DeviceError, match=r"2024.12.*'1999.01'"):
        x.__array_namespace__(api_version="1999.01")


def held(device: fogo.Device) -> list[str]:
    """The standard's dtypes that a device holds."""
    holds = device.base().backend.holds
    return [n for n in standard.DTYPES if fogo.dtype(n) in holds]


def test_info(device: fogo.Device) -> None:
    info: Any = fogo.__array_namespace_info__()
    capable = info.capabilities()
    assert capable["boolean indexing"] is True
    assert capable["data-dependent shapes"] is True
    assert capable["max dimensions"] == 64
    assert info.default_device() is fogo.default_device()
    assert info.default_device() in info.devices()
    defaults = info.default_dtypes(device=device)
    assert defaults == {
        "real floating": fogo.float32,
        "complex floating": fogo.complex64,
        "integral": device.default_int,
        "indexing": device.default_int,
    }
    found = info.dtypes(device=device)
    assert {n: d.name for n, d in found.items()} == {n: n for n in held(device)}
    kinds = {
        "bool": standard.BOOL,
        "signed integer": standard.SIGNED,
        "unsigned integer": standard.UNSIGNED,
        "integral": standard.INTEGERS,
        "real floating": standard.FLOATS,
        "complex floating": standard.COMPLEX,
        "numeric": standard.NUMERIC,
        ("bool", "integral"): standard.BOOL + standard.INTEGERS,
    }
    for kind, names in kinds.items():
        part = info.dtypes(device=device, kind=kind)
        assert sorted(part) == sorted(n for n in names if n in held(device)), kind


def test_errors_are_python_s_too() -> None:
    """What the standard says is raised, under the names that it gives."""
    x = fogo.ones(2, 3, device="python")
    for wrong in (lambda: x[5], lambda: fogo.expand_dims(x, axis=7)):
        with pytest.raises(IndexError):
            wrong()
    for wrong in (lambda: fogo.squeeze(x, 0), lambda: fogo.reshape(x, (4,))):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        [1, 2][x[0, 0]]  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        fogo.bitwise_and(x, x)
    with pytest.raises(ValueError):
        fogo.asarray([1], copy=False)
    with pytest.raises(BufferError):
        fogo.broadcast_to(x[0, 0], (3,)).__dlpack__(copy=False)

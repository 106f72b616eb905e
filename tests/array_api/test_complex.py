"""Complex numbers, on the backend that holds them: values, gradients, text, reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import fogo

DEVICE = fogo.device("numpy")
TRACKED = DEVICE.autodiff()
UNARY = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "conj", "cos", "cosh",
    "exp", "expm1", "imag", "log", "log10", "log1p", "log2", "neg", "real",
    "reciprocal", "rsqrt", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
    "angle",
)  # fmt: skip
TORCH = {"sign": "sgn"}
BINARY = ("add", "div", "mul", "pow", "sub")


def drawn(*shape: int, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    return random.normal(size=shape) + 1j * random.normal(size=shape)


def beside_torch(
    ours: Callable[..., Any], theirs: Callable[..., Any], *arrays: Any
) -> None:
    """Values and gradients, with a complex cotangent where the result is complex."""
    leaves = [fogo.tensor(a, device=TRACKED).requires_grad_() for a in arrays]
    others = [torch.tensor(a, requires_grad=True) for a in arrays]
    got, want = ours(*leaves), theirs(*others)
    assert np.allclose(got.numpy(), want.detach().resolve_conj().numpy(), rtol=1e-11)
    g = drawn(*want.shape, seed=1) if want.is_complex() else drawn(*want.shape).real
    grads = got.backward(fogo.tensor(g, device=DEVICE))
    want.backward(torch.tensor(g))
    for leaf, other in zip(leaves, others):
        assert other.grad is not None
        assert grads[leaf].dtype is leaf.dtype
        assert np.allclose(
            grads[leaf].numpy(), other.grad.resolve_conj().numpy(), rtol=1e-9
        )


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one(name: str) -> None:
    theirs = getattr(torch, TORCH.get(name, name))
    beside_torch(getattr(fogo, name), theirs, drawn(4, 5))


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two(name: str) -> None:
    ours, theirs = getattr(fogo, name), getattr(torch, name)
    a, b = drawn(4, 5), drawn(5, seed=2)
    beside_torch(ours, theirs, a, b)
    beside_torch(ours, theirs, abs(a), b)  # a real number meets complex ones
    beside_torch(ours, theirs, a, b.real)


REST: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = {
    "sum": (lambda x: fogo.sum(x, 1), lambda t: t.sum(1), (drawn(3, 4),)),
    "prod": (lambda x: fogo.prod(x, 1), lambda t: t.prod(1), (drawn(3, 4),)),
    "mean": (lambda x: fogo.mean(x, 0), lambda t: t.mean(0), (drawn(3, 4),)),
    "cumsum": (lambda x: x.cumsum(1), lambda t: t.cumsum(1), (drawn(3, 4),)),
    "cumprod": (lambda x: x.cumprod(1), lambda t: t.cumprod(1), (drawn(3, 4),)),
    "matmul": (fogo.matmul, torch.matmul, (drawn(2, 3, 4), drawn(4, 5, seed=2))),
    "vecdot": (fogo.vecdot, torch.linalg.vecdot, (drawn(3, 4), drawn(3, 4, seed=2))),
    "tensordot": (fogo.tensordot, torch.tensordot, (drawn(2, 3, 4), drawn(3, 4, 2))),
    "take": (lambda x: x[[1, 0, 1]], lambda t: t[[1, 0, 1]], (drawn(3, 4),)),
    "slices": (lambda x: x[1:, ::-1], lambda t: t[1:].flip(1), (drawn(3, 4),)),
    "where": (
        lambda x, y: fogo.where(abs(x) > 1, x, y),
        lambda t, u: torch.where(abs(t) > 1, t, u),
        (drawn(3, 4), drawn(3, 4, seed=3)),
    ),
    "concat": (
        lambda x, y: fogo.concat([x, y], 1),
        lambda t, u: torch.cat([t, u], 1),
        (drawn(3, 4), drawn(3, 2)),
    ),
    "chain": (
        lambda x: abs(fogo.sin(x) * fogo.conj(x) / (x + 2)),
        lambda t: abs(torch.sin(t) * torch.conj(t) / (t + 2)),
        (drawn(3, 4),),
    ),
    "cast": (
        lambda x: fogo.astype(x, "complex128") * 1j,
        lambda t: t.to(torch.complex128) * 1j,
        (drawn(3, 4).real,),
    ),
}


@pytest.mark.parametrize("name", sorted(REST))
def test_the_rest(name: str) -> None:
    beside_torch(*REST[name][:2], *REST[name][2])


def test_second_derivatives() -> None:
    z = drawn(4)
    x = fogo.tensor(z, device=TRACKED.autodiff()).requires_grad_()
    first = abs(fogo.exp(x) * x).sum().backward()[x]
    second = abs(first).sum().backward()[x]
    t = torch.tensor(z, requires_grad=True)
    (g,) = torch.autograd.grad(abs(torch.exp(t) * t).sum(), t, create_graph=True)
    (want,) = torch.autograd.grad(abs(g).sum(), t)
    assert np.allclose(second.numpy(), want.numpy(), rtol=1e-9)


def test_gradients_at_zero() -> None:
    x = fogo.zeros(2, dtype="complex64", device=TRACKED).requires_grad_()
    assert abs(x).sum().backward()[x].tolist() == [0, 0]
    assert abs(fogo.sign(x)).sum().backward()[x].tolist() == [0, 0]


def test_a_complex_result_needs_a_gradient() -> None:
    x = fogo.ones(1, dtype="complex64", device=TRACKED).requires_grad_()
    with pytest.raises(fogo.DTypeError, match=r"backward: .* must be real"):
        (x * 2).backward()


SPECIAL = [
    complex(a, b) for a in (0.0, 1.0, -np.inf, np.nan) for b in (-0.0, 2.0, np.inf)
]


@pytest.mark.parametrize("name", ("exp", "log", "sqrt", "sin", "cosh", "tanh", "atan"))
def test_special_values(name: str) -> None:
    numpy = {"atan": "arctan"}.get(name, name)
    array = np.array(SPECIAL)
    with np.errstate(all="ignore"):
        want = getattr(np, numpy)(array)
    got = getattr(fogo, name)(fogo.tensor(array, device=DEVICE)).numpy()
    assert np.array_equal(got.real, want.real, equal_nan=True)
    assert np.array_equal(got.imag, want.imag, equal_nan=True)


REFUSED = (
    "floor", "ceil", "trunc", "argmax", "argmin", "max", "min", "sort", "argsort",
    "erf", "var", "std", "signbit", "bitwise_invert", "relu",
)  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_meaning_is_refused(name: str) -> None:
    x = fogo.tensor([1j, 2.0], device=DEVICE)
    with pytest.raises(fogo.DTypeError, match="complex64"):
        getattr(fogo, name)(x)


@pytest.mark.parametrize(
    "name", ("maximum", "remainder", "floor_divide", "less", "atan2")
)
def test_pairs_without_meaning_are_refused(name: str) -> None:
    x = fogo.tensor([1j, 2.0], device=DEVICE)
    with pytest.raises(fogo.DTypeError, match="complex64"):
        getattr(fogo, name)(x, x)


def test_printing() -> None:
    x = fogo.tensor([1.0, -2.0 + 0.5j], device=DEVICE)
    assert repr(x) == (
        "tensor([ 1.0000+0.0000j, -2.0000+0.5000j], dtype=complex64, device=numpy)"
    )
    assert repr(fogo.tensor([2 - 1j], device=DEVICE)) == (
        "tensor([2.-1.j], dtype=complex64, device=numpy)"
    )
    odd = fogo.tensor([complex(np.nan, -np.inf)], device=DEVICE)
    assert "nan-infj" in repr(odd)


def test_reading_and_writing() -> None:
    for name in ("complex64", "complex128"):
        array = drawn(2, 3).astype(name)
        x = fogo.tensor(array, device=DEVICE)
        assert x.dtype.name == name
        assert np.array_equal(x.numpy(), array) and x.numpy().dtype == array.dtype
        assert x.tolist() == array.tolist()
        assert x[0, 1].item() == complex(x[0, 1]) == array[0, 1]
        x[1] = 1j
        assert x[1].tolist() == [1j, 1j, 1j]
        x[x == 1j] = 0
        assert fogo.count_nonzero(x).item() == 3
        assert bool(fogo.any(x)) and not bool(fogo.all(x))
    assert fogo.tensor(2j, device=DEVICE).shape == ()
    with pytest.raises(TypeError):
        float(fogo.tensor(2j, device=DEVICE))
    with pytest.raises(fogo.DTypeError, match="int32 holds real numbers"):
        fogo.tensor([1j], dtype="int32", device=DEVICE)


def test_real_numbers_have_parts_too(device: fogo.Device) -> None:
    x = fogo.tensor([1.0, -2.0], device=device)
    assert fogo.real(x).tolist() == fogo.conj(x).tolist() == [1.0, -2.0]
    assert fogo.imag(x).tolist() == [0.0, 0.0]

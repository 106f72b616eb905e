"""What the array API standard says of results of `fogo.linalg`, on every device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo import linalg as L

MATRIX = [[4.0, 1.0], [1.0, 3.0]]
NAMES = {
    "eigh": "eigenvalues eigenvectors",
    "lstsq": "solution residuals rank singular_values",
    "lu": "P L U",
    "qr": "Q R",
    "slogdet": "sign logabsdet",
    "svd": "U S Vh",
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_parts_have_names_and_unpack(name: str, device: str) -> None:
    x = fogo.tensor(MATRIX, device=device)
    made: Any = getattr(L, name)(*([x, x] if name == "lstsq" else [x]))
    names = NAMES[name].split()
    assert isinstance(made, tuple) and len(made) == len(names)
    for part, own in zip(made, names, strict=True):
        assert getattr(made, own) is part


def test_named_parts_are_the_right_ones(device: str) -> None:
    x = fogo.tensor(MATRIX, device=device)
    w, s = np.linalg.eigvalsh(MATRIX), np.linalg.svd(MATRIX)[1]
    assert np.allclose(L.eigh(x).eigenvalues.tolist(), w, rtol=1e-5)
    assert np.allclose(L.svd(x).S.tolist(), s, rtol=1e-5)
    assert np.allclose((L.qr(x).Q @ L.qr(x).R).tolist(), MATRIX, rtol=1e-5)
    assert L.slogdet(x).logabsdet.item() == pytest.approx(np.log(11.0), rel=1e-5)
    solved = L.lstsq(x, fogo.tensor([[5.0], [4.0]], device=device)).solution
    assert np.allclose(solved.tolist(), [[1.0], [1.0]], rtol=1e-4)


def test_parts_of_eig_have_names() -> None:
    made = L.eig(fogo.tensor([[0.0, -1.0], [1.0, 0.0]]))
    assert sorted(z.imag for z in made.eigenvalues.tolist()) == [-1.0, 1.0]
    assert made.eigenvectors.shape == (2, 2)


def test_named_parts_come_through_transforms(device: str) -> None:
    x = fogo.tensor([MATRIX, MATRIX], device=device)
    w = np.linalg.eigvalsh([MATRIX, MATRIX])
    assert np.allclose(fogo.vmap(L.eigh)(x).eigenvalues.tolist(), w, rtol=1e-5)
    assert np.allclose(fogo.compile(L.eigh)(x).eigenvalues.tolist(), w, rtol=1e-5)


@pytest.mark.parametrize("shape", [(2, 2), (3, 2, 4), (2, 0, 3), (0, 2, 2)])
def test_ranks_are_default_integers(shape: tuple[int, ...], device: str) -> None:
    rank = L.matrix_rank(fogo.ones(shape, device=device))
    assert rank.dtype is fogo.device(device).default_int
    assert rank.shape == shape[:-2]
    assert rank.numpy().tolist() == np.full(shape[:-2], 0 if 0 in shape else 1).tolist()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 3, 0)])
@pytest.mark.parametrize("order", ["fro", "nuc"])
def test_norm_of_an_empty_matrix_is_zero(
    shape: tuple[int, ...], order: str, device: str
) -> None:
    made = L.matrix_norm(fogo.ones(shape, device=device), ord=order)
    assert made.numpy().tolist() == np.zeros(shape[:-2]).tolist()


def test_trace_takes_a_dtype(device: str) -> None:
    x = fogo.tensor([[100, 1], [2, 100]], dtype="int16", device=device)
    made = L.trace(x, offset=0, dtype=fogo.float32)
    assert made.dtype is fogo.float32 and made.item() == 200.0
    assert L.trace(x, offset=1, dtype=fogo.int32).item() == 1
    assert L.trace(x).dtype is fogo.device(device).default_int


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: L.solve(x, [1.0, 2.0]), fogo.DTypeError, "solve: it takes tensors"),
        (lambda x: L.lstsq(x, [1.0, 2.0]), fogo.DTypeError, "lstsq: it takes tensors"),
        (lambda x: L.vector_norm(x, ord="fro"), fogo.FogoError, "ord is a number"),
        (lambda x: L.norm(x, ord="nuc", axis=0), fogo.FogoError, "ord is a number"),
    ],
)
def test_wrong_operands_are_told(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(fogo.tensor(MATRIX))

"""Linear algebra beside NumPy in float64 and PyTorch's gradients, on every device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import fogo
from fogo import linalg as L
from tests.support import sampling

SHAPES = [(1, 1), (2, 2), (4, 4), (2, 3, 3), (2, 1, 4, 4)]
ANY = [*SHAPES, (5, 3), (3, 5), (2, 4, 2), (1, 3), (3, 1)]


def general(rng: Any, shape: tuple[int, ...]) -> Any:
    """A matrix whose singular values are apart, none near 0."""
    m, n = shape[-2:]
    a = rng.uniform(-1, 1, shape)
    if m == n:
        return a + np.diag(np.arange(n) + 2.0)
    return a + np.eye(m, n) * (np.arange(min(m, n)).max() + 2.0)


def positive(rng: Any, shape: tuple[int, ...]) -> Any:
    a = general(rng, shape)
    return a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1])


def symmetric(rng: Any, shape: tuple[int, ...]) -> Any:
    a = rng.uniform(-1, 1, shape)
    return a + np.swapaxes(a, -1, -2) + np.diag(np.arange(shape[-1]) * 3.0)


def triangle(rng: Any, shape: tuple[int, ...]) -> Any:
    return np.tril(general(rng, shape))


class Case:
    """A function of ours, PyTorch's, the shapes, and how the inputs are made."""

    def __init__(
        self, name: str, ours: Callable[..., Any], theirs: Callable[..., Any],
        shapes: list[Any], make: Any = general, smooth: bool = True,
    ) -> None:  # fmt: skip
        self.name, self.ours, self.theirs = name, ours, theirs
        self.shapes, self.make, self.smooth = shapes, make, smooth

    def inputs(self, shape: Any, seed: int = 0) -> list[Any]:
        """Float64 arrays: of one shape, or of several."""
        rng = np.random.default_rng([seed, *str((self.name, shape)).encode()])
        if isinstance(shape, list):
            rest = [rng.uniform(-1, 1, s) for s in shape[1:]]
            return [self.make(rng, shape[0]), *rest]
        return [self.make(rng, shape)]


def both(x: Any) -> Any:
    """A symmetric function of a matrix: gradients then agree for one triangle."""
    return (x + x.mT) * 0.5


def same_sign(v: Any) -> Any:
    """What does not depend on the signs of columns."""
    return v * v


T = torch.linalg
SOLVES: list[Any] = [
    [(3, 3), (3,)], [(3, 3), (3, 2)], [(2, 3, 3), (2, 3, 4)], [(2, 3, 3), (3, 1)],
    [(3, 3), (2, 3, 1)],
]  # fmt: skip
CASES = [
    Case("cholesky", lambda x: L.cholesky(both(x)), lambda x: T.cholesky(both(x)),
         SHAPES, positive),
    Case("cholesky upper", lambda x: L.cholesky(both(x), upper=True),
         lambda x: T.cholesky(both(x), upper=True), [(3, 3)], positive),
    Case("lower solve", lambda a, b: L.solve_triangular(a, b, upper=False),
         lambda a, b: T.solve_triangular(a.tril(), b, upper=False), SOLVES[1:]),
    Case("upper solve", lambda a, b: L.solve_triangular(a, b, upper=True),
         lambda a, b: T.solve_triangular(a.triu(), b, upper=True), SOLVES[1:3]),
    Case("unit solve",
         lambda a, b: L.solve_triangular(a * 0.2, b, upper=True, unitriangular=True),
         lambda a, b: T.solve_triangular(
             (a * 0.2).triu(), b, upper=True, unitriangular=True), SOLVES[1:3]),
    Case("solve from the right",
         lambda a, b: L.solve_triangular(a, b, upper=False, left=False),
         lambda a, b: T.solve_triangular(a.tril(), b, upper=False, left=False),
         [[(3, 3), (2, 3)]]),
    Case("solve", L.solve, T.solve, SOLVES),
    Case("inv", L.inv, T.inv, SHAPES),
    Case("det", L.det, T.det, SHAPES),
    Case("slogdet", L.slogdet, lambda x: tuple(T.slogdet(x)), SHAPES),
    Case("lu", lambda x: L.lu(x)[1:], lambda x: tuple(T.lu(x))[1:], SHAPES),
    Case("lu_factor", lambda x: L.lu_factor(x)[0], lambda x: T.lu_factor(x)[0], SHAPES),
    Case("qr", L.qr, lambda x: tuple(T.qr(x)), ANY),
    Case("qr complete", lambda x: L.qr(x, mode="complete"),
         lambda x: tuple(T.qr(x, mode="complete")), SHAPES),
    Case("eigh", lambda x: (L.eigh(both(x))[0], same_sign(L.eigh(both(x))[1])),
         lambda x: (T.eigh(both(x))[0], same_sign(T.eigh(both(x))[1])), SHAPES,
         symmetric),
    Case("eigvalsh", lambda x: L.eigvalsh(both(x)), lambda x: T.eigvalsh(both(x)),
         [(4, 4)], symmetric),
    Case("svd", lambda x: tuple(same_sign(v) for v in L.svd(x, full_matrices=False)),
         lambda x: tuple(same_sign(v) for v in T.svd(x, full_matrices=False)), ANY),
    Case("svdvals", L.svdvals, T.svdvals, ANY),
    Case("pinv", L.pinv, T.pinv, ANY),
    Case("lstsq", lambda a, b: L.lstsq(a, b)[0], lambda a, b: T.pinv(a) @ b,
         [[(4, 2), (4,)], [(4, 2), (4, 3)], [(2, 2, 4), (2, 2, 1)]]),
    Case("cond", L.cond, T.cond, [(3, 3), (4, 2)]),
    Case("cond 1", lambda x: L.cond(x, 1),
         lambda x: T.matrix_norm(x, 1) * T.matrix_norm(T.inv(x), 1), [(3, 3)]),
    Case("matrix_exp", L.matrix_exp, T.matrix_exp, [(1, 1), (3, 3), (2, 2, 2)]),
    Case("matrix_power", lambda x: L.matrix_power(x, 3),
         lambda x: T.matrix_power(x, 3), [(3, 3), (2, 2, 2)]),
    Case("matrix_power -2", lambda x: L.matrix_power(x, -2),
         lambda x: T.matrix_power(x, -2), [(3, 3)]),
    Case("multi_dot", lambda a, b, c: L.multi_dot([a, b, c]),
         lambda a, b, c: T.multi_dot([a, b, c]), [[(3, 4), (4, 2), (2, 5)]]),
    Case("cholesky_solve", lambda a, b: L.cholesky_solve(b, L.cholesky(both(a))),
         lambda a, b: torch.cholesky_solve(b, T.cholesky(both(a))),
         [[(3, 3), (3, 2)]], positive),
    *[Case(f"matrix_norm {o}", lambda x, o=o: L.matrix_norm(x, ord=o),
           lambda x, o=o: T.matrix_norm(x, ord=o), [(3, 3), (2, 4, 2)])
      for o in ("fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf"))],
    *[Case(f"vector_norm {o}", lambda x, o=o: L.vector_norm(x, axis=-1, ord=o),
           lambda x, o=o: T.vector_norm(x, dim=-1, ord=o), [(3, 4)], smooth=o != 0)
      for o in (0, 1, 2, 3, 0.5, -1, float("inf"), -float("inf"))],
]  # fmt: skip
EVERY = [(case, shape) for case in CASES for shape in case.shapes]
GRID = [(c, shape) for c, shape in EVERY if sampling.keep(f"{c.name}-{shape}")]
NAMES = [f"{case.name}-{shape}" for case, shape in GRID]


def parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def total(values: list[Any], make: Callable[[Any], Any]) -> Any:
    """A weighted sum of all outputs that are real numbers."""
    found = None
    for n, v in enumerate(values):
        weight = np.random.default_rng(n).uniform(0.5, 1.5, tuple(v.shape))
        part = (v * make(weight)).sum()
        found = part if found is None else found + part
    return found


def check(case: Case, shape: Any, where: fogo.Device, dtype: str, tol: float) -> None:
    arrays = case.inputs(shape)
    dev = where.autodiff()

    def put(a: Any) -> Any:
        return fogo.tensor(a.tolist(), dtype=dtype, device=dev)

    ours = [put(a).requires_grad_() for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    mine, want = parts(case.ours(*ours)), parts(case.theirs(*theirs))
    for a, b in zip(mine, want, strict=True):
        assert tuple(a.shape) == tuple(b.shape) and a.dtype.name == dtype
        np.testing.assert_allclose(np.array(a.tolist()), b.detach(), tol, tol)
    if not case.smooth:
        return
    grads = total(mine, put).backward()
    total(want, torch.tensor).backward()
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(
            np.array(grads[a].tolist()), b.grad, 20 * tol, 20 * tol
        )


@pytest.mark.parametrize(("case", "shape"), GRID, ids=NAMES)
def test_beside_pytorch(case: Case, shape: Any, device: fogo.Device) -> None:
    check(case, shape, device, "float32", 2e-5)


@pytest.mark.parametrize(("case", "shape"), GRID, ids=NAMES)
def test_float64(case: Case, shape: Any) -> None:
    check(case, shape, fogo.device("numpy"), "float64", 1e-10)
    check(case, shape, fogo.device("python"), "float64", 1e-10)


SECOND = [
    "cholesky", "solve", "inv", "det", "lu", "qr", "eigh", "svd", "matrix_exp", "pinv",
]  # fmt: skip


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name: str) -> None:
    """By central differences of the gradient, in float64."""
    case = [c for c in CASES if c.name == name][0]
    dev = fogo.device("numpy").autodiff()
    shape: Any = [(3, 3), (3, 2)] if name == "solve" else (3, 3)
    arrays = case.inputs(shape)
    turn = np.random.default_rng(5).uniform(-1, 1, arrays[0].shape)

    def slope(a: Any, second: bool = False) -> Any:
        outer = dev.autodiff() if second else dev
        x = fogo.tensor(a.tolist(), dtype="float64", device=outer).requires_grad_()
        rest = [fogo.tensor(b.tolist(), dtype="float64", device=outer)
                for b in arrays[1:]]  # fmt: skip
        values = parts(case.ours(x, *rest))
        made = total(values, lambda w: fogo.tensor(w.tolist(), dtype="float64"))
        return x, made.backward()[x]

    h = 1e-5
    up = np.array(slope(arrays[0] + h * turn)[1].tolist())
    down = np.array(slope(arrays[0] - h * turn)[1].tolist())
    x = fogo.tensor(arrays[0].tolist(), dtype="float64", device=dev).requires_grad_()
    inner = fogo.func.grad(
        lambda a: total(
            parts(case.ours(a, *[fogo.tensor(b.tolist(), dtype="float64", device=dev)
                                 for b in arrays[1:]])),
            lambda w: fogo.tensor(w.tolist(), dtype="float64"),
        )
    )  # fmt: skip
    weight = fogo.tensor(turn.tolist(), dtype="float64")
    along = fogo.func.grad(lambda a: (inner(a) * weight).sum())(x)
    np.testing.assert_allclose(
        np.array(along.tolist()), (up - down) / (2 * h), 1e-4, 1e-5
    )


# What is not smooth, or only said in shapes.


def test_svd_with_full_matrices(device: fogo.Device) -> None:
    rng = np.random.default_rng(1)
    for shape in [(5, 3), (3, 5), (2, 4, 2), (3, 3)]:
        a = rng.uniform(-1, 1, shape)
        u, s, vh = L.svd(fogo.tensor(a.tolist(), device=device))
        m, n = shape[-2:]
        assert u.shape[-2:] == (m, m) and vh.shape[-2:] == (n, n)
        for q in (u, vh):
            unit = np.array((q @ q.mT).tolist())
            np.testing.assert_allclose(
                unit, np.broadcast_to(np.eye(q.shape[-1]), unit.shape), 0, 1e-5
            )
        k = min(m, n)
        made = u[..., :k] * s.reshape((*s.shape[:-1], 1, k)) @ vh[..., :k, :]
        np.testing.assert_allclose(np.array(made.tolist()), a, 0, 1e-5)


def test_rank_is_less_than_full(device: fogo.Device) -> None:
    """Singular values of 0: vectors stay orthonormal, the rank is known."""
    a = np.outer([1.0, 2.0, -1.0, 0.5], [1.0, -1.0, 2.0])
    x = fogo.tensor(a.tolist(), device=device)
    u, s, vh = L.svd(x, full_matrices=False)
    np.testing.assert_allclose(np.array((u.mT @ u).tolist()), np.eye(3), 0, 1e-5)
    np.testing.assert_allclose(s.tolist(), np.linalg.svd(a)[1], 1e-5, 1e-6)
    assert L.matrix_rank(x).item() == 1
    assert L.matrix_rank(x * 0.0).item() == 0
    np.testing.assert_allclose(L.pinv(x).tolist(), np.linalg.pinv(a), 1e-4, 1e-6)
    assert L.matrix_rank(fogo.eye(3, device=device), rtol=2.0).item() == 0


def test_lstsq_says_residuals_and_rank(device: fogo.Device) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.uniform(-1, 1, (5, 2)), rng.uniform(-1, 1, (5, 3))
    want = np.linalg.lstsq(a, b)
    put = [fogo.tensor(v.tolist(), device=device) for v in (a, b)]
    for ours, theirs in zip(L.lstsq(*put), want, strict=True):
        np.testing.assert_allclose(np.array(ours.tolist()), theirs, 1e-4, 1e-5)
    assert L.lstsq(put[0][:2], put[1][:2])[1].size == 0


def test_eig() -> None:
    rng = np.random.default_rng(3)
    for device in ("numpy", "python"):
        a = rng.uniform(-1, 1, (2, 4, 4))
        x = fogo.tensor(a.tolist(), device=device)
        w, v = L.eig(x)
        assert w.device is fogo.device("numpy") and w.dtype.name == "complex64"
        left = a @ v.numpy()
        np.testing.assert_allclose(left, v.numpy() * w.numpy()[:, None, :], 0, 1e-5)
        np.testing.assert_allclose(L.eigvals(x).numpy(), w.numpy(), 1e-6)


def test_complex_matrices() -> None:
    """On NumPy, which holds them; gradients beside PyTorch's."""
    rng = np.random.default_rng(4)
    a = rng.uniform(-1, 1, (3, 3)) + 1j * rng.uniform(-1, 1, (3, 3)) + np.eye(3) * 3
    h = a @ a.conj().T + np.eye(3)
    x = fogo.tensor(a, device="numpy")
    y = fogo.tensor(h, device="numpy")
    np.testing.assert_allclose(L.cholesky(y).numpy(), np.linalg.cholesky(h))
    np.testing.assert_allclose(L.eigh(y)[0].numpy(), np.linalg.eigh(h)[0])
    np.testing.assert_allclose(L.inv(x).numpy(), np.linalg.inv(a))
    np.testing.assert_allclose(L.det(x).numpy(), np.linalg.det(a))
    np.testing.assert_allclose(L.svdvals(x).numpy(), np.linalg.svd(a)[1])
    np.testing.assert_allclose(L.pinv(x).numpy(), np.linalg.pinv(a))
    np.testing.assert_allclose(L.matrix_norm(x).numpy(), np.linalg.norm(a))
    for ours, theirs in zip(L.slogdet(x), np.linalg.slogdet(a), strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs)
    q, r = L.qr(x)
    np.testing.assert_allclose((q @ r).numpy(), a)


COMPLEX: list[tuple[str, Any, Any]] = [
    ("solve", lambda x: L.solve(x, x.mT[:, :2]), lambda x: T.solve(x, x.mT[:, :2])),
    ("inv", L.inv, T.inv),
    ("det", L.det, T.det),
    ("slogdet", lambda x: L.slogdet(x)[1], lambda x: T.slogdet(x)[1]),
    ("lu", lambda x: L.lu(x)[1:], lambda x: tuple(T.lu(x))[1:]),
    ("qr", lambda x: L.qr(x)[1], lambda x: T.qr(x)[1]),
    ("cholesky", lambda x: L.cholesky(x @ fogo.conj(x.mT)),
     lambda x: T.cholesky(x @ x.mH)),
    ("eigh", lambda x: L.eigvalsh(x @ fogo.conj(x.mT)),
     lambda x: T.eigvalsh(x @ x.mH)),
]  # fmt: skip


@pytest.mark.parametrize("row", COMPLEX, ids=lambda r: r[0])
def test_complex_gradients(row: tuple[str, Any, Any]) -> None:
    rng = np.random.default_rng(8)
    a = rng.uniform(-1, 1, (3, 3)) + 1j * rng.uniform(-1, 1, (3, 3)) + np.eye(3) * 2
    x = fogo.tensor(a, device=fogo.device("numpy").autodiff()).requires_grad_()
    y = torch.tensor(a, requires_grad=True)
    mine, want = parts(row[1](x)), parts(row[2](y))

    def loss(values: list[Any]) -> Any:
        found = (values[0].abs() ** 3).sum()
        for v in values[1:]:
            found = found + (v.abs() ** 2).sum()
        return found

    ours, theirs = loss(mine), loss(want)
    theirs.backward()
    np.testing.assert_allclose(ours.item(), theirs.item(), 1e-9)
    np.testing.assert_allclose(ours.backward()[x].numpy(), y.grad.numpy(), 1e-8, 1e-9)


def test_norm_as_numpy_has_it(device: fogo.Device) -> None:
    a = np.random.default_rng(6).uniform(-1, 1, (2, 3, 4))
    x = fogo.tensor(a.tolist(), device=device)
    for args in [(), (None, 1), (1, 2), (2, (0, 2)), ("fro", (1, 2)), ("nuc", (0, 1))]:
        for keep in (False, True):
            ours = L.norm(x, *args, keepdims=keep)
            theirs = np.linalg.norm(a, *args, keepdims=keep)
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(np.array(ours.tolist()), theirs, 1e-5)
    zero = fogo.zeros(3, device=device.autodiff()).requires_grad_()
    assert L.vector_norm(zero).backward()[zero].tolist() == [0.0, 0.0, 0.0]
    unit = L.vector_normalize(x, axis=1)
    np.testing.assert_allclose(np.array(L.vector_norm(unit, axis=1).tolist()), 1, 1e-5)


def test_what_has_no_answer(device: fogo.Device) -> None:
    """One matrix without a factorisation leaves the others theirs."""
    good, bad = [[2.0, 0.0], [0.0, 3.0]], [[1.0, 2.0], [2.0, 1.0]]
    low = np.array(L.cholesky(fogo.tensor([good, bad], device=device)).tolist())
    np.testing.assert_allclose(low[0], np.linalg.cholesky(good), 1e-6)
    assert np.isnan(low[1, 1, 1])
    singular = fogo.tensor([[1.0, 2.0], [2.0, 4.0]], device=device)
    assert L.det(singular).item() == 0.0
    assert [v.item() for v in L.slogdet(singular)] == [0.0, -float("inf")]


def test_nothing_at_all(device: fogo.Device) -> None:
    x = fogo.zeros((0, 3, 3), device=device)
    assert L.inv(x).shape == (0, 3, 3) and L.det(x).shape == (0,)
    assert L.svdvals(x).shape == (0, 3) and L.qr(x)[0].shape == (0, 3, 3)
    none = fogo.zeros((0, 0), device=device)
    assert L.det(none).item() == 1.0 and L.inv(none).shape == (0, 0)
    assert L.cholesky(none).shape == (0, 0) and L.matrix_rank(none).item() == 0
    assert L.pinv(fogo.zeros((2, 0), device=device)).shape == (0, 2)


def test_wide_after_tall(device: fogo.Device) -> None:
    """Kernels that were made for outputs of one shape are not used for several."""
    rng = np.random.default_rng(7)
    for shape in [(5, 3), (3, 5), (4, 4)]:
        a = rng.uniform(-1, 1, shape)
        q, r = L.qr(fogo.tensor(a.tolist(), device=device))
        np.testing.assert_allclose(np.array((q @ r).tolist()), a, 0, 1e-5)


def test_wrong_uses(device: fogo.Device) -> None:
    x = fogo.ones((2, 3), device=device)
    square = fogo.ones((2, 2), device=device)
    for work, error, words in [
        (lambda: L.cholesky(x), fogo.ShapeError, "square"),
        (lambda: L.inv(x[0]), fogo.ShapeError, "square"),
        (lambda: L.svd(x[0]), fogo.ShapeError, "last two axes"),
        (lambda: L.det(square.astype("int32")), fogo.DTypeError, "float32"),
        (lambda: L.det(square.astype("float16")), fogo.DTypeError, "float32"),
        (lambda: L.det([[1.0]]), fogo.DTypeError, "tensors"),
        (lambda: L.solve(square, x.mT), fogo.ShapeError, "one length"),
        (lambda: L.solve_triangular(square, x.mT, upper=True), fogo.ShapeError,
         "one length"),
        (lambda: L.solve(fogo.ones((2, 2, 2), device=device),
                         fogo.ones((3, 2, 1), device=device)),
         fogo.ShapeError, "linalg.solve"),
        (lambda: L.qr(square, mode="full"), fogo.FogoError, "mode"),
        (lambda: L.matrix_norm(square, ord=3), fogo.FogoError, "ord"),
        (lambda: L.norm(fogo.ones((2, 2, 2), device=device), 2), fogo.ShapeError,
         "one axis or two"),
        (lambda: L.matrix_power(square, 0.5), fogo.FogoError, "whole"),
        (lambda: L.multi_dot([square]), fogo.FogoError, "two matrices"),
        (lambda: L.lstsq(square, x.mT), fogo.ShapeError, "equally many rows"),
        (lambda: L.lstsq(square, square, rcond=-1.0), fogo.FogoError, "rcond"),
    ]:  # fmt: skip
        with pytest.raises(error, match=words):
            work()
    tall = fogo.ones((3, 2), device=device.autodiff()).requires_grad_()
    with pytest.raises(fogo.AutodiffError, match="reduced"):
        L.qr(tall, mode="complete")[0].sum().backward()
    with pytest.raises(fogo.AutodiffError, match="square"):
        L.lu(tall)[1].sum().backward()
    assert L.solve(square + fogo.eye(2, device=device),
                   fogo.ones((2, 1), device=device)).shape == (2, 1)  # fmt: skip
    assert dir(L) == sorted(dir(L)) and "svd" in dir(L)
    with pytest.raises(AttributeError, match="no attribute"):
        L.nothing  # noqa: B018

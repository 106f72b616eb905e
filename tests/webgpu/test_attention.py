"""Attention by tiles agrees with PyTorch in float64: results and all gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import fogo
from fogo.backend.base import RawBackend
from fogo.dtypes import float32
from fogo.fast import Candidate, Caps, attention
from fogo.ops.attention import ATTENTION, ATTENTION_GRAD
from fogo.ops.record import Aval
from fogo.webgpu.gpu import PORTABLE
from tests.webgpu.tuned import handle, hardware, raw

RANDOM = np.random.default_rng(7)


class Problem:
    """Inputs, PyTorch's answers, and handles on one backend."""

    def __init__(
        self, device: fogo.Device, lead: tuple[int, ...], sizes: tuple[int, ...],
        mask: str = "", causal: bool = False, dtype: str = "float32",
    ) -> None:  # fmt: skip
        length, keys, head, depth = sizes
        shapes = ((length, head), (keys, head), (keys, depth), (length, depth))
        arrays = [RANDOM.normal(0, 1, lead + s).astype(dtype) for s in shapes]
        self.backend = raw(device)
        self.arrays, self.causal = arrays, causal
        self.mask: Any = None
        if mask == "bool":
            self.mask = RANDOM.random((length, keys)) > 0.4
            self.mask[1] = False  # a query that sees nothing
        elif mask == "float":
            self.mask = RANDOM.normal(0, 1, (length, keys)).astype(dtype)
        self.attrs = (causal, head**-0.5)
        self.answers = self._answers()

    def _answers(self) -> list[np.ndarray]:
        """The result, and the gradients of q, k and v."""
        given = [
            torch.tensor(a.astype(np.float64), requires_grad=True)
            for a in self.arrays[:3]
        ]
        mask = self.mask
        if mask is not None:
            mask = torch.tensor(mask if mask.dtype == bool else mask.astype(float))
        out = F.scaled_dot_product_attention(
            *given, attn_mask=mask, is_causal=self.causal
        )
        out.backward(torch.tensor(self.arrays[3].astype(np.float64)))
        grads = [x.grad.numpy() for x in given if x.grad is not None]
        return [out.detach().numpy(), *grads]

    def handles(self, arrays: list[np.ndarray]) -> tuple[Any, ...]:
        """Handles of arrays, and of the mask for all leading axes."""
        found = list(arrays)
        if self.mask is not None:
            found.append(
                np.broadcast_to(self.mask, arrays[0].shape[:-2] + self.mask.shape)
            )
        return tuple([handle(self.backend, np.ascontiguousarray(a)) for a in found])

    def run(self, candidate: Candidate, inputs: Any, outs: Any) -> list[np.ndarray]:
        """What a candidate gives."""
        if candidate.run is not None:
            made = candidate.run(self.backend, inputs, outs)
        else:
            made = RawBackend.run(
                self.backend, candidate.op, inputs, candidate.attrs, outs
            )
        read = self.backend.read(made)
        return [
            np.frombuffer(b, o.dtype.name).reshape(o.shape) for b, o in zip(read, outs)
        ]

    def candidates(self, op: Any, inputs: Any, outs: Any, caps: Caps) -> list[Any]:
        return attention.candidates(op, inputs, self.attrs, outs, caps)

    def check(self, caps: Caps, bound: float, which: slice = slice(1)) -> None:
        """Compare candidates forward, then, on what the first gave, backward."""
        inputs = self.handles(self.arrays[:3])
        dtype = inputs[0].dtype
        out = self.answers[0]
        outs = (Aval(out.shape, dtype), Aval(out.shape[:-1], float32))
        found = self.candidates(ATTENTION, inputs, outs, caps)[which]
        assert found
        for candidate in found:
            got, total = self.run(candidate, inputs, outs)
            agree(got, out, bound, candidate)
        spread = (self.arrays[3].astype(np.float64) * out).sum(-1).astype(np.float32)
        inputs = self.handles([*self.arrays, total, spread])
        outs = tuple([Aval(a.shape, dtype) for a in self.answers[1:]])
        found = self.candidates(ATTENTION_GRAD, inputs, outs, caps)[which]
        assert found
        for candidate in found:
            results = self.run(candidate, inputs, outs)
            for got, true in zip(results, self.answers[1:]):
                agree(got, true, bound, candidate)


def agree(got: np.ndarray, true: np.ndarray, bound: float, what: object) -> None:
    error = np.abs(got - true).max() / (1 + np.abs(true).max())
    assert error < bound, (what, error)


CASES = [
    ((2,), (33, 40, 16, 16), "", False),
    ((2, 2), (64, 64, 32, 32), "", True),
    ((1,), (70, 50, 64, 64), "bool", False),
    ((1,), (70, 50, 40, 24), "float", False),
    ((2,), (20, 30, 5, 7), "", False),
    ((), (20, 30, 128, 128), "", True),
    ((1,), (32, 96, 16, 16), "", True),  # whole tiles, and keys that nobody sees
]


@pytest.mark.parametrize("case", CASES)
def test_by_a_browsers_limits(case: Any, portable: fogo.Device) -> None:
    problem = Problem(portable, *case)
    problem.check(hardware(problem.backend), 1e-6)


@pytest.mark.parametrize("case", [CASES[2], CASES[1]])
def test_every_tile(case: Any, full: fogo.Device) -> None:
    problem = Problem(full, *case)
    problem.check(hardware(problem.backend), 1e-6, slice(99))


@pytest.mark.parametrize("mask", ["", "float"])
def test_float16(mask: str, gpu: fogo.Device) -> None:
    problem = Problem(gpu, (2,), (33, 40, 32, 32), mask, dtype="float16")
    problem.check(hardware(problem.backend, True), 2e-3)


def test_no_scores_are_kept(full: fogo.Device) -> None:
    """The step holds no array of all pairs, forward or backward."""
    backend, length = raw(full), 1024
    arrays = [RANDOM.normal(0, 1, (length, 8)).astype(np.float32) for _ in range(3)]
    dev = full.autodiff()
    q, k, v = [fogo.tensor(a, device=dev).requires_grad_() for a in arrays]
    sizes: list[int] = []
    take = backend.pool.take
    backend.pool.take = lambda n, *rest: sizes.append(n) or take(n, *rest)
    try:
        grads = fogo.scaled_dot_product_attention(q, k, v).sum().backward()
    finally:
        backend.pool.take = take
    assert sizes and max(sizes) <= length * 8 * 4
    given = [torch.tensor(a.astype(np.float64), requires_grad=True) for a in arrays]
    F.scaled_dot_product_attention(*given).sum().backward()
    for mine, true in zip((q, k, v), given):
        agree(grads[mine].numpy(), true.grad.numpy(), 1e-6, "gradient")


def test_tiles_fit_the_device() -> None:
    for room, head in ((16384, 64), (16384, 128), (49152, 64), (32768, 128)):
        caps = Caps((), {**PORTABLE, "maxComputeWorkgroupStorageSize": room})
        for backward in (False, True):
            found = attention.tiles([], [], (64, 64, head, head), caps, backward)
            assert found, (room, head)
            if not backward:
                words = [attention.Tile(*found[0]).forward_words()]
            else:
                of_queries, of_keys = [attention.Tile(*sizes) for sizes in found[0]]
                words = [of_queries.backward_words(True), of_keys.backward_words()]
            assert max([sum(w) for w in words]) * 4 <= room


@pytest.mark.parametrize("numbers", attention.TILES + attention.SMALL)
def test_threads_share_the_copying(numbers: tuple[int, ...]) -> None:
    """Each thread copies as many fours as any other, whatever the head."""
    for size in (1, 8, 33, 64, 100, 128, 256):
        tile = attention.Tile(numbers, (), False, size, size)
        for rows in (tile.own, tile.other):
            assert rows * tile.head_room // 4 % tile.threads == 0


def test_what_is_no_number(full: fogo.Device) -> None:
    """nan goes where it is seen; masks may be infinite, or as low as numbers go."""
    problem = Problem(full, (1,), (20, 30, 16, 16), "float")
    problem.mask[1] = -np.inf
    problem.mask[2] = np.finfo(np.float32).min
    problem.mask[3, ::2] = -np.inf
    problem.answers = problem._answers()
    problem.answers[0][0, 1] = 0.0  # PyTorch: nan
    problem.arrays[0][0, 4] = np.nan
    inputs = problem.handles(problem.arrays[:3])
    outs = (Aval((1, 20, 16), float32), Aval((1, 20), float32))
    found = problem.candidates(ATTENTION, inputs, outs, hardware(problem.backend))
    got, total = problem.run(found[0], inputs, outs)
    assert np.isnan(got[0, 4]).all() and np.isnan(total[0, 4])
    assert total[0, 1] == -np.inf
    others = [i for i in range(20) if i != 4]
    agree(got[:, others], problem.answers[0][:, others], 1e-6, found[0])

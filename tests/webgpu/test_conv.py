"""Every kernel for convolutions and their gradients, against PyTorch in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogo
from fogo.fast import conv as fast_conv
from fogo.fast import conv_tile
from fogo.fast.matmul_tile import Tile
from fogo.kernel.check import check
from fogo.ops import conv
from fogo.ops.record import Aval
from tests.webgpu.tuned import compute, handle, hardware, raw

torch = pytest.importorskip("torch")
RANDOM = np.random.default_rng(11)
# x, weight, stride, padding, dilation, groups
CASES = {
    "plain": ((2, 16, 12, 12), (32, 16, 3, 3), 1, 1, 1, 1),
    "uneven": ((2, 5, 9, 7), (6, 5, 3, 2), 2, 1, 1, 1),
    "grouped": ((2, 8, 9, 7), (8, 4, 3, 3), (1, 2), 2, (2, 1), 2),
    "few channels": ((3, 1, 14, 14), (12, 1, 5, 5), 2, 2, 1, 1),
    "depthwise": ((2, 6, 9), (6, 1, 3), 1, 1, 1, 6),
    "one tap": ((2, 8, 8, 8), (16, 8, 1, 1), 1, 0, 1, 1),
    "three axes": ((1, 4, 4, 5, 6), (6, 4, 2, 3, 2), 1, 1, 1, 1),
}


class Case:
    """A convolution, its inputs, and what PyTorch makes of it."""

    def __init__(self, name: str) -> None:
        xs, ws, stride, padding, dilation, groups = CASES[name]
        self.x = RANDOM.normal(0, 1, xs).astype(np.float32)
        self.w = RANDOM.normal(0, 1, ws).astype(np.float32)
        x = torch.tensor(self.x, dtype=torch.float64, requires_grad=True)
        w = torch.tensor(self.w, dtype=torch.float64, requires_grad=True)
        run = getattr(torch.nn.functional, "conv%dd" % (len(xs) - 2))
        y = run(x, w, None, stride, padding, dilation, groups)
        self.g = RANDOM.normal(0, 1, tuple(y.shape)).astype(np.float32)
        y.backward(torch.tensor(self.g, dtype=torch.float64))
        self.true = y.detach().numpy(), x.grad.numpy(), w.grad.numpy()
        self.attrs = conv._settings("conv", ws[2:], stride, padding, dilation, groups)

    def ops(self) -> Any:
        """(op, inputs, attributes, true result) of the three."""
        x, w, g = self.x, self.w, self.g
        yield conv.CONV, (x, w), self.attrs, self.true[0]
        attrs = (x.shape[2:],) + self.attrs
        yield conv.CONV_INPUT, (g, w), attrs, self.true[1]
        yield conv.CONV_WEIGHT, (x, g), (w.shape[2:],) + self.attrs, self.true[2]


def candidates(device: fogo.Device, case: Case, software: bool) -> Any:
    """(candidate, inputs, its result's shape and dtype, the true result)."""
    backend = raw(device)
    caps = hardware(backend, software)
    for op, arrays, attrs, true in case.ops():
        inputs = tuple([handle(backend, np.ascontiguousarray(a)) for a in arrays])
        out = Aval(true.shape, fogo.float32)
        found = fast_conv.candidates(op, inputs, attrs, (out,), caps)
        assert found
        for candidate in found:
            yield candidate, inputs, out, true


def agree(got: np.ndarray, true: np.ndarray) -> bool:
    return bool(np.abs(got - true).max() <= 2e-5 * np.abs(true).max())


@pytest.mark.parametrize("software", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_first_candidates(name: str, software: bool, full: fogo.Device) -> None:
    """The first two of each op; `test_all_candidates` sees the rest."""
    seen: dict[Any, int] = {}
    for candidate, inputs, out, true in candidates(full, Case(name), software):
        tried = seen.setdefault(true.shape, 0)
        seen[true.shape] += 1
        if tried < 2:
            got = compute(raw(full), candidate, inputs, out)
            assert agree(got, true), candidate


@pytest.mark.parametrize("name", ["grouped"])
def test_all_candidates(name: str, full: fogo.Device) -> None:
    for candidate, inputs, out, true in candidates(full, Case(name), False):
        assert agree(compute(raw(full), candidate, inputs, out), true), candidate


def test_small_devices(portable: fogo.Device) -> None:
    for candidate, inputs, out, true in candidates(portable, Case("plain"), False):
        attrs = candidate.attrs or candidate.stages[0][1]
        for tile in [a for a in attrs if isinstance(a, tuple) and len(a) == 8]:
            assert Tile(*tile).shared_bytes() <= 16384
        if "64x128" not in candidate.name:  # the rest is seen above
            assert agree(compute(raw(portable), candidate, inputs, out), true)


def test_half_precision(full: fogo.Device) -> None:
    x = RANDOM.normal(0, 1, (2, 8, 6, 6)).astype(np.float16)
    w = RANDOM.normal(0, 1, (8, 8, 3, 3)).astype(np.float16)
    got = fogo.conv2d(fogo.tensor(x, device=full), fogo.tensor(w, device=full))
    true = torch.nn.functional.conv2d(
        torch.tensor(x, dtype=torch.float64), torch.tensor(w, dtype=torch.float64)
    )
    np.testing.assert_allclose(got.numpy(), true.numpy(), rtol=2e-3, atol=2e-2)


def test_views_and_transposed_convolutions(full: fogo.Device) -> None:
    """Channels last, every other row; a gradient's kernel as a forward pass."""
    a = RANDOM.normal(0, 1, (2, 12, 6, 8)).astype(np.float32)
    w = RANDOM.normal(0, 1, (8, 5, 3, 3)).astype(np.float32)
    x = fogo.tensor(a, device=full).permute((0, 3, 1, 2))[:, :, ::2]
    got = fogo.conv_transpose2d(x, fogo.tensor(w, device=full), stride=2, padding=1)
    true = torch.nn.functional.conv_transpose2d(
        torch.tensor(a, dtype=torch.float64).permute(0, 3, 1, 2)[:, :, ::2],
        torch.tensor(w, dtype=torch.float64), stride=2, padding=1,
    )  # fmt: skip
    assert agree(got.numpy(), true.numpy())


@pytest.mark.parametrize("stride", [1, 2])
def test_the_checking_interpreter_passes_them(stride: int) -> None:
    """Tiles with edges, windows over the border: nothing is read outside, no race."""
    a = RANDOM.normal(0, 1, (2, 3, 5, 6)).astype(np.float32)
    b = RANDOM.normal(0, 1, (5, 3, 3, 2)).astype(np.float32)
    x, w = fogo.tensor(a, device="python"), fogo.tensor(b, device="python")
    options = ((stride, stride), ((1, 1), (1, 1)), (1, 1), 1, (3, 2))
    tile, edges = (16, 16, 4, 4, 4, 2, 8, 2), (False, False, False)
    tx = torch.tensor(a, dtype=torch.float64, requires_grad=True)
    tw = torch.tensor(b, dtype=torch.float64, requires_grad=True)
    y = torch.nn.functional.conv2d(tx, tw, stride=stride, padding=1)
    c = RANDOM.normal(0, 1, tuple(y.shape)).astype(np.float32)
    y.backward(torch.tensor(c, dtype=torch.float64))
    g = fogo.tensor(c, device="python")
    rest = (tile, False, False, edges, False, 1)
    runs = (
        (conv_tile.forward, [x, w], options + rest, y.detach()),
        (conv_tile.to_input, [g, w], ((5, 6),) + options + rest, tx.grad),
        (conv_tile.to_weight, [x, g], ((3, 2),) + options + (tile, edges, 1, 1),
         tw.grad),
    )  # fmt: skip
    for kernel, inputs, attrs, true in runs:
        report = check(kernel, inputs, attrs, [(tuple(true.shape), "float32")])
        assert report.problems == [], kernel
        assert agree(np.array(report.outputs[0].tolist()), true.numpy()), kernel

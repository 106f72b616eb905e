"""The tiles of attention that only large GPUs take, in the checking interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import fogo
from fogo.dtypes import float32
from fogo.fast import Caps, attention
from fogo.kernel.check_backend import Checking
from fogo.ops.attention import ATTENTION, ATTENTION_GRAD
from fogo.ops.record import Aval

LARGE = Caps((), {
    "maxComputeWorkgroupStorageSize": 49152,
    "maxComputeInvocationsPerWorkgroup": 1024,
    "maxComputeWorkgroupSizeX": 1024,
    "maxStorageBuffersPerShaderStage": 16,
}, False)  # fmt: skip


def run(backend: Checking, op: Any, arrays: list[Any], attrs: Any, outs: Any) -> Any:
    """What the first candidate gives, as arrays."""
    handles = tuple([
        backend.upload(a.ravel().tolist(), a.shape, fogo.dtype(str(a.dtype)))
        for a in arrays
    ])  # fmt: skip
    found = attention.candidates(op, handles, attrs, outs, LARGE)[0]
    if found.run is not None:
        made = found.run(backend, handles, outs)
    else:
        made = backend.run(found.op, handles, found.attrs, outs)
    assert not backend.problems, backend.problems
    read = backend.read(made)
    return [np.array(flat).reshape(o.shape) for flat, o in zip(read, outs)]


@pytest.mark.parametrize(
    ("sizes", "causal"), [((20, 70, 6, 5), False), ((64, 128, 64, 64), True)]
)
def test_tiles_of_large_gpus(sizes: tuple[int, ...], causal: bool) -> None:
    length, keys, head, depth = sizes
    random = np.random.default_rng(3)
    shapes = ((length, head), (keys, head), (keys, depth), (length, depth))
    arrays = [random.normal(0, 1, s).astype("float32") for s in shapes]
    given = [torch.tensor(a, dtype=torch.float64) for a in arrays]
    for t in given[:3]:
        t.requires_grad_()
    out = F.scaled_dot_product_attention(*given[:3], is_causal=causal)
    true = torch.autograd.grad(out, given[:3], given[3])

    backend, attrs = Checking(), (causal, head**-0.5)
    outs = (Aval((length, depth), float32), Aval((length,), float32))
    got, total = run(backend, ATTENTION, arrays[:3], attrs, outs)
    expected = out.detach().numpy()
    np.testing.assert_allclose(got, expected, 1e-5, 1e-5)
    spread = (arrays[3] * expected).sum(-1).astype("float32")
    inputs = [*arrays, total.astype("float32"), spread]
    grads = tuple([Aval(s, float32) for s in shapes[:3]])
    for mine, t in zip(run(backend, ATTENTION_GRAD, inputs, attrs, grads), true):
        np.testing.assert_allclose(mine, t.numpy(), 1e-5, 1e-5)

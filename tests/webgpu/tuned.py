"""Runs the candidates of `fogo.fast` one by one on handles of a raw backend."""

from __future__ import annotations

from typing import Any

import numpy as np

import fogo
from fogo.backend.base import Handle, RawBackend
from fogo.fast import Candidate, Caps
from fogo.ops.record import Aval


def raw(device: fogo.Device) -> Any:
    """The backend below all decorators."""
    backend = device.backend
    while backend.inner is not None:
        backend = backend.inner
    return backend


def hardware(backend: Any, software: bool = False) -> Caps:
    """What the backend's device has, taken for a GPU of its own (or for a CPU)."""
    caps = backend.fast.caps
    return Caps(caps.features, caps.limits, software, ())


def handle(backend: Any, a: np.ndarray, swapped: bool = False) -> Handle:
    """A handle of an array; swapped: its last two axes lie the other way round."""
    if not swapped:
        return backend.upload(a.tobytes(), a.shape, fogo.dtype(str(a.dtype)))
    h = handle(backend, np.ascontiguousarray(np.swapaxes(a, -1, -2)))
    axes = list(range(a.ndim - 2)) + [a.ndim - 1, a.ndim - 2]
    return Handle(h.buffer, h.layout.permute(axes), h.dtype)


def compute(
    backend: Any, candidate: Candidate, inputs: tuple[Handle, ...], out: Aval
) -> np.ndarray:
    """What a candidate gives, as a NumPy array."""
    if candidate.run is not None:
        made = candidate.run(backend, inputs, (out,))
    else:
        made = RawBackend.run(
            backend, candidate.op, inputs, candidate.attrs, (out,)
        )  # fmt: skip
    return np.frombuffer(backend.read(made)[0], out.dtype.name).reshape(out.shape)

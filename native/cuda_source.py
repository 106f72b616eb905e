"""Runs ops that are CUDA C++ of the user's own: see fogo.kernel_source."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogo.backend.base import Handle, RawBackend
from fogo.shapes import Layout, size

from .cuda_rtc import OPTIONS, cupy

ENTRY = "main_kernel"


def run_source(backend: Any, op: Any, inputs: Any, attrs: Any, outs: Any) -> Any:
    """Launch an op's source on row-major copies of its inputs; returns new handles."""
    source = op.source
    text = source.text("cuda", attrs, inputs)
    if text is None:
        return RawBackend.run_source(backend, op, inputs, attrs, outs)
    inputs = tuple([backend.contiguous(h) for h in inputs])
    outputs = tuple(
        Handle(backend.allocate(size(o.shape), o.dtype), Layout(o.shape), o.dtype)
        for o in outs
    )
    groups, numbers = source.launch(attrs, inputs)
    if 0 in groups:
        return outputs
    function = backend.programs.get((op, text))
    if function is None:
        module = cupy().RawModule(code=text, options=OPTIONS)
        function = backend.programs[(op, text)] = module.get_function(ENTRY)
    buffers = [h.buffer for h in inputs + outputs]
    function(groups, (source.threads,), (cupy().asarray(words(numbers)), *buffers))
    return outputs


def words(numbers: Any) -> Any:
    """The numbers of P as int32: floats as their bits; at least one."""
    found = np.zeros(max(len(numbers), 1), np.int32)
    for i, n in enumerate(numbers):
        bits = np.float32(n) if isinstance(n, float) else np.uint32(n & 0xFFFFFFFF)
        found[i] = bits.view(np.int32)
    return found

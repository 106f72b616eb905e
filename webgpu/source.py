"""Runs ops that are source of the user's own, in WGSL or what the player takes: see
fogo.kernel_source.
"""

from __future__ import annotations

from ..backend.base import Handle, RawBackend
from ..errors import DeviceError
from ..shapes import Layout, size
from .stream import run_words


def run_source(backend, op, inputs, attrs, outs):
    """Launch an op's source on row-major copies of its inputs; returns new handles."""
    language = getattr(backend.gpu, "language", "wgsl")
    text = op.source.text(language, attrs, inputs)
    if text is None:
        return RawBackend.run_source(backend, op, inputs, attrs, outs)
    inputs = tuple([backend.contiguous(h) for h in inputs])
    outputs = tuple(
        [Handle(backend.allocate(size(o.shape), o.dtype), Layout(o.shape), o.dtype)
         for o in outs]
    )  # fmt: skip
    groups, numbers = op.source.launch(attrs, inputs)
    _check(backend, op, groups, len(inputs) + len(outputs))
    if 0 in groups:
        return outputs
    params = [_bits(n) for n in numbers]
    id = _kernel(backend, op, text, len(inputs), len(outputs), len(params))
    operands = inputs + outputs
    words = run_words(id, len(operands), groups[:2], params)
    for i, h in enumerate(operands):
        words[3 + i] = h.buffer.id
    words[3 + len(operands) + 2] = groups[2]
    backend.send(words, op.name, inputs)
    return outputs


def _kernel(backend, op, text, inputs, outputs, params):
    """The number of the compiled source; every count of parameters has its own."""
    key = (op, text, inputs, outputs, params)
    known = backend.compiled.get(key)
    if known is None:
        access = [0] * inputs + [1] * outputs
        text = "// %s\n%s" % (op.name, text)
        if hasattr(backend.gpu, "source"):
            text = backend.gpu.source(text, op.source.threads)
        known = backend.compiled[key] = backend.define(text, access, params)
    return known


def _check(backend, op, groups, operands):
    limits = backend.gpu.limits
    most = limits["maxComputeWorkgroupsPerDimension"]
    if max(groups) > most:
        raise DeviceError(
            "%s: a dimension holds at most %d workgroups on this device; given %r; "
            "spread them over two dimensions" % (op.name, most, groups)
        )
    most = limits["maxStorageBuffersPerShaderStage"]
    if operands > most:
        raise DeviceError(
            "%s: a kernel takes at most %d buffers on this device (its limit "
            "maxStorageBuffersPerShaderStage); given %d; pass fewer tensors"
            % (op.name, most, operands)
        )


def _bits(number):
    """A parameter as an int32 word."""
    from ..dtypes import float32, int32
    from .backend import word

    return word(number, float32 if isinstance(number, float) else int32)

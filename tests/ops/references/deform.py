"""Reference of fogo.ops.deform: its definition, tap by tap, for NumPy and PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.references.conv import each
from tests.ops.references.grid import read, taps
from tests.ops.rows import ref


def deform(lib: Any) -> Any:
    def call(
        x: Any, offset: Any, weight: Any, bias: Any = None, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, mask: Any = None,
    ) -> Any:  # fmt: skip
        stride, padding, dilation = [each(v, 2) for v in (stride, padding, dilation)]
        o, per, kh, kw = weight.shape
        sets, groups = offset.shape[1] // (2 * kh * kw), x.shape[1] // per
        found = []
        for n in range(x.shape[0]):
            for f in range(o):
                first = f // (o // groups) * per
                for oy, ox in np.ndindex(*offset.shape[2:]):
                    total = 0.0 if bias is None else bias[f]
                    for c, i, j in np.ndindex(per, kh, kw):
                        group = (first + c) // (x.shape[1] // sets)
                        place = group * kh * kw + i * kw + j
                        y = oy * stride[0] - padding[0] + i * dilation[0]
                        z = ox * stride[1] - padding[1] + j * dilation[1]
                        y = y + offset[n, 2 * place, oy, ox]
                        z = z + offset[n, 2 * place + 1, oy, ox]
                        plane = x[n, first + c]
                        pair = [
                            taps(v, size, "bilinear", "zeros", False)
                            for v, size in zip((y, z), plane.shape)
                        ]
                        value = read(plane, pair)
                        if mask is not None:
                            value = value * mask[n, place, oy, ox]
                        total = total + value * weight[f, c, i, j]
                    found.append(total + 0.0 * x[0, 0, 0, 0])
        return lib.stack(found).reshape(x.shape[0], o, *offset.shape[2:])

    return call


ref(
    "deform_conv2d",
    numpy=deform(np),
    torch=deform(torch),
    accepts="float",
    factor=16.0,
    why="a sum of products of weights that are computed on the way",
)

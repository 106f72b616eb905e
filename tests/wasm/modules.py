"""Prints a checksum of the modules of some kernels: the same text on every Python.

test_micropython.py runs it under MicroPython too, so it keeps to what runs there.
"""

import fogo
from fogo.dtypes import float16, float32, float64, int8, int64
from fogo.kernel.lower import trace
from fogo.ops.elementwise import cast_op
from fogo.ops.record import REGISTRY, Aval
from fogo.shapes import Layout
from fogo.wasm.printer import print_kernel

ELEMENTWISE = (
    ("exp", (float32,)),
    ("sin", (float64,)),
    ("pow", (float64, float64)),
    ("remainder", (float32, float32)),
    ("floor_divide", (int64, int64)),
    ("bitwise_right_shift", (int8, int8)),
    ("cast_float16", (float64,)),
    ("erf", (float16,)),
)


def checksum(data):
    """FNV-1a over the bytes, 32 bits."""
    h = 2166136261
    for byte in data:
        h = ((h ^ byte) * 16777619) & 0xFFFFFFFF
    return h


def report(name, kernel):
    module, kinds = print_kernel(kernel)
    print(name, len(module), checksum(module), kinds)


def main():
    assert fogo.matmul and fogo.conv2d and cast_op(float16)  # loads and registers
    for name, dtypes in ELEMENTWISE:
        op = REGISTRY[name]
        outs = op.infer([Aval((3, 4), d) for d in dtypes], ())
        layouts = [Layout((4, 3)).permute((1, 0)) for d in dtypes] + [Layout((3, 4))]
        kinds = list(dtypes) + [o.dtype for o in outs]
        report(name, trace(op, (), layouts, kinds, len(dtypes)))
    shapes = [Layout((8, 9)), Layout((9, 7)), Layout((8, 7))]
    report("matmul", trace(REGISTRY["matmul"], (), shapes, [float32] * 3, 2))
    shapes = [Layout((2, 3, 9, 9)), Layout((4, 3, 3, 3)), Layout((2, 4, 5, 5))]
    attrs = ((2, 2), ((1, 1), (1, 1)), (1, 1), 1)
    report("conv", trace(REGISTRY["conv"], attrs, shapes, [float32] * 3, 2, True))


main()

"""Kernels of one's own, typed: mypy --strict has nothing to say, but where marked."""

import fogo
from fogo.expr import call, cast, where
from fogo.kernel.ir import Array, Kernel


def rows(x: fogo.Aval, scale: float) -> fogo.Aval:
    return fogo.Aval(x.shape[:1], x.dtype)


@fogo.kernel(out=rows, portable=lambda x, scale: x.sum(1) * scale)
def scaled_sum(k: Kernel, x: Array, scale: float, out: Array) -> None:
    (row,) = k.groups(out.shape, 64)
    acc = k.cell(0.0, fogo.float32)
    with k.loop(x.shape[1], k.local, 64) as j:
        acc.set(acc + cast(x[row, j], fogo.float32) * scale)
    parts = k.shared(fogo.float32, 64)
    parts[k.local] = acc
    k.barrier()
    with k.when(call("eq", k.local, 0)):
        total = k.cell(parts[0])
        for i in range(1, 64):
            total.set(total + where(parts[i] == parts[i], parts[i], 0.0))
        out[row] = total
    k.barrier("yes")  # E: arg-type


def source(x: fogo.Aval) -> str:
    return "@compute @workgroup_size(64) fn main() {}"


nothing = fogo.kernel_source(
    "nothing", out=lambda x: x, groups=lambda x: 1, wgsl=source, fallback=lambda x: x
)
wrong = fogo.kernel_source("wrong", out=lambda x: x, groups=1)  # E: arg-type


def main() -> object:
    made: fogo.Tensor = scaled_sum(fogo.ones(2, 3, device="python"), 2.0)
    return made.tolist()

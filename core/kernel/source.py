"""`fogo.kernel_source`: an op from source code of one's own, in WGSL or CUDA C++."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import DeviceError, DTypeError
from ..ops.record import Aval
from ..tree import unflatten
from .custom import Custom

if TYPE_CHECKING:
    from collections.abc import Callable


class SourceOp(Custom):
    """An op that is source code, for the devices that there is some for: call it."""

    def __init__(self, name, out, grad, saves, fallback, sources, launch):
        Custom.__init__(self, name, out, grad, saves, fallback, source=self)
        self.sources = sources
        self.groups, self.params, self.threads = launch

    def text(self, language, attrs, inputs):
        """The source in a language for these operands, or None."""
        found = self.sources.get(language)
        if found is None or isinstance(found, str):
            return found
        args, options = self._described(attrs, inputs)
        return found(*args, **options)

    def _described(self, attrs, inputs):
        """(args, options) of a call, a shape and dtype for each tensor."""
        return unflatten(attrs[0], [Aval(x.shape, x.dtype) for x in inputs])

    def launch(self, attrs, inputs):
        """((x, y, z) workgroups, numbers for P), for operands with shape and dtype."""
        args, options = self._described(attrs, inputs)
        groups = self.groups(*args, **options)
        found = groups if isinstance(groups, (tuple, list)) else (groups,)
        wrong = [g for g in found if not isinstance(g, int) or g < 0]
        if wrong or not 1 <= len(found) <= 3:
            raise DeviceError(
                "%s: groups must return 1 to 3 numbers of workgroups; given %r; return "
                "integers from 0 on" % (self.op.name, groups)
            )
        groups = tuple(found) + (1,) * (3 - len(found))
        return groups, self._numbers(args, options)

    def _numbers(self, args, options):
        """The numbers for P: floats, and integers that 32 bits hold."""
        numbers = self.params(*args, **options) if self.params else ()
        found = numbers if isinstance(numbers, (tuple, list)) else (numbers,)
        for n in found:
            whole = isinstance(n, int) or hasattr(n, "__index__")
            whole = whole and -(1 << 31) <= n < 1 << 32
            if not (whole or isinstance(n, float)):
                raise DTypeError(
                    "%s: params must return floats and integers of 32 bits; given %r; "
                    "split or cast it" % (self.op.name, n)
                )
        return tuple(found)

    def missing(self, backend):
        """The error for a device that there is no source for."""
        have = ", ".join([x for x in sorted(self.sources) if self.sources[x]])
        return DeviceError(
            "%s: a device needs source in its language, or a fallback; given %s source "
            "on %s; pass fallback=, a function of tensors"
            % (self.op.name, have, backend.name)
        )


def kernel_source(
    name: str,
    *,
    out: Callable[..., Any],
    groups: Callable[..., Any],
    wgsl: str | Callable[..., str] | None = None,
    cuda: str | Callable[..., str] | None = None,
    params: Callable[..., Any] | None = None,
    threads: int = 64,
    grad: Callable[..., Any] | None = None,
    saves: str = "i",
    fallback: Callable[..., Any] | None = None,
) -> SourceOp:
    """Make an op of source code: see docs/kernels.md for a whole one.

    WGSL: the entry point is `main`, with a @workgroup_size of its own. In group 0,
    binding 0 is `var<uniform> P: array<vec4<i32>, N>` with the numbers of `params`,
    four to a vector (floats as their bits); then come the input tensors, row-major,
    as `var<storage, read>`, then the outputs, as `var<storage, read_write>`. Elements
    of 8 and 16 bits are packed in words, first in the low bits (float16 may be declared
    as f16 where the device has shader-f16).
    CUDA: `extern "C" __global__ void main_kernel(const int *P, inputs…, outputs…) {`,
    pointers to elements, P in the GPU's memory as well.

    out       what comes of the arguments, as for `fogo.kernel`
    groups    function of the same: how many workgroups, 1 to 3 numbers
    params    function of the same: integers and floats for P
    threads   of a block in CUDA (WGSL says its own)
    wgsl, cuda   source, or a function of the same that returns it
    grad, saves  as for `fogo.kernel`
    fallback  function of tensors that computes the same, for other devices (and the
              gradient, without `grad`)
    Raises: DeviceError on a device that there is neither source nor fallback for.

    Example:
        >>> import fogo
        >>> triple = fogo.kernel_source(
        ...     "triple", out=lambda x: x, groups=lambda x: 1, fallback=lambda x: x * 3)
        >>> triple(fogo.ones(2)).tolist()
        [3.0, 3.0]
    """
    sources = {"wgsl": wgsl, "cuda": cuda}
    if wgsl is None and cuda is None and fallback is None:
        raise DTypeError(
            "kernel_source: it needs source, or a fallback; given neither wgsl=, cuda= "
            "nor fallback= for %s" % name
        )
    launch = (groups, params, threads)
    return SourceOp(name, out, grad, saves, fallback, sources, launch)

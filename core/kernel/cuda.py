"""Prints a traced kernel as CUDA C++: `main_kernel`, for NVRTC or nvcc.

A point kernel runs one thread a point of its grid, in one-dimensional blocks of any
size. A group kernel runs one block of `kernel.threads` threads a point. Arguments are
a pointer for each buffer of the kernel (`kernel.bindings()`), then the parameters one
by one; see native/cuda_rtc.py for the launch. Example:

    >>> from fogo.kernel.cuda import print_cuda
    >>> from fogo.kernel.ir import Kernel
    >>> "main_kernel" in print_cuda(Kernel("nothing")).text
    True

Elements lie in memory as in NumPy: float16 as its bits, bool as a byte. Subgroups are
warps of 32 threads (or the whole block, where it is smaller); matrix tiles are those of
PTX's wmma: 16 x 16 x 16, float16 with sums in float32.
"""

from __future__ import annotations

from ..dtypes import float16, float32
from ..errors import KernelError
from .cuda_expr import Expressions, kind
from .cuda_lib import library
from .group import (
    Atomic,
    Barrier,
    LoadWide,
    MatrixDeclare,
    MatrixMultiply,
    MatrixStore,
    StoreWide,
    Subgroup,
    UniformLoad,
)
from .ir import Assign, Declare, Let, Load, Loop, Store, When

ATOMIC = {
    "add": "atomicAdd", "sub": "atomicSub", "min": "atomicMin", "max": "atomicMax",
    "and": "atomicAnd", "or": "atomicOr", "xor": "atomicXor", "exchange": "atomicExch",
    "store": "atomicExch",
}  # fmt: skip
TILE = (16, 16, 16)
SHARED_BYTES = 48 << 10  # what a block may declare


class Printed:
    """A printed kernel: `text`, and `shared`, the bytes of shared memory it declares.

    threads  of a block; 0: any number, one for each point
    """

    def __init__(self, text, threads, shared):
        self.text = text
        self.threads = threads
        self.shared = shared


def print_cuda(kernel):
    """Return the Printed form of a kernel.

    Raises: KernelError for matrix tiles of other shapes or dtypes than `wmma` has, for
    subgroups of blocks that are not whole warps, and for too much shared memory.
    """
    return CudaPrinter(kernel).result()


def element(dtype):
    """The C++ type of a dtype's elements in memory."""
    if dtype.is_bool:
        return "unsigned char"
    if dtype is float16:
        return "unsigned short"
    if dtype.is_int and dtype.bits < 32:
        name = "char" if dtype.bits == 8 else "short"
        return ("signed " if dtype.kind == "int" else "unsigned ") + name
    return kind(dtype)


class CudaPrinter(Expressions):
    """Prints one kernel."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.orders = {}  # matrix -> "row" or "col", as last loaded
        self.begin()

    def result(self):
        k = self.kernel
        body = []
        self._shared(body)
        self._place(body)
        self.block(k.body, body)
        bound = "__launch_bounds__(%d) " % k.threads if k.threads else ""
        text = "%s\nextern \"C\" __global__ void %smain_kernel(%s) {\n%s\n}\n" % (
            library([name.split("<")[0] for name in self.used]), bound,
            ", ".join(self._arguments()), "\n".join(["  " + x for x in body]),
        )  # fmt: skip
        return Printed("// %s\n%s" % (k.name, text), k.threads, self._bytes())

    def _bytes(self):
        used = 0
        for w in self.kernel.shareds:
            used += (w.size * w.dtype.itemsize + 31) // 32 * 32
        if used > SHARED_BYTES:
            raise KernelError(
                "%s: a block declares at most %d bytes of shared memory; given %d; use "
                "smaller tiles" % (self.kernel.name, SHARED_BYTES, used)
            )
        return used

    def _arguments(self):
        k = self.kernel
        out = []
        written = {}
        for i, a in enumerate(k.arrays):
            if a.written or a.is_atomic:
                written[k.shares.get(i, i)] = True
        for i in k.bindings():
            a = k.arrays[i]
            word = "" if i in written else "const "
            out.append("%s%s* %s" % (word, element(a.dtype), a.name))
        return out + ["%s %s" % (kind(dtype), name) for name, dtype in k.params]

    def _shared(self, lines):
        for w in self.kernel.shareds:
            lines.append(
                "__shared__ __align__(32) %s %s[%d];"
                % (element(w.dtype), w.name, w.size)
            )

    def _place(self, lines):
        """Which point this thread, or block, is at."""
        k = self.kernel
        for i in sorted(k.shares):
            a, root = k.arrays[i], k.arrays[k.shares[i]]
            lines.append("auto* const %s = (%s*)%s;"
                         % (a.name, element(a.dtype), root.name))  # fmt: skip
        sizes = []
        for d, c in zip(k.dims, k.coords):
            if c.op == "var":
                sizes.append((c.args[0], "(unsigned)" + self.value(d, lines)))
        if k.threads:
            lines.append("const int local = threadIdx.x;")
            lines.append("unsigned rest = blockIdx.x;")
            if k.features.get("subgroups"):
                self._lanes(lines)
        else:
            count = " * ".join([code for _, code in sizes]) or "1u"
            lines.append("unsigned rest = blockIdx.x * blockDim.x + threadIdx.x;")
            lines.append("if (rest >= %s) return;" % count)
        for i in range(len(sizes) - 1, 0, -1):
            name, code = sizes[i]
            lines.append("const unsigned d%d = %s;" % (i, code))
            lines.append("const int %s = (int)(rest %% d%d);" % (name, i))
            lines.append("rest /= d%d;" % i)
        if sizes:
            lines.append("const int %s = (int)rest;" % sizes[0][0])

    def _lanes(self, lines):
        threads = self.kernel.threads
        if threads % 32 and threads not in (1, 2, 4, 8, 16):
            raise KernelError(
                "%s: subgroups need whole warps (a multiple of 32 threads, or a power "
                "of two); given %d; take another number of threads"
                % (self.kernel.name, threads)
            )
        lanes = min(threads, 32)
        lines.append("const int lanes = %d;" % lanes)
        lines.append("const int lane = local %% %d;" % lanes)
        lines.append("const unsigned warp = 0x%xu;" % ((1 << lanes) - 1))

    def block(self, statements, lines):
        for s in statements:
            self.statement(s, lines)

    def statement(self, s, lines):
        if isinstance(s, (Let, Declare, Assign)):
            code = self.value(s.value, lines)
            if isinstance(s, Assign):
                lines.append("%s = %s;" % (s.target.args[0], code))
            else:
                word = "" if isinstance(s, Declare) else "const "
                self.bind(s.target, code, lines, word)
        elif isinstance(s, Loop):
            self._loop(s, lines)
        elif isinstance(s, When):
            lines.append("if (%s) {" % self.value(s.cond, lines))
            self._nested(s.body, lines)
            if s.orelse:
                lines.append("} else {")
                self._nested(s.orelse, lines)
            lines.append("}")
        elif isinstance(s, (Load, LoadWide, Store, StoreWide)):
            self._access(s, lines)
        else:
            self._together(s, lines)

    def bind(self, target, code, lines, word="const "):
        """Declare a variable with its value."""
        lines.append("%s%s %s = %s;" % (word, kind(target.dtype), target.args[0], code))

    def _nested(self, statements, lines):
        inner = []
        self.block(statements, inner)
        lines.extend(["  " + x for x in inner])

    def _loop(self, s, lines):
        name = s.target.args[0]
        start = self.value(s.start, lines)
        stop = self.value(s.stop, lines)
        lines.append("const int e%s = %s;" % (name, stop))
        lines.append(
            "for (int %s = %s; %s %s e%s; %s += %d) {"
            % (name, start, name, "<" if s.step > 0 else ">", name, name, s.step)
        )
        self._nested(s.body, lines)
        lines.append("}")

    # Memory.

    def _access(self, s, lines):
        name, dtype = s.array.name, s.array.dtype
        index = self.value(s.index, lines)
        if isinstance(s, Load):
            self.bind(s.target, self.loaded("%s[%s]" % (name, index), dtype), lines)
        elif isinstance(s, Store):
            value = self.stored(self.value(s.value, lines), dtype)
            lines.append("%s[%s] = %s;" % (name, index, value))
        elif isinstance(s, LoadWide):
            wide = self._wide(len(s.targets), dtype)
            self.names += 1
            lines.append(
                "const %s q%d = *(const %s*)(%s + %s);"
                % (wide, self.names, wide, name, index)
            )
            q = self.names
            for i, target in enumerate(s.targets):
                code = self.loaded("q%d.v[%d]" % (q, i), dtype)
                self.bind(target, code, lines)
        else:
            values = [self.stored(self.value(v, lines), dtype) for v in s.values]
            wide = self._wide(len(values), dtype)
            lines.append(
                "*(%s*)(%s + %s) = %s{{%s}};"
                % (wide, name, index, wide, ", ".join(values))
            )

    def _wide(self, n, dtype):
        self.used["Wide"] = True
        return "Wide<%s, %d>" % (element(dtype), n)

    def loaded(self, code, dtype):
        """An element as a value."""
        if dtype is float16:
            return self.call("half_float", [code])
        if dtype.is_bool:
            return "(%s != 0)" % code
        return code

    def stored(self, code, dtype):
        """A value as an element."""
        if dtype is float16:
            return self.call("float_half", [code])
        plain = element(dtype)
        return code if plain == kind(dtype) else "(%s)(%s)" % (plain, code)

    # Threads together.

    def _together(self, s, lines):
        if isinstance(s, Barrier):
            lines.append("__syncthreads();")
        elif isinstance(s, UniformLoad):
            lines.append("__syncthreads();")
            code = "%s[%s]" % (s.array.name, self.value(s.index, lines))
            self.bind(s.target, self.loaded(code, s.array.dtype), lines)
            lines.append("__syncthreads();")
        elif isinstance(s, Atomic):
            self._atomic(s, lines)
        elif isinstance(s, Subgroup):
            code = self._subgroup(s, lines)
            if s.target.dtype.is_bool:
                code = "(%s != 0)" % code
            self.bind(s.target, code, lines)
        else:
            self._matrix(s, lines)

    def _atomic(self, s, lines):
        place = "&%s[%s]" % (s.array.name, self.value(s.index, lines))
        args = [place]
        for v in (s.expected, s.value):
            if v is not None:
                args.append(self.value(v, lines))
        if s.op == "load":
            code = "*(volatile %s*)(%s)" % (element(s.array.dtype), place)
        elif s.op == "compare":
            code = self._compare(s, args)
        elif s.array.dtype.is_float and s.op in ("min", "max"):
            code = self.call("atomic_f" + s.op, args)
        elif s.op == "sub" and s.array.dtype.is_float:
            code = "atomicAdd(%s, -%s)" % tuple(args)
        else:
            code = "%s(%s)" % (ATOMIC[s.op], ", ".join(args))
        self.bind(s.target, code, lines)

    def _compare(self, s, args):
        if not s.array.dtype.is_float:
            return "atomicCAS(%s)" % ", ".join(args)
        words = [self.call("bits<unsigned>", [a]) for a in args[1:]]
        code = "atomicCAS((unsigned*)%s, %s)" % (args[0], ", ".join(words))
        return self.call("bits<float>", [code])

    def _subgroup(self, s, lines):
        value = self.value(s.value, lines)
        if s.op in ("any", "all"):
            return "__%s_sync(warp, %s)" % (s.op, value)
        if s.value.dtype.is_bool:
            value = "(int)" + value
        if s.op == "first":
            return "__shfl_sync(warp, %s, 0)" % value
        if s.op[:7] == "shuffle":
            arg = self.value(s.arg, lines)
            return "__shfl%s_sync(warp, %s, %s)" % (s.op[7:], value, arg)
        if s.op in ("inclusive_add", "exclusive_add"):
            return self.call("warp_" + s.op, [value, "warp", "lane", "lanes"])
        return self.call("warp_" + s.op, [value, "warp", "lanes"])

    def _matrix(self, s, lines):
        if isinstance(s, MatrixDeclare):
            self._declare(s.matrix, lines)
        elif isinstance(s, MatrixMultiply):
            left = self.orders.get(s.left.name, "row")
            right = self.orders.get(s.right.name, "row")
            names = [s.acc.name, s.left.name, s.right.name]
            name = "tile_multiply_%s_%s" % (left, right)
            lines.append(self.call(name, names) + ";")
        else:
            place = "%s + %s" % (s.array.name, self.value(s.index, lines))
            stride = self.value(s.stride, lines)
            if isinstance(s, MatrixStore):
                code = self.call("tile_store", [place, s.matrix.name, stride])
            else:
                order = "col" if s.transposed else "row"
                self.orders[s.matrix.name] = order
                name = "tile_%s_%s" % (s.matrix.role, order)
                code = self.call(name, [s.matrix.name, place, stride])
            lines.append(code + ";")

    def _declare(self, m, lines):
        result = m.role == "result"
        wanted = float32 if result else float16
        if m.dtype is not wanted or (m.rows, m.cols) != TILE[:2]:
            raise KernelError(
                "%s: matrix tiles on CUDA are 16x16 of float16, results of float32; "
                "given %dx%d of %s; ask the device's matrices first"
                % (self.kernel.name, m.rows, m.cols, m.dtype.name)
            )
        kind_of = "float" if result else "unsigned"
        lines.append("%s %s[8] = {};" % (kind_of, m.name))

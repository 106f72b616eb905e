"""Prints a traced kernel as WGSL: a thread, or a workgroup, for each point of its grid.

Binding 0 of group 0 is `P`, the kernel's parameters four to a vector; operands follow
at bindings 1, 2, … in the kernel's order (those that share another's binding have
none). Types narrower than 32 bits are packed in words (see wgsl_store); float16 is
computed in float32. Statements of workgroups are in wgsl_group, values in wgsl_expr.
"""

from __future__ import annotations

from ..dtypes import float16
from ..errors import DeviceError
from ..kernel.ir import Assign, Declare, Let, Load, Loop, Store, When
from .wgsl_expr import Expressions
from .wgsl_group import SPECIAL
from .wgsl_math import library
from .wgsl_store import Outputs, load

PART = "xyzw"


class Printed:
    """A printed kernel: its WGSL, and how many points of the grid a thread takes."""

    def __init__(self, text, access, lanes):
        self.text = text
        self.access = access  # per binding: 0 read, 1 read_write
        self.lanes = lanes


def print_kernel(kernel, half=False, group=64, enables=True):
    """Return the Printed form, for `group` threads a workgroup.

    half: the device has shader-f16. enables: `enable subgroups;` is to be written, as
    the standard has it (wgpu's own compiler refuses it, and needs none).
    """
    return Printer(kernel, half, group, enables).result()


class Printer(Expressions):
    """Prints one kernel."""

    def __init__(self, kernel, half, group, enables):
        Expressions.__init__(self)
        self.kernel = kernel
        self.half = half
        self.group = kernel.threads or group
        self.enables = enables
        self.raw = {}  # names of float16 values -> the same as an f16
        for c in kernel.coords:
            if c.op == "var":
                self.positive[c.args[0]] = True
        for (name, _), source in zip(kernel.params, kernel.sources):
            if source[0] in ("size", "offset"):
                self.positive[name] = True
        for name in ("local", "lane", "lanes"):
            self.positive[name] = True
        self.outputs = Outputs(kernel, half)

    def result(self):
        body = []
        self.block(self.kernel.body, body)
        head = self._params() + self._grid()
        body = ["  " + x for x in head + self.outputs.around(body)]
        source = library(list(self.used) + self.outputs.functions)
        if "ZERO" in source:
            # The index that is always 0 but unknown to compilers seeds ZERO.
            body = ["  ZERO = %s.z;" % ("wg" if self.kernel.threads else "gid")] + body
        text = "%s%s\n@compute @workgroup_size(%d)\n%s\n%s\n}\n" % (
            self._bindings(), source, self.group, self._main(), "\n".join(body),
        )  # fmt: skip
        return Printed(text, self.outputs.access(), self.outputs.lanes)

    def _main(self):
        if not self.kernel.threads:
            return MAIN % "@builtin(global_invocation_id) gid: vec3<u32>"
        taken = "@builtin(workgroup_id) wg: vec3<u32>"
        taken += ",\n        @builtin(local_invocation_index) thread: u32"
        if "subgroups" in self.kernel.features:
            taken += ",\n        @builtin(subgroup_invocation_id) sglane: u32"
            taken += ",\n        @builtin(subgroup_size) sgsize: u32"
        return MAIN % taken

    def _enables(self):
        """The directives that this kernel needs."""
        features = self.kernel.features
        used = self.kernel.arrays + self.kernel.shareds
        lines = []
        if self.half and [a for a in used if a.dtype is float16]:
            lines.append("enable f16;")
        if "subgroups" in features and self.enables:
            lines.append("enable subgroups;")
        if "matrix" in features:
            lines.append("enable chromium_experimental_subgroup_matrix;")
            lines.append("diagnostic(off, chromium.subgroup_matrix_uniformity);")
        if "subgroups" in features and self.enables:
            lines.append("diagnostic(off, subgroup_uniformity);")
        return lines

    def _bindings(self):
        lines = self._enables()
        words = (len(self.kernel.params) + 3) // 4 or 1
        lines.append(
            "@group(0) @binding(0) var<uniform> P: array<vec4<i32>, %d>;" % words
        )
        for i, (a, written) in enumerate(
            zip(self.outputs.bound, self.outputs.access())
        ):
            lines.append(
                "@group(0) @binding(%d) var<storage, %s> %s: array<%s>;"
                % (i + 1, "read_write" if written else "read", a.name,
                   self.outputs.element(a))
            )  # fmt: skip
        for a in self.kernel.shareds:
            count = a.size // self.outputs.width(a)
            lines.append(
                "var<workgroup> %s: array<%s, %d>;"
                % (a.name, self.outputs.element(a), count)
            )
        return "\n".join(lines) + "\n"

    def _params(self):
        lines = []
        for i, (name, dtype) in enumerate(self.kernel.params):
            code = "P[%d].%s" % (i // 4, PART[i % 4])
            if dtype.is_float:
                code = "bitcast<f32>(%s)" % code
            elif dtype.is_bool:
                code = "(%s != 0)" % code
            elif dtype.kind == "uint":
                code = "bitcast<u32>(%s)" % code
            lines.append("let %s = %s;" % (name, code))
        return lines

    def _grid(self):
        """The number of points, this thread's first, and its coordinates."""
        k = self.kernel
        sizes = []
        for d, c in zip(k.dims, k.coords):
            if c.op == "var":
                sizes.append((c.args[0], "u32(%s)" % self.value(d, [])))
        count = " * ".join([code for _, code in sizes]) or "1u"
        first, inner = ["let count = %s;" % count], []
        if len(sizes) == 1:
            inner.append("let %s = i32(id);" % sizes[0][0])
        elif sizes:
            rest = "id"
            for i in range(len(sizes) - 1, 0, -1):
                name, code = sizes[i]
                first.append("let d%d = %s;" % (i, code))
                inner.append("let %s = i32(%s %% d%d);" % (name, rest, i))
                inner.append("let r%d = %s / d%d;" % (i, rest, i))
                rest = "r%d" % i
            inner.append("let %s = i32(%s);" % (sizes[0][0], rest))
        self.outputs.inner = inner
        if k.threads:
            inner.append("let local = i32(thread);")
            if "subgroups" in k.features:
                inner.append("let lane = i32(sglane);")
                inner.append("let lanes = i32(sgsize);")
        else:
            first.append("let thread = gid.x + gid.y * (groups.x * %du);" % self.group)
        return first

    def block(self, statements, lines):
        for s in statements:
            self.statement(s, lines)

    def statement(self, s, lines):
        if isinstance(s, (Let, Declare, Assign)):
            word = "" if isinstance(s, Assign) else "let "
            if isinstance(s, Declare):
                word = "var "
            elif type(s) is Let and self.never_negative(s.value):
                self.positive[s.target.args[0]] = True
            code = self.value(s.value, lines)
            lines.append("%s%s = %s;" % (word, s.target.args[0], code))
        elif isinstance(s, Load):
            load(self, s, lines)
        elif isinstance(s, Store):
            self.outputs.store(self, s, lines)
        elif isinstance(s, Loop):
            self._loop(s, lines)
        elif isinstance(s, When):
            self._when(s, lines)
        else:
            write = SPECIAL.get(type(s))
            if write is None:
                raise DeviceError("internal: WGSL has no %s" % type(s).__name__)
            write(self, s, lines)

    def nested(self, statements, lines):
        """Print a block, indented."""
        inner = []
        self.block(statements, inner)
        lines.extend(["  " + x for x in inner])

    def _when(self, s, lines):
        lines.append("if (%s) {" % self.value(s.cond, lines))
        self.nested(s.body, lines)
        if s.orelse:
            lines.append("} else {")
            self.nested(s.orelse, lines)
        lines.append("}")

    def _loop(self, s, lines):
        name = s.target.args[0]
        start = self.value(s.start, lines)
        stop = self.value(s.stop, lines)
        if s.step > 0 and self.never_negative(s.start):
            self.positive[name] = True
        lines.append("let e%s = %s;" % (name, stop))
        lines.append(
            "for (var %s = %s; %s %s e%s; %s = %s + %d) {"
            % (name, start, name, "<" if s.step > 0 else ">", name, name, name, s.step)
        )
        self.nested(s.body, lines)
        lines.append("}")


MAIN = """fn main(%s,
        @builtin(num_workgroups) groups: vec3<u32>) {"""

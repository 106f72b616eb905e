"""How elements lie in WGSL buffers: 8- and 16-bit types are packed in words.

A load takes its part of a word. Stores to a packed output come in two ways: where the
kernel writes just the element of its own grid point, a thread takes all the points of
a word in turn (`lanes` of them) and writes the word whole; otherwise an element is put
into its word by atomics, so that threads may share words. Arrays that are read or
written several elements at once (`wide`) are arrays of vectors.
"""

from __future__ import annotations

from ..dtypes import float16
from ..errors import DeviceError
from ..kernel.group import (
    LoadWide,
    MatrixLoad,
    MatrixStore,
    Shared,
    StoreWide,
)  # fmt: skip
from ..kernel.ir import Load, Store
from .wgsl_expr import kind


def packed_bits(dtype, half):
    """Bits of an element that shares its word with others, else 0."""
    if dtype.bits == 32 or (dtype is float16 and half):
        return 0
    return dtype.bits


def place(printer, array, index):
    """An element that has its own place, from its index."""
    width = printer.outputs.width(array)
    if width == 1:
        return "%s[%s]" % (array.name, index)
    index = index if index == "id" else "u32(%s)" % index
    return "%s[%s / %du][%s %% %du]" % (array.name, index, width, index, width)


def load(printer, s, lines):
    """Print a Load."""
    name, array = s.target.args[0], s.array
    index = printer.value(s.index, lines)
    if printer.outputs.native_half(array):
        lines.append("let h%s = %s;" % (name, place(printer, array, index)))
        printer.raw[name] = "h" + name
        code = "f32(h%s)" % name
    else:
        code = load_code(printer, array, index)
    lines.append("let %s = %s;" % (name, code))


def load_code(printer, array, index):
    """The value of one element, from its index."""
    dtype = array.dtype
    bits = printer.outputs.packed(array)
    if not bits:
        code = place(printer, array, index)
        if array.is_atomic:
            code = "atomicLoad(&%s)" % code
            return "bitcast<f32>(%s)" % code if dtype.is_float else code
        return "f32(%s)" % code if printer.outputs.native_half(array) else code
    per = 32 // bits
    word = "%s[u32(%s) / %du]" % (array.name, index, per)
    if printer.outputs.is_atomic(array):
        word = "atomicLoad(&%s)" % word
    shift = "(u32(%s) %% %du) * %du" % (index, per, bits)
    return extract(printer, dtype, word, shift, bits)


def extract(printer, dtype, word, shift, bits):
    """The value of a packed element, from its word and where it begins there."""
    if dtype.kind == "int":
        return "extractBits(bitcast<i32>(%s), %s, %du)" % (word, shift, bits)
    code = "extractBits(%s, %s, %du)" % (word, shift, bits)
    if dtype is float16:
        return printer.call("half_float", [code])
    return "(%s != 0u)" % code if dtype.is_bool else code


def half_code(printer, value, code):
    """A value as f16. Rounded by us first: how f16() rounds and overflows is open."""
    if value.op == "var" and value.args[0] in printer.raw:
        return printer.raw[value.args[0]]
    return "f16(%s)" % rounded(printer, code)


def rounded(printer, code):
    """An f32 rounded to what float16 holds."""
    return printer.call("half_float", [printer.call("float_half", [code])])


class Outputs:
    """Chooses how the elements of each array are held; prints the stores.

    bound: the arrays with bindings of their own. An array that shares another's
    (`Kernel.shares`) goes by its name.
    """

    def __init__(self, kernel, half):
        self.kernel = kernel
        self.half = half
        self.functions = []
        self.inner = []  # lines that compute the coordinates from `id`
        self.bound = share(kernel)
        found = _Found()
        found.walk(kernel.body)
        self.tiles = found.tiles
        foreign = {}
        for s in found.stores:
            own = s.own and not kernel.threads and same_shape(kernel, s.array)
            if not own or s.array.name in found.wide:
                foreign[s.array.name] = True
        self.whole = []  # packed outputs written a word at a time
        self.atomic = {}
        for a in kernel.arrays:
            if a.written and packed_bits(a.dtype, half):
                stored = [s for s in found.stores if s.array is a]
                loaded = a.name in found.loads
                if a.name in foreign or a.name in found.parts or (stored and loaded):
                    self.atomic[a.name] = True
                elif stored:
                    self.whole.append(a)
        self.lanes = 1
        for a in self.whole:
            self.lanes = max(self.lanes, 32 // packed_bits(a.dtype, half))
        for a in kernel.arrays + kernel.shareds:
            self._check(a)

    def _check(self, a):
        """Refuse what WGSL cannot do with an array."""
        if a.is_atomic and a.dtype.bits < 32:
            raise DeviceError(
                "%s: atomics are for int32, uint32 and float32 on this device; given "
                "an array of %s; use a wider dtype" % (self.kernel.name, a.dtype.name)
            )
        if a.name in self.tiles and (a.dtype is float16) and not self.half:
            raise DeviceError(
                "%s: matrix tiles of float16 need the feature shader-f16, which this "
                "device does not have; use float32" % self.kernel.name
            )

    def access(self):
        """Per binding: 0 read, 1 read_write."""
        written = {a.name: True for a in self.kernel.arrays if a.written}
        return [1 if a.name in written else 0 for a in self.bound]

    def is_atomic(self, array):
        """Say whether words of a packed array are shared by threads."""
        return array.name in self.atomic

    def packed(self, array):
        """Bits of an element that shares its word with others, else 0."""
        return 0 if isinstance(array, Shared) else packed_bits(array.dtype, self.half)

    def native_half(self, array):
        """Say whether an array's elements are f16."""
        return self.half and array.dtype is float16

    def width(self, array):
        """Elements of one vector of an array that is declared so, else 1."""
        if array.is_atomic or array.name in self.tiles or self.packed(array):
            return 1
        return array.wide_by

    def scalar(self, array):
        """The WGSL type of one element that has its own place."""
        return "f16" if self.native_half(array) else kind(array.dtype)

    def element(self, array):
        """The WGSL type that an array is declared of."""
        if self.packed(array):
            return "atomic<u32>" if self.is_atomic(array) else "u32"
        scalar = self.scalar(array)
        if array.is_atomic:
            return "atomic<%s>" % ("u32" if scalar == "f32" else scalar)
        width = self.width(array)
        return scalar if width == 1 else "vec%d<%s>" % (width, scalar)

    def store(self, printer, s, lines):
        array = s.array
        value = printer.value(s.value, lines)
        bits = self.packed(array)
        if not bits:
            index = printer.value(s.index, lines)
            if s.own and same_shape(self.kernel, array):
                index = "id"
            self.put(printer, array, index, s.value, value, lines)
            return
        word = as_word(printer, value, array.dtype)
        if self.is_atomic(array):
            self.put_part(printer, array, printer.value(s.index, lines), word, lines)
            return
        lines.append(
            "word%d = insertBits(word%d, %s, (id %% %du) * %du, %du);"
            % (array.position, array.position, word, 32 // bits, bits, bits)
        )

    def put(self, printer, array, index, value, code, lines):
        """Store `value`, printed as `code`, in its own place."""
        if array.dtype is float16:
            if self.half:
                code = half_code(printer, value, code)
            else:  # of a workgroup, and so an f32
                code = rounded(printer, code)
        where = place(printer, array, index)
        if array.is_atomic:
            code = "bitcast<u32>(%s)" % code if array.dtype.is_float else code
            lines.append("atomicStore(&%s, %s);" % (where, code))
        else:
            lines.append("%s = %s;" % (where, code))

    def put_part(self, printer, array, index, word, lines):
        """Store an element's bits in a word that other threads may write to."""
        bits = self.packed(array)
        per = 32 // bits
        printer.names += 1
        n = printer.names
        at = "&%s[at%d / %du]" % (array.name, n, per)
        mask = (1 << bits) - 1
        lines.append("let at%d = u32(%s);" % (n, index))
        lines.append("let by%d = (at%d %% %du) * %du;" % (n, n, per, bits))
        lines.append("atomicAnd(%s, ~(%du << by%d));" % (at, mask, n))
        lines.append("atomicOr(%s, (%s & %du) << by%d);" % (at, word, mask, n))

    def around(self, body):
        """Put the body at each point that this thread takes."""
        if self.kernel.threads:
            head = ["let id = wg.x + wg.y * groups.x;", "if (id >= count) { return; }"]
            return head + self.inner + body
        if self.lanes == 1:
            head = ["let id = thread;", "if (id >= count) { return; }"]
            return head + self.inner + body
        lines = ["let first = thread * %du;" % self.lanes]
        lines.append("if (first >= count) { return; }")
        lines.append("let last = min(first + %du, count) - 1u;" % self.lanes)
        for a in self.whole:
            lines.append("var word%d = 0u;" % a.position)
        lines.append("for (var id = first; id <= last; id = id + 1u) {")
        lines.extend(["  " + x for x in self.inner + body])
        for a in self.whole:
            per = 32 // packed_bits(a.dtype, self.half)
            full = (
                "id == last"
                if per == self.lanes
                else ("(id %% %du) == %du || id == last" % (per, per - 1))
            )
            lines.append(
                "  if (%s) { %s[id / %du] = word%d; word%d = 0u; }"
                % (full, a.name, per, a.position, a.position)
            )  # fmt: skip
        return lines + ["}"]


def as_word(printer, value, dtype):
    """An element's bits in the low end of a u32 (higher bits may be anything)."""
    if dtype is float16:
        return printer.call("float_half", [value])
    if dtype.is_bool:
        return "select(0u, 1u, %s)" % value
    return value if dtype.kind == "uint" else "bitcast<u32>(%s)" % value


def same_shape(kernel, array):
    """Say whether an output has exactly the grid's points, in order, from 0 on."""
    if len(array.shape) != len(kernel.dims):
        return False
    if array.offset.op != "const" or array.offset.args[0] != 0 or not array.ordered:
        return False
    for a, b in zip(array.shape, kernel.dims):
        if a is not b and not (a.op == b.op == "const" and a.args == b.args):
            return False
    return True


def share(kernel):
    """Arrays with bindings of their own; those that share one take on its name.

    The same arrays may have been printed before with other bindings (inplace.py).
    """
    for a in kernel.arrays:
        a.name = "b%d" % a.position
    for position, root in kernel.shares.items():
        a, b = kernel.arrays[position], kernel.arrays[root]
        a.name = b.name
        a.wide_by = b.wide_by = max(a.wide_by, b.wide_by)
        a.is_atomic = b.is_atomic = a.is_atomic or b.is_atomic
    return [kernel.arrays[i] for i in kernel.bindings()]


class _Found:
    """What the statements of a kernel do to its arrays, by the arrays' names."""

    def __init__(self):
        self.stores = []  # every Store
        self.loads = {}  # loaded from
        self.wide = {}  # stored to several elements at once
        self.parts = {}  # so, but less than a word
        self.tiles = {}  # read or written by matrix units

    def walk(self, body):
        for s in body:
            if isinstance(s, Store):
                self.stores.append(s)
            elif isinstance(s, (Load, LoadWide)):
                self.loads[s.array.name] = True
            elif isinstance(s, StoreWide):
                self.wide[s.array.name] = True
                if len(s.values) * s.array.dtype.bits < 32:
                    self.parts[s.array.name] = True
            elif isinstance(s, (MatrixLoad, MatrixStore)):
                self.tiles[s.array.name] = True
            else:
                for inner in blocks(s):
                    self.walk(inner)


def blocks(s):
    """The blocks of statements inside a statement."""
    found = [getattr(s, "body", ()), getattr(s, "orelse", ())]
    return [block for block in found if block]

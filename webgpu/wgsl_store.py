"""How elements lie in WGSL buffers: 8- and 16-bit types are packed in words.

A load takes its part of a word. Stores to a packed output come in two ways: where the
kernel writes just the element of its own grid point, a thread takes all the points of
a word in turn (`lanes` of them) and writes the word whole; otherwise an element is put
into its word by atomics, so that threads may share words.
"""

from __future__ import annotations

from ..dtypes import float16
from ..kernel.ir import Load, Loop, Store, When


def packed_bits(dtype, half):
    """Bits of an element that shares its word with others, else 0."""
    if dtype.bits == 32 or (dtype is float16 and half):
        return 0
    return dtype.bits


def load_code(printer, array, index):
    """The value of one element, from its index."""
    dtype = array.dtype
    bits = packed_bits(dtype, printer.half)
    if not bits:
        code = "%s[%s]" % (array.name, index)
        return "f32(%s)" % code if dtype is float16 else code
    per = 32 // bits
    word = "%s[u32(%s) / %du]" % (array.name, index, per)
    if printer.outputs.is_atomic(array):
        word = "atomicLoad(&%s)" % word
    shift = "(u32(%s) %% %du) * %du" % (index, per, bits)
    if dtype.kind == "int":
        return "extractBits(bitcast<i32>(%s), %s, %du)" % (word, shift, bits)
    code = "extractBits(%s, %s, %du)" % (word, shift, bits)
    if dtype is float16:
        return printer.call("half_float", [code])
    return "(%s != 0u)" % code if dtype.is_bool else code


class Outputs:
    """Chooses, for each output, how its elements are stored; prints the stores."""

    def __init__(self, kernel, half):
        self.kernel = kernel
        self.half = half
        self.functions = []
        self.inner = []  # lines that compute the coordinates from `id`
        stores, loads = [], {}
        _collect(kernel.body, stores, loads)
        foreign = {}
        for s in stores:
            if not (s.own and same_shape(kernel, s.array)):
                foreign[s.array.position] = True
        self.whole = []  # packed outputs written a word at a time
        self.atomic = {}
        for a in kernel.arrays:
            if a.written and packed_bits(a.dtype, half):
                if a.position in foreign or a.position in loads:
                    self.atomic[a.position] = True
                else:
                    self.whole.append(a)
        self.lanes = 1
        for a in self.whole:
            self.lanes = max(self.lanes, 32 // packed_bits(a.dtype, half))

    def is_atomic(self, array):
        return array.position in self.atomic

    def element(self, array):
        """The WGSL type of a buffer's elements."""
        if packed_bits(array.dtype, self.half):
            return "atomic<u32>" if self.is_atomic(array) else "u32"
        if array.dtype is float16:
            return "f16"
        if array.dtype.is_float:
            return "f32"
        return "u32" if array.dtype.kind == "uint" else "i32"

    def store(self, printer, s, lines):
        array = s.array
        value = printer.value(s.value, lines)
        bits = packed_bits(array.dtype, self.half)
        if not bits:
            if array.dtype is float16:
                # Rounded by us first: how f16() rounds and overflows is left open.
                word = printer.call("float_half", [value])
                value = "f16(%s)" % printer.call("half_float", [word])
            index = printer.value(s.index, lines)
            if s.own and same_shape(self.kernel, array):
                index = "id"
            lines.append("%s[%s] = %s;" % (array.name, index, value))
            return
        word = _as_word(printer, value, array.dtype)
        if self.is_atomic(array):
            self._atomic_store(printer, s, word, bits, lines)
            return
        lines.append(
            "w%d = insertBits(w%d, %s, (id %% %du) * %du, %du);"
            % (array.position, array.position, word, 32 // bits, bits, bits)
        )

    def _atomic_store(self, printer, s, word, bits, lines):
        per = 32 // bits
        printer.names += 1
        n = printer.names
        index = printer.value(s.index, lines)
        place = "&%s[x%d / %du]" % (s.array.name, n, per)
        mask = (1 << bits) - 1
        lines.append("let x%d = u32(%s);" % (n, index))
        lines.append("let y%d = (x%d %% %du) * %du;" % (n, n, per, bits))
        lines.append("atomicAnd(%s, ~(%du << y%d));" % (place, mask, n))
        lines.append("atomicOr(%s, (%s & %du) << y%d);" % (place, word, mask, n))

    def around(self, body):
        """Put the body at each point that this thread takes."""
        if self.lanes == 1:
            head = ["let id = thread;", "if (id >= count) { return; }"]
            return head + self.inner + body
        lines = ["let first = thread * %du;" % self.lanes]
        lines.append("if (first >= count) { return; }")
        lines.append("let last = min(first + %du, count) - 1u;" % self.lanes)
        for a in self.whole:
            lines.append("var w%d = 0u;" % a.position)
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
                "  if (%s) { %s[id / %du] = w%d; w%d = 0u; }"
                % (full, a.name, per, a.position, a.position)
            )  # fmt: skip
        return lines + ["}"]


def _as_word(printer, value, dtype):
    """An element's bits in the low end of a u32 (higher bits may be anything)."""
    if dtype is float16:
        return printer.call("float_half", [value])
    if dtype.is_bool:
        return "select(0u, 1u, %s)" % value
    return value if dtype.kind == "uint" else "bitcast<u32>(%s)" % value


def same_shape(kernel, array):
    """Say whether an output has exactly the grid's points, in the grid's order."""
    if len(array.shape) != len(kernel.dims):
        return False
    for a, b in zip(array.shape, kernel.dims):
        if a is not b and not (a.op == b.op == "const" and a.args == b.args):
            return False
    return True


def _collect(body, stores, loads):
    """Every store of a body, and the positions of the arrays it loads from."""
    for s in body:
        if isinstance(s, Store):
            stores.append(s)
        elif isinstance(s, Load):
            loads[s.array.position] = True
        elif isinstance(s, Loop):
            _collect(s.body, stores, loads)
        elif isinstance(s, When):
            _collect(s.body, stores, loads)
            _collect(s.orelse, stores, loads)

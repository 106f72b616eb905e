"""Prints loads and stores of 2 or 4 neighbours at once, as vectors or whole words.

Where an array cannot be one of vectors (its elements are atomics, or matrix units read
it too), the elements are taken one by one.
"""

from __future__ import annotations

from ..dtypes import float16
from ..expr import INDEX, literal
from .wgsl_store import as_word, extract, half_code, load_code, rounded

PART = "xyzw"


def load_wide(printer, s, lines):
    """Print a LoadWide."""
    printer.names += 1
    q = "q%d" % printer.names
    names = [t.args[0] for t in s.targets]
    width = printer.outputs.width(s.array)
    whole = _quotient(s.index, width) if width == len(names) else None
    index = printer.value(s.index if whole is None else whole, lines)
    if printer.outputs.packed(s.array):
        codes = _unpacked(printer, s.array, index, len(names), q, lines)
    elif width == 1:
        lines.append("let %s = %s;" % (q, index))
        codes = [
            load_code(printer, s.array, "%s + %di" % (q, i)) for i in range(len(names))
        ]
    else:
        codes = _vector(printer, s.array, index, whole, names, width, q, lines)
    for name, code in zip(names, codes):
        lines.append("let %s = %s;" % (name, code))


def _quotient(index, n):
    """index / n, where it is plainly a multiple of n, which saves a division."""
    if n == 1:
        return None
    if index.op == "const":
        return literal(index.args[0] // n, INDEX) if index.args[0] % n == 0 else None
    if index.op not in ("add", "mul"):
        return None
    a, b = index.args
    left, right = _quotient(a, n), _quotient(b, n)
    if index.op == "add":
        return None if left is None or right is None else left + right
    if left is not None:
        return left * b
    return None if right is None else a * right


def _vector(printer, array, index, whole, names, width, q, lines):
    """The components of a vector, or of its half; `whole`: index counts vectors."""
    at = "u32(%s)" % index if whole is not None else "u32(%s) / %du" % (index, width)
    lines.append("let %s = %s[%s];" % (q, array.name, at))
    if width == len(names):
        codes = ["%s.%s" % (q, PART[i]) for i in range(width)]
    else:
        lines.append("let p%s = u32(%s) %% %du;" % (q, index, width))
        codes = ["%s[p%s + %du]" % (q, q, i) for i in range(len(names))]
    if printer.outputs.native_half(array):
        for name, code in zip(names, codes):
            printer.raw[name] = code
        codes = ["f32(%s)" % code for code in codes]
    return codes


def _unpacked(printer, array, index, n, q, lines):
    """The elements of whole words, or of a part of one."""
    bits = printer.outputs.packed(array)
    per = 32 // bits
    lines.append("let %s = u32(%s);" % (q, index))
    codes = []
    for i in range(n):
        if i % per == 0:
            word = "%s[%s / %du + %du]" % (array.name, q, per, i // per)
            if printer.outputs.is_atomic(array):
                word = "atomicLoad(&%s)" % word
            lines.append("let %s_%d = %s;" % (q, i // per, word))
        shift = "%du" % (i % per * bits)
        if n < per:
            shift = "(%s %% %du) * %du + %s" % (q, per, bits, shift)
        word = "%s_%d" % (q, i // per)
        codes.append(extract(printer, array.dtype, word, shift, bits))
    return codes


def store_wide(printer, s, lines):
    """Print a StoreWide."""
    array = s.array
    codes = [printer.value(v, lines) for v in s.values]
    printer.names += 1
    q = "q%d" % printer.names
    width = printer.outputs.width(array)
    whole = None
    if width == len(codes) and not printer.outputs.packed(array):
        whole = _quotient(s.index, width)
    index = printer.value(s.index if whole is None else whole, lines)
    lines.append("let %s = u32(%s);" % (q, index))
    if printer.outputs.packed(array):
        _put_words(printer, array, codes, q, lines)
        return
    if width != len(codes):
        for i, (value, code) in enumerate(zip(s.values, codes)):
            at = "(%s + %du)" % (q, i)
            printer.outputs.put(printer, array, at, value, code, lines)
        return
    vector = None
    if array.dtype is float16:
        if printer.half:
            codes = [half_code(printer, v, c) for v, c in zip(s.values, codes)]
            vector = _whole(codes)
        else:
            codes = [rounded(printer, c) for c in codes]
    kind = "vec%d<%s>" % (width, printer.outputs.scalar(array))
    code = vector or "%s(%s)" % (kind, ", ".join(codes))
    at = q if whole is not None else "%s / %du" % (q, width)
    lines.append("%s[%s] = %s;" % (array.name, at, code))


def _whole(codes):
    """The vector whose components these are, in order, or None."""
    stem = codes[0][:-2]
    for i, code in enumerate(codes):
        if code != "%s.%s" % (stem, PART[i]):
            return None
    return stem


def _put_words(printer, array, codes, q, lines):
    """Write packed elements: whole words, or each into its part of one."""
    outputs = printer.outputs
    bits = outputs.packed(array)
    per = 32 // bits
    words = [as_word(printer, code, array.dtype) for code in codes]
    if len(words) < per:
        for i, word in enumerate(words):
            outputs.put_part(printer, array, "%s + %du" % (q, i), word, lines)
        return
    for i in range(0, len(words), per):
        code = words[i]
        for j in range(1, per):
            code = "insertBits(%s, %s, %du, %du)" % (code, words[i + j], j * bits, bits)
        at = "%s[%s / %du + %du]" % (array.name, q, per, i // per)
        if outputs.is_atomic(array):
            lines.append("atomicStore(&%s, %s);" % (at, code))
        else:
            lines.append("%s = %s;" % (at, code))

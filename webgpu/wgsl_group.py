"""Prints what threads do together, and wide loads and stores, as WGSL.

Each function of `SPECIAL` prints one class of statement of kernel/group.py. Matrix
tiles are Dawn's `chromium_experimental_subgroup_matrix`; the rest is standard WGSL.
"""

from __future__ import annotations

from ..dtypes import float16
from ..kernel.group import (
    Atomic,
    Barrier,
    LoadWide,
    MatrixDeclare,
    MatrixLoad,
    MatrixMultiply,
    MatrixStore,
    StoreWide,
    Subgroup,
    UniformLoad,
)
from .wgsl_expr import kind, narrow
from .wgsl_store import place
from .wgsl_wide import load_wide, store_wide

ATOMIC = {
    "add": "atomicAdd", "sub": "atomicSub", "min": "atomicMin", "max": "atomicMax",
    "and": "atomicAnd", "or": "atomicOr", "xor": "atomicXor",
    "exchange": "atomicExchange",
}  # fmt: skip
SUBGROUP = {
    "add": "subgroupAdd", "mul": "subgroupMul", "min": "subgroupMin",
    "max": "subgroupMax", "and": "subgroupAnd", "or": "subgroupOr",
    "xor": "subgroupXor", "exclusive_add": "subgroupExclusiveAdd",
    "inclusive_add": "subgroupInclusiveAdd", "any": "subgroupAny",
    "all": "subgroupAll", "first": "subgroupBroadcastFirst",
    "shuffle": "subgroupShuffle", "shuffle_xor": "subgroupShuffleXor",
    "shuffle_up": "subgroupShuffleUp", "shuffle_down": "subgroupShuffleDown",
}  # fmt: skip
WRAPS = ("add", "mul", "exclusive_add", "inclusive_add")


def _barrier(printer, s, lines):
    if s.storage:
        lines.append("storageBarrier();")
    lines.append("workgroupBarrier();")


def _uniform_load(printer, s, lines):
    array = s.array
    index = printer.value(s.index, lines)
    width = printer.outputs.width(array)
    if width > 1:
        code = "workgroupUniformLoad(&%s[u32(%s) / %du])[u32(%s) %% %du]" % (
            array.name, index, width, index, width,
        )  # fmt: skip
    else:
        code = "workgroupUniformLoad(&%s[%s])" % (array.name, index)
    if array.dtype is float16 and printer.half:
        code = "f32(%s)" % code
    elif array.is_atomic and array.dtype.is_float:
        code = "bitcast<f32>(%s)" % code
    lines.append("let %s = %s;" % (s.target.args[0], code))


def _atomic(printer, s, lines):
    where = "&" + place(printer, s.array, printer.value(s.index, lines))
    target = s.target.args[0]
    is_float = s.array.dtype.is_float
    value = None if s.value is None else printer.value(s.value, lines)
    if s.op == "load":
        code = "atomicLoad(%s)" % where
        lines.append("let %s = %s;" % (target, _from_bits(code, is_float)))
    elif s.op == "store":
        lines.append("atomicStore(%s, %s);" % (where, _to_bits(value, is_float)))
    elif s.op == "compare":
        expected = printer.value(s.expected, lines)
        _compare(target, where, value, expected, is_float, lines)
    elif is_float and s.op != "exchange":
        _float_atomic(printer, s.op, target, where, value, lines)
    else:
        code = "%s(%s, %s)" % (ATOMIC[s.op], where, _to_bits(value, is_float))
        lines.append("let %s = %s;" % (target, _from_bits(code, is_float)))


def _to_bits(code, is_float):
    return "bitcast<u32>(%s)" % code if is_float else code


def _from_bits(code, is_float):
    return "bitcast<f32>(%s)" % code if is_float else code


def _compare(target, where, value, expected, is_float, lines):
    """Compare and exchange; again where hardware failed though the values agree."""
    lines.append("let w%s = %s;" % (target, _to_bits(expected, is_float)))
    lines.append("var a%s = w%s;" % (target, target))
    lines.append("loop {")
    lines.append(
        "  let r = atomicCompareExchangeWeak(%s, w%s, %s);"
        % (where, target, _to_bits(value, is_float))
    )
    lines.append("  a%s = r.old_value;" % target)
    lines.append("  if (r.exchanged || r.old_value != w%s) { break; }" % target)
    lines.append("}")
    code = _from_bits("a" + target, is_float)
    lines.append("let %s = %s;" % (target, code))


def _float_atomic(printer, op, target, where, value, lines):
    """WGSL's atomics are integers: float32 is exchanged until nobody came between."""
    old = "bitcast<f32>(a%s)" % target
    if op in ("add", "sub"):
        new = "%s %s v%s" % (old, "+" if op == "add" else "-", target)
    else:
        new = printer.call("f_" + op, [old, "v" + target])
    lines.append("let v%s = %s;" % (target, value))
    lines.append("var a%s = atomicLoad(%s);" % (target, where))
    lines.append("loop {")
    lines.append(
        "  let r = atomicCompareExchangeWeak(%s, a%s, bitcast<u32>(%s));"
        % (where, target, new)
    )
    lines.append("  if (r.exchanged) { break; }")
    lines.append("  a%s = r.old_value;" % target)
    lines.append("}")
    lines.append("let %s = %s;" % (target, old))


def _subgroup(printer, s, lines):
    dtype = s.value.dtype
    code = printer.value(s.value, lines)
    carried = dtype.is_bool and s.op not in ("any", "all")
    if carried:
        code = "select(0u, 1u, %s)" % code
    if s.arg is not None:
        code += ", u32(%s)" % printer.value(s.arg, lines)
    code = "%s(%s)" % (SUBGROUP[s.op], code)
    if carried:
        code = "(%s != 0u)" % code
    elif s.op in WRAPS and dtype.is_int and dtype.bits < 32:
        code = narrow(code, dtype)
    lines.append("let %s = %s;" % (s.target.args[0], code))


def tile(matrix):
    """The WGSL type of a matrix: columns come before rows."""
    item = "f16" if matrix.dtype is float16 else kind(matrix.dtype)
    if matrix.dtype.bits == 8:
        item = "u8" if matrix.dtype.kind == "uint" else "i8"
    return "subgroup_matrix_%s<%s, %d, %d>" % (
        matrix.role, item, matrix.cols, matrix.rows,
    )  # fmt: skip


def _matrix_declare(printer, s, lines):
    lines.append("var %s = %s();" % (s.matrix.name, tile(s.matrix)))


def _matrix_load(printer, s, lines):
    lines.append(
        "%s = subgroupMatrixLoad<%s>(&%s, u32(%s), %s, u32(%s));"
        % (s.matrix.name, tile(s.matrix), s.array.name, printer.value(s.index, lines),
           "true" if s.transposed else "false", printer.value(s.stride, lines))
    )  # fmt: skip


def _matrix_multiply(printer, s, lines):
    lines.append(
        "%s = subgroupMatrixMultiplyAccumulate(%s, %s, %s);"
        % (s.acc.name, s.left.name, s.right.name, s.acc.name)
    )


def _matrix_store(printer, s, lines):
    lines.append(
        "subgroupMatrixStore(&%s, u32(%s), %s, false, u32(%s));"
        % (s.array.name, printer.value(s.index, lines), s.matrix.name,
           printer.value(s.stride, lines))
    )  # fmt: skip


SPECIAL = {
    LoadWide: load_wide,
    StoreWide: store_wide,
    Barrier: _barrier,
    UniformLoad: _uniform_load,
    Atomic: _atomic,
    Subgroup: _subgroup,
    MatrixDeclare: _matrix_declare,
    MatrixLoad: _matrix_load,
    MatrixMultiply: _matrix_multiply,
    MatrixStore: _matrix_store,
}

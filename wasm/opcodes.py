"""The instructions of WebAssembly that we use, by name.

The binary format numbers them in runs, so the table is a list of runs. SIMD (prefix
0xFD, type v128) has its place here when the printer learns it.
"""

from __future__ import annotations

TYPES = {
    "i32": b"\x7f",
    "i64": b"\x7e",
    "f32": b"\x7d",
    "f64": b"\x7c",
    "v128": b"\x7b",
}

_COMPARE = "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u"
_INTEGER = (
    "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u "
    "rotl rotr"
)
_FLOAT = "abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign"
# (prefix of the bytes, first number, prefix of the names, names)
_RUNS = (
    (b"", 0x00, "", "unreachable nop block loop if else"),
    (b"", 0x0B, "", "end br br_if br_table return call call_indirect"),
    (b"", 0x1A, "", "drop select"),
    (b"", 0x28, "", "i32.load i64.load f32.load f64.load"),
    (b"", 0x2C, "i32.", "load8_s load8_u load16_s load16_u"),
    (b"", 0x30, "i64.", "load8_s load8_u load16_s load16_u load32_s load32_u"),
    (b"", 0x36, "", "i32.store i64.store f32.store f64.store i32.store8 i32.store16"),
    (b"", 0x3C, "i64.", "store8 store16 store32"),
    (b"", 0x41, "", "i32.const i64.const f32.const f64.const"),
    (b"", 0x45, "i32.", "eqz " + _COMPARE),
    (b"", 0x50, "i64.", "eqz " + _COMPARE),
    (b"", 0x5B, "f32.", "eq ne lt gt le ge"),
    (b"", 0x61, "f64.", "eq ne lt gt le ge"),
    (b"", 0x67, "i32.", _INTEGER),
    (b"", 0x79, "i64.", _INTEGER),
    (b"", 0x8B, "f32.", _FLOAT),
    (b"", 0x99, "f64.", _FLOAT),
    (b"", 0xA7, "i32.", "wrap_i64 trunc_f32_s trunc_f32_u trunc_f64_s trunc_f64_u"),
    (b"", 0xAC, "i64.", "extend_i32_s extend_i32_u trunc_f32_s trunc_f32_u"),
    (b"", 0xB0, "i64.", "trunc_f64_s trunc_f64_u"),
    (b"", 0xB2, "f32.", "convert_i32_s convert_i32_u convert_i64_s convert_i64_u"),
    (b"", 0xB6, "", "f32.demote_f64"),
    (b"", 0xB7, "f64.", "convert_i32_s convert_i32_u convert_i64_s convert_i64_u"),
    (b"", 0xBB, "", "f64.promote_f32 i32.reinterpret_f32 i64.reinterpret_f64"),
    (b"", 0xBE, "", "f32.reinterpret_i32 f64.reinterpret_i64"),
    (b"", 0xC0, "", "i32.extend8_s i32.extend16_s"),
    (b"", 0xC2, "i64.", "extend8_s extend16_s extend32_s"),
    (b"\xfc", 0x00, "i32.trunc_sat_", "f32_s f32_u f64_s f64_u"),
    (b"\xfc", 0x04, "i64.trunc_sat_", "f32_s f32_u f64_s f64_u"),
)  # fmt: skip


def _table():
    out = {}
    for prefix, first, head, names in _RUNS:
        for i, name in enumerate(names.split()):
            out[head + name] = prefix + bytes([first + i])
    return out


OP = _table()

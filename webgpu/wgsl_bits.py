"""WGSL on bits: tests and selections that hold for nan and inf, halves, integers.

WGSL lets a compiler assume that no value is infinite or nan, and gives integer
division and conversion other edges than ours; so these functions look at bits. The
edges are those of `kernel/mathfun.py`, on which every backend agrees.
"""

# Name -> source. A function may call the others; `library` brings along what it needs.
BITS = {
    # A zero that no compiler sees through: main sets it from an index that is 0.
    "zero": "var<private> ZERO: u32;\n",
    # keep(x) is x, rounded here: no compiler may reassociate across it.
    "keep": """
fn keep(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ ZERO); }
""",
    "flt": """
fn flt(b: u32) -> f32 { return bitcast<f32>(b ^ ZERO); }
""",
    "kf": "fn kf(x: f32) -> f32 { return x; }\n",
    "ki": "fn ki(x: i32) -> i32 { return x; }\n",
    "ku": "fn ku(x: u32) -> u32 { return x; }\n",
    "inf": "fn inf() -> f32 { return flt(0x7f800000u); }\n",
    "nan": "fn nan() -> f32 { return flt(0x7fc00000u); }\n",
    "mag": """
fn mag(x: f32) -> u32 { return bitcast<u32>(x) & 0x7fffffffu; }
""",
    "sgn": """
fn sgn(x: f32) -> u32 { return bitcast<u32>(x) & 0x80000000u; }
""",
    # The magnitude of x with the sign of s.
    "signed": """
fn signed(x: f32, s: f32) -> f32 { return bitcast<f32>(mag(x) | sgn(s)); }
""",
    "is_nan": """
fn is_nan(x: f32) -> bool { return mag(x) > 0x7f800000u; }
""",
    "is_inf": """
fn is_inf(x: f32) -> bool { return mag(x) == 0x7f800000u; }
""",
    "is_finite": """
fn is_finite(x: f32) -> bool { return mag(x) < 0x7f800000u; }
""",
    "f_min": """
fn f_min(a: f32, b: f32) -> f32 {
  return select(select(select(b, a, a < b), b, is_nan(b)), a, is_nan(a));
}
""",
    "f_max": """
fn f_max(a: f32, b: f32) -> f32 {
  return select(select(select(b, a, a > b), b, is_nan(b)), a, is_nan(a));
}
""",
    # A GPU may divide by way of 1/b, which is 0 or lost above 2^126.
    "f_div": """
fn f_div(a: f32, b: f32) -> f32 {
  let s = select(1.0f, 0.0625f, mag(b) > 0x7e000000u);
  return a * s / keep(b * s);
}
""",
    "f_sign": """
fn f_sign(x: f32) -> f32 { return select(select(x, -1.0f, x < 0.0f), 1.0f, x > 0.0f); }
""",
    # y * 2^k for k in [-252, 254], in two steps that cannot overflow early.
    "scale": """
fn scale(y: f32, k: i32) -> f32 {
  let a = k >> 1u;
  return keep(y * bitcast<f32>((a + 127) << 23u)) * bitcast<f32>((k - a + 127) << 23u);
}
""",
    # The low 32 bits of the whole part: conversion wraps, as integers do elsewhere.
    "f_int": """
fn f_int(x: f32) -> u32 {
  let m = mag(x);
  var v = 0u;
  if (m < 0x4f000000u) { v = u32(abs(x)); }
  else if (m < 0x5b000000u) {
    v = ((m & 0x7fffffu) | 0x800000u) << ((m >> 23u) - 150u);
  }
  return select(v, 0u - v, sgn(x) != 0u);
}
""",
    "half_float": """
fn half_float(h: u32) -> f32 {
  let s = (h & 0x8000u) << 16u;
  let m = h & 0x3ffu;
  let e = (h >> 10u) & 31u;
  var b = ((e + 112u) << 23u) | (m << 13u);
  if (e == 0u) { b = bitcast<u32>(f32(m) * 5.9604644775390625e-8f); }
  if (e == 31u) { b = 0x7f800000u | (m << 13u); }
  return bitcast<f32>(b | s);
}
""",
    # Nearest, ties to even; overflow gives inf.
    "float_half": """
fn float_half(x: f32) -> u32 {
  let a = mag(x);
  let s = sgn(x) >> 16u;
  if (a > 0x7f800000u) { return s | 0x7e00u; }
  if (a >= 0x477ff000u) { return s | 0x7c00u; }
  if (a < 0x38800000u) { return s | u32(round(abs(x) * 16777216.0f)); }
  return s | ((a + 0xfffu + ((a >> 13u) & 1u) - 0x38000000u) >> 13u);
}
""",
    "i_floordiv": """
fn i_floordiv(a: i32, b: i32) -> i32 {
  if (b == 0) { return 0; }
  if (b == -1) { return -a; }
  let q = a / b;
  return q - select(0, 1, a != q * b && (a < 0) != (b < 0));
}
""",
    "i_mod": """
fn i_mod(a: i32, b: i32) -> i32 {
  if (b == 0 || b == -1) { return 0; }
  let r = a - a / b * b;
  return r + select(0, b, r != 0 && (r < 0) != (b < 0));
}
""",
    "u_floordiv": """
fn u_floordiv(a: u32, b: u32) -> u32 { return select(a / max(b, 1u), 0u, b == 0u); }
""",
    "u_mod": """
fn u_mod(a: u32, b: u32) -> u32 { return select(a % max(b, 1u), 0u, b == 0u); }
""",
    "u_pow": """
fn u_pow(a: u32, b: u32) -> u32 {
  var out = 1u; var base = a; var n = b;
  while (n != 0u) {
    if ((n & 1u) != 0u) { out = out * base; }
    base = base * base;
    n = n >> 1u;
  }
  return out;
}
""",
    "i_pow": """
fn i_pow(a: i32, b: i32) -> i32 {
  if (b >= 0) { return bitcast<i32>(u_pow(bitcast<u32>(a), bitcast<u32>(b))); }
  if (a == 1 || a == -1) { return select(1, a, (b & 1) != 0); }
  return 0;
}
""",
    "i_sign": """
fn i_sign(a: i32) -> i32 { return select(select(0, -1, a < 0), 1, a > 0); }
""",
    "u_sign": "fn u_sign(a: u32) -> u32 { return min(a, 1u); }\n",
    "i_shl": """
fn i_shl(a: i32, n: i32) -> i32 { return select(0, a << (u32(n) & 31u), u32(n) < 32u); }
""",
    "u_shl": """
fn u_shl(a: u32, n: u32) -> u32 { return select(0u, a << (n & 31u), n < 32u); }
""",
    "i_shr": """
fn i_shr(a: i32, n: i32) -> i32 { return a >> min(u32(n), 31u); }
""",
    "u_shr": """
fn u_shr(a: u32, n: u32) -> u32 { return select(0u, a >> (n & 31u), n < 32u); }
""",
    # An exact remainder: long division of the significands, 8 bits a step.
    "f_rem": """
fn f_rem(a: f32, b: f32) -> f32 {
  let am = mag(a); let bm = mag(b);
  if (am < bm) { return bitcast<f32>(am); }
  let ea = max(am >> 23u, 1u); let eb = max(bm >> 23u, 1u);
  let mb = (bm & 0x7fffffu) | select(0u, 0x800000u, bm >= 0x800000u);
  var r = ((am & 0x7fffffu) | select(0u, 0x800000u, am >= 0x800000u)) % mb;
  var n = ea - eb;
  while (n > 0u && r != 0u) {
    let step = min(n, 8u);
    r = (r << step) % mb;
    n = n - step;
  }
  return scale(f32(r), i32(eb) - 150);
}
""",
    "f_mod": """
fn f_mod(a: f32, b: f32) -> f32 {
  if (mag(b) == 0u || !is_finite(a) || is_nan(b)) { return nan(); }
  if (mag(a) == 0u) { return signed(0.0f, b); }
  let same = sgn(a) == sgn(b);
  if (is_inf(b)) { return select(b, a, same); }
  let r = f_rem(a, b);
  if (mag(r) == 0u) { return signed(0.0f, b); }
  return select(signed(r, a) + b, signed(r, a), same);
}
""",
    "f_floordiv": """
fn f_floordiv(a: f32, b: f32) -> f32 {
  if (mag(b) == 0u) {
    if (mag(a) == 0u || is_nan(a)) { return nan(); }
    return signed(inf(), bitcast<f32>(sgn(a) ^ sgn(b)));
  }
  if (!is_finite(a) || is_nan(b)) { return nan(); }
  let turned = bitcast<f32>(sgn(a) ^ sgn(b));
  let none = sgn(a) == sgn(b) || mag(a) == 0u;
  if (is_inf(b)) { return signed(select(1.0f, 0.0f, none), turned); }
  let q = f_div(keep(a - f_mod(a, b)), b);
  return round(signed(q, turned));
}
""",
}

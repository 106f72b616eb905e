"""WGSL of the trigonometric functions and their inverses: see wgsl_math."""

TRIG = {
    "umulhi": """
fn umulhi(a: u32, b: u32) -> u32 {
  let al = a & 0xffffu; let ah = a >> 16u; let bl = b & 0xffffu; let bh = b >> 16u;
  let mid = ah * bl + ((al * bl) >> 16u);
  let low = al * bh + (mid & 0xffffu);
  return ah * bh + (mid >> 16u) + (low >> 16u);
}
""",
    # x = q * pi/2 + r with |r| <= pi/4: four parts of pi/2, or all of 2/pi's bits.
    "Angle": """
struct Angle { q: i32, r: f32 }
fn angle(x: f32) -> Angle {
  if (abs(x) >= 6000.0f) { return angle_large(x); }
  let n = round(x * 0.63661975f);
  var r = keep(x - n * 1.5703125f);
  r = keep(r - n * 0.0004837512969970703f);
  r = keep(r - n * 7.549533620476723e-8f);
  return Angle(i32(n), r - n * 2.563344e-12f);
}
fn angle_large(x: f32) -> Angle {
  var bits = array<u32, 9>(0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
    0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u);
  let m = (bitcast<u32>(x) & 0x7fffffu) | 0x800000u;
  let at = (mag(x) >> 23u) - 120u;
  let i = at >> 5u; let s = at & 31u;
  let w0 = (bits[i] << s) | ((bits[i + 1u] >> 1u) >> (31u - s));
  let w1 = (bits[i + 1u] << s) | ((bits[i + 2u] >> 1u) >> (31u - s));
  let w2 = (bits[i + 2u] << s) | ((bits[i + 3u] >> 1u) >> (31u - s));
  var low = m * w1 + umulhi(m, w2);
  let carry = select(0u, 1u, low < m * w1);
  var high = m * w0 + umulhi(m, w1) + carry;
  var q = i32((high + 0x20000000u) >> 30u);
  high = (high << 2u) | (low >> 30u);
  low = low << 2u;
  let negative = high >= 0x80000000u;
  if (negative) { high = ~high + select(0u, 1u, low == 0u); low = 0u - low; }
  let lead = min(countLeadingZeros(high), 31u);
  high = (high << lead) | ((low >> 1u) >> (31u - lead));
  let r = f32(high) * bitcast<f32>((95u - lead) << 23u) * 1.5707964f;
  let down = (sgn(x) != 0u) != negative;
  return Angle(select(q, -q, sgn(x) != 0u), select(r, -r, down));
}
""",
    "sin_core": """
fn sin_core(r: f32) -> f32 {
  let z = r * r;
  return r + r * z * (-0.16666667f + z * (0.008333379f + z * (-0.00019853072f
    + z * 2.8326801e-06f)));
}
""",
    "cos_core": """
fn cos_core(r: f32) -> f32 {
  let z = r * r;
  return 1.0f - (0.5f * z - z * z * (0.041666668f + z * (-0.001388898f
    + z * (2.4822008e-05f + z * -2.8878452e-07f))));
}
""",
    "m_sin": """
fn m_sin(x: f32) -> f32 {
  if (!is_finite(x)) { return nan(); }
  if (mag(x) < 0x39000000u) { return x; }
  let a = angle(x);
  let v = select(sin_core(a.r), cos_core(a.r), (a.q & 1) != 0);
  return select(v, -v, (a.q & 2) != 0);
}
""",
    "m_cos": """
fn m_cos(x: f32) -> f32 {
  if (!is_finite(x)) { return nan(); }
  let a = angle(x);
  let v = select(cos_core(a.r), sin_core(a.r), (a.q & 1) != 0);
  return select(v, -v, ((a.q + 1) & 2) != 0);
}
""",
    "m_tan": """
fn m_tan(x: f32) -> f32 {
  if (!is_finite(x)) { return nan(); }
  if (mag(x) < 0x39000000u) { return x; }
  let a = angle(x);
  let z = a.r * a.r;
  let p = z * (8.512512e-05f + z * 0.004379599f);
  let t = a.r + a.r * z * (0.3333335f + z * (0.13332672f + z * (0.05405943f
    + z * (0.02128295f + z * (0.010836962f + p)))));
  if ((a.q & 1) != 0) { return -1.0f / t; }
  return t;
}
""",
    # asin(x) - x for |x| <= 1/2.
    "asin_core": """
fn asin_core(x: f32) -> f32 {
  let z = x * x;
  return x * z * (0.1666666f + z * (0.07500521f + z * (0.04451369f + z * (0.031834938f
    + z * (0.014336257f + z * 0.03765892f)))));
}
""",
    "m_asin": """
fn m_asin(x: f32) -> f32 {
  let a = abs(x);
  if (!(a <= 1.0f) || is_nan(x)) { return nan(); }
  if (mag(x) < 0x39000000u) { return x; }
  if (a <= 0.5f) { return x + asin_core(x); }
  let s = sqrt(0.5f * (1.0f - a));
  return signed(1.5707964f - (2.0f * (s + asin_core(s)) + 4.371139e-08f), x);
}
""",
    "m_acos": """
fn m_acos(x: f32) -> f32 {
  let a = abs(x);
  if (!(a <= 1.0f) || is_nan(x)) { return nan(); }
  if (a <= 0.5f) { return 1.5707964f - (x + (asin_core(x) + 4.371139e-08f)); }
  let s = sqrt(0.5f * (1.0f - a));
  let t = 2.0f * (s + asin_core(s));
  return select(t, 3.1415927f - (t + 8.742278e-08f), x < 0.0f);
}
""",
    # atan(t) - t for |t| <= tan(pi/8).
    "atan_core": """
fn atan_core(t: f32) -> f32 {
  let z = t * t;
  return t * z * (-0.33333316f + z * (0.19998527f + z * (-0.14244346f
    + z * (0.10598754f + z * -0.06088843f))));
}
""",
    # The angle of (x, y) for x >= y >= 0, both finite; x is not 0.
    "atan_octant": """
fn atan_octant(y: f32, x: f32) -> f32 {
  if (y > 0.41421356f * x) {
    let t = (y - x) / (y + x);
    return 0.7853982f + (t + (atan_core(t) - 2.1855694e-08f));
  }
  let t = y / x;
  return t + atan_core(t);
}
""",
    "m_atan": """
fn m_atan(x: f32) -> f32 {
  if (is_nan(x) || mag(x) < 0x39000000u) { return x; }
  let a = min(abs(x), 1e30f);
  if (a <= 1.0f) { return signed(atan_octant(a, 1.0f), x); }
  return signed(1.5707964f - (atan_octant(1.0f, a) + 4.371139e-08f), x);
}
""",
    "m_atan2": """
fn m_atan2(y: f32, x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (is_nan(y)) { return y; }
  var a = abs(x); var b = abs(y);
  if (is_inf(x) || is_inf(y)) {
    a = select(0.0f, 1.0f, is_inf(x));
    b = select(0.0f, 1.0f, is_inf(y));
  }
  let s = select(select(1.0f, 1e12f, max(a, b) < 1e-20f), 1e-12f, max(a, b) > 1e20f);
  a = a * s;
  b = b * s;
  var t = 0.0f;
  if (mag(a) != 0u || mag(b) != 0u) {
    t = atan_octant(min(a, b), max(a, b));
    if (b > a) { t = 1.5707964f - (t + 4.371139e-08f); }
  }
  if (sgn(x) != 0u) { t = 3.1415927f - (t + 8.742278e-08f); }
  return signed(t, y);
}
""",
}

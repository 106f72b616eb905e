"""WGSL's mathematics, written by ourselves: exp, log, sin, pow, erf and the rest.

The standard leaves most built-in functions loose (sin of a large number is anything
at all), so these are our own range reductions and polynomials, fitted to the relative
error of the function. The bounds, in units in the last place of a normal result, are
in `ULP`; tests/webgpu measures them. No fused multiply-add is relied on; `keep` stops
compilers from reassociating where that would cost the result. Results below 1.2e-38
may be flushed to zero, as WGSL allows.
"""

from __future__ import annotations

from .wgsl_bits import BITS

# Bounds with correctly rounded division and square root; GPUs, whose division is
# good to 2.5 ulp, may add up to 3 where a function divides.
ULP = {
    "exp": 1.5, "expm1": 2, "log": 1, "log1p": 1.5, "log2": 2, "log10": 2, "sqrt": 1,
    "sin": 3, "cos": 3, "tan": 4, "asin": 3, "acos": 2, "atan": 2.5, "sinh": 2,
    "cosh": 2, "tanh": 2, "asinh": 2, "acosh": 3, "atanh": 2, "erf": 2.5, "pow": 2,
    "atan2": 3,
}  # fmt: skip

MATH = {
    # exp(r) - 1 for |r| <= ln(2)/2.
    "exp_core": """
fn exp_core(r: f32) -> f32 {
  return r + r * r * (0.5f + r * (0.16666666f + r * (0.041666493f
    + r * (0.008333543f + r * (0.0013932381f + r * 0.00019764414f)))));
}
""",
    # x - n*ln(2) for n = round(x/ln(2)); n*0.693359375 is exact.
    "exp_rest": """
fn exp_rest(x: f32, n: f32) -> f32 {
  return keep(x - n * 0.693359375f) + n * 0.00021219444f;
}
""",
    # exp(x) * 2^s.
    "exp_scaled": """
fn exp_scaled(x: f32, s: i32) -> f32 {
  let c = clamp(x, -120.0f, 100.0f);
  let n = round(c * 1.442695f);
  return scale(1.0f + exp_core(exp_rest(c, n)), i32(n) + s);
}
""",
    "m_exp": """
fn m_exp(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  return select(exp_scaled(x, 0), inf(), x > 88.72283935546875f);
}
""",
    "m_expm1": """
fn m_expm1(x: f32) -> f32 {
  if (is_nan(x) || mag(x) < 0x33000000u) { return x; }
  if (x > 30.0f) { return m_exp(x); }
  if (x < -18.0f) { return -1.0f; }
  let n = round(x * 1.442695f);
  let e = exp_core(exp_rest(x, n));
  let t = bitcast<f32>((i32(n) + 127) << 23u);
  return e * t + (t - 1.0f);
}
""",
    # x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for x > 0.
    "LogParts": """
struct LogParts { k: f32, f: f32 }
fn log_parts(x: f32) -> LogParts {
  var b = bitcast<u32>(x);
  var k = 0i;
  if (b < 0x800000u) { b = bitcast<u32>(f32(b)); k = -149i; }
  let t = b - 0x3f3504f3u;
  k = k + (bitcast<i32>(t) >> 23u);
  return LogParts(f32(k), bitcast<f32>((t & 0x7fffffu) + 0x3f3504f3u) - 1.0f);
}
""",
    # log(1+f) - f for 1 + f in that range.
    "log_core": """
fn log_core(f: f32) -> f32 {
  let p = 0.33333313f + f * (-0.2500001f + f * (0.20002073f + f * (-0.16667995f
    + f * (0.14220317f + f * (-0.12406046f + f * (0.11883731f + f * (-0.11671567f
    + f * 0.06750711f)))))));
  return f * f * (f * p - 0.5f);
}
""",
    # What every logarithm gives outside (0, inf).
    "log_edge": """
fn log_edge(x: f32) -> f32 {
  if (mag(x) == 0u) { return -inf(); }
  return select(x, nan(), x < 0.0f);
}
""",
    "log_inside": """
fn log_inside(x: f32) -> bool { return bitcast<u32>(x) - 1u < 0x7f7fffffu; }
""",
    "m_log": """
fn m_log(x: f32) -> f32 {
  if (!log_inside(x)) { return log_edge(x); }
  let p = log_parts(x);
  return p.k * 0.693359375f + (p.f + (log_core(p.f) - p.k * 0.00021219444f));
}
""",
    "m_log2": """
fn m_log2(x: f32) -> f32 {
  if (!log_inside(x)) { return log_edge(x); }
  let p = log_parts(x);
  let w = log_core(p.f);
  return p.k + (p.f + (w + (w * 0.44269505f + p.f * 0.44269505f)));
}
""",
    "m_log10": """
fn m_log10(x: f32) -> f32 {
  if (!log_inside(x)) { return log_edge(x); }
  let p = log_parts(x);
  let w = log_core(p.f);
  let low = (w + p.f) * 0.00021245066f - p.k * 0.00023953558f;
  return p.k * 0.30126953125f + (p.f * 0.43408203125f + (w * 0.43408203125f + low));
}
""",
    "m_log1p": """
fn m_log1p(x: f32) -> f32 {
  if (mag(x) < 0x33000000u) { return x; }
  let u = keep(1.0f + x);
  if (!log_inside(u)) { return log_edge(u); }
  if (x > -0.29f && x < 0.41f) { return x + log_core(x); }
  let p = log_parts(u);
  let c = select(keep(x - keep(u - 1.0f)), keep(1.0f - keep(u - x)), x >= 1.0f) / u;
  return p.k * 0.693359375f + (p.f + (log_core(p.f) + (c - p.k * 0.00021219444f)));
}
""",
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
    "m_sinh": """
fn m_sinh(x: f32) -> f32 {
  if (!is_finite(x) || mag(x) < 0x39000000u) { return x; }
  let a = abs(x);
  if (a <= 1.0f) {
    let z = x * x;
    return x + x * z * (0.16666667f + z * (0.0083333105f + z * (0.00019842896f
      + z * 2.7822132e-06f)));
  }
  return signed(exp_scaled(a, -1) - exp_scaled(-a, -1), x);
}
""",
    "m_cosh": """
fn m_cosh(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (is_inf(x)) { return inf(); }
  return exp_scaled(abs(x), -1) + exp_scaled(-abs(x), -1);
}
""",
    "m_tanh": """
fn m_tanh(x: f32) -> f32 {
  if (is_nan(x) || mag(x) < 0x39000000u) { return x; }
  let a = min(abs(x), 10.0f);
  if (a <= 0.625f) {
    let z = x * x;
    return x + x * z * (-0.3333333f + z * (0.13333221f + z * (-0.053948183f
      + z * (0.021706946f + z * (-0.008190234f + z * 0.0021529768f)))));
  }
  return signed(1.0f - 2.0f / (exp_scaled(2.0f * a, 0) + 1.0f), x);
}
""",
    "m_asinh": """
fn m_asinh(x: f32) -> f32 {
  if (!is_finite(x) || mag(x) < 0x39000000u) { return x; }
  let a = abs(x);
  let z = x * x;
  if (a <= 0.5f) {
    return x + x * z * (-0.16666666f + z * (0.07499907f + z * (-0.044616092f
      + z * (0.0300335f + z * (-0.02004918f + z * 0.00925587f)))));
  }
  if (a > 4096.0f) { return signed(m_log(a) + 0.6931472f, x); }
  return signed(m_log1p(a + z / (1.0f + sqrt(z + 1.0f))), x);
}
""",
    "m_acosh": """
fn m_acosh(x: f32) -> f32 {
  if (!(x >= 1.0f) || is_nan(x)) { return nan(); }
  if (is_inf(x)) { return x; }
  if (x > 4096.0f) { return m_log(x) + 0.6931472f; }
  let t = x - 1.0f;
  return m_log1p(t + sqrt(t * t + 2.0f * t));
}
""",
    "m_atanh": """
fn m_atanh(x: f32) -> f32 {
  let a = abs(x);
  if (!(a <= 1.0f) || is_nan(x)) { return nan(); }
  if (a == 1.0f) { return signed(inf(), x); }
  if (mag(x) < 0x39000000u) { return x; }
  if (a <= 0.5f) {
    let z = x * x;
    let p = z * (0.016959598f + z * 0.18513986f);
    return x + x * z * (0.33333337f + z * (0.19999622f + z * (0.14297815f
      + z * (0.109294005f + z * (0.10524477f + p)))));
  }
  return signed(0.5f * m_log1p(2.0f * a / (1.0f - a)), x);
}
""",
    "m_erf": """
fn m_erf(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  let a = min(abs(x), 3.95f);
  if (a <= 0.921875f) {
    let z = x * x;
    return x + x * (0.12837917f + z * (-0.3761263f + z * (0.11283626f
      + z * (-0.026855728f + z * (0.005192377f + z * (-0.0008049174f
      + z * 7.992796e-05f))))));
  }
  let t = a - 2.0f;
  let p = -5.364941f + t * (-4.41816f + t * (-0.9237523f + t * (-0.016477153f
    + t * (0.0035564278f + t * (-0.00072579685f + t * (0.00015398701f
    + t * -1.4594359e-05f))))));
  return signed(1.0f - exp_scaled(p, 0), x);
}
""",
    # The upper 12 bits of a significand: products of two such are exact.
    "top": """
fn top(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }
""",
    # a^b = 2^(b log2 a), with the logarithm in two floats (relative error 2^-33).
    "pow_core": """
fn pow_core(a: f32, b: f32) -> f32 {
  let p = log_parts(a);
  let d = keep(2.0f + p.f);
  let s = top(p.f / d);
  let dt = top(d);
  let rest = keep(keep(p.f - s * dt) - s * (d - dt)) - s * (p.f - keep(d - 2.0f));
  let sl = rest / d;
  let z = s * s;
  let zt = top(z);
  let more = (2.0f * s + sl) * sl;
  let y2 = z + more;
  let tail = (z - zt + more) * 0.33333334f + zt * -4.0690105e-05f
    + y2 * y2 * (0.2f + y2 * (0.14285715f + y2 * (0.11111111f + y2 * 0.09090909f)));
  let main = zt * 0.3333740234375f;
  let q = top(main + tail);
  let ql = keep(main - q) + tail;
  let m = s * q;
  let t = keep(s + m);
  let tl = keep(m - keep(t - s)) + (sl + (s * ql + sl * q));
  let tt = top(t);
  let y = tt * 2.8857421875f;
  let yl = keep(keep(t - tt) + tl) * 2.88539f + tt * -0.0003521057f;
  let h = keep(p.k + y);
  let above = abs(p.k) > abs(y);
  let hl = select(keep(p.k - keep(h - y)), keep(y - keep(h - p.k)), above) + yl;
  let guess = b * (h + hl);
  if (guess > 129.0f) { return inf(); }
  if (guess < -151.0f) { return 0.0f; }
  let ht = top(h);
  let bt = top(b);
  let e = bt * ht;
  let el = (b - bt) * ht + b * (keep(h - ht) + hl);
  let n = round(e + el);
  return scale(1.0f + exp_core((keep(e - n) + el) * 0.6931472f), i32(n));
}
""",
    "m_pow": """
fn m_pow(a: f32, b: f32) -> f32 {
  if (mag(b) == 0u || a == 1.0f) { return 1.0f; }
  if (is_nan(a)) { return a; }
  if (is_nan(b)) { return b; }
  if (b == 1.0f) { return a; }
  if (b == 2.0f) { return a * a; }
  let whole = abs(b) >= 8388608.0f || floor(b) == b;
  let b2 = 0.5f * b;
  let odd = whole && abs(b) < 16777216.0f && floor(b2) != b2;
  let up = b > 0.0f;
  var r = 0.0f;
  if (is_inf(b)) {
    if (a == -1.0f) { return 1.0f; }
    r = select(0.0f, inf(), (abs(a) > 1.0f) == up);
  } else if (mag(a) == 0u || is_inf(a)) {
    r = select(0.0f, inf(), is_inf(a) == up);
  } else {
    if (a < 0.0f && !whole) { return nan(); }
    r = pow_core(abs(a), b);
  }
  return select(r, -r, odd && sgn(a) != 0u);
}
""",
}


def library(names):
    """Return the WGSL source of these functions and of all that they call."""
    order = []
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in order:
            continue
        order.append(name)
        text = _source(name)
        for table in (BITS, MATH):
            for other in table:
                if other != name and _calls(text, other):
                    todo.append(other)
    order.sort()
    return "".join([_source(name) for name in order])


def _source(name):
    return MATH[name] if name in MATH else BITS[name]


def _calls(text, name):
    """Say whether a source uses a function, a struct or the private zero."""
    if name == "zero":
        return "ZERO" in text
    if name == "Angle":
        return " angle(" in text
    if name == "LogParts":
        return " log_parts(" in text
    for before in " (-!":
        if before + name + "(" in text:
            return True
    return False

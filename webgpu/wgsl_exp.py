"""WGSL of exp, log, pow, the hyperbolic functions and erf: see wgsl_math."""

EXP = {
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
    # exp(x) for x <= 0: no overflow to mind, and nan goes the way of all numbers.
    "m_exp_below": """
fn m_exp_below(x: f32) -> f32 {
  let n = max(round(x * 1.442695f), -126.0f);
  let y = 1.0f + exp_core(exp_rest(x, n));
  return select(y * bitcast<f32>((i32(n) + 127) << 23u), 0.0f, x < -87.33654f);
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
  return signed(1.0f - m_exp_below(p), x);
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

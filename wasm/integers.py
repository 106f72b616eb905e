"""Integer arithmetic in WebAssembly: wrapping, floor division, shifts, widths.

Functions take the Lowering `m`, machine nodes and the dtype; nothing here traps.
"""

from __future__ import annotations

from fogo.expr import INDEX


def as_signed(value, dtype):
    """A literal as WebAssembly writes it: the bits of an unsigned one, signed."""
    bits = 64 if dtype.bits == 64 else 32
    return value - (1 << bits) if value >= 1 << (bits - 1) else value


def wrap(m, x, dtype):
    """Bring an i32 or i64 back into the range of its dtype."""
    if dtype.is_bool or dtype.bits >= 32:
        return x
    if dtype.kind == "int":
        return m.do("i32.extend%d_s" % dtype.bits, x)
    return m.do("i32.and", x, m.number((1 << dtype.bits) - 1, "i32"))


def resize(m, x, source, target):
    """Convert between integer dtypes (bool and indices too)."""
    if target.bits == 64:
        if x.dtype == "i64":
            return x
        unsigned = source.kind == "uint" or source.is_bool
        return m.do("i64.extend_i32_%s" % ("u" if unsigned else "s"), x)
    if x.dtype == "i64":
        return wrap(m, m.do("i32.wrap_i64", x), target)
    fits = source.is_bool or (
        source.bits < target.bits and (source.kind in ("uint", target.kind))
    )
    return x if fits or source is target else wrap(m, x, target)


def apply(m, op, args, dtype):
    """Lower an integer or boolean primitive other than comparisons and casts."""
    a = args[0]
    t = a.dtype
    if op in ("add", "sub", "mul"):
        return wrap(m, m.do("%s.%s" % (t, op), *args), dtype)
    if op in ("and", "or", "xor"):
        return m.do("%s.%s" % (t, op), *args)
    if op == "neg":
        return wrap(m, m.do(t + ".sub", m.number(0, t), a), dtype)
    if op == "not":
        if dtype.is_bool:
            return m.do("i32.eqz", a)
        return wrap(m, m.do(t + ".xor", a, m.number(-1, t)), dtype)
    if op in ("min", "max"):
        first = m.compare("lt" if op == "min" else "gt", a, args[1], dtype)
        return m.choose(first, a, args[1])
    if op in ("floordiv", "mod"):
        return divide(m, op, a, args[1], dtype, False)
    if op in ("shl", "shr"):
        return shift(m, op, a, args[1], dtype)
    if op == "abs" or op == "sign":
        return _sized(m, op, a, dtype)
    if op == "pow":
        return _power(m, a, args[1], dtype)
    raise TypeError("internal: %s of %s in WebAssembly" % (op, dtype.name))


def _sized(m, op, a, dtype):
    t = a.dtype
    zero = m.number(0, t)
    if op == "abs":
        if dtype.kind == "uint":
            return a
        opposite = wrap(m, m.do(t + ".sub", zero, a), dtype)
        return m.choose(m.do(t + ".lt_s", a, zero), opposite, a)
    above = m.compare("gt", a, zero, dtype)
    sign = m.do("i32.sub", above, m.compare("lt", a, zero, dtype))
    return m.do("i64.extend_i32_s", sign) if t == "i64" else sign


def _power(m, a, b, dtype):
    """By a function on i64; the result of narrower integers is wrapped."""
    if b.op == "const" and b.args[0] == 2:
        return wrap(m, m.do(a.dtype + ".mul", a, a), dtype)
    unsigned = dtype.kind == "uint"
    name = "uint_pow" if unsigned else "int_pow"
    if a.dtype == "i32":
        extend = "i64.extend_i32_" + ("u" if unsigned else "s")
        a, b = m.do(extend, a), m.do(extend, b)
        return wrap(m, m.do("i32.wrap_i64", m.call(name, [a, b], "i64")), dtype)
    return m.call(name, [a, b], "i64")


def divide(m, op, a, b, dtype, natural):
    """floordiv or mod, 0 for a divisor of 0; `natural`: neither is negative."""
    t = a.dtype
    known = b.args[0] if b.op == "const" else None
    if known and known > 0 and known & (known - 1) == 0:
        return _by_power_of_two(m, op, a, known, dtype)
    divisor, zero = b, None
    if not known:
        zero = m.do(t + ".eqz", b)
        divisor = m.choose(zero, m.number(1, t), b)
    if natural or dtype.kind == "uint":
        result = m.do("%s.%s_u" % (t, "div" if op == "floordiv" else "rem"), a, divisor)
    elif op == "mod":
        return _floor_mod(m, a, divisor)
    else:
        result = _floor_divide(m, a, divisor, known, dtype)
    if op == "floordiv" and zero is not None:
        result = m.choose(zero, m.number(0, t), result)
    return result


def _by_power_of_two(m, op, a, divisor, dtype):
    t = a.dtype
    if op == "mod":
        return m.do(t + ".and", a, m.number(divisor - 1, t))
    places = 0
    while 1 << places < divisor:
        places += 1
    sign = "u" if dtype.kind == "uint" else "s"
    return m.do("%s.shr_%s" % (t, sign), a, m.number(places, t))


def _floor_mod(m, a, b):
    t = a.dtype
    rest = m.do(t + ".rem_s", a, b)
    fixed = m.do(t + ".add", rest, b)
    return m.choose(_uneven(m, rest, b), fixed, rest)


def _uneven(m, rest, b):
    """The division left a rest whose sign is not the divisor's."""
    t = rest.dtype
    zero = m.number(0, t)
    differ = m.do(t + ".lt_s", m.do(t + ".xor", rest, b), zero)
    return m.do("i32.and", m.do(t + ".ne", rest, zero), differ)


def _floor_divide(m, a, b, known, dtype):
    """div_s traps on the least integer by -1: that one is a negation."""
    t = a.dtype
    minus = None
    divisor = b
    if known is None or known == -1:
        minus = m.do(t + ".eq", b, m.number(-1, t))
        divisor = m.choose(minus, m.number(1, t), b)
    quotient = m.do(t + ".div_s", a, divisor)
    rest = m.do(t + ".sub", a, m.do(t + ".mul", quotient, divisor))
    less = m.do(t + ".sub", quotient, m.number(1, t))
    result = m.choose(_uneven(m, rest, divisor), less, quotient)
    if minus is not None:
        opposite = wrap(m, m.do(t + ".sub", m.number(0, t), a), dtype)
        result = m.choose(minus, opposite, result)
    return result


def shift(m, op, a, n, dtype):
    """Shifts by any count: bits fall off the end, the sign fills in."""
    t = a.dtype
    if dtype is INDEX:
        return m.do("%s.%s" % (t, "shl" if op == "shl" else "shr_s"), a, n)
    bits = m.number(dtype.bits, t)
    inside = None
    if n.op != "const" or not 0 <= n.args[0] < dtype.bits:
        inside = m.do(t + ".lt_u", n, bits)
    if op == "shr" and dtype.kind == "int":
        if inside is not None:
            n = m.choose(inside, n, m.number(dtype.bits - 1, t))
        return m.do(t + ".shr_s", a, n)
    name = ".shl" if op == "shl" else ".shr_u"
    result = wrap(m, m.do(t + name, a, n), dtype)
    return result if inside is None else m.choose(inside, result, m.number(0, t))

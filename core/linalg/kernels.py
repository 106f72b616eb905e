"""Kernels of the decompositions: one thread for each matrix of a batch, row by row.

They run on every device, and nothing is read back to the host; on a GPU one thread is
slow for a large matrix: some seconds for a thousand rows. NumPy has LAPACK instead
(`native/numpy_linalg.py`).
Golub and Van Loan, "Matrix Computations", algorithms 4.2.1, 3.4.1, 5.2.1 and 8.5.3.
"""

from __future__ import annotations

from ..dtypes import float64
from ..expr import call as E
from ..expr import cast, literal
from ..expr import where as _where


def _root(x, dtype):
    """The square root; nan of what is negative, on every device."""
    zero = literal(0.0, dtype)
    nan = literal(float("nan"), dtype)
    return _where(x >= zero, E("sqrt", E("max", x, zero)), nan)


def cholesky(k, a, out):
    """The lower triangle L of A = L L', column by column; nan where there is none."""
    (b,) = k.grid(out.shape[:1])
    n = out.shape[1]
    with k.loop(n) as j:
        rest = k.cell(a[(b, j, j)])
        with k.loop(j) as p:
            v = k.let(out[(b, j, p)])
            rest.set(rest - v * v)
            out[(b, p, j)] = literal(0.0, out.dtype)
        d = k.let(_root(rest + literal(0.0, out.dtype), out.dtype))
        out[(b, j, j)] = d
        with k.loop(n, j + 1) as i:
            s = k.cell(a[(b, i, j)])
            with k.loop(j) as p:
                s.set(s - out[(b, i, p)] * out[(b, j, p)])
            out[(b, i, j)] = s / d


def lu(k, a, out, order, sign):
    """P A = L U in one array, with the rows' order and the sign of it."""
    (b,) = k.grid(out.shape[:1])
    m, n = out.shape[1:]
    with k.loop(m) as i:
        order[(b, i)] = cast(i, order.dtype)
        with k.loop(n) as c:
            out[(b, i, c)] = a[(b, i, c)]
    turns = k.cell(literal(1.0, sign.dtype))
    with k.loop(E("min", m, n)) as j:
        row = _largest(k, out, b, j, m)
        with k.when(E("ne", row, j)):
            turns.set(-turns)
            was = k.let(order[(b, j)])
            order[(b, j)] = order[(b, row)]
            order[(b, row)] = was
            with k.loop(n) as c:
                v = k.let(out[(b, j, c)])
                out[(b, j, c)] = out[(b, row, c)]
                out[(b, row, c)] = v
        d = k.let(out[(b, j, j)])
        none = E("eq", d, literal(0.0, out.dtype))
        with k.loop(m, j + 1) as i:
            f = k.let(_where(none, literal(0.0, out.dtype), out[(b, i, j)] / d))
            out[(b, i, j)] = f
            with k.loop(n, j + 1) as c:
                out[(b, i, c)] = out[(b, i, c)] - f * out[(b, j, c)]
    sign[(b,)] = turns + literal(0.0, sign.dtype)


def _largest(k, out, b, j, m):
    """The row, from j on, with the largest number in column j."""
    best = k.cell(E("abs", out[(b, j, j)]))
    row = k.cell(j)
    with k.loop(m, j + 1) as i:
        v = k.let(E("abs", out[(b, i, j)]))
        with k.when(v > best):
            best.set(v)
            row.set(i)
    return k.let(row + 0)


def triangular(k, a, rhs, out, upper, unit):
    """Solve T X = B: one thread for each column."""
    n = out.shape[1]
    b, c = k.grid((out.shape[0], out.shape[2]))
    with k.loop(n) as step:
        i = k.let(n - 1 - step) if upper else step
        rest = k.cell(rhs[(b, i, c)])
        with k.loop(step) as p:
            q = k.let(n - 1 - p) if upper else p
            rest.set(rest - a[(b, i, q)] * out[(b, q, c)])
        out[(b, i, c)] = rest + 0.0 if unit else rest / a[(b, i, i)]


def householder(k, a, r, q, v, tau):
    """A = Q R by reflections; v and tau are what they are made of."""
    (b,) = k.grid(r.shape[:1])
    m, n = r.shape[1:]
    turns = v.shape[2]
    with k.loop(m) as i, k.loop(n) as c:
        r[(b, i, c)] = a[(b, i, c)]
    with k.loop(turns) as j:
        _reflect(k, r, v, tau, b, j)
        with k.loop(n, j + 1) as c:
            _apply(k, r, v, tau, b, j, c)
    zero, one = literal(0.0, q.dtype), literal(1.0, q.dtype)
    with k.loop(m) as i, k.loop(q.shape[2]) as c:
        q[(b, i, c)] = _where(E("eq", i, c), one, zero)
    with k.loop(turns) as step:
        j = k.let(turns - 1 - step)
        with k.loop(q.shape[2]) as c:
            _apply(k, q, v, tau, b, j, c)


def _reflect(k, r, v, tau, b, j):
    """The reflection that clears column j below the diagonal."""
    m, kind = r.shape[1], r.dtype
    zero, one = literal(0.0, kind), literal(1.0, kind)
    below = k.cell(zero)
    with k.loop(m, j + 1) as i:
        x = k.let(r[(b, i, j)])
        below.set(below + x * x)
        v[(b, i, j)] = x
        r[(b, i, j)] = zero
    head = k.let(r[(b, j, j)])
    some = k.let(below > zero)
    size = k.let(E("sqrt", head * head + below))
    new = k.let(_where(some, _where(head < zero, size, -size), head))
    first = k.let(head - new)
    length = k.let(below + first * first)
    tau[(b, j)] = _where(some, (one + one) / _where(some, length, one), zero)
    v[(b, j, j)] = first
    r[(b, j, j)] = new


def _apply(k, x, v, tau, b, j, c):
    """Reflect column c of x by the j-th reflection."""
    m = x.shape[1]
    dot = k.cell(literal(0.0, x.dtype))
    with k.loop(m, j) as i:
        dot.set(dot + v[(b, i, j)] * x[(b, i, c)])
    share = k.let(dot * tau[(b, j)])
    with k.loop(m, j) as i:
        x[(b, i, c)] = x[(b, i, c)] - share * v[(b, i, j)]


def _rotation(k, a, b, cross, kind):
    """(cos, sin, tan) of the turn that makes [[a, cross], [cross, b]] diagonal."""
    zero, one = literal(0.0, kind), literal(1.0, kind)
    theta = k.let((b - a) / (cross + cross))
    size = E("abs", theta) + E("sqrt", one + theta * theta)
    tan = k.let(_where(theta < zero, -one, one) / size)
    cos = k.let(one / E("sqrt", one + tan * tan))
    return cos, k.let(cos * tan), tan


def _tiny(dtype):
    """What is nothing beside 1, squared or not: less than half the last place."""
    return literal(1e-17 if dtype is float64 else 3e-9, dtype)


SWEEPS = 15  # the error squares in each of the last ones


def jacobi(k, a, w, vectors, work):
    """Eigenvalues of a symmetric matrix (its lower triangle), and vectors; unsorted."""
    (b,) = k.grid(w.shape[:1])
    n, kind = w.shape[1], w.dtype
    zero, one = literal(0.0, kind), literal(1.0, kind)
    with k.loop(n) as i, k.loop(n) as c:
        row, column = E("max", i, c), E("min", i, c)
        work[(b, i, c)] = a[(b, row, column)]
        vectors[(b, i, c)] = _where(E("eq", i, c), one, zero)
    with k.loop(SWEEPS) as _, k.loop(n) as p, k.loop(n, p + 1) as q:
        cross = k.let(work[(b, p, q)])
        low, high = k.let(work[(b, p, p)]), k.let(work[(b, q, q)])
        with k.when(E("abs", cross) > _tiny(kind) * (E("abs", low) + E("abs", high))):
            cos, sin, tan = _rotation(k, low, high, cross, kind)
            _turn_rows(k, work, b, p, q, cos, sin)
            work[(b, p, p)] = low - tan * cross
            work[(b, q, q)] = high + tan * cross
            work[(b, p, q)] = zero
            work[(b, q, p)] = zero
            _turn(k, vectors, b, p, q, cos, sin)
    with k.loop(n) as i:
        w[(b, i)] = work[(b, i, i)]


def _turn_rows(k, x, b, p, q, cos, sin):
    """Turn rows and columns p and q of a symmetric matrix, but for where they meet."""
    with k.loop(x.shape[1]) as i:
        with k.when(E("ne", i, p) & E("ne", i, q)):
            u, v = k.let(x[(b, i, p)]), k.let(x[(b, i, q)])
            first, second = k.let(cos * u - sin * v), k.let(sin * u + cos * v)
            x[(b, i, p)] = first
            x[(b, p, i)] = first
            x[(b, i, q)] = second
            x[(b, q, i)] = second


def _turn(k, x, b, p, q, cos, sin):
    """Turn columns p and q."""
    with k.loop(x.shape[1]) as i:
        u, v = k.let(x[(b, i, p)]), k.let(x[(b, i, q)])
        x[(b, i, p)] = cos * u - sin * v
        x[(b, i, q)] = sin * u + cos * v


def one_sided(k, a, work, vectors):
    """Turn the columns of A until they are orthogonal: A V = work; unsorted."""
    (b,) = k.grid(work.shape[:1])
    m, n = work.shape[1:]
    kind = work.dtype
    zero, one = literal(0.0, kind), literal(1.0, kind)
    with k.loop(m) as i, k.loop(n) as c:
        work[(b, i, c)] = a[(b, i, c)]
    with k.loop(n) as i, k.loop(n) as c:
        vectors[(b, i, c)] = _where(E("eq", i, c), one, zero)
    with k.loop(SWEEPS) as _, k.loop(n) as p, k.loop(n, p + 1) as q:
        first, second, cross = k.cell(zero), k.cell(zero), k.cell(zero)
        with k.loop(m) as i:
            u, v = k.let(work[(b, i, p)]), k.let(work[(b, i, q)])
            first.set(first + u * u)
            second.set(second + v * v)
            cross.set(cross + u * v)
        low, high, both = k.let(first + zero), k.let(second + zero), k.let(cross + zero)
        limit = k.let(_tiny(kind) * E("sqrt", low) * E("sqrt", high))
        with k.when(E("abs", both) > limit):
            cos, sin, _ = _rotation(k, low, high, both, kind)
            _turn(k, work, b, p, q, cos, sin)
            _turn(k, vectors, b, p, q, cos, sin)

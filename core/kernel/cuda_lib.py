"""Device functions that printed CUDA kernels call: C++ that NVRTC takes as it is.

No header is needed: float16 is an unsigned short that PTX converts. The edges are those
of mathfun.py, on which every backend agrees. With `FOGO_HOST` defined, a plain C++
compiler takes the text, and what PTX does comes from elsewhere: so it can be tested
without a GPU (tests/kernel/cuda_host.h).
"""

# Name -> (names it calls, source).
FUNCTIONS = {
    "bits": ((), """
template <class To, class From> __device__ inline To bits(From x) {
  union { From x; To y; } u;
  u.x = x;
  return u.y;
}
"""),
    "half_float": ((), """
__device__ inline float half_float(unsigned short h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
"""),
    "float_half": ((), """
__device__ inline unsigned short float_half(float f) {
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}
"""),
    "f_min": ((), """
template <class T> __device__ inline T f_min(T a, T b) {
  return a < b || a != a ? a : b;
}
"""),
    "f_max": ((), """
template <class T> __device__ inline T f_max(T a, T b) {
  return a > b || a != a ? a : b;
}
"""),
    "f_sign": ((), """
template <class T> __device__ inline T f_sign(T x) {
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x;
}
"""),
    "is_nan": ((), """
template <class T> __device__ inline bool is_nan(T x) { return x != x; }
"""),
    "is_finite": ((), """
template <class T> __device__ inline bool is_finite(T x) { return x - x == T(0); }
"""),
    "is_inf": (("is_nan", "is_finite"), """
template <class T> __device__ inline bool is_inf(T x) {
  return !is_finite(x) && !is_nan(x);
}
"""),
    # Remainder and quotient with the sign of the divisor, as in Python.
    "f_mod": (("is_nan", "is_finite"), """
template <class T> __device__ inline T f_mod(T a, T b) {
  if (b == T(0) || !is_finite(a) || is_nan(b)) return T(0) / T(0) * a;
  bool same = (a < T(0)) == (b < T(0));
  if (!is_finite(b)) return same || a == T(0) ? a : b;
  T r = fmod(a, b);
  if (r == T(0)) return copysign(T(0), b);
  return (r < T(0)) == (b < T(0)) ? r : r + b;
}
"""),
    "f_floordiv": (("f_mod",), """
template <class T> __device__ inline T f_floordiv(T a, T b) {
  if (b == T(0)) return a / b;
  if (!is_finite(a) || is_nan(b)) return a - a + b - b + T(0) / T(0);
  bool same = (a < T(0)) == (b < T(0));
  if (!is_finite(b)) return same || a == T(0) ? T(0) : T(-1);
  T q = (a - f_mod(a, b)) / b;
  T down = floor(q);
  if (q - down > T(0.5)) down += T(1);
  return q == T(0) ? copysign(T(0), a / b) : down;
}
"""),
    # The low 64 bits of the whole part, 0 for nan and infinities.
    "f_int": (("bits", "is_finite"), """
__device__ inline long long f_int(double x) {
  if (!is_finite(x)) return 0;
  if (fabs(x) < 9.2e18) return (long long)x;
  unsigned long long b = bits<unsigned long long>(x);
  int e = (int)((b >> 52) & 2047) - 1075;
  unsigned long long m = (b & 0xfffffffffffffull) | 0x10000000000000ull;
  m = e < 64 ? m << e : 0;
  return (long long)(x < 0 ? 0ull - m : m);
}
"""),
    "i_floordiv": ((), """
template <class T> __device__ inline T i_floordiv(T a, T b) {
  if (b == T(0)) return T(0);
  if (b == T(-1) && T(-1) < T(0)) return (T)(0ull - (unsigned long long)a);
  T q = a / b;
  return q * b != a && (a < T(0)) != (b < T(0)) ? q - T(1) : q;
}
"""),
    "i_mod": ((), """
template <class T> __device__ inline T i_mod(T a, T b) {
  if (b == T(0) || (b == T(-1) && T(-1) < T(0))) return T(0);
  T r = a % b;
  return r != T(0) && (r < T(0)) != (b < T(0)) ? r + b : r;
}
"""),
    "i_pow": ((), """
template <class T> __device__ inline T i_pow(T a, T n) {
  if (n < T(0)) return a == T(1) || a == T(-1) ? ((n & 1) ? a : T(1)) : T(0);
  unsigned long long out = 1, base = (unsigned long long)a;
  for (; n; n = n >> 1) {
    if (n & 1) out *= base;
    base *= base;
  }
  return (T)out;
}
"""),
    "i_abs": ((), """
template <class T> __device__ inline T i_abs(T a) {
  return a < T(0) ? (T)(0ull - (unsigned long long)a) : a;
}
"""),
    "i_sign": ((), """
template <class T> __device__ inline T i_sign(T a) {
  return a > T(0) ? T(1) : a < T(0) ? T(-1) : T(0);
}
"""),
    "i_min": ((), """
template <class T> __device__ inline T i_min(T a, T b) { return a < b ? a : b; }
"""),
    "i_max": ((), """
template <class T> __device__ inline T i_max(T a, T b) { return a > b ? a : b; }
"""),
    # Shifts by `n` of `width` bits: all bits may go.
    "i_shl": ((), """
template <class T> __device__ inline T i_shl(T a, T n, int width) {
  return n >= T(0) && n < T(width) ? (T)((unsigned long long)a << (int)n) : T(0);
}
"""),
    "i_shr": ((), """
template <class T> __device__ inline T i_shr(T a, T n, int width) {
  bool inside = n >= T(0) && n < T(width);
  if (!inside) return a < T(0) ? T(-1) : T(0);
  return a >> (int)n;
}
"""),
    # n neighbours at once.
    "Wide": ((), """
template <class T, int N> struct alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) Wide {
  T v[N];
};
"""),
    "atomic_fmax": (("bits", "f_max"), """
__device__ inline float atomic_fmax(float* p, float x) {
  unsigned* word = (unsigned*)p;
  unsigned old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, bits<unsigned>(f_max(bits<float>(seen), x)));
  } while (old != seen);
  return bits<float>(old);
}
"""),
    "atomic_fmin": (("bits", "f_min"), """
__device__ inline float atomic_fmin(float* p, float x) {
  unsigned* word = (unsigned*)p;
  unsigned old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, bits<unsigned>(f_min(bits<float>(seen), x)));
  } while (old != seen);
  return bits<float>(old);
}
"""),
}  # fmt: skip

COMBINE = {
    "add": "a + b", "mul": "a * b", "min": "a < b ? a : b", "max": "a > b ? a : b",
    "and": "a & b", "or": "a | b", "xor": "a ^ b",
}  # fmt: skip

WARP = """
template <class T> __device__ inline T warp_%s(T a, unsigned mask, int lanes) {
  for (int step = lanes / 2; step; step /= 2) {
    T b = __shfl_xor_sync(mask, a, step);
    a = %s;
  }
  return a;
}
"""

SCAN = """
template <class T>
__device__ inline T warp_inclusive_add(T a, unsigned mask, int lane, int lanes) {
  for (int step = 1; step < lanes; step *= 2) {
    T b = __shfl_up_sync(mask, a, step);
    if (lane >= step) a += b;
  }
  return a;
}
"""

for _name in COMBINE:
    FUNCTIONS["warp_" + _name] = ((), WARP % (_name, COMBINE[_name]))
FUNCTIONS["warp_inclusive_add"] = ((), SCAN)
FUNCTIONS["warp_exclusive_add"] = (("warp_inclusive_add",), """
template <class T>
__device__ inline T warp_exclusive_add(T a, unsigned mask, int lane, int lanes) {
  T b = __shfl_up_sync(mask, warp_inclusive_add(a, mask, lane, lanes), 1);
  return lane ? b : T(0);
}
""")  # fmt: skip

# Tiles of 16 x 16 x 16, float16 with float32 sums: PTX's wmma. A tile of float16 is
# eight words of each of 32 threads, one of float32 eight floats.
_LOAD = """
__device__ inline void tile_%s_%s(unsigned (&r)[8], const unsigned short* p, int s) {
  asm volatile("wmma.load.%s.sync.aligned.%s.m16n16k16.f16 "
      "{%%0, %%1, %%2, %%3, %%4, %%5, %%6, %%7}, [%%8], %%9;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]),
        "=r"(r[6]), "=r"(r[7]) : "l"(p), "r"(s) : "memory");
}
"""
for _role, _letter in (("left", "a"), ("right", "b")):
    for _order in ("row", "col"):
        FUNCTIONS["tile_%s_%s" % (_role, _order)] = (
            (), _LOAD % (_role, _order, _letter, _order),
        )  # fmt: skip
for _order in ("row", "col"):
    FUNCTIONS["tile_result_" + _order] = ((), """
__device__ inline void tile_result_%s(float (&r)[8], const float* p, int s) {
  asm volatile("wmma.load.c.sync.aligned.%s.m16n16k16.f32 "
      "{%%0, %%1, %%2, %%3, %%4, %%5, %%6, %%7}, [%%8], %%9;"
      : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]),
        "=f"(r[6]), "=f"(r[7]) : "l"(p), "r"(s) : "memory");
}
""" % (_order, _order))  # fmt: skip
FUNCTIONS["tile_store"] = ((), """
__device__ inline void tile_store(float* p, const float (&r)[8], int s) {
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], "
      "{%1, %2, %3, %4, %5, %6, %7, %8}, %9;"
      :: "l"(p), "f"(r[0]), "f"(r[1]), "f"(r[2]), "f"(r[3]), "f"(r[4]), "f"(r[5]),
         "f"(r[6]), "f"(r[7]), "r"(s) : "memory");
}
""")  # fmt: skip
_MULTIPLY = """
__device__ inline void tile_multiply_%s_%s(float (&c)[8], const unsigned (&a)[8],
                                             const unsigned (&b)[8]) {
  asm volatile("wmma.mma.sync.aligned.%s.%s.m16n16k16.f32.f32 "
      "{%%0, %%1, %%2, %%3, %%4, %%5, %%6, %%7}, "
      "{%%8, %%9, %%10, %%11, %%12, %%13, %%14, %%15}, "
      "{%%16, %%17, %%18, %%19, %%20, %%21, %%22, %%23}, "
      "{%%0, %%1, %%2, %%3, %%4, %%5, %%6, %%7};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]),
        "+f"(c[6]), "+f"(c[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]),
        "r"(a[7]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]),
        "r"(b[6]), "r"(b[7]));
}
"""
for _left in ("row", "col"):
    for _right in ("row", "col"):
        FUNCTIONS["tile_multiply_%s_%s" % (_left, _right)] = (
            (), _MULTIPLY % (_left, _right, _left, _right),
        )  # fmt: skip


def library(names):
    """The source of these functions and of all that they call, callees first."""
    order = []
    stack = [(name, False) for name in sorted(names, reverse=True)]
    while stack:
        name, done = stack.pop()
        if name in order:
            continue
        if done:
            order.append(name)
        else:
            stack.append((name, True))
            for callee in FUNCTIONS[name][0]:
                stack.append((callee, False))
    return "".join([_guarded(FUNCTIONS[name][1]) for name in order])


def _guarded(source):
    """PTX is for GPUs alone."""
    if "asm" not in source:
        return source
    return "#ifndef FOGO_HOST%s#endif\n" % source

"""Threefry-2x32-20 against its authors' vectors; equal numbers on every backend."""

import math
from array import array

import fogo
from fogo.dispatch import call
from fogo.dtypes import uint32
from fogo.expr import where
from fogo.ops.random import threefry
from fogo.ops.record import Aval, Op
from tests.shared.check import close, equal, raises

# The known answers that the authors publish with the algorithm (Random123):
# (key, counter, result).
KNOWN = (
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF,) * 2, (0xFFFFFFFF,) * 2, (0x1CB996FC, 0xBB002BE7)),
    (
        (0x13198A2E, 0x03707344),
        (0x243F6A88, 0x85A308D3),
        (0xC4923A9C, 0x483DF7A0),
    ),
)


def _both_words(k, state, out):
    (i,) = k.grid(out.shape)
    a, b = threefry(k, state[0], state[1], state[2], state[3])
    out[(i,)] = where(i < 1, a, b)


WORDS = Op(
    "threefry_words",
    kernel=_both_words,
    infer=lambda avals, attrs: (Aval((2,), uint32),),
)


def test_known_answers(device):
    for key, counter, expected in KNOWN:
        state = fogo.tensor(list(key + counter), dtype="uint32", device=device)
        equal(call(WORDS, (state,)), list(expected))


def test_the_stream_is_that_of_the_seed(device):
    """Element i of draw d is word 0 of block (i, d); the key is the seed."""
    device.seed(1234567890123)
    first = [3418927284, 2017039577, 760352309, 833268594, 1413243532]
    second = [1700519117, 935049504, 666451999, 3884007567, 1946161550]
    equal(fogo.random_bits((5,), device), first)
    equal(fogo.random_bits((5,), device), second)


def test_equal_seeds_give_equal_numbers(device):
    fogo.manual_seed(7)
    a = fogo.rand(2, 3, device=device)
    b = fogo.rand(2, 3, device=device)
    fogo.manual_seed(7)
    equal(fogo.rand(2, 3, device=device), a)
    fogo.manual_seed(8)
    assert fogo.rand(2, 3, device=device).tolist() != a.tolist()
    assert a.tolist() != b.tolist()


def bits(device, seed, count):
    """The first two draws, as Python integers."""
    device.seed(seed)
    return [fogo.random_bits((count,), device).tolist() for _ in range(2)]


def test_uniforms_are_exact(device):
    """24 bits each: the same number on every backend."""
    (drawn, _) = bits(device, 11, 50)
    device.seed(11)
    x = fogo.rand(50, device=device)
    assert x.dtype is fogo.float32
    equal(x, [(b >> 8) / 16777216.0 for b in drawn])
    device.seed(11)
    low = fogo.uniform(-2.0, 6.0, (50,), device=device)
    equal(low, single([single([(b >> 8) / 16777216.0 * 8.0])[0] - 2.0 for b in drawn]))


def single(values):
    """Round Python floats to float32."""
    return list(array("f", values))


def test_normals_are_within_two_ulps_of_their_scale(device):
    """Box and Muller's formula, each step rounded to float32, in Python's doubles."""
    n = 200
    first, second = bits(device, 5, n)
    device.seed(5)
    got = fogo.randn(n, device=device).tolist()
    turn = single([6.283185307179586])[0]
    for a, b, x in zip(first, second, got):
        u = 1.0 - (a >> 8) / 16777216.0
        v = single([(b >> 8) / 16777216.0 * turn])[0]
        scale = math.sqrt(-2.0 * math.log(u))
        assert abs(x - scale * math.cos(v)) <= 2 * 2.0**-23 * max(scale, 1.0), (a, b, x)


def test_moments(device):
    device.seed(3)
    n = 4000
    x = fogo.randn(n, device=device)
    close(x.mean(), 0.0, 0.0, 4 / math.sqrt(n))
    close(x.var(), 1.0, 0.0, 4 * math.sqrt(2 / n))
    u = fogo.rand(n, device=device)
    close(u.mean(), 0.5, 0.0, 4 * 0.2887 / math.sqrt(n))
    close(
        fogo.bernoulli(0.3, (n,), device=device).astype("float32").mean(),
        0.3, 0.0, 4 * 0.4583 / math.sqrt(n),
    )  # fmt: skip
    y = fogo.normal(5.0, 2.0, (n,), device=device)
    close(y.mean(), 5.0, 0.0, 8 / math.sqrt(n))


def test_randint_is_the_remainder_of_the_bits(device):
    (drawn, _) = bits(device, 9, 40)
    device.seed(9)
    x = fogo.randint(-3, 4, (40,), device=device)
    assert x.dtype is device.default_int
    equal(x, [b % 7 - 3 for b in drawn])
    with raises(fogo.ShapeError, "randint", "low=4, high=4"):
        fogo.randint(4, 4, (1,), device=device)


def test_randperm_names_each_number_once(device):
    device.seed(2)
    x = fogo.randperm(50, device=device).tolist()
    assert sorted(x) == list(range(50)) and x != sorted(x)


def test_autodiff_devices_share_the_stream(device):
    device.seed(1)
    a = fogo.rand(3, device=device.autodiff())
    device.seed(1)
    equal(fogo.rand(3, device=device), a)


def test_drawing_touches_no_host(device):
    device.seed(1)
    fogo.rand(1, device=device)
    backend = device.base().backend
    before = (backend.uploads, backend.reads)
    fogo.randn(4, 4, device=device)
    fogo.bernoulli(0.5, (4,), device=device)
    assert (backend.uploads, backend.reads) == before

"""An op that did not exist before: one object, and it works everywhere, twice over.

These are not entered into the registry, so that the grid does not ask for their rows.
"""

import fogo
from fogo.dispatch import call
from fogo.operands import apply
from fogo.ops.record import Aval, Op, same
from tests.shared.check import close, equal

# Elementwise: the formula gives the kernels and the derivatives.
BUMP = Op("bump", formula=lambda x, y: 1.0 / (x * x + y), accepts="float")


def bump(x, y):
    return apply(BUMP, (x, y))


# A composite: other ops, run as they are where nobody has a kernel for it.
def _spread(x, axis):
    return x.max(axis) - x.min(axis)


SPREAD = Op(
    "spread",
    attrs=("axis",),
    decompose=_spread,
    infer=lambda avals, attrs: (Aval((avals[0].shape[1],), avals[0].dtype),),
)


# A primitive of two results, with a kernel and a gradient of its own.
def _peaks_kernel(k, x, values, places, dtype):
    c = k.grid(x.shape)
    best = k.cell(x[(c[0], 0)])
    place = k.cell(0, dtype)
    with k.loop(c[1] + 1, 1) as j:
        v = x[(c[0], j)]
        with k.when(v >= best):
            best.set(v)
            place.set(j)
    values[c] = best
    places[c] = place


def _peaks_grad(ctx):
    zeros = fogo.zeros_like(ctx.g[0])
    return (zeros.add_along_axis(ctx.outputs[1], ctx.g[0], 1),)


PEAKS = Op(
    "peaks",
    attrs=("dtype",),
    kernel=_peaks_kernel,
    grad=_peaks_grad,
    saves="o",
    diff=(True, False),
    infer=lambda avals, attrs: same(avals, attrs) + (Aval(avals[0].shape, attrs[0]),),
)


def peaks(x):
    """The running largest element of each row, and its place."""
    return call(PEAKS, (x,), (x.device.default_int,))


def twice(device, data):
    return fogo.tensor(data, device=device.autodiff().autodiff()).requires_grad_()


def test_an_elementwise_op(device):
    """f = 1/(x^2 + y): f' = -2x f^2, f'' = 8 x^2 f^3 - 2 f^2; df/dy = -f^2."""
    x = twice(device, [[1.0], [2.0]])
    y = twice(device, [1.0, 4.0])
    out = bump(x, y)
    close(out, [[0.5, 0.2], [0.2, 0.125]])
    first = out.sum().backward()
    close(first[x], [[-0.58], [-0.2225]])
    close(first[y], [-0.29, -0.055625])
    second = first[x].sum().backward()
    close(second[x], [[8 * 0.133 - 0.58], [32 * 0.009953125 - 0.11125]])


def test_it_takes_numbers_and_views(device):
    x = fogo.tensor([[1.0, 2.0], [0.0, 3.0]], device=device)
    close(bump(x.transpose(), 1), [[0.5, 1.0], [0.2, 0.1]])


def test_a_composite(device):
    x = twice(device, [[1.0, 5.0], [4.0, 2.0], [2.0, 3.0]])
    out = call(SPREAD, (x * x,), (0,))
    close(out, [15.0, 21.0])
    first = out.sum().backward()[x]
    close(first, [[-2.0, 10.0], [8.0, -4.0], [0.0, 0.0]])
    close(first.sum().backward()[x], [[-2.0, 2.0], [2.0, -2.0], [0.0, 0.0]])


def test_a_primitive_of_two_results(device):
    x = twice(device, [[1.0, 3.0, 2.0], [2.0, 1.0, 4.0]])
    values, places = peaks(x * x)
    close(values, [[1.0, 9.0, 9.0], [4.0, 4.0, 16.0]])
    equal(places, [[0, 1, 1], [0, 0, 2]])
    assert not places.requires_grad
    first = values.sum().backward()[x]
    close(first, [[2.0, 12.0, 0.0], [8.0, 0.0, 8.0]])
    close(first.sum().backward()[x], [[2.0, 4.0, 0.0], [4.0, 0.0, 2.0]])

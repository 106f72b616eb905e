"""gelu(x @ w + b) as one kernel, and its gradients as three, in the kernel language.

Run it with `python examples/fused_linear_gelu.py`, and the name of a device if you
like. A workgroup of 64 threads computes a tile of 32 by 32 results, 4 by 4 a thread,
from slices of both matrices in shared memory. On devices without workgroups the same
is computed by fogo's own ops (`portable`).
"""

import math
import sys

import fogo
from fogo.expr import where

TILE, DEPTH, THREADS = 32, 8, 64


def tiled(k, rows, cols, depth, left, right, put):
    """Compute the matrix product of left(row, i) and right(i, col); give it to put."""
    down, across = k.groups(((rows + 31) // TILE, (cols + 31) // TILE), THREADS)
    a, b = k.shared(fogo.float32, DEPTH * TILE), k.shared(fogo.float32, DEPTH * TILE)
    y, x = k.local // 8 * 4, k.local % 8 * 4  # where this thread's 4 by 4 begin
    sums = [[k.cell(0.0, fogo.float32) for _ in range(4)] for _ in range(4)]
    with k.loop(depth, 0, DEPTH) as start:
        k.barrier()
        for n in range(DEPTH * TILE // THREADS):  # Python's `for`: written out
            at = k.let(k.local + THREADS * n)
            i, place = at // TILE, at % TILE
            a[at] = left(down * TILE + place, start + i)
            b[at] = right(start + i, across * TILE + place)
        k.barrier()
        for i in range(DEPTH):
            u, v = a.wide(y + i * TILE), b.wide(x + i * TILE)
            for row in range(4):
                for col in range(4):
                    sums[row][col].set(sums[row][col] + u[row] * v[col])
    for row in range(4):
        for col in range(4):
            r, c = down * TILE + y + row, across * TILE + x + col
            with k.when((r < rows) & (c < cols)):
                put(r, c, sums[row][col])


def inside(array, r, c):
    """An element, or 0 beyond the edge."""
    rows, cols = array.shape
    near = array[fogo.minimum(r, rows - 1), fogo.minimum(c, cols - 1)]
    return where((r < rows) & (c < cols), near, 0.0)


def slope(z):
    """The derivative of gelu: P(Z < z) + z * density(z)."""
    density = fogo.exp(z * z * -0.5) * (1 / math.sqrt(2 * math.pi))
    return (fogo.erf(z * math.sqrt(0.5)) + 1.0) * 0.5 + z * density


def both(x, w, b):
    """What the forward kernel gives: the result, and what gelu was taken of."""
    z = x @ w + b
    return fogo.gelu(z), z


def result(x, w, b):
    made = fogo.Aval((x.shape[0], w.shape[1]), x.dtype)
    return made, made


@fogo.kernel(
    out=lambda g, z, w: fogo.Aval((g.shape[0], w.shape[0]), g.dtype),
    portable=lambda g, z, w: (g * slope(z)) @ w.transpose(),
)
def input_grad(k, g, z, w, out):
    """(g * gelu'(z)) @ w.T"""

    def left(r, c):
        return inside(g, r, c) * slope(inside(z, r, c))

    def put(r, c, value):
        out[r, c] = value

    rows, depth = g.shape
    tiled(k, rows, w.shape[0], depth, left, lambda i, c: inside(w, c, i), put)


@fogo.kernel(
    out=lambda g, z, x: fogo.Aval((x.shape[1], g.shape[1]), g.dtype),
    portable=lambda g, z, x: x.transpose() @ (g * slope(z)),
)
def weight_grad(k, g, z, x, out):
    """x.T @ (g * gelu'(z))"""

    def right(r, c):
        return inside(g, r, c) * slope(inside(z, r, c))

    def put(r, c, value):
        out[r, c] = value

    depth, cols = g.shape
    tiled(k, x.shape[1], cols, depth, lambda r, i: inside(x, i, r), right, put)


@fogo.kernel(out=lambda g, z: fogo.Aval(g.shape[1:], g.dtype))
def bias_grad(k, g, z, out):
    """The column sums of g * gelu'(z), a thread each."""
    (c,) = k.grid(out.shape)
    total = k.cell(0.0, g.dtype)
    with k.loop(g.shape[0]) as r:
        total.set(total + g[r, c] * slope(z[r, c]))
    out[c] = total


def gradient(g, x, w, b, outputs):
    """The gradients by x, w and b; nothing depends on the second output."""
    g, z = g[0], outputs[1]
    return input_grad(g, z, w), weight_grad(g, z, x), bias_grad(g, z)


@fogo.kernel(out=result, grad=gradient, saves="io", portable=both)
def forward(k, x, w, b, out, before):
    """Both results in one pass over x and w."""

    def put(r, c, value):
        z = k.let(value + b[c])
        before[r, c] = z
        out[r, c] = fogo.gelu(z)

    (rows, depth), cols = x.shape, w.shape[1]
    left, right = lambda r, i: inside(x, r, i), lambda i, c: inside(w, i, c)
    tiled(k, rows, cols, depth, left, right, put)


def linear_gelu(x, w, b):
    """gelu(x @ w + b) of matrices x and w and a vector b."""
    return forward(x, w, b)[0]


def tensors(device, m, n, depth):
    """x, w and b, which want gradients; weights that make a number of the result."""
    device.seed(3)
    shapes = ((m, depth), (depth, n), (n,))
    made = [fogo.uniform(-1.0, 1.0, s, device=device) for s in shapes]
    wanted = [t.requires_grad_() for t in made]
    return wanted, fogo.uniform(-1.0, 1.0, (m, n), device=device.inner())


def differences(device, m=45, n=37, depth=21):
    """How far values and gradients are from fogo's own ops, and from differences."""
    args, weights = tensors(device, m, n, depth)
    ours = linear_gelu(*args)
    theirs = fogo.gelu(args[0] @ args[1] + args[2])
    found = {"value": distance(ours, theirs)}
    grads = ours.backward(weights)
    wanted = theirs.backward(weights)
    for name, t in zip("xwb", args):
        found[name] = distance(grads[t], wanted[t])
        found["differences by " + name] = by_differences(args, t, grads[t], weights)
    return found


def distance(a, b):
    """The largest difference, relative to the largest element."""
    return ((a - b).abs().max() / b.abs().max()).item()


def by_differences(args, t, gradient, weights, step=0.01):
    """Compare the slope along the gradient with a central difference quotient."""
    length = (gradient * gradient).sum().sqrt()
    direction = gradient / length
    values = []
    for sign in (1.0, -1.0):
        moved = [
            x.inner() + direction * (sign * step) if x is t else x.inner() for x in args
        ]
        values.append((linear_gelu(*moved) * weights).sum())
    quotient = (values[0] - values[1]) / (2 * step)
    return ((quotient - length).abs() / length).item()


def main():
    """Print the differences: all small."""
    name = sys.argv[1] if len(sys.argv) > 1 else fogo.best_device().name
    for what, value in differences(fogo.device(name).autodiff()).items():
        print("%-20s %.1e" % (what, value))


if __name__ == "__main__":
    main()

"""An op in WGSL of one's own: rows scaled to a root mean square of 1, with a gradient.

Run it with `python examples/wgsl_op.py`, and the name of a device if you like. A
workgroup of 64 threads takes a row. Devices that do not speak WGSL take the fallbacks.
"""

import sys

import fogo

# What both kernels share: the bindings' parameters, and a sum over the workgroup.
COMMON = """
@group(0) @binding(0) var<uniform> P: array<vec4<i32>, 1>;  // columns, epsilon
var<workgroup> parts: array<f32, 64>;
fn total(i: u32, mine: f32) -> f32 {
  parts[i] = mine;
  for (var half = 32u; half > 0u; half = half / 2u) {
    workgroupBarrier();
    if (i < half) { parts[i] = parts[i] + parts[i + half]; }
  }
  let sum = workgroupUniformLoad(&parts[0]);
  return sum;
}
"""

FORWARD = (
    COMMON
    + """
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(
    @builtin(workgroup_id) row: vec3<u32>, @builtin(local_invocation_index) i: u32) {
  let n = u32(P[0].x);
  let first = row.x * n;
  var squares = 0.0;
  for (var j = i; j < n; j += 64u) { squares += x[first + j] * x[first + j]; }
  let scale = inverseSqrt(total(i, squares) / f32(n) + bitcast<f32>(P[0].y));
  for (var j = i; j < n; j += 64u) { y[first + j] = x[first + j] * scale; }
}
"""
)

# dx = r * g - x * r^3 * mean(g * x), where r = 1 / sqrt(mean(x^2) + epsilon).
BACKWARD = (
    COMMON
    + """
@group(0) @binding(1) var<storage, read> g: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@compute @workgroup_size(64) fn main(
    @builtin(workgroup_id) row: vec3<u32>, @builtin(local_invocation_index) i: u32) {
  let n = u32(P[0].x);
  let first = row.x * n;
  var squares = 0.0;
  var products = 0.0;
  for (var j = i; j < n; j += 64u) {
    squares += x[first + j] * x[first + j];
    products += g[first + j] * x[first + j];
  }
  let r = inverseSqrt(total(i, squares) / f32(n) + bitcast<f32>(P[0].y));
  let back = total(i, products) / f32(n) * r * r * r;
  for (var j = i; j < n; j += 64u) {
    dx[first + j] = r * g[first + j] - back * x[first + j];
  }
}
"""
)


def scale_of(x, eps):
    """1 / sqrt(mean(x^2) + eps) of each row."""
    return fogo.rsqrt((x * x).mean(1, keepdims=True) + eps)


def rms_grad_fallback(g, x, eps):
    r = scale_of(x, eps)
    return r * g - x * r**3 * (g * x).mean(1, keepdims=True)


RMS_GRAD = fogo.kernel_source(
    "rms_grad",
    wgsl=BACKWARD,
    out=lambda g, x, eps: x,
    groups=lambda g, x, eps: x.shape[0],
    params=lambda g, x, eps: (x.shape[1], eps),
    fallback=rms_grad_fallback,
)

RMS = fogo.kernel_source(
    "rms",
    wgsl=FORWARD,
    out=lambda x, eps: x,
    groups=lambda x, eps: x.shape[0],
    params=lambda x, eps: (x.shape[1], eps),
    grad=RMS_GRAD,
    fallback=lambda x, eps: x * scale_of(x, eps),
)


def rms(x, eps=1e-5):
    """Scale the rows of a float32 matrix to a root mean square of 1."""
    return RMS(x, float(eps))


def main():
    """Print rows, their root mean squares, and how far the gradient is off."""
    name = sys.argv[1] if len(sys.argv) > 1 else fogo.best_device().name
    device = fogo.device(name).autodiff()
    device.seed(7)
    x = fogo.uniform(-2.0, 2.0, (4, 100), device=device).requires_grad_()
    weights = fogo.uniform(-1.0, 1.0, (4, 100), device=device.inner())
    y = rms(x)
    print("before", [round(v, 3) for v in (x * x).mean(1).sqrt().tolist()])
    print("after ", [round(v, 3) for v in (y * y).mean(1).sqrt().tolist()])
    ours = y.backward(weights)[x]
    theirs = (x * scale_of(x, 1e-5)).backward(weights)[x]
    print("gradient off by %.1e" % (ours - theirs).abs().max().item())


if __name__ == "__main__":
    main()

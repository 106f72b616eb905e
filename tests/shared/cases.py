"""Runs one case of the op grid: the same code under pytest and MicroPython.

A case is a dictionary of plain values (tests/ops/export.py writes it as a line of
JSON):
    id        its name
    op        a function of fogo
    inputs    {"dtype", "shape", "values", "moves"} for a tensor (the values of its
              base, and the views that make the input of it), or {"scalar": number}
    list      present where the function takes the inputs as one list
    args      what is given by position after the tensors, or before tensor `at`
    options   what is given by keyword
    creates   present where nothing but `device=` says where the result lives
    seed      the seed to restart the device with first
    host      present where the op may touch the host
    outputs   [{"dtype", "shape", "values"}]; dtype "int" is the default integer,
              "uint" the unsigned one of its size
    grads     per input: flat values of the gradient of `loss`, or None
    second    per input: flat values of the gradient of the weighted sum of `grads`
    factor    widens the tolerances of tests/shared/tolerances.py
Non-finite numbers are the strings "nan", "inf", "-inf".
"""

import fogo
from tests.shared.tolerances import FORWARD, GRADIENT, lookup


def run(case, device):
    """Run a case on a device; raise AssertionError where anything differs."""
    missing = not_held(case, device)
    if missing:
        refuses(case, device, missing)
        return
    inputs = [build(spec, device) for spec in case["inputs"]]
    restart(case, device)
    outputs = watched(case, device, lambda: call(case, inputs, device))
    check_outputs(case, device, outputs)
    if case.get("grads"):
        check_gradients(case, device, inputs)
    if case.get("second"):
        check_second(case, device, inputs)


def not_held(case, device):
    """The first dtype of the case that the device cannot hold, or None."""
    for spec in case["inputs"] + case["outputs"]:
        name = spec.get("dtype", "int")
        if name not in ("int", "uint") and fogo.dtype(name) not in held(device):
            return name
    return None


def held(device):
    return device.base().backend.holds


def refuses(case, device, missing):
    """What the device cannot hold is refused by name, and something else is named."""
    try:
        call(case, [build(spec, device) for spec in case["inputs"]], device)
    except fogo.DTypeError as error:
        words = str(error).split("use ")
        named = [d for d in held(device) if d.name in words[-1]]
        if missing not in words[0] or not named:
            fail(case, "a message that names %s and another dtype: %s", missing, error)
        return
    fail(case, "%s is not held, and was not refused", missing)


def restart(case, device):
    """Begin the random stream that the case is to draw from."""
    if "seed" in case:
        device.seed(case["seed"])


def forget(device):
    """Drop the kernels made so far: a small heap cannot hold those of every op."""
    planner = getattr(device.base().backend, "planner", None)
    if planner is not None:
        planner.plans.clear()
        planner.kernels.clear()


def numbers(values):
    """Decode a flat list: the names of non-finite numbers become them."""
    return [float(v) if isinstance(v, str) else v for v in values]


def build(spec, device):
    """Make an input: its base is uploaded, the views are taken on the device."""
    if "scalar" in spec:
        return spec["scalar"]
    base = fogo.tensor(numbers(spec["values"]), dtype=spec["dtype"], device=device)
    x = base.reshape(tuple(spec["shape"]))
    for move in spec.get("moves", ()):
        x = getattr(fogo, move[0])(x, *[tuple(a) for a in move[1:]])
    return x


def call(case, inputs, device):
    """Call the op; its results as a list, whatever it returns."""
    options = {name: tuples(value) for name, value in case.get("options", {}).items()}
    if case.get("creates"):
        options["device"] = device
    operands = [list(inputs)] if case.get("list") else list(inputs)
    at = case.get("at", len(operands))
    args = [tuples(a) for a in case.get("args", ())]
    operands = operands[:at] + args + operands[at:]
    result = getattr(fogo, case["op"])(*operands, **options)
    return list(result) if isinstance(result, (list, tuple)) else [result]


def tuples(value):
    """JSON's lists are tuples to the ops: shapes, axes, widths."""
    if isinstance(value, (list, tuple)):
        return tuple([tuples(v) for v in value])
    return value


def watched(case, device, work):
    """Do the work and see that nothing crossed to or from the host meanwhile."""
    backend = device.base().backend
    before = (backend.uploads, backend.reads)
    result = work()
    if not case.get("host"):
        after = (backend.uploads, backend.reads)
        if after != before:
            fail(case, "uploads and reads inside the op: %s, then %s", before, after)
    return result


def check_outputs(case, device, outputs):
    expected = case["outputs"]
    if len(outputs) != len(expected):
        fail(case, "number of results: %s instead of %s", len(outputs), len(expected))
    for out, want in zip(outputs, expected):
        dtype = want["dtype"]
        if dtype in ("int", "uint"):
            dtype += "%d" % device.default_int.bits
        if out.dtype.name != dtype:
            fail(case, "dtype: %s instead of %s", out.dtype.name, dtype)
        if out.shape != tuple(want["shape"]):
            fail(case, "shape: %s instead of %s", out.shape, tuple(want["shape"]))
        check(case, FORWARD, out, want["values"], "result")


def check(case, table, tensor, values, what):
    """Compare a tensor with flat values within the table's bound."""
    backend = tensor.device.base().name.split(":")[0]
    rtol, atol = lookup(table, backend, tensor.dtype.name, case.get("factor", 1.0))
    got = flat(tensor)
    values = numbers(values)
    if len(got) != len(values):
        fail(case, what + ": %s elements instead of %s", len(got), len(values))
    for i, (a, b) in enumerate(zip(got, values)):
        if not near(a, b, rtol, atol):
            fail(case, what + " at element %s: %s instead of %s", i, a, b)


def near(a, b, rtol, atol):
    """Say whether two numbers agree; nan with nan, infinities by their sign."""
    if a == b:
        return True
    if a != a or b != b:
        return a != a and b != b
    if a - a != 0 or b - b != 0:
        return False
    return abs(a - b) <= rtol * abs(b) + atol


def flat(tensor):
    """Return the elements as a flat list of Python numbers."""
    return tensor.reshape((-1,)).tolist() if tensor.size else []


def fail(case, message, *values):
    raise AssertionError(case["id"] + ": " + message % values)


def weight(count, first, like):
    """A fixed cotangent: small exact numbers that differ from place to place."""
    period = 9 if first else 11
    step = 5 if first else 7
    values = [((i * step + 3) % period - 4) / 4.0 for i in range(count)]
    w = fogo.tensor(values, dtype=like.dtype, device=like.device.base())
    return w.reshape(like.shape)


def loss(outputs, first=True):
    """The weighted sum of all float results: one number to differentiate."""
    total = None
    for out in outputs:
        if out.dtype.is_float and out.requires_grad:
            part = (out * weight(out.size, first, out)).sum()
            total = part if total is None else total + part
    return total


def tracked(inputs, device):
    """The inputs on an autodiff device, the floats among them as leaves."""
    out = []
    for x in inputs:
        if isinstance(x, fogo.Tensor):
            x = x.to(device)
            x = x.requires_grad_() if x.dtype.is_float else x
        out.append(x)
    return out


def check_gradients(case, device, inputs):
    """Compare gradients by every input with the expected ones."""
    leaves = tracked(inputs, device.autodiff())
    restart(case, device)
    total = loss(call(case, leaves, device.autodiff()))
    if total is None:
        fail(case, "no result carries a gradient")
    grads = watched(case, device, total.backward)
    for i, (x, values) in enumerate(zip(leaves, case["grads"])):
        if values is not None:
            compare_gradient(case, x, grads, values, "gradient %d" % i)


def compare_gradient(case, x, grads, values, what):
    g = grads.get(x)
    if g is None:
        g = x * 0
    if g.shape != x.shape or g.dtype is not x.dtype:
        fail(case, what + ": %s %s for %s %s", g.dtype, g.shape, x.dtype, x.shape)
    check(case, GRADIENT, g, values, what)


def check_second(case, device, inputs):
    """Compare gradients of the (weighted, summed) gradients: autodiff twice."""
    leaves = tracked(inputs, device.autodiff().autodiff())
    restart(case, device)
    total = loss(call(case, leaves, device.autodiff().autodiff()))
    first = total.backward()
    parts = []
    for x in leaves:
        g = first.get(x) if isinstance(x, fogo.Tensor) else None
        if g is not None:
            parts.append(g)
    again = loss(parts, first=False)
    grads = again.backward() if again is not None else {}
    for i, (x, values) in enumerate(zip(leaves, case["second"])):
        if values is not None:
            compare_gradient(case, x, grads, values, "second derivative %d" % i)

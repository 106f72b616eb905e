"""How `fogo.profile` measures on each kind of backend, and what is possible at best."""

from __future__ import annotations

from .dtypes import float32
from .errors import DeviceError
from .kernel.cost import plan_cost
from .kernel.lower import Planner
from .ops.record import Aval, Op
from .shapes import size

try:
    from time import perf_counter
except ImportError:  # MicroPython
    from time import time as perf_counter


def bottom(device):
    """The backend at the bottom of a device."""
    backend = device.base().backend
    while backend.inner is not None:
        backend = backend.inner
    return backend


def meter_for(device):
    """The meter of the backend at the bottom of a device."""
    backend = bottom(device)
    if getattr(backend, "gpu", None) is None:
        return HostMeter(backend)
    profile = getattr(backend.gpu, "profile", None)
    if profile is not None and not backend.gpu.profiling and profile(True):
        return ClockMeter(backend)
    return WaitMeter(backend)


class ClockMeter:
    """A GPU's own clock: timestamps around each dispatch."""

    how = "by the device's clock"

    def __init__(self, backend):
        self.backend = backend

    def start(self):
        pass  # `meter_for` has switched it on

    def stop(self):
        """Return (name, seconds, start, bytes, operations) of each kernel."""
        gpu = self.backend.gpu
        try:
            timings = gpu.timings()
        finally:
            gpu.profile(False)
        found = []
        for kernel, words, spent, began in timings:
            name, nbytes, flops = self._cost(kernel, words)
            found.append((name, spent * 1e-9, began * 1e-9, nbytes, flops))
        return found

    def _cost(self, kernel, words):
        """What a dispatch is, from its words."""
        prepared = self.backend.prepared
        plan = prepared.get((kernel, words))
        if plan is None:  # its live numbers are others
            for key in prepared:
                if key[0] == kernel and key[1][:4] == words[:4]:
                    plan = prepared[key]
        if plan is None:
            return "kernel %d" % kernel, 0, 0
        return (plan.kernel.name,) + cost_of(plan)


class WaitMeter:
    """Each kernel waited for: where a GPU tells no times."""

    how = "by the host's clock, each kernel waited for"

    def __init__(self, backend):
        self.backend = backend
        self.found = []

    def start(self):
        backend = self.backend
        launch = backend.launch

        def timed(plan, inputs, outputs, attrs):
            backend.sync()
            began = perf_counter()
            launch(plan, inputs, outputs, attrs)
            backend.sync()
            spent = perf_counter() - began
            self.found.append((plan.kernel.name, spent, began) + cost_of(plan))

        backend.launch = timed

    def stop(self):
        del self.backend.launch
        return self.found


class HostMeter:
    """A CPU: the time of each op, without that of the ops inside it."""

    how = "by the host's clock"

    def __init__(self, backend):
        self.backend = backend
        self.planner = Planner()
        self.found = []
        self.inside = [0.0]

    def start(self):
        execute = self.backend.execute

        def timed(op, inputs, attrs, outs):
            if op.view is not None:
                return execute(op, inputs, attrs, outs)
            self.inside.append(0.0)
            began = perf_counter()
            try:
                return execute(op, inputs, attrs, outs)
            finally:
                whole = perf_counter() - began
                own = whole - self.inside.pop()
                self.inside[-1] += whole
                if not op.composite or op.name in self.backend.special:
                    self._note(op, inputs, attrs, outs, own, began)

        self.backend.execute = timed

    def _note(self, op, inputs, attrs, outs, seconds, began):
        nbytes = 0
        for h in list(inputs) + list(outs):
            nbytes += size(h.shape) * h.dtype.itemsize
        self.found.append((op.name, seconds, began, nbytes, (op, inputs, attrs, outs)))

    def stop(self):
        del self.backend.execute
        return [entry[:4] + (self._flops(*entry[4]),) for entry in self.found]

    def _flops(self, op, inputs, attrs, outs):
        if op.composite:
            return 0
        return cost_of(self.planner.plan(op, attrs, inputs, outs))[1]


def cost_of(plan):
    """(bytes, operations) of a plan; nothing where its kernel cannot be counted."""
    try:
        return plan_cost(plan)
    except (KeyError, TypeError):  # an index that only the device knows
        return 0, 0


def best_copy(device):
    """Bytes a second of a large copy, read and written."""
    from .dispatch import call
    from .ops.elementwise import COPY

    count = _large(device)
    x = call(COPY, (_ones(device, count),))
    device.sync()
    return 8.0 * count / _best(device, lambda: call(COPY, (x,)))


def best_multiply_add(device):
    """Operations a second: a multiplication and an addition at once are two."""
    from .dispatch import call

    backend = bottom(device)
    if getattr(backend, "gpu", None) is None:
        side = 24 if backend.name == "python" else 512
        x = _ones(device, side * side).reshape((side, side))
        return 2.0 * side**3 / _best(device, lambda: x @ x)
    points = 1 << (12 if backend.gpu.info["software"] else 20)
    x = _ones(device, points)
    spent = _best(device, lambda: call(RATE, (x,)))
    return 2.0 * CHAINS * STEPS * points / spent


CHAINS, STEPS = 8, 1024  # independent sums of a thread, multiply-adds of each


def _rate(k, x, out):
    """out = sums of many multiply-adds, none of which waits for another's result."""
    (point,) = k.grid(out.shape)
    factor = x[point]
    cells = [k.cell(factor * float(i)) for i in range(CHAINS)]
    with k.loop(STEPS // 16):
        for _ in range(16):
            for cell in cells:
                cell.set(cell * factor + factor)
    total = cells[0]
    for cell in cells[1:]:
        total = total + cell
    out[point] = total


RATE = Op("multiply_add_rate", infer=lambda a, attrs: (Aval(a[0].shape, float32),),
          kernel=_rate)  # fmt: skip


def _ones(device, count):
    from .ops.creation import ones

    return ones((count,), dtype=float32, device=device)


def _large(device):
    """Elements that fit no cache, and one binding."""
    backend = bottom(device)
    gpu = getattr(backend, "gpu", None)
    if gpu is None:
        return 1 << (12 if backend.name == "python" else 22)
    if gpu.info["software"]:
        return 1 << 21
    most = min(gpu.limits["maxBufferSize"], gpu.limits["maxStorageBufferBindingSize"])
    return min(1 << 26, most // 4)


def _best(device, work):
    """The shortest of several runs, as a profile sees them."""
    from .profiling import Profile

    best = None
    for _ in range(4):
        with Profile(device) as p:
            result = work()
        del result
        spent = p.seconds
        if spent > 0 and (best is None or spent < best):
            best = spent
    if best is None:
        raise DeviceError(
            "profile: the device's clock must move while a kernel runs; it did not on "
            "%s; update its driver" % device.describe()
        )
    return best

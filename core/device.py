"""Devices: names for backend stacks, what this machine has, and which is best."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .errors import AutodiffError, DeviceError

if TYPE_CHECKING:
    from .dtypes import DType

# Where each kind of device lives. A module offers `create(index) -> Backend`, which
# raises DeviceError with the reason where it cannot, and `probe() -> [(kind, text)]`
# with kind "gpu", "cpu" or "software" (a GPU's interface computed by a CPU).
# "dawn" and "cuda" are not in ORDER: they show the same GPUs as "webgpu".
MODULES = {
    "dawn": "fogo.native.dawn_gpu",
    "python": "fogo.backend.python",
    "numpy": "fogo.native.numpy_backend",
    "webgpu": "fogo.webgpu",
    "wasm": "fogo.wasm",
    "cuda": "fogo.native.cuda_gpu",
}
CONSTANTS = 512  # numbers remembered at most, per device
ORDER = ("webgpu", "numpy", "wasm", "python")

# Who plays a backend's commands: (in a browser, elsewhere). A module for "webgpu"
# offers `adapters()`, `open_now(index)` and the coroutine `open_gpu(index)`; one for
# "wasm" offers `open_host()`.
HOSTS = {
    "wasm": ("fogo.web.wasm_host", "fogo.native.wasmtime_host"),
    "webgpu": ("fogo.web.browser_gpu", "fogo.native.wgpu_gpu"),
}


class Device:
    """A backend stack by name: tensors made on it carry it as `.device`.

    Example:
        >>> import fogo
        >>> fogo.device("python").autodiff()
        fogo.device('python').autodiff()
    """

    def __init__(self, name: str, backend: Any, inner: Device | None = None) -> None:
        self.name = name
        self.backend = backend
        self._inner = inner
        self._outer: AutodiffDevice | None = None
        self._unfused: Device | None = None
        self._plain = False  # made by `unfused`
        self.checkpointing = ""
        self._constants: dict[Any, Any] = {}
        self._layers: dict[str, Any] = {}  # of transformations: see func/levels.py
        self.generator: Any = None
        self.reason = ""
        backend.device = self
        from .tensor import Tensor, Tracked

        recorded = isinstance(self, AutodiffDevice)
        self.tensor_class: Any = Tracked if recorded else Tensor

    def __repr__(self) -> str:
        if self._inner is not None:
            how = "checkpointing=%r" % self.checkpointing if self.checkpointing else ""
            return "%r.autodiff(%s)" % (self._inner, how)
        return "fogo.device(%r)%s" % (self.name, ".unfused()" * self._plain)

    def __deepcopy__(self, memo):
        return self

    @property
    def default_int(self) -> DType:
        """The dtype of Python ints and of indices here: int64, or int32 on GPUs."""
        return self.backend.default_int

    @property
    def is_autodiff(self) -> bool:
        """Say whether tensors here can have gradients."""
        return isinstance(self, AutodiffDevice)

    def autodiff(self, checkpointing: str | None = None) -> AutodiffDevice:
        """Return the device that records gradients over this one; may be repeated.

        checkpointing: None keeps what gradients read; "balanced" keeps results of
        products, convolutions and reductions, and computes what is elementwise, moved
        or normalised again when a gradient reads it: less memory for more time. An op
        on tensors of both kinds is recorded as "balanced"; their graphs may join.
        Raises: AutodiffError for another strategy.
        """
        if checkpointing not in (None, "none"):
            from .backend.balanced import balanced

            return balanced(self, checkpointing)
        if self._outer is None:
            from .backend.autodiff import Autodiff

            backend = getattr(self.backend, "wrapped", self.backend)
            self._outer = AutodiffDevice(self.name, Autodiff(backend), self)
            cover(self._outer, self)
        return self._outer

    def unfused(self) -> Device:
        """Return the device that runs each op at once, by itself; without Fusion.

        It is a device of its own on the same hardware: move tensors with `.to(...)`.
        On "cuda" it also holds float64 and int64.
        A device that does not fuse is returned as it is.
        """
        if self._inner is not None:
            plain = self._inner.unfused()
            return self if plain is self._inner else plain.autodiff()
        if not getattr(self.backend, "fuses", False):
            return self
        if self._unfused is None:
            inner = self.backend.inner
            other = getattr(inner, "unfused", None)  # another backend, for this
            self._unfused = Device(self.name, inner if other is None else other())
            self._unfused._plain = True
        return self._unfused

    def inner(self) -> Device:
        """Return the device below an autodiff one; raises AutodiffError elsewhere."""
        if self._inner is None:
            raise AutodiffError(
                "inner: only an autodiff device has an inner one; given %r" % self
            )
        return self._inner

    def base(self) -> Device:
        """Return the device below every autodiff layer."""
        device = self
        while device._inner is not None:
            device = device._inner
        return device

    def constant(self, value, dtype, shape=()):
        """Return a cached tensor of one number: its memory is that of the number."""
        key = (value, dtype, shape, isinstance(value, (float, complex)) and str(value))
        found = self._constants.get(key)
        if found is None:
            if shape:
                found = self.constant(value, dtype).expand(shape)
            else:
                from .ops.creation import fill

                found = fill((), value, dtype, self)
            if len(self._constants) >= CONSTANTS:
                self._constants.clear()
            self._constants[key] = found
        return found

    def seed(self, value: int) -> None:
        """Restart this device's random stream: equal seeds, equal numbers."""
        from .random import seed_device

        seed_device(self.base(), value)

    def sync(self) -> None:
        """Wait until all work given to the device is done."""
        self.backend.sync()

    def describe(self) -> str:
        """What the device really is, for people: an adapter's name, a library."""
        return self.backend.describe()


class AutodiffDevice(Device):
    """A device that records gradients: its tensors are `Tracked`, with `backward`.

    Example:
        >>> import fogo
        >>> device = fogo.device("cpu").autodiff()
        >>> device.is_autodiff, device.inner() is fogo.device("cpu")
        (True, True)
    """


def cover(device: Device, inner: Device) -> None:
    """Let contexts under way (autocast, …) reach a device made over one of theirs."""
    if hasattr(inner.backend, "wrapped"):
        from .backend.around import extend

        extend(device, inner)


DEVICES: dict[str, Device] = {}
_default: list[Device] = []


def device(name: str | Device | None = None) -> Device:
    """Return a device by name; the same name gives the same Device.

    "python", "numpy", "webgpu", "webgpu:1", "dawn" (Chrome's WebGPU, natively), "cuda",
    "wasm", "cpu" (NumPy natively, WebAssembly in a browser, else plain Python). None
    gives the default device.
    Raises: DeviceError where the machine does not have it, saying why.

    Example:
        >>> import fogo
        >>> fogo.device("python").name
        'python'
    """
    if isinstance(name, Device):
        return name
    if name is None:
        return default_device()
    if not isinstance(name, str):
        raise DeviceError("device: a name or a Device; given %r" % (name,))
    found = DEVICES.get(name)
    if found is None:
        found = _open(name)
        DEVICES[name] = found
    return found


def _open(name):
    if name == "cpu":
        return _cpu()
    from .plugins import create, kinds, override

    kind, _, index = name.partition(":")
    known = kind in MODULES or kind in kinds()
    if not known or (index and not index.isdigit()):
        raise DeviceError(
            "device: no such device; given %r; use one of cpu, %s"
            % (name, ", ".join(sorted(MODULES) + kinds()))
        )
    if kind in MODULES:
        backend = _module(kind).create(int(index or 0))
    else:
        backend = create(kind, int(index or 0))
    override(kind, backend)
    return Device(name, backend)


def _module(kind):
    found = _load(kind, MODULES[kind])
    if not hasattr(found, "create"):
        raise DeviceError(
            "device: %s is not available; %s has no backend yet" % (kind, MODULES[kind])
        )
    return found


def host(kind):
    """The module that hosts a backend here; raises DeviceError where it is missing."""
    return _load(kind, HOSTS[kind][0 if _in_browser() else 1])


def _load(kind, path):
    try:
        __import__(path)
    except ImportError as error:
        raise DeviceError(
            "device: %s is not available; importing %s failed: %s" % (kind, path, error)
        )
    return sys.modules[path]


def _cpu():
    order = ("wasm", "python") if _in_browser() else ("numpy", "python")
    for kind in order:
        try:
            return device(kind)
        except DeviceError:
            continue
    raise DeviceError("device: internal: plain Python is always there")


def _in_browser():
    return sys.platform in ("emscripten", "webassembly")


def default_device() -> Device:
    """Return the device new tensors go to: "cpu" until `set_default_device`.

    Example:
        >>> import fogo
        >>> fogo.default_device() is fogo.device("cpu")
        True
    """
    if not _default:
        _default.append(device("cpu"))
    return _default[0]


def set_default_device(name: str | Device) -> None:
    """Make a device the one new tensors go to.

    Example:
        >>> import fogo
        >>> fogo.set_default_device("python")
        >>> fogo.zeros(1).device.name
        'python'
        >>> fogo.set_default_device("cpu")
    """
    _default[:] = [device(name)]


def devices() -> list[tuple[str, str, str]]:
    """List what this machine has: (name, kind, what it is or why it is missing).

    kind is "gpu", "cpu", "software" (a GPU's interface run by a CPU) or "missing".

    Example:
        >>> import fogo
        >>> [name for name, kind, text in fogo.devices() if name == "python"]
        ['python']
    """
    from .plugins import kinds, probe

    out = []
    for kind in ORDER + tuple(kinds()):
        try:
            if kind in MODULES:
                found = _module(kind).probe()
            else:
                found = probe(kind)
        except DeviceError as error:
            out.append((kind, "missing", str(error)))
            continue
        for i, (sort, text) in enumerate(found):
            out.append((kind if i == 0 else "%s:%d" % (kind, i), sort, text))
    return out


def best_device() -> Device:
    """Return the fastest device here; `.reason` says why it was chosen.

    A GPU comes first; a software adapter is a CPU in disguise and is passed over.

    Example:
        >>> import fogo
        >>> fogo.best_device().name in [name for name, kind, text in fogo.devices()]
        True
    """
    why = "no GPU here"
    for name, kind, text in devices():
        if kind == "gpu":
            return _chosen(name, "a GPU: " + text)
        if kind == "software":
            why = "no GPU here: %s computes on the CPU" % text
        elif kind == "missing" and name == "webgpu":
            why = "no GPU here: " + text
    return _chosen("cpu", why)


def _chosen(name, reason):
    found = device(name)
    found.reason = reason
    return found

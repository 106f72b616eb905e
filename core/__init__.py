"""fogo: the code that trains a model is the code that runs it, on any device.

Importing it loads neither NumPy nor a GPU library; names load where they are used.
"""

from __future__ import annotations

from .device import (
    AutodiffDevice,
    Device,
    best_device,
    default_device,
    device,
    devices,
    set_default_device,
)
from .dtypes import (
    DType,
    bfloat16,
    bool_,
    can_cast,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    promote,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .errors import (
    ArgumentError,
    AutodiffError,
    DeviceError,
    DTypeError,
    FogoError,
    FormatError,
    KernelError,
    ShapeError,
)
from .ops.record import Aval
from .tensor import Tensor, Tracked, tensor

__version__ = "0.1.0"
__array_api_version__ = "2024.12"

__all__ = [
    "AutodiffDevice",
    "AutodiffError",
    "ArgumentError",
    "Aval",
    "DType",
    "DTypeError",
    "Device",
    "DeviceError",
    "FogoError",
    "FormatError",
    "KernelError",
    "ShapeError",
    "Tensor",
    "Tracked",
    "best_device",
    "bfloat16",
    "bool_",
    "can_cast",
    "complex128",
    "complex64",
    "default_device",
    "device",
    "devices",
    "dtype",
    "float16",
    "float32",
    "float64",
    "int16",
    "int32",
    "int64",
    "int8",
    "promote",
    "set_default_device",
    "tensor",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
]

# Where names outside fogo.ops live: loaded at first use.
_HOMES = {
    "explain": "backend.fusion.explain",
    "no_grad": "backend.grad_mode", "enable_grad": "backend.grad_mode",
    "inference_mode": "backend.grad_mode", "set_grad_enabled": "backend.grad_mode",
    "is_grad_enabled": "backend.grad_mode", "Gradients": "backend.gradients",
    "GradientsAccumulator": "backend.gradients",
    "grad": "func.reverse", "value_and_grad": "func.reverse", "vjp": "func.reverse",
    "vmap": "func.mapping", "jvp": "func.forward", "jacobian": "func.jacobians",
    "jacrev": "func.jacobians", "jacfwd": "func.jacobians", "hessian": "func.jacobians",
    "hvp": "func.jacobians", "checkpoint": "backend.checkpoint",
    "autocast": "backend.autocast", "is_autocast_enabled": "backend.autocast",
    "get_autocast_dtype": "backend.autocast", "detect_anomaly": "anomaly",
    "custom_vjp": "func.custom", "gradcheck": "gradchecks",
    "gradgradcheck": "gradchecks",
    "manual_seed": "random", "rand": "random", "randn": "random", "uniform": "random",
    "normal": "random", "randint": "random", "bernoulli": "random",
    "randperm": "random", "random_bits": "random",
    "e": "namespace", "pi": "namespace", "inf": "namespace", "nan": "namespace",
    "newaxis": "namespace", "finfo": "namespace", "iinfo": "namespace",
    "isdtype": "namespace", "result_type": "namespace",
    "asarray": "exchange", "from_dlpack": "exchange",
    "read": "reading", "read_async": "reading",
    "compile": "compiling", "memory_stats": "memory", "memory_cleanup": "memory",
    "profile": "profiling", "set_print_options": "printing",
    "set_printoptions": "printing", "kernel": "kernel.user",
    "kernel_source": "kernel.source",
}  # fmt: skip
_ROOMS = (
    "nn", "optim", "store", "data", "train", "ops", "demo", "random",
    "autotune", "memory", "func", "amp", "autograd", "linalg", "fft", "signal",
    "testing",
)  # fmt: skip


_PUBLIC = {}  # functions of fogo.ops, with the spellings of core/habits


def _import(path):
    import sys

    path = __name__ + "." + path
    __import__(path)  # also where it is there: another thread may not be done with it
    return sys.modules[path]


def __getattr__(name):
    if name in _HOMES:
        return getattr(_import(_HOMES[name]), name)
    if name == "bool":  # the standard's name; here it would hide Python's
        return bool_
    if name in _ROOMS:
        return _import(name)
    if name.startswith("__"):
        raise AttributeError(name)
    if name not in _PUBLIC:
        function = _import("ops").find(name)
        if function is None:
            raise AttributeError("fogo has no attribute %r" % name)
        _PUBLIC[name] = _import("habits.spelling").spelled(name, function)
    return _PUBLIC[name]


def __array_namespace_info__():
    """Return what the array API standard asks a namespace to tell of itself."""
    return _import("namespace").Info()


def __dir__():
    """List what has not been loaded too, so that a shell can complete it."""
    lazy = set(_HOMES) | set(_ROOMS) | set(_import("ops").names())
    return sorted(
        set(__all__) | lazy | {"__doc__", "__version__", "bool", "errors", "expr"}
    )


# The package fogo.kernel, called, is the decorator: see kernel/__init__.py.
kernel = _import("kernel").face

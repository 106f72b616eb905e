"""Which modules run on MicroPython: the one list, in the two tiers of the design.

Paths are relative to the import root `fogo`; one that ends in "/" takes the whole
folder. A module listed here keeps to the portable subset (see CONTRIBUTING.md).
"""

from __future__ import annotations

from pathlib import Path

# Tensors, autodiff, layers and optimisers on the plain Python backend: a board.
BOARD = (
    "__init__.py",
    "backend/__init__.py",
    "amp.py",
    "anomaly.py",
    "autograd.py",
    "backend/around.py",
    "backend/autocast.py",
    "backend/autodiff.py",
    "backend/balanced.py",
    "backend/checkpoint.py",
    "backend/base.py",
    "backend/capture.py",
    "backend/grad_mode.py",
    "backend/gradients.py",
    "backend/hooks.py",
    "backend/levels.py",
    "backend/walk.py",
    "backend/holders.py",
    "backend/home.py",
    "backend/replay.py",
    "backend/policy.py",
    "backend/python.py",
    "backend/threads.py",
    "compiling.py",
    "demo/__init__.py",
    "demo/net.py",
    "device.py",
    "dispatch.py",
    "dtypes.py",
    "errors.py",
    "exchange.py",
    "expr.py",
    "fft/",
    "func/",
    "gradchecks.py",
    "habits/",
    "indexing.py",
    "kernel/",
    "linalg/",
    "methods.py",
    "namespace.py",
    "nn/",
    "operands.py",
    "ops/",
    "optim/",
    "plugins.py",
    "printing.py",
    "random.py",
    "reading.py",
    "recorder.py",
    "shapes.py",
    "signal/",
    "storage.py",
    "store/__init__.py",
    "store/header.py",
    "store/safetensors.py",
    "tensor.py",
    "testing.py",
    "tree.py",
)

# What a web page adds: the GPU and WebAssembly.
PAGE = (
    *BOARD,
    "backend/fusion/",
    "autotune.py",
    "fast/",
    "memory.py",
    "meters.py",
    "profiling.py",
    "wasm/",
    "web/__init__.py",
    "web/browser_gpu.py",
    "webgpu/",
)

TIERS = {"board": BOARD, "page": PAGE}

# Runs of folders that keep their own root in the repository (core is fogo itself).
_APART = ("native", "wasm", "web", "webgpu")


def source(path: str) -> Path:
    """Return where a path below `fogo` lies, in the repository or as installed.

    Example:
        >>> source("errors.py").name
        'errors.py'
    """
    top = Path(__file__).resolve().parents[2]
    if path.split("/")[0] not in _APART and (top / "core").is_dir():
        return top / "core" / path
    return top / path


def modules(tier: str) -> dict[str, Path]:
    """Return the tier's files: path below `fogo` -> source file, sorted.

    Raises ValueError for an unknown tier. A folder or file that is not there yet is
    left out.
    """
    if tier not in TIERS:
        raise ValueError(f"modules: unknown tier {tier!r}; one of {sorted(TIERS)}")
    found = {}
    for entry in TIERS[tier]:
        for path in _expand(entry):
            found[path] = source(path)
    return dict(sorted(found.items()))


def _expand(entry: str) -> list[str]:
    folder, _, pattern = entry.rpartition("/")
    root = source(folder) if folder else source("x").parent
    pattern = pattern or "**/*.py"
    prefix = folder + "/" if folder else ""
    return [prefix + p.relative_to(root).as_posix() for p in root.glob(pattern)]

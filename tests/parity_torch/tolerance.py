"""How far fogo may lie from PyTorch, whose numbers are computed in float64.

|ours - theirs| <= rtol * |theirs| + atol * (1 + the largest |theirs|): one table, by
backend and dtype. A case's `factor` widens it, and says why.
"""

from __future__ import annotations

# (backend, dtype): (rtol, atol). "*" stands for every backend without its own row.
FORWARD = {
    ("*", "float16"): (1e-2, 2e-3),
    ("*", "float32"): (1e-5, 1e-6),
    ("*", "float64"): (1e-12, 1e-13),
    ("webgpu", "float32"): (2e-5, 4e-6),
    ("webgpu-unfused", "float32"): (2e-5, 4e-6),
    ("cuda", "float32"): (2e-5, 4e-6),
}

# Gradients round at every step of the chain, and subtract.
GRADIENT = {
    ("*", "float16"): (3e-2, 1e-2),
    ("*", "float32"): (4e-5, 4e-6),
    ("*", "float64"): (1e-11, 1e-12),
    ("webgpu", "float32"): (1e-4, 1e-5),
    ("webgpu-unfused", "float32"): (1e-4, 1e-5),
    ("cuda", "float32"): (1e-4, 1e-5),
}


def lookup(
    table: dict[tuple[str, str], tuple[float, float]],
    backend: str,
    dtype: str,
    factor: float = 1.0,
) -> tuple[float, float]:
    """Return (rtol, atol) for a backend and a dtype."""
    rtol, atol = table.get((backend, dtype)) or table[("*", dtype)]
    return rtol * factor, atol * factor

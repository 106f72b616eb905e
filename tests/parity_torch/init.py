"""Cases of parity: initialisers without chance, and the gains of those with it.

Those that draw are compared as distributions in tests/nn/test_init_more.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.parity_torch.case import Case

NAMES = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu", "selu",
)  # fmt: skip


def filled(name: str, *shape: int, **options: Any) -> Case:
    """What an initialiser leaves in a tensor of 7s."""

    def call(lib: Any, f: Any, x: Any) -> Any:
        return f(x, **options)

    label = "".join(f"-{k}={v}" for k, v in options.items())
    return Case(
        f"{name}-{list(shape)}{label}".replace(" ", ""),
        lambda lib: getattr(lib.nn.init, name),
        [np.full(shape, 7.0)], call, grads=False,
    )  # fmt: skip


def gain(name: str, *param: float) -> Case:
    return Case(
        f"calculate_gain-{name}" + "".join(f"-{p}" for p in param),
        lambda lib: lib.nn.init.calculate_gain,
        call=lambda lib, f: lib.tensor(f(name, *param)),
        grads=False,
    )


CASES = [
    *[filled("eye_", *s) for s in ((3, 3), (2, 5), (5, 2), (1, 1))],
    *[filled("constant_", *s, val=0.75) for s in ((3,), (2, 3), (2, 2, 2))],
    *[filled(n, *s) for n in ("zeros_", "ones_") for s in ((3,), (2, 3))],
    *[filled("dirac_", *s) for s in ((3, 3, 3), (2, 4, 5), (5, 2, 2, 3))],
    *[filled("dirac_", *s) for s in ((3, 2, 1, 3, 2), (1, 1, 4))],
    *[filled("dirac_", 6, 2, 3, groups=g) for g in (1, 2, 3)],
    *[gain(name) for name in NAMES],
    *[gain("leaky_relu", slope) for slope in (0.0, 0.2, 1.0)],
]

"""Cases of parity: ten steps of every optimiser, and twenty of every schedule."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tests.parity_torch.case import Case, floats

STEPS = 10
BETAS = [(0.9, 0.999), (0.7, 0.9)]
WHY = "what ten steps have rounded"
# Settings of each optimiser: every combination is a case.
RULES: dict[str, dict[str, list[Any]]] = {
    "SGD": {"lr": [0.05], "momentum": [0.0, 0.9], "weight_decay": [0.0, 0.1],
            "maximize": [False, True]},
    "Adam": {"lr": [0.02], "betas": BETAS, "amsgrad": [False, True],
             "weight_decay": [0.0, 0.1], "maximize": [False, True]},
    "AdamW": {"lr": [0.02], "betas": BETAS, "amsgrad": [False, True],
              "weight_decay": [0.01, 0.3], "eps": [1e-8, 1e-3]},
    "Adagrad": {"lr": [0.05], "lr_decay": [0.0, 0.2], "weight_decay": [0.0, 0.1],
                "initial_accumulator_value": [0.1, 0.5]},
    "Adadelta": {"lr": [1.0, 0.3], "rho": [0.9, 0.6], "weight_decay": [0.0, 0.1],
                 "eps": [1e-3]},
    "Adamax": {"lr": [0.02], "betas": BETAS,
               "weight_decay": [0.0, 0.1], "maximize": [False, True]},
    "RMSprop": {"lr": [0.01], "alpha": [0.99, 0.8], "momentum": [0.0, 0.7],
                "centered": [False, True], "weight_decay": [0.0, 0.1], "eps": [1e-3]},
    "Rprop": {"lr": [0.01], "etas": [(0.5, 1.2), (0.3, 1.5)],
              "step_sizes": [(1e-6, 50.0), (1e-3, 0.02)]},
    "NAdam": {"lr": [0.02], "momentum_decay": [4e-3, 0.1], "weight_decay": [0.0, 0.1],
              "decoupled_weight_decay": [False, True]},
    "RAdam": {"lr": [0.02], "betas": BETAS,
              "weight_decay": [0.0, 0.1], "decoupled_weight_decay": [False, True]},
    "Adafactor": {"lr": [0.05], "beta2_decay": [-0.8, -0.5], "d": [1.0, 2.0],
                  "weight_decay": [0.0, 0.2]},
}  # fmt: skip
FLOAT32 = {"NAdam": "PyTorch keeps its product of momenta in float32"}
# PyTorch's cycles turn the momentum, too, unless they are told not to.
LR_ALONE = {n: {"cycle_momentum": False} for n in ("OneCycleLR", "CyclicLR")}
SCHEDULES: dict[str, list[dict[str, Any]]] = {
    "ConstantLR": [{}, {"factor": 0.5, "total_iters": 3}],
    "LinearLR": [{}, {"start_factor": 0.1, "end_factor": 0.7, "total_iters": 8}],
    "CosineAnnealingLR": [{"T_max": 6}, {"T_max": 30, "eta_min": 0.01}],
    "StepLR": [{"step_size": 4}, {"step_size": 1, "gamma": 0.8}],
    "MultiStepLR": [{"milestones": [2, 9]}, {"milestones": [5], "gamma": 0.5}],
    "ExponentialLR": [{"gamma": 0.9}, {"gamma": 1.05}],
    "PolynomialLR": [{}, {"total_iters": 15, "power": 2.0}],
    "CosineAnnealingWarmRestarts": [{"T_0": 5},
                                    {"T_0": 2, "T_mult": 2, "eta_min": 0.01}],
    "OneCycleLR": [{"max_lr": 0.5, "total_steps": 25},
                   {"max_lr": 0.5, "total_steps": 40, "three_phase": True,
                    "anneal_strategy": "linear", "pct_start": 0.35}],
    "CyclicLR": [{"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 3},
                 {"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 2,
                  "step_size_down": 5, "mode": "triangular2"}],
}  # fmt: skip


def stepped(name: str, options: dict[str, Any]) -> Any:
    """Return a call: parameters of the given values, after ten steps."""

    def call(lib: Any, f: Any, *values: Any) -> list[Any]:
        params = [lib.nn.Parameter(v) for v in values]
        optimiser = getattr(lib.lib.optim, name)(params, **options)
        for n in range(STEPS):
            loss = 0.0
            for p in params:
                loss = loss + ((p - 0.3) ** 2 * (1.0 + n % 3) + p.sin()).sum()
            if lib.ours:
                optimiser.step(loss.backward())
            else:
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
        return params

    return call


def optimisers() -> Iterator[Case]:
    """Every combination of the settings above."""
    for name, settings in RULES.items():
        for values in itertools.product(*settings.values()):
            options = dict(zip(settings, values, strict=True))
            label = "-".join([name, *(f"{k}={v}" for k, v in options.items())])
            yield Case(
                label.replace(" ", ""),
                build=lambda lib: None,
                inputs=[floats(3, 4), floats(5)],
                call=stepped(name, options),
                factor=20.0,
                why=FLOAT32.get(name, WHY),
                grads=False,
                dtypes=("float32",) if name in FLOAT32 else ("float32", "float64"),
            )


def followed(name: str, options: dict[str, Any]) -> Any:
    """Return a call: what twenty steps take off a weight, one after the other."""

    def call(lib: Any, f: Any, start: Any) -> list[Any]:
        p = lib.nn.Parameter(start)
        optimiser = lib.lib.optim.SGD([p], lr=0.2)
        rooms = lib.lib.optim if lib.ours else lib.lib.optim.lr_scheduler
        more = {} if lib.ours else LR_ALONE.get(name, {})
        schedule = getattr(rooms, name)(optimiser, **options, **more)
        seen = []
        for _ in range(20):
            if lib.ours:
                optimiser.step(p.sum().backward())
            else:
                optimiser.zero_grad()
                p.sum().backward()
                optimiser.step()
            schedule.step()
            seen.append(p.detach() * 1.0)
        return seen

    return call


def schedules() -> Iterator[Case]:
    """Every schedule with two sets of settings."""
    for name, rows in SCHEDULES.items():
        for options in rows:
            label = "-".join([name, *(f"{k}={v}" for k, v in options.items())])
            yield Case(
                label.replace(" ", ""),
                build=lambda lib: None,
                inputs=[floats(2)],
                call=followed(name, options),
                factor=20.0,
                why="what twenty steps have rounded",
                grads=False,
                dtypes=("float32",),
            )


CASES = [*optimisers(), *schedules()]

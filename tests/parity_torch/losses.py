"""Cases of parity: every loss that PyTorch has, as a module, over its options."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from tests.parity_torch.case import EVERY, Case, floats, ints

SUMS = "a sum of many terms"
REDUCTIONS = ("mean", "sum", "none")
N, C = 4, 5


def signs(*shape: int) -> Any:
    """Integers 1 and -1."""
    return ints(*shape, high=2) * 2 - 1


def shares(*shape: int, axis: int = 1) -> Any:
    """Probabilities along an axis."""
    x = np.exp(floats(*shape))
    return x / x.sum(axis, keepdims=True)


def logs(*shape: int, axis: int = 1) -> Any:
    return np.log(shares(*shape, axis=axis))


def loss(
    kind: str, inputs: list[Any], fixed: Any = (), weights: Any = None, **options: Any
) -> Case:
    """One loss; weights: options that are tensors, by name."""

    def build(lib: Any) -> Any:
        made = {k: lib.tensor(v) for k, v in (weights or {}).items()}
        return getattr(lib.nn, kind)(**made, **options)

    def call(lib: Any, f: Any, *given: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "reduction: 'mean' divides")
            if lib.ours:
                f = f.to(lib.device).to(fogo_dtype(lib))
            return f(*given)

    parts = [kind, *(f"{k}={v}" for k, v in options.items()), *(weights or {})]
    shapes = "x".join(str(list(np.shape(x))) for x in inputs)
    name = "-".join(parts) + "-" + shapes.replace(" ", "")
    return Case(name, build, inputs, call, fixed, factor=4.0, why=SUMS, dtypes=EVERY)


def fogo_dtype(lib: Any) -> Any:
    return lib.lib.dtype(lib.dtype)


def grid(**axes: Any) -> Any:
    """Every combination of values for each option."""
    for values in itertools.product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def of_numbers() -> list[Case]:
    """Predictions beside targets of the same shape."""
    found = []
    for reduction in REDUCTIONS:
        for shape in ((N, C), (3,), (2, 3, 2)):
            pair = [floats(*shape), floats(*shape, seed=1)]
            found += [loss("MSELoss", pair, (1,), reduction=reduction)]
            found += [loss("L1Loss", pair, (1,), reduction=reduction)]
            found += [
                loss("SmoothL1Loss", pair, (1,), reduction=reduction, beta=beta)
                for beta in (1.0, 0.3)
            ]
            found += [
                loss("HuberLoss", pair, (1,), reduction=reduction, delta=delta)
                for delta in (1.0, 0.5)
            ]
            found += [
                loss("SoftMarginLoss", [pair[0], signs(*shape)], reduction=reduction)
            ]
            found += [
                loss(
                    "HingeEmbeddingLoss", [pair[0], signs(*shape)],
                    reduction=reduction, margin=margin,
                )
                for margin in (1.0, 0.4)
            ]  # fmt: skip
            rates = np.floor(np.abs(floats(*shape, seed=2)) * 3)
            found += [
                loss("PoissonNLLLoss", [x, rates], (1,), reduction=reduction, **o)
                for o in grid(log_input=(True, False), full=(True, False))
                for x in [pair[0] if o["log_input"] else np.abs(pair[0]) + 0.1]
            ]
    return found


def of_probabilities() -> list[Case]:
    found = []
    for reduction in REDUCTIONS:
        for shape in ((N, C), (2, 3, 4)):
            unit = np.abs(floats(*shape, low=0.05, high=0.95))
            target = np.abs(floats(*shape, low=0.05, high=0.95, seed=1))
            weight = dict(weight=floats(shape[-1], low=0.5))
            found += [loss("BCELoss", [unit, target], (1,), reduction=reduction)]
            found += [
                loss("BCELoss", [unit, target], (1,), weight, reduction=reduction)
            ]
            wide = floats(*shape, low=-9.0, high=9.0)
            for weights in (
                {}, weight, dict(pos_weight=floats(shape[-1], low=0.5)),
                weight | dict(pos_weight=floats(shape[-1], low=0.5, seed=2)),
            ):  # fmt: skip
                pair = [wide, target]
                found += [
                    loss("BCEWithLogitsLoss", pair, (1,), weights, reduction=reduction)
                ]
    for reduction in (*REDUCTIONS, "batchmean"):
        for log_target in (False, True):
            for shape in ((N, C), (2, 3, 4)):
                target = logs(*shape) if log_target else shares(*shape)
                found += [
                    loss(
                        "KLDivLoss", [logs(*shape), target], (1,),
                        reduction=reduction, log_target=log_target,
                    )
                ]  # fmt: skip
    return found


def of_classes() -> list[Case]:
    """Class targets and probabilities, weights, smoothing, what is left out."""
    found = []
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((N, C), (N,)), ((C,), ()), ((2, C, 3), (2, 3)), ((2, C, 2, 2), (2, 2, 2)),
    ]  # fmt: skip
    weight = dict(weight=floats(C, low=0.2))
    for reduction, (x, t), weights, ignore in itertools.product(
        REDUCTIONS, shapes, ({}, weight), (-100, 1)
    ):
        if ignore == 1 and t == ():
            continue
        pair = [floats(*x), ints(*t, high=C, seed=4)]
        options = dict(reduction=reduction, ignore_index=ignore)
        found += [loss("NLLLoss", [logs(*x, axis=int(len(x) > 1)), pair[1]],
                       (), weights, **options)]  # fmt: skip
        for smoothing in (0.0, 0.2):
            found += [
                loss(
                    "CrossEntropyLoss", pair, (), weights,
                    label_smoothing=smoothing, **options,
                )
            ]  # fmt: skip
    for reduction, (x, _), weights, smoothing in itertools.product(
        REDUCTIONS, shapes, ({}, weight), (0.0, 0.2)
    ):
        pair = [floats(*x), shares(*x, axis=int(len(x) > 1))]
        found += [
            loss(
                "CrossEntropyLoss", pair, (1,), weights,
                label_smoothing=smoothing, reduction=reduction,
            )
        ]  # fmt: skip
    return found


def of_margins() -> list[Case]:
    found = []
    weight = dict(weight=floats(C, low=0.2))
    for reduction in REDUCTIONS:
        a, b, c = (floats(N, C, seed=s) for s in range(3))
        for margin in (0.0, 0.4):
            options = dict(reduction=reduction, margin=margin)
            found += [loss("MarginRankingLoss", [a, b, signs(N, C)], **options)]
            found += [loss("CosineEmbeddingLoss", [a, b, signs(N)], **options)]
        found += [
            loss("CosineEmbeddingLoss", [a[0], b[0], signs()], reduction=reduction)
        ]
        for weights in ({}, weight):
            for shape in ((N, C), (C,)):
                target = ints(*shape, high=2).astype(float)
                found += [
                    loss(
                        "MultiLabelSoftMarginLoss", [floats(*shape), target], (1,),
                        weights, reduction=reduction,
                    )
                ]  # fmt: skip
                for p, margin in ((1, 1.0), (2, 0.6)):
                    found += [
                        loss(
                            "MultiMarginLoss",
                            [floats(*shape), ints(*shape[:-1], high=C)], (), weights,
                            p=p, margin=margin, reduction=reduction,
                        )
                    ]  # fmt: skip
        listed = np.array(
            [[3, 0, -1, 1, 2], [-1, 0, 1, 2, 3], [4, 3, 2, 1, 0], [1] + [-1] * 4]
        )
        found += [
            loss("MultiLabelMarginLoss", [floats(N, C), listed], reduction=reduction)
        ]
        found += [
            loss("MultiLabelMarginLoss", [floats(C), listed[0]], reduction=reduction)
        ]
        for o in grid(margin=(1.0, 3.0), p=(2.0, 1.0, 3.0), swap=(False, True)):
            found += [loss("TripletMarginLoss", [a, b, c], reduction=reduction, **o)]
        for swap in (False, True):
            found += [
                loss(
                    "TripletMarginWithDistanceLoss", [a, b, c], reduction=reduction,
                    swap=swap,
                )
            ]  # fmt: skip
        for full, shape in itertools.product(
            (False, True), ((N, C), (N, 1), (N,))
        ):  # fmt: skip
            var = floats(*shape, low=0.2, high=3.0)
            found += [
                loss(
                    "GaussianNLLLoss", [a, b, var], (1,), reduction=reduction, full=full
                )
            ]
    return found


CASES = of_numbers() + of_probabilities() + of_classes() + of_margins()

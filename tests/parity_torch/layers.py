"""Cases of parity: layers of torch.nn, whose weights load unchanged.

Rows are (class, options, shapes of x): each shape is a case of its own.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

from tests.parity_torch.case import Case, floats
from tests.parity_torch.functional import ROUNDED, SUMS, product

Row = tuple[str, dict[str, Any], list[tuple[int, ...]]]
SPACES: dict[int, tuple[int, ...]] = {1: (7,), 2: (6, 5), 3: (4, 3, 5)}


def case(name: str, options: dict[str, Any], shape: Any, training: bool = True) -> Case:
    label = f"{name}-{list(shape)}" + "".join(f"-{k}={v}" for k, v in options.items())

    def call(lib: Any, f: Any, *given: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Using padding='same'")
            return f(*given)

    return Case(
        (label + ("" if training else "-eval")).replace(" ", ""),
        build=lambda lib: getattr(lib.nn, name)(**options),
        inputs=[floats(*shape, low=0.3) if "LP" in name else floats(*shape)],
        call=call,
        factor=8.0,
        why=SUMS,
        training=training,
        dtypes=("float32",) if name.lower() in ROUNDED else ("float32", "float64"),
    )


def convolutions() -> Iterator[Row]:
    for rank, space in SPACES.items():
        base = dict(in_channels=4, out_channels=2, kernel_size=3)
        for options in product(
            stride=(1, 2), padding=(0, 1, "same"), groups=(1, 2), bias=(True, False)
        ):
            if options["padding"] != "same" or options["stride"] == 1:
                yield f"Conv{rank}d", base | options, [(2, 4, *space)]
        for mode in ("reflect", "replicate", "circular"):
            options = base | dict(padding=1, padding_mode=mode)
            yield f"Conv{rank}d", options, [(1, 4, *space), (4, *space)]
        same = base | dict(padding="same", padding_mode="circular", dilation=1)
        yield f"Conv{rank}d", same, [(1, 4, *space)]
        for options in product(stride=(1, 2), padding=(0, 1), bias=(True, False)):
            more = base | options
            yield f"ConvTranspose{rank}d", more, [(1, 4, *space)]
        rest = dict(stride=2, output_padding=1, groups=2, dilation=2)
        yield f"ConvTranspose{rank}d", base | rest, [(2, 4, *space), (4, *space)]


def pools() -> Iterator[Row]:
    for rank, space in SPACES.items():
        shapes = [(2, 3, *space), (3, *space)]
        for options in product(kernel_size=(2, 3), padding=(0, 1), stride=(None, 1)):
            yield f"MaxPool{rank}d", options, shapes
            yield f"AvgPool{rank}d", options, shapes
        both = dict(kernel_size=2, return_indices=True, ceil_mode=True)
        yield f"MaxPool{rank}d", both, shapes
        inside = dict(kernel_size=3, padding=1, count_include_pad=False)
        yield f"AvgPool{rank}d", inside, shapes
        for outs in (1, 3):
            yield f"AdaptiveAvgPool{rank}d", dict(output_size=outs), shapes
            yield f"AdaptiveMaxPool{rank}d", dict(output_size=outs), shapes
        both = dict(output_size=2, return_indices=True)
        yield f"AdaptiveMaxPool{rank}d", both, shapes
        power = dict(norm_type=2.0, kernel_size=2)
        yield f"LPPool{rank}d", power, [(2, 3, *space)]
        yield f"LPPool{rank}d", power | dict(stride=1, ceil_mode=True), [(1, 2, *space)]


def padding() -> Iterator[Row]:
    for rank, space in SPACES.items():
        shapes = [(2, 3, *space), (3, *space)]
        mixed = tuple(range(1, 2 * rank + 1))
        mixed = tuple(min(n, 2) for n in mixed)
        for kind, width in itertools.product(
            ("ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"), (1, mixed)
        ):
            yield f"{kind}{rank}d", dict(padding=width), shapes
        yield f"ConstantPad{rank}d", dict(padding=mixed, value=1.5), shapes


def resizing() -> Iterator[Row]:
    for rank, mode in (
        (1, "linear"),
        (2, "bilinear"),
        (2, "bicubic"),
        (3, "trilinear"),
    ):
        shapes = [(1, 2, *SPACES[rank])]
        for size in (dict(size=4), dict(scale_factor=2), dict(scale_factor=1.5)):
            yield "Upsample", size | dict(mode="nearest"), shapes
            yield "Upsample", size | dict(mode=mode), shapes
            yield "Upsample", size | dict(mode=mode, align_corners=True), shapes
    yield "UpsamplingNearest2d", dict(scale_factor=2), [(1, 2, 3, 4)]
    yield "UpsamplingBilinear2d", dict(size=(5, 6)), [(1, 2, 3, 4)]
    yield "PixelShuffle", dict(upscale_factor=2), [(2, 8, 2, 3), (4, 2, 3)]
    yield "PixelUnshuffle", dict(downscale_factor=2), [(2, 2, 4, 6), (1, 2, 4)]
    for options in product(
        kernel_size=(2, (3, 2)), padding=(0, 1), stride=(1, 2), dilation=(1, 2)
    ):
        yield "Unfold", options, [(2, 2, 5, 6)]
    folded = dict(output_size=(4, 5), kernel_size=2)
    yield "Fold", folded, [(2, 8, 12), (8, 12)]
    yield "Fold", folded | dict(stride=2, padding=1), [(1, 8, 9)]
    yield "Flatten", {}, [(2, 3, 4)]
    yield "Flatten", dict(start_dim=0), [(2, 3, 4)]
    yield "Unflatten", dict(dim=1, unflattened_size=(2, 3)), [(2, 6, 4)]
    yield "Unflatten", dict(dim=-1, unflattened_size=(2, -1)), [(2, 6)]
    yield "Identity", {}, [(2, 3)]


def norms() -> Iterator[Row]:
    for rank, space in SPACES.items():
        for options in product(affine=(True, False), track_running_stats=(True, False)):
            shapes = [(4, 3, *space)]
            yield f"BatchNorm{rank}d", dict(num_features=3) | options, shapes
            own = [(2, 3, *space), (3, *space)]
            yield f"InstanceNorm{rank}d", dict(num_features=3) | options, own
        momentum: dict[str, Any] = dict(num_features=3, momentum=0.3, eps=1e-3)
        yield f"BatchNorm{rank}d", momentum, [(4, 3, *space)]
        yield f"BatchNorm{rank}d", momentum | dict(momentum=None), [(4, 3, *space)]
        yield (
            f"InstanceNorm{rank}d",
            momentum | dict(track_running_stats=True),
            [(2, 3, *space)],
        )
        for groups in (1, 2, 4):
            options = dict(num_groups=groups, num_channels=4)
            yield "GroupNorm", options, [(2, 4, *space)]
            yield "GroupNorm", options | dict(affine=False), [(2, 4, *space)]
        yield "LocalResponseNorm", dict(size=3, alpha=0.5), [(2, 5, *space)]
        yield "LocalResponseNorm", dict(size=2, beta=0.5, k=2.0), [(2, 5, *space)]
    yield "BatchNorm1d", dict(num_features=3), [(5, 3)]
    for shape, affine in itertools.product((5, (3, 5)), (True, False)):
        options = dict(normalized_shape=shape, elementwise_affine=affine)
        yield "LayerNorm", options, [(2, 3, 5)]
        yield "RMSNorm", options | dict(eps=1e-5), [(2, 3, 5)]
    yield "LayerNorm", dict(normalized_shape=5, bias=False), [(2, 5)]


def activations() -> Iterator[Row]:
    plain = (
        "ReLU ReLU6 ELU CELU SELU GELU SiLU Mish Softplus Softsign Sigmoid LogSigmoid "
        "Tanh Tanhshrink Hardtanh Hardsigmoid Hardswish Hardshrink Softshrink "
        "LeakyReLU PReLU GLU Identity"
    )
    for name in plain.split():
        yield name, {}, [(3, 4), (2, 4, 6)]
    for name, options in (
        ("ELU", dict(alpha=0.5)), ("CELU", dict(alpha=1.5)),
                ("LeakyReLU", dict(negative_slope=0.3)),
        ("Softplus", dict(beta=2.0, threshold=1.0)), ("PReLU", dict(num_parameters=4)),
        ("Hardtanh", dict(min_val=-0.5, max_val=1.0)), ("Hardshrink", dict(lambd=1.0)),
        ("Softshrink", dict(lambd=1.0)), ("GELU", dict(approximate="tanh")),
        ("Threshold", dict(threshold=0.5, value=2.0)), ("GLU", dict(dim=1)),
    ):  # fmt: skip
        yield name, options, [(3, 4), (2, 4, 6)]
    for name, dim in itertools.product(("Softmax", "LogSoftmax", "Softmin"), range(3)):
        yield name, dict(dim=dim), [(2, 3, 4)]
    yield "Softmax2d", {}, [(2, 3, 2, 4), (3, 2, 4)]


def still() -> Iterator[Case]:
    """What differs after `eval()`."""
    for rank, space in SPACES.items():
        yield case(f"BatchNorm{rank}d", dict(num_features=3), (4, 3, *space), False)
        track = dict(num_features=3, track_running_stats=True, affine=True)
        yield case(f"InstanceNorm{rank}d", track, (2, 3, *space), False)
        yield case(f"Dropout{rank}d", {}, (2, 3, *space), False)
    for name in ("Dropout", "AlphaDropout", "FeatureAlphaDropout", "RReLU"):
        yield case(name, {}, (2, 3, 4), False)
    yield case("RReLU", dict(lower=0.1, upper=0.6), (2, 3, 4), False)


def pairs() -> Iterator[Case]:
    """Layers of two inputs."""
    settings = [("CosineSimilarity", dict(dim=d)) for d in (0, 1, 2)]
    for options in product(p=(1, 2, 3), keepdim=(False, True)):
        settings.append(("PairwiseDistance", options))
    for name, options in settings:
        label = "".join(f"-{k}={v}" for k, v in options.items())
        yield Case(
            name + label,
            build=lambda lib, name=name, options=options: getattr(lib.nn, name)(
                **options
            ),
            inputs=[floats(2, 3, 4), floats(2, 3, 4, seed=1)],
            factor=8.0,
            why=SUMS,
        )


def sized() -> Iterator[Case]:
    """Sizes that are asked for at the call."""
    for rank, space in {1: (4,), 2: (4, 3), 3: (2, 3, 2)}.items():
        least = [2 * n for n in space]
        yield Case(
            f"ConvTranspose{rank}d-output_size",
            build=lambda lib, rank=rank: getattr(lib.nn, f"ConvTranspose{rank}d")(
                3, 2, 3, stride=2, padding=1
            ),
            inputs=[floats(1, 3, *space)],
            call=lambda lib, f, x, size=least: f(x, output_size=size),
            factor=8.0,
            why=SUMS,
        )

        def build(lib: Any, rank: int = rank) -> Any:
            return lib.nn.Sequential(
                getattr(lib.nn, f"MaxPool{rank}d")(2, return_indices=True),
                getattr(lib.nn, f"MaxUnpool{rank}d")(2),
            )

        for size in (None, [n + n % 2 + 1 for n in space]):
            yield Case(
                f"MaxUnpool{rank}d-{size}".replace(" ", ""),
                build=build,
                inputs=[floats(1, 2, *[n + n % 2 for n in space])],
                call=lambda lib, f, x, size=size: f[1](*f[0](x), output_size=size),
            )


def gathered() -> list[Case]:
    found = {}
    for part in (convolutions, pools, padding, resizing, norms, activations):
        for name, options, shapes in part():
            for shape in shapes:
                made = case(name, options, shape)
                found[made.name] = made
    rest = [*still(), *pairs(), *sized()]
    return [*found.values(), *rest]


CASES = gathered()

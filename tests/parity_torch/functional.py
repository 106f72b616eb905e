"""Cases of parity: functions of torch.nn.functional, each over shapes and options.

Rows are (function, inputs, options); `rows` spells out the products.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

from tests.parity_torch.case import Case, floats, ints

Row = tuple[str, list[Any], dict[str, Any]]
SUMS = "sums of products"


def product(**axes: Any) -> Iterator[dict[str, Any]]:
    """Every combination of the values given for each option."""
    for values in itertools.product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


# PyTorch computes a factor of these in float32, also for float64.
ROUNDED = ("hardsigmoid", "celu")


def case(row: Row) -> Case:
    name, inputs, options = row
    shapes = "x".join(str(list(x.shape)).replace(" ", "") for x in inputs)
    label = f"{name}-{shapes}" + "".join(f"-{k}={v}" for k, v in options.items())

    def call(lib: Any, f: Any, *given: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Using padding='same'")
            return f(*given, **options)

    return Case(
        label.replace(" ", ""),
        build=lambda lib: getattr(lib.F, name),
        inputs=inputs,
        call=call,
        fixed=(1,) if options.get("mode") == "nearest" else (),
        factor=4.0,
        why=SUMS,
        dtypes=("float32",) if name in ROUNDED else ("float32", "float64"),
    )


def convolutions() -> Iterator[Row]:
    """Ranks, strides, paddings, dilations, groups; with and without bias or batch."""
    sizes = {1: (9,), 2: (7, 6), 3: (5, 4, 5)}
    for rank, space in sizes.items():
        for options in product(
            stride=(1, 2), padding=(0, 1, "valid"), dilation=(1, 2), groups=(1, 2)
        ):
            kernel = (3, 2, 2)[:rank]
            x, w = floats(2, 4, *space), floats(6, 4 // options["groups"], *kernel)
            if rank < 3 or options["padding"] != "valid":
                yield f"conv{rank}d", [x, w, floats(6)], options
        for taps, dilation in ((1, 1), (2, 1), (3, 1), (4, 1), (2, 2)):
            w = floats(2, 4, *[taps] * rank, seed=dilation)
            options = dict(padding="same", dilation=dilation)
            yield f"conv{rank}d", [floats(4, *space), w], options


def transposed() -> Iterator[Row]:
    sizes = {1: (5,), 2: (4, 3), 3: (2, 3, 2)}
    for rank, space in sizes.items():
        for options in product(
            stride=(1, 2), padding=(0, 1), dilation=(1, 2), groups=(1, 2)
        ):
            w = floats(4, 3, *[3] * rank)
            x, bias = floats(2, 4, *space), floats(3 * options["groups"])
            yield f"conv_transpose{rank}d", [x, w, bias], options
        extra = dict(stride=3, output_padding=2, padding=1)
        yield f"conv_transpose{rank}d", [floats(4, *space), w], extra


def pools() -> Iterator[Row]:
    for rank, space in {1: (9,), 2: (7, 8), 3: (5, 6, 4)}.items():
        x = floats(2, 2, *space)
        for options in product(
            kernel_size=(2, 3), stride=(None, 1, 2), padding=(0, 1),
            ceil_mode=(False, True),
        ):  # fmt: skip
            yield f"avg_pool{rank}d", [x], options
            yield f"max_pool{rank}d", [x], options
        yield f"max_pool{rank}d", [x], dict(kernel_size=2, dilation=2, stride=1)
        both = dict(kernel_size=2, return_indices=True)
        yield f"max_pool{rank}d", [x[0]], both
        yield (
            f"avg_pool{rank}d",
            [x],
            dict(kernel_size=3, padding=1, count_include_pad=False),
        )
        if rank > 1:
            yield f"avg_pool{rank}d", [x], dict(kernel_size=2, divisor_override=3)
        for outs in (1, 2, 3, 5)[: 5 - rank]:
            yield f"adaptive_avg_pool{rank}d", [x], dict(output_size=outs)
            yield f"adaptive_max_pool{rank}d", [x], dict(output_size=outs)
            yield (
                f"adaptive_max_pool{rank}d",
                [x[0]],
                dict(output_size=outs, return_indices=True),
            )
        for options in product(norm_type=(1.0, 2.0, 3.0), kernel_size=(2, 3)):
            for stride, ceil in ((None, False), (1, False), (2, True)):
                more = options | dict(stride=stride, ceil_mode=ceil)
                positive = floats(2, 2, *space, low=0.3)
                yield f"lp_pool{rank}d", [positive], more


def resizing() -> Iterator[Row]:
    for space, smooth in (
        ((7,), ("linear",)),
        ((5, 6), ("bilinear", "bicubic")),
        ((3, 4, 3), ("trilinear",)),
    ):
        x = floats(2, 1, *space)
        sizes: list[dict[str, Any]] = [
            dict(size=3), dict(size=8), dict(size=1), dict(scale_factor=2.0),
            dict(scale_factor=0.6), dict(scale_factor=1.7),
            dict(scale_factor=1.7, recompute_scale_factor=True),
        ]  # fmt: skip
        for size in sizes:
            for mode in ("nearest", "nearest-exact", "area"):
                if mode != "area" or "scale_factor" not in size:
                    yield "interpolate", [x], size | dict(mode=mode)
            for options in product(mode=smooth, align_corners=(False, True)):
                yield "interpolate", [x], size | options
    for options in product(mode=("bilinear", "bicubic"), size=((2, 3), (3, 9), (9, 8))):
        for align in (False, True):
            more = options | dict(antialias=True, align_corners=align)
            yield "interpolate", [floats(1, 2, 7, 6)], more


def grids() -> Iterator[Row]:
    flat = floats(2, 3, 4, 2, low=-1.4, high=1.4)
    far = floats(1, 2, 5, 2, low=-4.0, high=4.0)
    deep = floats(1, 2, 3, 2, 3, low=-1.4, high=1.4)
    for options in product(
        mode=("bilinear", "nearest", "bicubic"),
        padding_mode=("zeros", "border", "reflection"),
        align_corners=(False, True),
    ):
        yield "grid_sample", [floats(2, 3, 5, 4), flat], options
        yield "grid_sample", [floats(1, 1, 3, 6), far], options
        if options["mode"] != "bicubic":
            yield "grid_sample", [floats(1, 2, 3, 4, 2), deep], options
    for align in (False, True):
        for size in ((2, 1, 3, 4), (2, 1, 2, 5)):
            options = dict(size=size, align_corners=align)
            yield "affine_grid", [floats(2, 2, 3)], options
        deep_size = dict(size=(1, 1, 2, 3, 2), align_corners=align)
        yield "affine_grid", [floats(1, 3, 4)], deep_size


def rearranged() -> Iterator[Row]:
    for shape, factor in (((2, 8, 2, 3), 2), ((9, 1, 2), 3)):
        yield "pixel_shuffle", [floats(*shape)], dict(upscale_factor=factor)
    for shape, factor in (((2, 2, 4, 6), 2), ((1, 3, 6), 3)):
        yield "pixel_unshuffle", [floats(*shape)], dict(downscale_factor=factor)
    for options in product(
        kernel_size=(2, (3, 2)), dilation=(1, 2), padding=(0, 1), stride=(1, 2)
    ):
        yield "unfold", [floats(2, 3, 6, 7)], options


def normed() -> Iterator[Row]:
    x, w = floats(2, 6, 4, 3), floats(6)
    for groups in (1, 2, 3, 6):
        yield "group_norm", [x], dict(num_groups=groups)
        yield "group_norm", [x], dict(num_groups=groups, eps=0.1)
    for shape in ((3,), (4, 3), (6, 4, 3)):
        yield "layer_norm", [x], dict(normalized_shape=shape)
        yield "layer_norm", [x], dict(normalized_shape=shape, eps=0.3)
        yield "rms_norm", [x], dict(normalized_shape=shape, eps=1e-5)
    for space in ((5,), (3, 4), (2, 3, 2)):
        yield "instance_norm", [floats(2, 3, *space)], {}
    for size, alpha, beta, k in ((1, 1e-4, 0.75, 1.0), (2, 0.5, 0.5, 2.0),
                                 (3, 0.7, 0.75, 1.0), (5, 1.0, 1.0, 0.5)):  # fmt: skip
        options = dict(size=size, alpha=alpha, beta=beta, k=k)
        for shape in ((2, 6, 4), (2, 6, 2, 3), (1, 4, 2, 2, 2)):
            yield "local_response_norm", [floats(*shape)], options
    for p, dim in ((1.0, 1), (2.0, 0), (3.0, -1), (float("inf"), 1)):
        yield "normalize", [x], dict(p=p, dim=dim)
    yield "linear", [floats(4, 5), floats(3, 5), floats(3)], {}
    yield "linear", [floats(2, 4, 5), floats(3, 5)], {}
    yield "bilinear", [floats(4, 2), floats(4, 3), floats(5, 2, 3), w[:5]], {}


def distances() -> Iterator[Row]:
    a, b = floats(4, 5), floats(4, 5, seed=1)
    for dim in (0, 1, -1):
        yield "cosine_similarity", [a, b], dict(dim=dim)
        yield "cosine_similarity", [a, b[:1]], dict(dim=dim, eps=0.1)
    for options in product(p=(1.0, 2.0, 3.5, float("inf")), keepdim=(False, True)):
        yield "pairwise_distance", [a, b], options


def activations() -> Iterator[Row]:
    x = floats(3, 4, 5, low=-4.0, high=4.0)
    plain = (
        "relu relu6 selu silu mish softsign tanhshrink hardsigmoid hardswish "
        "logsigmoid elu celu leaky_relu softplus hardtanh hardshrink softshrink gelu "
        "rrelu"
    )
    for name in plain.split():
        yield name, [x], {}
        yield name, [floats(7, low=-4.0, high=4.0)], {}
    options: list[tuple[str, dict[str, Any]]] = [
        ("elu", dict(alpha=0.5)), ("celu", dict(alpha=1.7)),
        ("leaky_relu", dict(negative_slope=0.3)), ("softplus", dict(beta=2.0)),
        ("softplus", dict(beta=0.5, threshold=1.0)),
        ("hardtanh", dict(min_val=-0.5, max_val=2.0)), ("hardshrink", dict(lambd=1.5)),
        ("softshrink", dict(lambd=1.0)), ("gelu", dict(approximate="tanh")),
        ("rrelu", dict(lower=0.2, upper=0.4)),
        ("threshold", dict(threshold=0.5, value=7.0)),
        ("threshold", dict(threshold=-1.0, value=-3.0)),
    ]  # fmt: skip
    for name, chosen in options:
        yield name, [x], chosen
    for weights in (1, 4):
        yield "prelu", [x, floats(weights, low=0.1, high=0.5)], {}


def attention() -> Iterator[Row]:
    name = "scaled_dot_product_attention"
    q, k, v = floats(2, 4, 3, 4), floats(2, 4, 5, 4), floats(2, 4, 5, 3)
    mask = floats(4, 3, 5, seed=3)
    for scale in (None, 0.3):
        yield name, [q, k, v], dict(scale=scale)
        yield name, [q, k, v], dict(scale=scale, is_causal=True)
        yield name, [q, k, v, mask], dict(scale=scale)
        yield name, [q, k, v, ints(3, 5, high=9) > 0], dict(scale=scale)
        shared = [q, k[:, :2], v[:, :2]]
        yield name, shared, dict(scale=scale, enable_gqa=True)
        yield name, [*shared, mask], dict(scale=scale, enable_gqa=True)
        yield name, shared, dict(scale=scale, enable_gqa=True, is_causal=True)


def with_dim() -> Iterator[Case]:
    """Functions along an axis, through nn.functional."""
    for name, dim in itertools.product(("softmax", "log_softmax", "softmin"), range(3)):
        yield Case(
            f"{name}-dim={dim}",
            build=lambda lib, name=name: getattr(lib.nn.functional, name),
            inputs=[floats(3, 4, 2)],
            call=lambda lib, f, x, dim=dim: f(x, dim=dim),
        )
    for dim in (1, 2):
        yield Case(
            f"glu-dim={dim}",
            build=lambda lib: lib.nn.functional.glu,
            inputs=[floats(3, 4, 2)],
            call=lambda lib, f, x, dim=dim: f(x, dim=dim),
        )


def unpooled() -> Iterator[Case]:
    """Unpooling of what pooling found."""

    def call(lib: Any, rank: int, x: Any, options: Any, size: Any) -> Any:
        pool = getattr(lib.F, f"max_pool{rank}d")
        values, places = pool(x, return_indices=True, **options)
        undo = getattr(lib.F, f"max_unpool{rank}d")
        return undo(values, places, output_size=size, **options)

    for rank, space in {1: (8,), 2: (6, 8), 3: (4, 6, 4)}.items():
        for kernel, stride, size in ((2, None, None), (2, 2, None), (2, None, space)):
            options = dict(kernel_size=kernel, stride=stride)
            yield Case(
                f"max_unpool{rank}d-{kernel}-{stride}-{size}",
                build=lambda lib: None,
                inputs=[floats(2, 2, *space)],
                call=lambda lib, f, x, rank=rank, options=options, size=size: call(
                    lib, rank, x, options, size
                ),
            )


def alignments() -> Iterator[Case]:
    """ctc_loss of logits: PyTorch's gradient takes log_softmax for granted."""
    targets, row = ints(3, 3, low=1), ints(6, low=1, seed=2)
    settings = [
        (targets, (6, 5, 6), (3, 2, 1)),
        (targets, (6, 6, 6), (0, 1, 3)),
        (row, (6, 5, 6), (1, 3, 2)),
    ]
    for (labels, frames, counts), options in itertools.product(
        settings,
        [
            *product(reduction=("none", "mean", "sum"), zero_infinity=(False, True)),
            dict(blank=4, reduction="sum"),
        ],
    ):
        label = "".join(f"-{k}={v}" for k, v in options.items())
        if options.get("blank"):
            labels = labels - 1
        yield Case(
            f"ctc_loss-{labels.ndim}-{counts}{label}".replace(" ", ""),
            build=lambda lib: lib.F.ctc_loss,
            inputs=[floats(6, 3, 5), labels],
            call=lambda lib, f, x, y, a=frames, b=counts, o=options: f(
                x - x.logsumexp(-1)[..., None], y, a, b, **o
            ),
            factor=8.0,
            why="sums over paths, in logarithms",
        )
    impossible = ints(2, 4, low=1, seed=5)
    yield Case(
        "ctc_loss-impossible",
        build=lambda lib: lib.F.ctc_loss,
        inputs=[floats(3, 2, 5), impossible],
        call=lambda lib, f, x, y: f(
            x - x.logsumexp(-1)[..., None], y, (3, 3), (4, 1), zero_infinity=True
        ),
        factor=8.0,
        why="sums over paths, in logarithms",
    )


def gathered() -> list[Case]:
    parts = (
        convolutions, transposed, pools, resizing, grids, rearranged, normed,
        distances, activations, attention,
    )  # fmt: skip
    found = [case(row) for part in parts for row in part()]
    return found + [*with_dim(), *unpooled(), *alignments()]


CASES = gathered()

"""Makes the cases of the grid from the op records and the rows of references."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from fogo.ops.define import Sample
from tests.ops import expect
from tests.ops.data import Draw, kind, specials
from tests.ops.rows import Row, load
from tests.support import sampling

Case = dict[str, Any]

# Elementwise shapes: the first carries second derivatives too.
SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "odd": ((3, 5),) * 3,
    "scalar": ((),) * 3,
    "vector": ((7,),) * 3,
    "cube": ((2, 3, 5),) * 3,
    "empty": ((0, 3),) * 3,
}
BROADCASTS: dict[str, tuple[tuple[int, ...], ...]] = {
    "broadcast-rows": ((3, 1), (4,), (1,)),
    "broadcast-lead": ((5,), (2, 3, 5), (3, 1)),
    "broadcast-scalar": ((), (2, 3), ()),
    "broadcast-empty": ((1, 3), (0, 1), ()),
}
STRIDED: dict[str, tuple[str, ...]] = {
    "transposed": ("transposed", "plain", "plain"),
    "stepped": ("stepped", "transposed", "plain"),
    "expanded": ("expanded", "stepped", "transposed"),
}
# Bools and integers reach ops that compute in floats through a cast: a few suffice.
FEW = ("odd", "empty", "transposed")


@functools.cache
def cases(name: str, dtype: str) -> tuple[Case, ...]:
    """Return every case of a function for one dtype, expected values included."""
    row = load()[name]
    made = elementwise(row, dtype) if row.elementwise else sampled(row, dtype)
    return tuple(expect.complete(row, dtype, case) for case in made)


def kept(name: str, dtype: str) -> list[Case]:
    """Return the cases of this run's sample."""
    return chosen(name, dtype, sampling.fraction(), sampling.seed())


def chosen(
    name: str, dtype: str, sample: float, seed: int, each: int | None = None
) -> list[Case]:
    """Return a share of the cases (at least one), or `each` of them; by the seed."""
    every = cases(name, dtype)
    order = sorted(every, key=lambda c: draw(seed, c["id"]))
    if each is None:
        each = max(sum(draw(seed, c["id"]) < sample for c in every), 1)
    names = {c["id"] for c in order[:each]}
    return [c for c in every if c["id"] in names]


def draw(seed: int, case_id: str) -> float:
    """A number in [0, 1) by the case's name and the seed alone."""
    return zlib.crc32(f"{seed}:{case_id}".encode()) / 2**32


def ids() -> list[tuple[str, str]]:
    """Return (function, dtype) for every row and each dtype it takes."""
    return [(name, d) for name, row in load().items() for d in row.dtypes]


def operand_dtypes(row: Row, dtype: str, count: int) -> list[str]:
    """The condition of `where` is bool; the rest has the dtype under test."""
    first = row.op.promote_from if row.op and row.elementwise else 0
    return ["bool" if i < first else dtype for i in range(count)]


def elementwise(row: Row, dtype: str) -> Iterator[Case]:
    """Shapes, broadcasts, layouts, special values and Python scalars for a formula."""
    domain = list(row.samples)
    few = kind(dtype) != "float" and row.to_float
    for label, shapes in SHAPES.items():
        if not few or label in FEW:
            yield _drawn(row, dtype, label, domain, shapes)
    for label, layouts in STRIDED.items():
        if not few or label in FEW:
            yield _drawn(row, dtype, label, domain, SHAPES["odd"], layouts)
    if few:
        return
    if len(domain) > 1:
        for label, shapes in BROADCASTS.items():
            yield _drawn(row, dtype, label, domain, shapes)
        yield from _scalars(row, dtype, domain)
    if kind(dtype) == "float":
        yield _ties(row, dtype, domain)
    if row.special:
        yield _special(row, dtype, domain)


def _case(row: Row, dtype: str, label: str, inputs: list[Any], layouts: Any) -> Case:
    return {
        "id": f"{row.name}-{dtype}-{label}",
        "op": row.name,
        "arrays": inputs,
        "layouts": list(layouts),
    }


def _drawn(
    row: Row, dtype: str, label: str, domain: Any, shapes: Any, layouts: Any = None
) -> Case:
    draw = Draw(f"{row.name}-{label}")
    dtypes = operand_dtypes(row, dtype, len(domain))
    layouts = layouts or ["plain"] * len(domain)
    inputs = []
    for (low, high), shape, d, layout in zip(domain, shapes, dtypes, layouts):
        inputs.append(laid_out(draw, shape, low, high, d, layout))
    case = _case(row, dtype, label, inputs, layouts)
    if kind(dtype) == "float":
        case["level"] = 2 if label in ("odd", "scalar", "stepped") else 1
    return case


def laid_out(
    draw: Draw, shape: Any, low: Any, high: Any, dtype: str, layout: str
) -> Any:
    """Draw an array; one to be expanded repeats its first row."""
    if layout == "expanded":
        row = draw.array((1, *shape[1:]), low, high, dtype)
        return np.broadcast_to(row, shape).copy()
    return draw.array(shape, low, high, dtype)


def _scalars(row: Row, dtype: str, domain: Any) -> Iterator[Case]:
    """A Python number on either side."""
    number = 2 if kind(dtype) in ("int", "uint") else 1.5
    number = True if dtype == "bool" else number
    first = row.op.promote_from if row.op else 0
    for place in range(first, len(domain)):
        case = _drawn(row, dtype, f"number-{place}", domain, SHAPES["odd"])
        case["arrays"][place] = number
        yield case


def _ties(row: Row, dtype: str, domain: Any) -> Case:
    """Equal operands and zeros: where derivatives are a matter of convention."""
    dtypes = operand_dtypes(row, dtype, len(domain))
    values = []
    for low, high in domain:
        inside = [v for v in (0.0, 1.0, -1.0, 2.0, -2.0, 0.5) if low <= v <= high]
        values.append(inside or [low])
    count = max(len(v) for v in values)
    inputs = [np.resize(np.array(v, d), count) for v, d in zip(values, dtypes)]
    case = _case(row, dtype, "ties", inputs, ["plain"] * len(domain))
    case["level"] = 1
    return case


def _special(row: Row, dtype: str, domain: Any) -> Case:
    """Every special value, and every pair of them."""
    limit = None if row.special is True else float(row.special)
    dtypes = operand_dtypes(row, dtype, len(domain))
    axes = [specials(d, limit) for d in dtypes]
    if len(axes) > 2:
        axes = [a[:6] for a in axes]
    inputs = [g.reshape(-1) for g in np.meshgrid(*axes, indexing="ij")]
    return _case(row, dtype, "special", inputs, ["plain"] * len(domain))


def sampled(row: Row, dtype: str) -> Iterator[Case]:
    """The samples of a record or row: as they are, and with inputs not contiguous.

    Integers have no gradient to try: one sample in other layouts is enough for them.
    """
    floats = kind(dtype) == "float"
    for number, sample in enumerate(row.samples):
        for layout in ("plain", "transposed", "stepped"):
            wanted = layout == "plain" or floats or number == 0
            if wanted and _has_axes(sample, layout):
                case = _sample(row, dtype, sample, f"{number}-{layout}", layout)
                if floats:
                    case["level"] = 2 if layout == "plain" else 1
                yield case
        if row.pointwise and floats:
            yield from _points(row, dtype, sample, number)


def _has_axes(sample: Sample, layout: str) -> bool:
    needed = {"plain": 0, "stepped": 1, "transposed": 2}[layout]
    return not needed or any(len(shape) >= needed for shape, *_ in sample.inputs)


def _sample(row: Row, dtype: str, sample: Sample, label: str, layout: str) -> Case:
    draw = Draw(f"{row.name}-{label}")
    inputs = []
    for shape, low, high, *own in sample.inputs:
        inputs.append(draw.array(shape, low, high, own[0] if own else dtype))
    case = _case(row, dtype, label, inputs, [layout] * len(inputs))
    return _with_options(row, case, sample)


def _with_options(row: Row, case: Case, sample: Sample) -> Case:
    options = dict(sample.options)
    if row.typed:
        options["dtype"] = case["id"].split("-")[1]
    case["args"] = [options.pop(name) for name in row.args if name in options]
    case["options"] = options
    return case


def _points(row: Row, dtype: str, sample: Sample, number: int) -> Iterator[Case]:
    """Special values and ties for an elementwise function that has options."""
    _, low, high, *_ = sample.inputs[0]
    for make, label in ((_special, "special"), (_ties, "ties")):
        if row.special or make is _ties:
            case = make(row, dtype, [(low, high)])
            case["id"] = f"{row.name}-{dtype}-{number}-{label}"
            yield _with_options(row, case, sample)

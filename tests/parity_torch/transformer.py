"""Cases of parity: attention, transformers, bags of embeddings, bilinear products."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from tests.parity_torch.case import Case, floats, ints

E, K, L, S, N = 8, 2, 4, 5, 3
DEEP = "several layers of norms and products"


def label(name: str, options: dict[str, Any], *marks: str) -> str:
    parts = [name, *(f"{k}={v}" for k, v in options.items()), *[m for m in marks if m]]
    return "-".join(parts)


def masks(kind: str, rows: int, columns: int) -> Any:
    """Attention masks that leave each query something: None, bools or numbers."""
    if kind == "none":
        return None
    allowed = ints(rows, columns, high=3, seed=3) > 0
    allowed[:, 0] = True
    if kind == "bool":
        return ~allowed
    if kind == "causal":
        return ~np.tri(rows, columns, dtype=bool)
    return np.where(allowed, floats(rows, columns, seed=4), -np.inf)


def padding(count: int, length: int) -> Any:
    mask = np.zeros((count, length), bool)
    for i in range(count):
        mask[i, length - i :] = True
    return mask


def attention(
    options: dict[str, Any], mask: str, pad: bool, weigh: bool, same: bool = False,
    batched: bool = True, heads: bool = False, average: bool = True,
) -> Case:  # fmt: skip
    """MultiheadAttention with one setting of everything."""
    first = options.get("batch_first", False)
    keys = L if same else S

    def laid(length: int, size: int, seed: int) -> Any:
        x = floats(length, N, size, seed=seed) if batched else floats(
            length, size, seed=seed
        )  # fmt: skip
        return np.swapaxes(x, 0, 1) if first and batched else x

    inputs = [laid(L, E, 0)]
    if not same:
        inputs += [laid(keys, options.get("kdim", E), 1)]
        inputs += [laid(keys, options.get("vdim", E), 2)]
    given = masks(mask, L, keys)
    if heads and given is not None:
        given = np.stack([given] * (N * K))
    padded = padding(N, keys) if batched else padding(N, keys)[1]

    def call(lib: Any, f: Any, *xs: Any) -> Any:
        xs = xs if not same else (xs[0], xs[0], xs[0])
        more: dict[str, Any] = dict(need_weights=weigh, average_attn_weights=average)
        if given is not None:
            more["attn_mask"] = lib.tensor(given)
        if pad:
            more["key_padding_mask"] = lib.tensor(padded)
            if given is not None and given.dtype.kind == "f":  # PyTorch: of one kind
                numbers = np.where(padded, -np.inf, 0.0)
                more["key_padding_mask"] = lib.tensor(numbers)
        return f(*xs, **more)

    marks = [mask, "pad" * pad, "weights" * weigh, "self" * same, "heads" * heads,
             "each" * (not average), "single" * (not batched)]  # fmt: skip
    return Case(
        label("MultiheadAttention", options, *marks),
        lambda lib: lib.nn.MultiheadAttention(E, K, **options),
        inputs, call, factor=3.0, why=DEEP,
    )  # fmt: skip


def of_attention() -> list[Case]:
    found = []
    layouts: list[dict[str, Any]] = [
        {}, dict(batch_first=True), dict(bias=False), dict(add_bias_kv=True),
        dict(add_zero_attn=True), dict(kdim=6, vdim=3), dict(kdim=6, bias=False),
        dict(add_bias_kv=True, add_zero_attn=True, batch_first=True),
    ]  # fmt: skip
    for options, mask, weigh in itertools.product(
        layouts, ("none", "bool", "float"), (False, True)
    ):
        found += [attention(options, mask, mask != "none", weigh)]
    for mask, weigh in itertools.product(("none", "bool", "causal"), (False, True)):
        found += [attention({}, mask, False, weigh, same=True)]
        found += [attention(dict(batch_first=True), mask, True, weigh, same=True)]
        found += [attention({}, mask, False, weigh, batched=False)]
    for mask in ("bool", "float"):
        found += [attention({}, mask, False, False, heads=True)]
        found += [attention({}, mask, True, True, average=False)]
    return found


STYLES: list[dict[str, Any]] = [
    {}, dict(norm_first=True), dict(batch_first=True), dict(activation="gelu"),
    dict(bias=False), dict(layer_norm_eps=1e-2, norm_first=True, bias=False),
]  # fmt: skip


def source(first: bool, length: int, seed: int = 0) -> Any:
    return floats(*((N, length, E) if first else (length, N, E)), seed=seed)


def of_encoders() -> list[Case]:
    found = []
    for options, mask, pad, layers in itertools.product(
        STYLES, ("none", "bool", "causal"), (False, True), (0, 2)
    ):
        if layers and (mask == "bool" or options.get("bias") is False):
            continue
        first = options.get("batch_first", False)
        given = masks(mask, L, L)

        def build(lib: Any, layers: int = layers, options: Any = options) -> Any:
            layer = lib.nn.TransformerEncoderLayer(
                E, K, 2 * E, dropout=0.0, **options
            )  # fmt: skip
            if not layers:
                return layer
            more = {} if lib.ours else dict(enable_nested_tensor=False)
            return lib.nn.TransformerEncoder(layer, layers, lib.nn.LayerNorm(E), **more)

        def call(
            lib: Any, f: Any, x: Any, given: Any = given, pad: bool = pad,
            mask: str = mask,
        ) -> Any:  # fmt: skip
            more = dict(src_key_padding_mask=lib.tensor(padding(N, L))) if pad else {}
            return f(
                x, None if given is None else lib.tensor(given),
                is_causal=mask == "causal", **more,
            )  # fmt: skip

        name = "TransformerEncoder" + "Layer" * (not layers)
        found.append(
            Case(
                label(name, options, mask, "pad" * pad), build, [source(first, L)],
                call, factor=6.0, why=DEEP,
            )
        )  # fmt: skip
    return found


def of_decoders() -> list[Case]:
    found = []
    for options, mask, pad, layers in itertools.product(
        STYLES, ("none", "causal"), (False, True), (0, 2)
    ):
        if layers and options.get("bias") is False:
            continue
        first = options.get("batch_first", False)
        given, seen = masks(mask, L, L), masks("bool" if pad else "none", L, S)

        def build(lib: Any, layers: int = layers, options: Any = options) -> Any:
            layer = lib.nn.TransformerDecoderLayer(
                E, K, 2 * E, dropout=0.0, **options
            )  # fmt: skip
            if not layers:
                return layer
            return lib.nn.TransformerDecoder(layer, layers, lib.nn.LayerNorm(E))

        def call(
            lib: Any, f: Any, x: Any, memory: Any, given: Any = given,
            seen: Any = seen, pad: bool = pad, mask: str = mask,
        ) -> Any:  # fmt: skip
            more = {}
            if pad:
                more["tgt_key_padding_mask"] = lib.tensor(padding(N, L))
                more["memory_key_padding_mask"] = lib.tensor(padding(N, S))
            return f(
                x, memory, None if given is None else lib.tensor(given),
                None if seen is None else lib.tensor(seen),
                tgt_is_causal=mask == "causal", **more,
            )  # fmt: skip

        name = "TransformerDecoder" + "Layer" * (not layers)
        found.append(
            Case(
                label(name, options, mask, "pad" * pad), build,
                [source(first, L), source(first, S, 1)], call, factor=8.0, why=DEEP,
            )
        )  # fmt: skip
    return found


def of_transformers() -> list[Case]:
    found = []
    for options in STYLES:
        first = options.get("batch_first", False)

        def build(lib: Any, options: Any = options) -> Any:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "enable_nested_tensor is True")
                return lib.nn.Transformer(E, K, 1, 1, 2 * E, dropout=0.0, **options)

        def call(lib: Any, f: Any, x: Any, y: Any) -> Any:
            mask = lib.nn.Transformer.generate_square_subsequent_mask(L)
            mask = lib.tensor(np.array(mask.tolist()))
            return f(x, y, tgt_mask=mask)

        found.append(
            Case(
                label("Transformer", options), build,
                [source(first, S), source(first, L, 1)], call, factor=8.0, why=DEEP,
            )
        )  # fmt: skip
    return found


def of_tables() -> list[Case]:
    """Embedding, EmbeddingBag and Bilinear."""
    found = []
    index = ints(4, 3, high=7, seed=1)
    for options in ({}, dict(padding_idx=2), dict(padding_idx=-1), dict(max_norm=0.8),
                    dict(max_norm=1.0, norm_type=1.0)):  # fmt: skip
        for given in (index, index[0], ints(high=7)):
            found.append(
                Case(
                    label("Embedding", options, str(list(given.shape))),
                    lambda lib, o=options: lib.nn.Embedding(7, 3, **o), [given],
                )
            )  # fmt: skip
    flat = np.array([1, 2, 4, 5, 4, 3, 2, 6])
    offsets = np.array([0, 4, 4, 7])
    for mode, pad in itertools.product(("sum", "mean", "max"), (None, 4)):
        options = dict(mode=mode, padding_idx=pad)

        def build(lib: Any, options: Any = options) -> Any:
            return lib.nn.EmbeddingBag(7, 3, **options)

        def ended(lib: Any, options: Any = options) -> Any:
            return lib.nn.EmbeddingBag(7, 3, include_last_offset=True, **options)

        name = label("EmbeddingBag", options)
        found.append(Case(name + "-rows", build, [index]))
        found.append(Case(name + "-offsets", build, [flat, offsets]))
        last = np.append(offsets, len(flat))
        found.append(Case(name + "-last", ended, [flat, last]))
    for given in ([index, None, floats(4, 3)], [flat, offsets, floats(8)]):

        def weighed(lib: Any, f: Any, *xs: Any) -> Any:
            if len(xs) == 2:
                return f(xs[0], None, xs[1])
            return f(*xs)

        found.append(
            Case(
                f"EmbeddingBag-weights-{len(given[0].shape)}d",
                lambda lib: lib.nn.EmbeddingBag(7, 3, mode="sum"),
                [x for x in given if x is not None], weighed,
            )
        )  # fmt: skip
    for bias, lead in itertools.product((True, False), ((), (4,), (2, 3))):
        found.append(
            Case(
                f"Bilinear-bias={bias}-{list(lead)}",
                lambda lib, b=bias: lib.nn.Bilinear(3, 4, 2, bias=b),
                [floats(*lead, 3), floats(*lead, 4)],
            )
        )
    return found


CASES = of_attention() + of_encoders() + of_decoders() + of_transformers() + of_tables()

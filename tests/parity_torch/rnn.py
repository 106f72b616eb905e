"""Cases of parity: RNN, LSTM, GRU, their cells, packed sequences."""

from __future__ import annotations

from typing import Any

from tests.parity_torch.case import EVERY, Case, floats

KINDS = ("RNN", "LSTM", "GRU")
C, H, T, N = 3, 4, 5, 2

# Options that all three layers share.
OPTIONS: list[dict[str, Any]] = [
    {},
    dict(bias=False),
    dict(num_layers=2),
    dict(num_layers=3, bias=False),
    dict(bidirectional=True),
    dict(num_layers=2, bidirectional=True),
    dict(num_layers=2, bidirectional=True, bias=False),
    dict(batch_first=True),
    dict(batch_first=True, bidirectional=True),
    dict(num_layers=2, batch_first=True, dropout=0.5),  # in eval: nothing drops
]
LSTM_ONLY: list[dict[str, Any]] = [
    dict(proj_size=2),
    dict(proj_size=3, bidirectional=True, num_layers=2),
    dict(proj_size=2, bias=False, batch_first=True),
]
RELU = dict(nonlinearity="relu")


def options_of(kind: str) -> list[dict[str, Any]]:
    if kind == "LSTM":
        return OPTIONS + LSTM_ONLY
    if kind == "RNN":
        return OPTIONS + [RELU | o for o in OPTIONS[:7]]
    return OPTIONS


def label(kind: str, options: dict[str, Any]) -> str:
    return kind + "".join(f"-{k}={v}" for k, v in options.items())


def state_shapes(kind: str, options: dict[str, Any], count: int) -> list[Any]:
    places = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    shown = options.get("proj_size", 0) or H
    batch = (count,) if count else ()
    shapes = [(places, *batch, shown), (places, *batch, H)]
    return shapes if kind == "LSTM" else shapes[:1]


def layer(kind: str, options: dict[str, Any]) -> Any:
    return lambda lib: getattr(lib.nn, kind)(C, H, **options)


def with_states(lib: Any, f: Any, x: Any, *states: Any) -> Any:
    if not states:
        return f(x)
    return f(x, states if len(states) > 1 else states[0])


def of_layers() -> list[Case]:
    """Each option with zeros and with given states, batched and not."""
    found = []
    for kind in KINDS:
        for options in options_of(kind):
            first = options.get("batch_first", False)
            for count in (N, 0):
                x = floats(T, C) if not count else floats(
                    *((N, T, C) if first else (T, N, C))
                )  # fmt: skip
                for given in (False, True):
                    shapes = state_shapes(kind, options, count) if given else []
                    states = [floats(*s, seed=i) for i, s in enumerate(shapes)]
                    name = label(kind, options) + "-single" * (not count)
                    found.append(
                        Case(
                            name + "-states" * given, layer(kind, options),
                            [x, *states], with_states, training=False,
                        )
                    )  # fmt: skip
    return found


def of_lengths() -> list[Case]:
    """Sequences of 1 and of many steps, batches of 1 and of many."""
    found = []
    for kind in KINDS:
        for steps, count in ((1, 1), (1, 5), (9, 1), (7, 6)):
            for both in (False, True):
                options = dict(bidirectional=both)
                name = f"{kind}-T={steps}-N={count}" + "-both" * both
                x = floats(steps, count, C)
                found.append(Case(name, layer(kind, options), [x], with_states))
    return found


LENGTHS: list[tuple[list[int], bool]] = [
    ([5, 3, 2], True), ([4, 4, 4], True), ([5, 1], True), ([2, 5, 3], False),
    ([1, 1, 6, 2], False),
]  # fmt: skip


def packed(lengths: list[int], in_order: bool, first: bool, padded: bool) -> Any:
    """A call that packs, runs and pads again (or returns the packed data)."""

    def call(lib: Any, f: Any, x: Any, *states: Any) -> Any:
        tools = lib.nn.utils.rnn
        sequence = tools.pack_padded_sequence(
            x, lengths, batch_first=first, enforce_sorted=in_order
        )
        shown, last = with_states(lib, f, sequence, *states)
        if padded:
            shown = tools.pad_packed_sequence(shown, batch_first=first)[0]
        return shown, last

    return call


def of_packed() -> list[Case]:
    found = []
    for kind in KINDS:
        for lengths, in_order in LENGTHS:
            for options in (
                {}, dict(bidirectional=True, num_layers=2), dict(batch_first=True)
            ):  # fmt: skip
                first = bool(options.get("batch_first"))
                sizes = (max(lengths), len(lengths))
                x = floats(*(sizes[::-1] if first else sizes), C)
                for given in (False, True):
                    shapes = state_shapes(kind, options, len(lengths)) * given
                    states = [floats(*s, seed=i) for i, s in enumerate(shapes)]
                    name = f"{label(kind, options)}-packed-{lengths}"
                    call = packed(lengths, in_order, first, not given)
                    found.append(
                        Case(
                            name + "-states" * given, layer(kind, options),
                            [x, *states], call,
                        )
                    )  # fmt: skip
    return found


def of_cells() -> list[Case]:
    found = []
    for kind in KINDS:
        variants: list[dict[str, Any]] = [{}, dict(bias=False)]
        if kind == "RNN":
            variants += [RELU, RELU | dict(bias=False)]
        for options in variants:
            for batch in ((), (1,), (5,)):
                for given in (False, True):
                    count = (2 if kind == "LSTM" else 1) * given
                    states = [floats(*batch, H, seed=i) for i in range(count)]
                    name = label(kind + "Cell", options) + f"-{list(batch)}"
                    found.append(
                        Case(
                            name + "-states" * given, layer(kind + "Cell", options),
                            [floats(*batch, C), *states], with_states, dtypes=EVERY,
                        )
                    )  # fmt: skip
    return found


def of_tools() -> list[Case]:
    """The functions around packed sequences by themselves."""

    def pad(**options: Any) -> Any:
        return lambda lib: (
            lambda *xs: lib.nn.utils.rnn.pad_sequence(list(xs), **options)
        )

    def around(in_order: bool, **options: Any) -> Any:
        def build(lib: Any) -> Any:
            def run(*xs: Any) -> Any:
                tools = lib.nn.utils.rnn
                sequence = tools.pack_sequence(list(xs), enforce_sorted=in_order)
                return sequence, tools.pad_packed_sequence(sequence, **options)

            return run

        return build

    xs = [floats(n, 2, seed=n) for n in (4, 2, 1)]
    mixed = [xs[1], xs[0], xs[2]]

    def back(lib: Any) -> Any:
        def run(*ys: Any) -> Any:
            tools = lib.nn.utils.rnn
            whole = tools.pad_sequence(list(ys))
            lengths = lib.tensor([len(y) for y in ys])
            return tools.unpad_sequence(whole, lengths)

        return run

    return [
        Case("pad_sequence", pad(), xs),
        Case("pad_sequence-first", pad(batch_first=True), mixed),
        Case("pad_sequence-value", pad(padding_value=3.0), mixed),
        Case("pad_sequence-left", pad(padding_side="left"), xs),
        Case("pack_sequence", around(True), xs),
        Case("pack_sequence-mixed", around(False), mixed),
        Case("pack_sequence-total", around(True, total_length=7), xs),
        Case("pack_sequence-first", around(False, batch_first=True), mixed),
        Case("pack_sequence-value", around(True, padding_value=-1.0), xs),
        Case("unpad_sequence", back, mixed),
    ]


CASES = of_layers() + of_lengths() + of_packed() + of_cells() + of_tools()

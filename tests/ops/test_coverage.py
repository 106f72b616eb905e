"""Nothing is left out: a function, an op or a dtype without a row fails here."""

from __future__ import annotations

import copy

import pytest

import fogo
from fogo.ops.record import REGISTRY, Op
from fogo.optim import update
from tests.ops import grid
from tests.ops.rows import ROWS, load, public_functions, record
from tests.shared import cases

load()


def test_every_public_function_has_a_row() -> None:
    missing = sorted(set(public_functions()) - set(ROWS))
    assert not missing, f"no row in tests/ops/references for {missing}"


def test_every_row_belongs_to_a_function() -> None:
    unknown = [name for name in ROWS if not callable(getattr(fogo, name, None))]
    assert not unknown


@pytest.mark.parametrize("name", sorted(ROWS))
def test_every_declared_dtype_has_cases(name: str) -> None:
    """op x declared dtype minus op x dtype with cases: nothing may be left."""
    row = ROWS[name]
    op = record(name)
    declared = set(row.dtypes)
    if op is not None and not row.creates:
        declared |= {d.name for d in fogo.dtypes.REAL if accepted(op, d)}
    missing = [d for d in sorted(declared) if not grid.cases(name, d)]
    assert not missing, f"{name}: no case for {missing}"


def accepted(op: Op, dtype: fogo.DType) -> bool:
    """Say whether the op's own check lets the dtype pass."""
    try:
        op.check(dtype)
    except fogo.DTypeError:
        return False
    return True


def test_every_restriction_has_a_reason() -> None:
    restricted = [
        name
        for name, row in ROWS.items()
        if (row.factor != 1.0 or not row.second or row.special is not True)
        and not row.why
    ]
    assert not restricted


def test_every_op_of_the_registry_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ops without a public function of their name run inside some row's cases.

    Gradients that are derived from formulas are no entries of the registry; the steps
    of optimisers have their tests in tests/optim, linear algebra and
    Fourier transforms in tests/linalg and tests/fft.
    """
    device = fogo.device("python")
    seen: set[str] = set()
    original = device.backend.execute

    def execute(op: Op, *rest: object) -> object:
        seen.add(op.name)
        return original(op, *rest)

    monkeypatch.setattr(device.backend, "execute", execute)
    monkeypatch.setattr(device.backend, "special", {})  # every op's own way
    for name, row in ROWS.items():
        for case in grid.cases(name, grid_dtype(row.dtypes)):
            cases.run(case, device)
    missing = sorted(set(REGISTRY) - seen - casts_to_rare_dtypes() - set(update.NAMES))
    missing = [n for n in missing if n not in linear_algebra() and n not in ELSEWHERE]
    assert not missing, f"no case runs {missing}"


# Ops that layers and gradients use, and where those are compared with PyTorch's.
ELSEWHERE = {
    "gru_state": "tests/parity_torch/rnn.py",
    "lstm_memory": "tests/parity_torch/rnn.py",
    "lstm_output": "tests/parity_torch/rnn.py",
    "paste": "tests/core/test_slice_gradients.py",
}


def linear_algebra() -> set[str]:
    """The ops of `fogo.linalg` and `fogo.fft`."""
    from fogo.fft import pairs, transforms
    from fogo.linalg import factor, solving, spectral

    modules = (factor, solving, spectral, pairs, transforms)
    rooms = [vars(room).values() for room in modules]
    return {v.name for room in rooms for v in room if isinstance(v, Op)}


def grid_dtype(dtypes: tuple[str, ...]) -> str:
    """The dtype in which most paths run."""
    return "float32" if "float32" in dtypes else dtypes[0]


def casts_to_rare_dtypes() -> set[str]:
    """Casts are one op per dtype, made on demand by `astype`, which has its row."""
    return {"cast_" + d.name for d in fogo.dtypes.ALL} | BFLOAT16


# The grid has no bfloat16, which is only stored: tests/shared/test_bfloat16.py.
BFLOAT16 = {"narrow_bfloat16", "widen_bfloat16"}

# The grid itself: a wrong result must not pass.


def broken(name: str, dtype: str, label: str) -> dict[str, object]:
    found = [c for c in grid.cases(name, dtype) if c["id"].endswith(label)]
    return copy.deepcopy(found[0])


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("outputs", lambda o: o[0]["values"].__setitem__(4, o[0]["values"][4] + 0.01)),
        ("outputs", lambda o: o[0].update(dtype="float64")),
        ("outputs", lambda o: o[0].update(shape=[5, 3])),
        ("outputs", lambda o: o.append(o[0])),
        ("grads", lambda g: g[1].__setitem__(4, g[1][4] + 0.01)),
        ("second", lambda s: s[0].__setitem__(4, s[0][4] + 0.01)),
    ],
    ids=["value", "dtype", "shape", "count", "gradient", "second"],
)
def test_a_wrong_expectation_fails(key: str, change: object) -> None:
    case = broken("mul", "float32", "odd")
    cases.run(case, fogo.device("python"))
    change(case[key])  # type: ignore[operator]
    with pytest.raises(AssertionError, match="mul-float32-odd: "):
        cases.run(case, fogo.device("python"))


def test_host_traffic_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    device = fogo.device("python")
    original = device.backend.execute

    def execute(*call: object) -> object:
        device.backend.uploads += 1
        return original(*call)

    monkeypatch.setattr(device.backend, "execute", execute)
    with pytest.raises(AssertionError, match="uploads and reads inside the op"):
        cases.run(broken("mul", "float32", "odd"), device)

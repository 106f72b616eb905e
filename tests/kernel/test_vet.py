"""Mistakes in kernels of one's own are told of, by the same words on every device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.expr import bitcast, call, cast, where
from fogo.kernel.check import check


def same(x: Any) -> Any:
    return x


def told(device: fogo.Device, body: Callable[..., Any], out: Any = same) -> str:
    """What running a kernel raises."""
    op = fogo.kernel(out=out, name="mine")(body)
    with pytest.raises((fogo.FogoError, TypeError, AttributeError)) as found:
        op(fogo.tensor([1.0, 2.0, 3.0], device=device)).tolist()
    return str(found.value)


def points(body: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that sets every element to what `body` makes of its coordinate."""

    def kernel(k: Any, x: Any, out: Any) -> None:
        (i,) = k.grid(out.shape)
        out[i] = body(k, x, i)

    return kernel


def before(k: Any, x: Any, out: Any) -> None:
    k.grid(out.shape)


def nowhere(k: Any, x: Any, out: Any) -> None:
    out[0] = x[0]


def twice(k: Any, x: Any, out: Any) -> None:
    k.grid(out.shape)
    (i,) = k.grid(out.shape)
    out[i] = x[i]


def into_an_input(k: Any, x: Any, out: Any) -> None:
    (i,) = k.grid(out.shape)
    x[i] = 0.0
    out[i] = x[i]


def after_its_block(k: Any, x: Any, i: Any) -> Any:
    with k.loop(3):
        inner = k.let(x[i] + 1.0)
    return inner


def other_side_of_nothing(k: Any, x: Any, i: Any) -> Any:
    with k.otherwise(None):
        return x[i]


def on_a_number(k: Any, x: Any, i: Any) -> Any:
    with k.when(i):
        return x[i]


def by_nothing(k: Any, x: Any, i: Any) -> Any:
    with k.loop(3, 0, 0):
        return x[i]


def no_threads(k: Any, x: Any, out: Any) -> None:
    (i,) = k.groups(out.shape, 0)
    out[i] = x[i]


def waiting(k: Any, x: Any, i: Any) -> Any:
    k.barrier()
    return x[i]


def sharing(k: Any, x: Any, i: Any) -> Any:
    k.shared(x.dtype, 4)
    return x[i]


def counting(k: Any, x: Any, out: Any) -> None:
    k.grid(x.shape)
    k.atomic("add", out, (0,), 1.0)


KERNELS = {
    "every output must be stored to; given nothing for output 0": before,
    "called once; given 0 calls": nowhere,
    "called once; given 2 calls": twice,
    "inputs are only read; given a store to x": into_an_input,
    "threads of a group are an integer from 1 on; given 0": no_threads,
    "given Atomic in a kernel with k.grid; use k.groups": counting,
}
POINTS = {
    "a value lives in the block that made it": after_its_block,
    "otherwise takes what its when gave; given NoneType": other_side_of_nothing,
    "a condition is a bool; given index": on_a_number,
    "a step is an integer, not 0": by_nothing,
    "given Barrier in a kernel with k.grid": waiting,
    "given Shared in a kernel with k.grid": sharing,
    "mine: k.local is there after k.groups": lambda k, x, i: x[k.local],
    "mine: k.lane is there after k.groups": lambda k, x, i: x[k.lane],
    "mine: k.lanes is there after k.groups": lambda k, x, i: x[k.lanes],
    "mine: Python branched on a symbolic value": lambda k, x, i: 1.0 if i > 0 else 2.0,
    "integers; given None; use k.index(v)": lambda k, x, i: x[None],
    "integers; given a float32 value": lambda k, x, i: x[x[i]],
    "given slice(": lambda k, x, i: x[:],
    "count from the front; given -1": lambda k, x, i: x[-1],
    "one coordinate per dimension; given 2 for the 1-d x;": lambda k, x, i: x[i, i],
    "wide takes 2 or 4 neighbours; given 3": lambda k, x, i: x.wide((i,), 3)[0],
    "a cell that begins with a number needs a dtype": lambda k, x, i: k.cell(0),
    "given add of float32 and int32": lambda k, x, i: x[i] + cast(x[i], "int32"),
    "given float32 to int8": lambda k, x, i: bitcast(x[i], "int8"),
    "no such dtype; given 'float99'": lambda k, x, i: cast(x[i], "float99"),
    "call takes a primitive of fogo.expr; given 'foo'": lambda k, x, i: call(
        "foo", x[i]
    ),
    "known on the device only": lambda k, x, i: sum(x[j] for j in range(x.shape[0])),
    "a symbolic value has no": lambda k, x, i: fogo.sum(x[i]),
}


@pytest.mark.parametrize("text", KERNELS)
def test_rules_of_a_kernel(text: str, device: fogo.Device) -> None:
    assert text in told(device, KERNELS[text])


@pytest.mark.parametrize("text", POINTS)
def test_rules_of_its_values(text: str, device: fogo.Device) -> None:
    assert text in told(device, points(POINTS[text]))


def test_the_interpreter_asks_for_outputs_and_tells_of_names() -> None:
    kernel = points(lambda k, x, i: x[i, 0])
    with pytest.raises(fogo.KernelError, match="kernel: check must know .* given no o"):
        check(kernel, [[1.0]])
    with pytest.raises(TypeError, match="given 2 for the 1-d x; index it"):
        check(kernel, [[1.0]], outs=[((1,), "float32")])


def test_out_must_say_a_shape(device: fogo.Device) -> None:
    op = fogo.kernel(out=lambda x: fogo.Aval(3, x.dtype))(points(lambda k, x, i: x[i]))
    x = fogo.tensor([1.0, 2.0, 3.0], device=device)
    assert op(x).tolist() == [1.0, 2.0, 3.0]  # one size is a shape, as for zeros(3)


def test_dtypes_may_be_named(device: fogo.Device) -> None:
    def kernel(k: Any, x: Any, out: Any) -> None:
        (i,) = k.groups(out.shape, 2)
        room = k.shared("int32", 2)
        room[k.local] = cast(x[i], "int32")
        k.barrier()
        total = k.cell(0, "int32")
        total.set(room[0] + room[1])
        with k.when(k.local == 0):
            out[i] = where(total > 3, bitcast(total, "uint32"), 0)

    op = fogo.kernel(out=lambda x: fogo.Aval(x.shape, "uint32"))(kernel)
    x = fogo.tensor([1.0, 2.0, 3.0], device=device)
    assert op(x).tolist() == [0, 4, 6]


def test_the_interpreter_reports_what_is_undone() -> None:
    kinds = [p.kind for p in check(before, [[1.0]], outs=[((1,), "float32")]).problems]
    assert kinds == ["uninitialised"]
    with pytest.raises(fogo.KernelError, match="given Barrier in a kernel with"):
        check(points(waiting), [[1.0]], outs=[((1,), "float32")])


# Wide access.

A = np.arange(80).reshape(4, 20) % 50
VIEWS = {
    "from 1 on": lambda x: x[1:, 1:9],
    "from 2 on": lambda x: x[:, 2:14],
    "turned": lambda x: x[:, :4].transpose(),
    "rows of 6": lambda x: x[:, :6],
    "columns by 2": lambda x: x[:, ::2][:, :8],
}


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize("name", VIEWS)
def test_wide_takes_any_view(
    name: str, n: int, dtype: str, device: fogo.Device
) -> None:
    def kernel(k: Any, x: Any, out: Any) -> None:
        i, j = k.grid((out.shape[0], out.shape[1] // n))
        out.put_wide((i, j * n), [v + v for v in x.wide((i, j * n), n)])

    op = fogo.kernel(out=same)(kernel)
    view = VIEWS[name]
    wanted = 2 * view(A)
    whole = wanted.shape[1] // n * n
    got = op(view(fogo.tensor(A.astype(dtype), device=device))).numpy()
    np.testing.assert_array_equal(got[:, :whole].astype(int), wanted[:, :whole])
    flipped = op(fogo.flip(view(fogo.tensor(A.astype(dtype), device=device)), 1))
    np.testing.assert_array_equal(
        flipped.numpy()[:, :whole].astype(int), wanted[:, ::-1][:, :whole]
    )

"""`@fogo.kernel`: a user's kernel as an op, with trees, gradients and alternatives."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fogo
from fogo.expr import call as E
from fogo.kernel.check import check
from fogo.kernel.ir import Array, Kernel

RANDOM = np.random.default_rng(5)


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(0, 1, shape).astype(np.float32)


@fogo.kernel(out=lambda x, w: fogo.Aval((x.shape[0], w.shape[1]), x.dtype))
def product(k: Kernel, x: Array, w: Array, out: Array) -> None:
    """A plain matrix product."""
    i, j = k.grid(out.shape)
    acc = k.cell(0.0, x.dtype)
    with k.loop(x.shape[1]) as m:
        acc.set(acc + x[i, m] * w[m, j])
    out[i, j] = acc


def test_a_kernel_is_a_function_of_tensors(device: fogo.Device) -> None:
    a, b = normal(5, 7), normal(7, 3)
    x, w = fogo.tensor(a, device=device), fogo.tensor(b, device=device)
    np.testing.assert_allclose(product(x, w).numpy(), a @ b, rtol=1e-5, atol=1e-5)
    turned = product(w.transpose(), x.transpose())  # views cost nothing
    np.testing.assert_allclose(turned.numpy(), (a @ b).T, rtol=1e-5, atol=1e-5)
    assert product.__name__ == "product"
    assert product.__doc__ == "A plain matrix product."


@fogo.kernel(out=lambda x, by, shift=0.0: x)
def line(k: Kernel, x: Array, by: float, out: Array, shift: float = 0.0) -> None:
    c = k.grid(out.shape)
    out[c] = x[c] * by + shift


def test_what_is_no_tensor_is_part_of_the_kernel(device: fogo.Device) -> None:
    x = fogo.tensor([1.0, 2.0], device=device)
    assert line(x, 3.0).tolist() == [3.0, 6.0]
    assert line(x, -0.5, shift=1.0).tolist() == [0.5, 0.0]
    assert line(x, 3.0).tolist() == [3.0, 6.0]


# Trees.


@dataclass
class Weights:
    scale: Any
    bias: Any
    power: int = 1


@fogo.kernel(
    out=lambda x, p: {"y": x, "norms": [fogo.Aval(x.shape[:1], x.dtype)]},
    grad=lambda g, x, p: (
        g["y"] * p.scale * p.power + 2 * x * g["norms"][0].unsqueeze(1),
        Weights((g["y"] * x).sum(0) * p.power, g["y"].sum(0), p.power),
    ),
)
def affine(k: Kernel, x: Array, p: Weights, out: dict[str, Any]) -> None:
    (row,) = k.grid(x.shape[:1])
    acc = k.cell(0.0, x.dtype)
    with k.loop(x.shape[1]) as j:
        v = x[row, j]
        out["y"][row, j] = v * p.scale[j] * float(p.power) + p.bias[j]
        acc.set(acc + v * v)
    out["norms"][0][row] = acc


def test_trees_of_tensors_in_and_out(device: fogo.Device) -> None:
    a, s, b = normal(4, 6), normal(6), normal(6)
    dev = device.autodiff()
    x, scale, bias = [fogo.tensor(v, device=dev).requires_grad_() for v in (a, s, b)]
    made = affine(x, Weights(scale, bias, 3))
    assert set(made) == {"y", "norms"} and isinstance(made["norms"], list)
    np.testing.assert_allclose(made["y"].numpy(), a * s * 3 + b, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(made["norms"][0].numpy(), (a * a).sum(1), rtol=1e-5)
    found = (made["y"].sum() + made["norms"][0].sum()).backward()
    np.testing.assert_allclose(found[x].numpy(), 3 * s + 2 * a, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[scale].numpy(), 3 * a.sum(0), rtol=1e-4, atol=1e-5)
    assert found[bias].tolist() == [4.0] * 6


def test_an_output_that_is_not_used_has_a_gradient_of_zeros(
    device: fogo.Device,
) -> None:
    a, s = normal(3, 2), normal(2)
    dev = device.autodiff()
    x, scale = [fogo.tensor(v, device=dev).requires_grad_() for v in (a, s)]
    made = affine(x, Weights(scale, fogo.zeros(2, device=dev)))
    found = made["norms"][0].sum().backward()
    np.testing.assert_allclose(found[x].numpy(), 2 * a, rtol=1e-5)
    assert found[scale].tolist() == [0.0, 0.0]


@fogo.kernel(out=lambda xs: tuple(xs))
def reverse(k: Kernel, xs: list[Array], *outs: Array) -> None:
    c = k.grid(xs[0].shape)
    for x, out in zip(xs, reversed(outs)):
        out[c] = x[c]


def test_several_outputs_and_a_list(device: fogo.Device) -> None:
    xs = [fogo.full((2,), float(i), device=device) for i in range(3)]
    assert [y.tolist() for y in reverse(xs)] == [[2.0] * 2, [1.0] * 2, [0.0] * 2]


# Gradients.


@fogo.kernel(out=lambda g, x, y: x)
def tanh_grad(k: Kernel, g: Array, x: Array, y: Array, out: Array) -> None:
    c = k.grid(out.shape)
    out[c] = g[c] * (1.0 - y[c] * y[c])


@fogo.kernel(out=lambda x: x, grad=tanh_grad, saves="io")
def tanh(k: Kernel, x: Array, out: Array) -> None:
    c = k.grid(out.shape)
    out[c] = E("tanh", x[c])


@fogo.kernel(out=lambda x: x, grad=lambda g, y: g * (1 - y * y), saves="o")
def tanh_again(k: Kernel, x: Array, out: Array) -> None:
    c = k.grid(out.shape)
    out[c] = E("tanh", x[c])


@pytest.mark.parametrize("op", [tanh, tanh_again])
def test_the_gradient_may_be_another_kernel(op: Any, device: fogo.Device) -> None:
    a = normal(9)
    x = fogo.tensor(a, device=device.autodiff()).requires_grad_()
    found = (op(x) * 2).sum().backward()[x]
    np.testing.assert_allclose(found.numpy(), 2 / np.cosh(a) ** 2, rtol=1e-4)


def test_gradients_of_gradients(device: fogo.Device) -> None:
    """The rule is recorded as well, where it is of functions of tensors."""
    a = normal(5)
    outer = device.autodiff().autodiff()
    x = fogo.tensor(a, device=outer).requires_grad_()
    first = tanh_again(x).sum().backward()[x]
    second = first.sum().backward()[x]
    t = np.tanh(a)
    np.testing.assert_allclose(second.numpy(), -2 * t * (1 - t * t), rtol=1e-3)


def test_without_a_gradient_backward_says_so(device: fogo.Device) -> None:
    x = fogo.ones((2, 2), device=device.autodiff()).requires_grad_()
    with pytest.raises(fogo.AutodiffError, match="product has no gradient"):
        product(x, x).sum().backward()


WRONG = {
    "too many": lambda g, x, w: (g, g, g),
    "shape": lambda g, x, w: (g.sum(), w),
    "kind": lambda g, x, w: (1.0, None),
    "one": lambda g, x, w: g,
}


@pytest.mark.parametrize("name", list(WRONG))
def test_gradients_must_fit(name: str) -> None:
    op = fogo.kernel(out=product.out, grad=WRONG[name], name="p")(product.function)
    dev = fogo.device("python").autodiff()
    x = fogo.ones((2, 3), device=dev).requires_grad_()
    said = r"p: grad must return one gradient .* float32\[2, 3\].*; given"
    with pytest.raises(fogo.AutodiffError, match=said):
        op(x, fogo.ones((3, 4), device=dev)).sum().backward()


# Workgroups.


def rows(k: Kernel, x: Array, out: Array) -> None:
    (row,) = k.groups(out.shape, 8)
    acc = k.cell(0.0, x.dtype)
    with k.loop(x.shape[1], k.local, 8) as j:
        acc.set(acc + x[row, j])
    parts = k.shared(x.dtype, 8)
    parts[k.local] = acc
    for half in (4, 2, 1):
        k.barrier()
        with k.when(k.local < half):
            parts[k.local] = parts[k.local] + parts[k.local + half]
    with k.when(E("eq", k.local, 0)):
        out[row] = parts[0]


def first(x: Any) -> fogo.Aval:
    return fogo.Aval(x.shape[:1], x.dtype)


@pytest.mark.parametrize("dtype", ["float32", "int32", "float16"])
def test_workgroups_run_everywhere(dtype: str, device: fogo.Device) -> None:
    """On CPUs in the checking interpreter; views too."""
    op = fogo.kernel(out=first)(rows)
    a = RANDOM.integers(-9, 9, (5, 11)).astype(dtype)
    x = fogo.tensor(a, device=device)
    assert op(x).numpy().tolist() == a.sum(1).tolist()
    assert op(x.transpose()).numpy().tolist() == a.sum(0).tolist()


def test_a_portable_way_is_taken_where_there_are_no_groups(
    device: fogo.Device,
) -> None:
    calls = []

    def portable(x: fogo.Tensor) -> fogo.Tensor:
        calls.append(1)
        return x.sum(1)

    op = fogo.kernel(out=first, portable=portable)(rows)
    a = normal(3, 20)
    got = op(fogo.tensor(a, device=device)).numpy()
    np.testing.assert_allclose(got, a.sum(1), rtol=1e-4, atol=1e-5)
    assert len(calls) == (0 if device.name == "webgpu" else 1)


def test_a_portable_way_gives_the_gradient(device: fogo.Device) -> None:
    op = fogo.kernel(out=first, portable=lambda x: (x * x).sum(1) / 2)(rows)
    a = normal(3, 4)
    x = fogo.tensor(a, device=device.autodiff()).requires_grad_()
    with fogo.no_grad():
        assert not op(x).requires_grad
    y = op(x).sum()
    with fogo.no_grad():
        found = y.backward()
    np.testing.assert_allclose(found[x].numpy(), a, rtol=1e-5)


def test_gradients_of_gradients_by_the_portable_way() -> None:
    op = fogo.kernel(out=first, portable=lambda x: (x**3).sum(1))(rows)
    a = normal(2, 3)
    x = fogo.tensor(a, device=fogo.device("numpy").autodiff().autodiff())
    x = x.requires_grad_()
    found = op(x).sum().backward()[x]
    again = found.sum().backward()[x]
    np.testing.assert_allclose(again.numpy(), 6 * a, rtol=1e-4)


def test_a_wrong_group_kernel_is_told_of() -> None:
    def racing(k: Kernel, x: Array, out: Array) -> None:
        (row,) = k.groups(out.shape, 4)
        w = k.shared(x.dtype, 4)
        w[k.local] = x[row]
        out[row] = w[3 - k.local]

    op = fogo.kernel(out=lambda x: x)(racing)
    with pytest.raises(fogo.KernelError, match="racing: .*race"):
        op(fogo.ones(2, device="python"))


def test_kernels_are_captured_and_replayed(device: fogo.Device) -> None:
    """Twice by Python, then by replay, with other values each time."""
    op = fogo.kernel(out=first, portable=lambda x: x.sum(1))(rows)
    step = fogo.compile(lambda x: op(line(x, 2.0) + 1.0) * 0.5)
    for _ in range(4):
        a = normal(6, 5)
        got = step(fogo.tensor(a, device=device)).numpy()
        np.testing.assert_allclose(got, a.sum(1) + 2.5, rtol=1e-4, atol=1e-5)


def test_the_interpreter_takes_the_arguments_of_a_call() -> None:
    a, s = normal(3, 2), normal(2)
    x, scale = fogo.tensor(a, device="python"), fogo.tensor(s, device="python")
    report = check(affine, [x, Weights(scale, scale, 2)])
    assert report.problems == []
    y, norms = report.outputs
    np.testing.assert_allclose(y.numpy(), a * s * 2 + s, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(norms.numpy(), (a * a).sum(1), rtol=1e-5)


# Errors.


def test_wrong_calls(device: fogo.Device) -> None:
    x = fogo.ones((2, 2), device=device)
    with pytest.raises(fogo.DTypeError, match="line: at least one .* given float, int"):
        line(2.0, 1)
    with pytest.raises(fogo.DTypeError, match="product: tensors are given by position"):
        product(x, w=x)
    with pytest.raises(fogo.DTypeError, match="line: what is not a tensor .*hashable"):
        line(x, {1, 2})
    odd = fogo.kernel(out=lambda x, by: "nothing", name="odd")(line.function)
    with pytest.raises(fogo.ShapeError, match="odd: out must return a shape .*'nothi"):
        odd(x, 1.0)
    negative = fogo.kernel(out=lambda x, by: fogo.Aval((-1,), x.dtype), name="odd")
    odd = negative(line.function)
    with pytest.raises(fogo.ShapeError, match=r"odd: out must .*integers.*\(-1,\)"):
        odd(x, 1.0)
    with pytest.raises(fogo.KernelError, match="odd: saves must be 'i'.*given 'oi'"):
        fogo.kernel(out=lambda x: x, saves="oi", name="odd")(line.function)
    decorator: Any = fogo.kernel
    with pytest.raises(fogo.KernelError, match=r"kernel: .*write @fogo.kernel\(out="):
        decorator(line.function)


# Functions that do not take what they are called with: what is told, and the options.
UNFIT: dict[str, dict[str, Any]] = {
    "p: out takes the arguments of the call; given 1 ": {"out": lambda: None},
    "p: the kernel takes k, an array for each tensor, one for each output; given 4 ": {
        "out": lambda x: (x, x)
    },
    "p: the portable way takes the arguments of the call; given 1 ": {
        "out": lambda x: x, "portable": lambda: None,
    },
    "p: grad takes the gradient of the result and the arguments (saves='i'); given 2 ":
        {"out": lambda x: x, "grad": lambda g: g},
    "p: grad takes the gradient of the result and the result (saves='o'); given 2 ": {
        "out": lambda x: x, "grad": lambda g: g, "saves": "o",
    },
    "p: grad takes the gradient of the result, the arguments and the result "
    "(saves='io'); given 3 ": {
        "out": lambda x: x, "grad": lambda g, x: g, "saves": "io",
    },
}  # fmt: skip


def copy(k: Kernel, x: Array, out: Array) -> None:
    c = k.grid(out.shape)
    out[c] = x[c]


@pytest.mark.parametrize("text", list(UNFIT))
def test_functions_must_take_what_they_are_called_with(text: str) -> None:
    op = fogo.kernel(name="p", **UNFIT[text])(copy)
    x = fogo.ones(2, device=fogo.device("python").autodiff()).requires_grad_()
    with pytest.raises(fogo.KernelError) as found:
        op(x).sum().backward()
    assert text + "arguments, but " in str(found.value)


def test_a_type_error_of_the_body_is_left_alone() -> None:
    def grad(g: Any, x: Any) -> Any:
        return len(3)  # type: ignore[arg-type]

    op = fogo.kernel(out=lambda x: x, grad=grad)(copy)
    x = fogo.ones(2, device=fogo.device("python").autodiff()).requires_grad_()
    with pytest.raises(TypeError, match="of type 'int' has no len"):
        op(x).sum().backward()


def test_a_shell_shows_what_the_decorator_takes() -> None:
    decorator: Any = fogo.kernel
    assert decorator.__doc__.startswith("Make an op of a kernel function")
    names = list(inspect.signature(decorator).parameters)
    assert names == ["out", "grad", "saves", "portable", "name"]
    assert [n for n in names if n not in repr(decorator)] == []


def test_a_portable_way_must_return_what_out_says() -> None:
    op = fogo.kernel(out=first, portable=lambda x: x, name="p")(rows)
    x = fogo.ones((2, 3), device="python")
    with pytest.raises(fogo.ShapeError, match=r"p: the portable .*float32\[2\]; given"):
        op(x)
    op = fogo.kernel(out=first, portable=lambda x: [x], name="p")(rows)
    with pytest.raises(fogo.ShapeError, match="p: the portable .* tree .* given list"):
        op(x)


def test_tensors_of_two_devices_are_refused() -> None:
    a, b = fogo.ones((2, 2), device="python"), fogo.ones((2, 2), device="numpy")
    with pytest.raises(fogo.DeviceError, match="product: tensors must be on one dev"):
        product(a, b)


def test_the_package_and_the_decorator_share_a_name() -> None:
    """`fogo.kernel` is called, and `fogo.kernel.check` is imported, in any order."""
    code = (
        "import fogo.kernel.check as c; import fogo; from fogo.kernel import ir; "
        "print(callable(fogo.kernel), fogo.kernel.check is c, fogo.kernel.ir is ir, "
        "fogo.kernel.lower.__name__, hasattr(fogo.kernel, 'nothing'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True"] * 3 + ["fogo.kernel.lower", "False"]

"""What a PyTorch user types out of habit works, or says what to type."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

import fogo
from fogo.habits import inplace, methods
from tests.shared.check import close, equal

ROWS = [[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]]

# (what is called, as text): run on a PyTorch tensor and on ours.
CALLS = (
    "x.sum(dim=0)", "x.sum(dim=1, keepdim=True)", "x.mean(dim=(0, 1))", "x.max(dim=1)",
    "x.min(dim=0, keepdim=True)", "x.sort(dim=1)", "x.max(dim=1).values",
    "x.sort(dim=0, descending=True).indices", "x.topk(2, dim=1)", "x.argmax(dim=1)",
    "x.median(dim=1).values", "x.kthvalue(2, dim=1)", "x.cumsum(dim=1)",
    "x.cummax(dim=1).indices", "x.std(dim=1, unbiased=True)", "x.var(unbiased=False)",
    "x.permute(1, 0)", "x.permute((1, 0))", "x.reshape(3, 2)", "x.view(-1)",
    "x.view(3, 2)", "x.flip(0, 1)", "x.flip(dims=(0,))", "x.transpose(0, 1)", "x.t()",
    "x.expand(2, 2, 3)", "x.repeat(2, 1)", "x.repeat_interleave(2, dim=1)",
    "x.unsqueeze(dim=0)", "x.unsqueeze(0).squeeze(dim=0)", "x.chunk(3, dim=1)",
    "x.split(2, dim=1)", "x.unbind(dim=1)", "x.narrow(dim=1, start=0, length=2)",
    "x.select(dim=1, index=1)", "x.roll(shifts=1, dims=1)", "x.unfold(1, 2, 1)",
    "x.movedim(0, 1)", "x.swapdims(0, 1)", "x.flatten(start_dim=0)", "x.ravel()",
    "x.softmax(dim=1)", "x.logsumexp(dim=1)", "x.all(dim=1)", "x.numel()", "x.dim()",
    "x.add(x, alpha=2)", "x.sub(x, alpha=0.5)", "x.add(other=x)", "x.pow(2)",
    "x.div(2.5, rounding_mode='floor')", "x.div(-2.5, rounding_mode='trunc')",
    "x.clamp(min=2, max=4)", "x.type_as(x)", "x.clone()", "x.element_size()",
    "x.is_floating_point()", "x.new_zeros(2, 2)", "x.new_full((2,), 7.0)",
    "x.new_tensor([1.0])", "x.long()", "x.int()", "x.bool()", "x.double()", "x.half()",
    "x.float()", "x.size(0)", "x.size(-1)", "tuple(x.size())", "x.tril(diagonal=1)",
    "x.gather(dim=1, index=i)", "x.scatter(dim=1, index=i, src=x)",
    "x.index_select(dim=1, index=i[0])", "x.index_add(dim=1, index=i[0], source=x)",
    "x.scatter_add(dim=1, index=i, src=x)", "x.nansum(dim=1)", "x.count_nonzero(dim=1)",
    "f.cat([x, x], dim=1)", "f.stack([x, x], dim=-1)",
    "f.full(size=(2,), fill_value=3.0)", "f.linspace(0, 1, steps=5)",
    "f.arange(0, end=3)", "f.where(x > 2, x, 0.0)", "f.sum(input=x, dim=1)",
    "f.maximum(x, other=x)", "f.zeros(2, 3)", "f.quantile(x, 0.5, dim=1)",
    "f.diag(x[0], diagonal=1)", "f.squeeze(x[:1], dim=0)", "x.zero_()", "x.fill_(2.0)",
    "x.copy_(x[0].clone())", "x.add_(x)", "x.add_(x, alpha=3)", "x.mul_(2).sub_(1.0)",
    "x.clamp_(min=2)", "x.masked_fill_(x > 2, 0.0)", "x.exp_()", "x.div_(x)",
    "x.pow_(2)", "x.relu_()", "x.sqrt_()", "x.lerp_(x, 0.5)",
    "x.addcmul_(x, x, value=0.5)", "x.index_fill_(1, i[0], 9.0)", "x.tril_()",
)  # fmt: skip


def plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value


@pytest.mark.parametrize("text", CALLS)
def test_call(text: str, device: fogo.Device) -> None:
    index = [[0, 0, 2], [1, 2, 0]]
    theirs = {"x": torch.tensor(ROWS), "i": torch.tensor(index), "f": torch}
    ours = {
        "x": fogo.tensor(ROWS, device=device),
        "i": fogo.tensor(index, device=device),
        "f": fogo,
    }
    if "double" in text and fogo.float64 not in device.backend.holds:
        with pytest.raises(fogo.DTypeError, match="float64"):
            eval(text, ours)
        return
    close(plain(eval(text, ours)), plain(eval(text, theirs)))


def test_scatter_by_the_names_that_pytorch_gave_up(device: fogo.Device) -> None:
    x = fogo.ones(1, 2, device=device)
    index = fogo.tensor([[0, 0]], device=device)
    src = fogo.tensor([[2.0, 3.0]], device=device)
    for mode in ("add", "multiply"):  # 1 + 2 + 3 and 1 * 2 * 3
        found = x.scatter(1, index, src, reduce=mode)  # type: ignore[call-arg]
        equal(found, [[6.0, 1.0]])


def test_every_method_in_place(device: fogo.Device) -> None:
    """Each gives x what the function gives; views of the old values keep them."""
    x = fogo.tensor([0.25, 0.5], device=device)
    old, view = x.clone(), x[:1]
    for name in ("neg", "exp", "sigmoid", "square", "erfc", "tanh", "sin"):
        before = x.tolist()
        wanted = getattr(fogo, name)(fogo.tensor(before, device=device)).tolist()
        assert getattr(x, name + "_")() is x
        close(x, wanted)
    equal(old, [0.25, 0.5])
    equal(view, [0.25])


def test_history_in_place(device: fogo.Device) -> None:
    w = fogo.tensor([2.0, 3.0], device=device.autodiff()).requires_grad_()
    y = w * 1.0
    y.mul_(w).add_(1.0)
    equal(y.sum().backward()[w], [4.0, 6.0])


def test_leaves_change_without_recording_only(device: fogo.Device) -> None:
    w = fogo.tensor([2.0], device=device.autodiff()).requires_grad_()
    with pytest.raises(fogo.AutodiffError, match=r"add_: .*no_grad"):
        w.add_(1.0)
    with fogo.no_grad():
        w.add_(1.0)
    assert w.requires_grad and w.item() == 3.0


def test_what_stays_in_place(device: fogo.Device) -> None:
    x = fogo.tensor([1, 2], device=device)
    with pytest.raises(fogo.ShapeError, match=r"add_: the shape stays.*\[2, 2\]"):
        x.add_(fogo.ones(2, 2, dtype=x.dtype, device=device))
    with pytest.raises(fogo.DTypeError, match="mul_: the dtype stays"):
        x.mul_(fogo.tensor(0.5, device=device))
    tracked = fogo.ones(2, device=device.autodiff()).requires_grad_()
    with pytest.raises(fogo.AutodiffError, match="own device"):
        fogo.ones(2, device=device).add_(tracked)


def test_wrong_arguments_are_hinted_at() -> None:
    x = fogo.ones(2, 2, device="python")
    with pytest.raises(fogo.ArgumentError, match=r"sum: .*'wrong'.*takes \(x, axis"):
        x.sum(wrong=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"add: .*'y'; it takes \(x, y\)"):
        fogo.add(x)  # type: ignore[call-arg]
    with pytest.raises(fogo.ArgumentError, match="one argument once"):
        fogo.sum(x, axis=0, dim=1)  # type: ignore[call-arg]
    with pytest.raises(fogo.ArgumentError, match="exp: "):
        x.exp(3, 4)  # type: ignore[call-arg]


def test_an_error_within_stays_what_it_is() -> None:
    with pytest.raises(fogo.ShapeError):
        fogo.ones(2, device="python").sum(dim=7)  # type: ignore[call-arg]


def test_names_are_listed_and_found() -> None:
    x = fogo.ones(2, device="python")
    for name in methods.names():
        assert callable(getattr(x, name)), name
        assert name in dir(x)
    assert set(inplace.NAMES) <= {n for n in inplace.NAMES if fogo.ops.find(n)}


def test_help_shows_the_functions_own_words() -> None:
    import inspect

    assert "sum over" in (fogo.sum.__doc__ or "")
    assert list(inspect.signature(fogo.add).parameters) == ["x", "y"]


def test_to_another_dtype_and_device(device: fogo.Device) -> None:
    x = fogo.tensor([1.5], device=device)
    assert x.to("int8").dtype is fogo.int8
    moved = x.to("python", fogo.int32)
    assert moved.device is fogo.device("python") and moved.tolist() == [1]
    assert moved.to(x).dtype is x.dtype and moved.to(x).device is device
    assert x.to(dtype="float16", device="python").dtype is fogo.float16
    assert x.cpu().device.name in ("numpy", "python", "wasm")


def test_size_is_a_number_that_answers() -> None:
    size = fogo.ones(2, 3, device="python").size
    assert size == 6 and size + 1 == 7 and size() == (2, 3) and size(-1) == 3
    assert copy.deepcopy(size) == 6 and hash(size) == hash(6)
    with pytest.raises(fogo.ShapeError, match="size: axis"):
        size(2)

"""Twenty wrong uses: each gets an error that says what to do, before work is lost.

| use | test |
|---|---|
| a layer fed another width | tests/core/test_wrong_uses.py::test_a_layer_fed_another_width |
| targets of another shape | tests/core/test_wrong_uses.py::test_targets_of_another_shape |
| ragged lists | tests/core/test_wrong_uses.py::test_ragged_lists |
| an image batch without channels | tests/core/test_wrong_uses.py::test_images_without_channels |
| float class labels | tests/core/test_wrong_uses.py::test_float_class_labels |
| gradients of integers | tests/core/test_wrong_uses.py::test_gradients_of_integers |
| a dtype the GPU lacks | tests/core/test_wrong_uses.py::test_a_dtype_the_device_lacks |
| tensors of two devices | tests/core/test_wrong_uses.py::test_tensors_of_two_devices |
| a device that does not exist | tests/core/test_wrong_uses.py::test_a_misspelt_device |
| a machine without a GPU | tests/core/test_wrong_uses.py::test_a_machine_without_a_gpu |
| backward off an autodiff device | tests/core/test_wrong_uses.py::test_backward_off_an_autodiff_device |
| backward twice | tests/core/test_wrong_uses.py::test_backward_twice |
| backward of many losses | tests/core/test_wrong_uses.py::test_backward_of_many_losses |
| reading where a thread cannot wait | tests/core/test_wrong_uses.py::test_reading_where_a_thread_cannot_wait |
| a checkpoint of another model | tests/core/test_wrong_uses.py::test_a_checkpoint_of_another_model |
| a truncated safetensors file | tests/store/test_safetensors.py::test_refused |
| a header that claims 2^60 bytes | tests/store/test_safetensors.py::test_no_memory_is_taken_for_what_a_header_claims |
| a port in use | tests/demo/test_cli.py::test_a_taken_port_stops_it_before_training |
| an unwritable folder | tests/demo/test_cli.py::test_an_unwritable_folder_stops_it_before_training |
| a damaged dataset | tests/data/test_idx.py::test_a_cut_anywhere_is_a_format_error |
"""  # noqa: E501

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import fogo
from fogo import nn
from tests.support.runtimes import ROOT

USES = re.findall(r"^\| (.+?) \| (\S+)::(\S+) \|$", __doc__ or "", re.MULTILINE)


def says(error: pytest.ExceptionInfo[Exception], *parts: str) -> None:
    """The message holds all parts, begins with the operation, and has three parts."""
    message = str(error.value)
    for part in parts:
        assert part in message, message
    assert re.match(r"\w[\w.]*: .+; ", message, re.DOTALL), message


def test_the_table_has_twenty_uses_with_their_tests() -> None:
    assert len(USES) == 20
    for _, file, name in USES:
        assert f"def {name}(" in (ROOT / file).read_text(), f"{file}::{name}"


def test_a_layer_fed_another_width(device: fogo.Device) -> None:
    model = nn.Sequential(nn.Linear(4, 8, device=device), nn.ReLU())
    with pytest.raises(fogo.ShapeError) as error:
        model(fogo.ones(2, 5, device=device))
    says(error, "5", "4")


def test_targets_of_another_shape(device: fogo.Device) -> None:
    """Broadcasting [8, 1] against [8] would train on a [8, 8] table of errors."""
    with pytest.raises(fogo.ShapeError) as error:
        fogo.mse_loss(fogo.ones(8, 1, device=device), fogo.ones(8, device=device))
    says(error, "mse_loss", "[8, 1] and [8]", "reshape")


def test_ragged_lists(device: fogo.Device) -> None:
    with pytest.raises(fogo.ShapeError) as error:
        fogo.tensor([[1.0, 2.0], [3.0]], device=device)
    says(error, "tensor: nested lists must have equal lengths", "length 2 at depth 1")


def test_images_without_channels(device: fogo.Device) -> None:
    images, weight = fogo.ones(32, 28, 28, device=device), fogo.ones(8, 1, 3, 3)
    with pytest.raises(fogo.ShapeError) as error:
        fogo.conv2d(images, weight.to(device))
    says(error, "conv2d", "[1, 32, 28, 28]", "[8, 1, 3, 3]")


def test_float_class_labels(device: fogo.Device) -> None:
    x, labels = fogo.ones(4, 10, device=device), fogo.ones(4, device=device)
    with pytest.raises(fogo.FogoError) as error:
        fogo.cross_entropy(x, labels)
    says(error, "cross_entropy", "[4, 10]", "[4]")
    with pytest.raises(fogo.DTypeError) as error:
        fogo.nll_loss(x, labels)
    says(error, "nll_loss", "float32", ".astype('int32')")


def test_gradients_of_integers(device: fogo.Device) -> None:
    with pytest.raises(fogo.DTypeError) as error:
        fogo.arange(3, device=device.autodiff()).requires_grad_()
    says(error, "requires_grad_: only floats", device.default_int.name)


def test_a_dtype_the_device_lacks(device: fogo.Device) -> None:
    """Every backend names a dtype it holds; a GPU without float64 stands for all."""
    backend = type(device.backend).__new__(type(device.backend))
    backend.name, backend.holds = "gpu", (fogo.float32, fogo.int32)
    with pytest.raises(fogo.DTypeError) as error:
        backend.check_dtype(fogo.float64)
    says(error, "gpu: this device does not hold float64", "use float32 instead")
    with pytest.raises(fogo.DTypeError) as error:
        backend.check_dtype(fogo.int64)
    says(error, "int64", "use int32 instead")


def test_tensors_of_two_devices(device: fogo.Device) -> None:
    other = fogo.device("numpy" if device.name == "python" else "python")
    with pytest.raises(fogo.DeviceError) as error:
        fogo.ones(2, device=device) + fogo.ones(2, device=other)
    says(error, "add", repr(device), repr(other), ".to(...)")
    with pytest.raises(fogo.DeviceError) as error:
        fogo.ones(2, 2, device=device) @ fogo.ones(2, device=other.autodiff())
    says(error, "matmul", ".to(...)")


def test_a_misspelt_device() -> None:
    with pytest.raises(fogo.DeviceError) as error:
        fogo.device("web-gpu")
    says(error, "'web-gpu'", "cpu", "webgpu", "python")
    with pytest.raises(fogo.DeviceError) as error:
        fogo.device("webgpu:first")
    says(error, "'webgpu:first'")


def test_a_machine_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by name it is an error that says why; else the CPU is taken."""
    import fogo.native.wgpu_gpu as host

    monkeypatch.setattr(host, "_adapters", lambda: [])
    monkeypatch.setattr(sys.modules["fogo.device"], "DEVICES", {})
    with pytest.raises(fogo.DeviceError) as error:
        fogo.device("webgpu")
    says(error, "webgpu", "adapter")
    best = fogo.best_device()
    assert best.name in ("numpy", "python") and "webgpu" in best.reason


def test_backward_off_an_autodiff_device(device: fogo.Device) -> None:
    loss = fogo.ones(3, device=device).sum()
    with pytest.raises(AttributeError) as error:
        loss.backward()  # type: ignore[attr-defined]
    says(error, "backward: only tensors of an autodiff device", repr(device))


def test_backward_twice(device: fogo.Device) -> None:
    x = fogo.ones(3, device=device.autodiff()).requires_grad_()
    loss = (x * x).sum()
    loss.backward()
    with pytest.raises(fogo.AutodiffError) as error:
        loss.backward()
    says(error, "used up", "retain_graph=True")


def test_backward_of_many_losses(device: fogo.Device) -> None:
    x = fogo.ones(3, device=device.autodiff()).requires_grad_()
    with pytest.raises(fogo.ShapeError) as error:
        (x * x).backward()
    says(error, "backward", "[3]", ".mean()")


def test_reading_where_a_thread_cannot_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a browser without stack switching: the message names the awaitable form."""
    device = fogo.Device("page", type(fogo.device("python").backend)())
    x = fogo.tensor([1.0, 0.0], device=device)

    def read(handles: object) -> object:
        raise fogo.DeviceError("read: this thread cannot wait; given a page; use await")

    monkeypatch.setattr(device.backend, "read", read)
    with pytest.raises(fogo.DeviceError) as error:
        fogo.masked_select(x, x > 0)
    says(error, "masked_select", "await fogo.masked_select_async")
    with pytest.raises(fogo.DeviceError):
        x.tolist()


def test_a_checkpoint_of_another_model(device: fogo.Device, tmp_path: Path) -> None:
    """Missing, unexpected and mismatched names come together; nothing is changed."""
    model = nn.Sequential(
        nn.Linear(4, 8, device=device), nn.Linear(8, 2, device=device)
    )
    state = model.state_dict()
    before = model.state_dict()["0.weight"].tolist()
    state["head.weight"] = state.pop("1.weight")
    state["0.weight"] = fogo.zeros(8, 5, device=device)
    with pytest.raises(fogo.FormatError) as error:
        model.load_state_dict(state)
    says(error, "1.weight", "head.weight", "0.weight", "[8, 5]", "[8, 4]")
    assert model.state_dict()["0.weight"].tolist() == before

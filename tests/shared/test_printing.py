"""How tensors look."""

import fogo


def shown(device, data, dtype=None):
    """The text without the device's name, which differs."""
    text = repr(fogo.tensor(data, dtype=dtype, device=device))
    tail = ", device=%s)" % device.name
    assert text[-len(tail) :] == tail, text
    return text[: -len(tail)]


def test_numbers_are_aligned(device):
    nan = float("nan")
    assert shown(device, [[1.5, 2.0], [nan, -3.0]]) == (
        "tensor([[ 1.5000,  2.0000],\n        [    nan, -3.0000]]"
    )
    assert shown(device, [1, 20], "int32") == "tensor([ 1, 20], dtype=int32"
    assert shown(device, [True, False]) == "tensor([ True, False]"


def test_numbers_are_whole_together_or_not_at_all(device):
    inf = float("inf")
    assert shown(device, [1.0, -inf, 30.0]) == "tensor([  1., -inf,  30.]"
    assert shown(device, [1.5, 0.0]) == "tensor([1.5000, 0.0000]"
    assert shown(device, [1.0, 1e10]) == "tensor([    1.0000, 1.0000e+10]"


def test_very_large_and_small_numbers(device):
    assert shown(device, [1e10, 1e-5]) == "tensor([1.0000e+10, 1.0000e-05]"


def test_zero_dimensions_and_no_elements(device):
    assert shown(device, 2.5) == "tensor(2.5000"
    text = repr(fogo.zeros((0, 3), device=device))
    assert text == "tensor([], shape=(0, 3), device=%s)" % device.name


def test_large_tensors_are_shortened(device):
    backend = device.base().backend
    x = fogo.arange(2000, dtype="int32", device=device).reshape(50, 40)
    before = backend.reads
    lines = repr(x).split("\n")
    assert backend.reads == before + 1
    assert len(lines) == 7
    assert lines[0] == "tensor([[   0,    1,    2, ...,   37,   38,   39],"
    assert lines[3] == "        ...,"


def test_print_options(device):
    try:
        fogo.set_print_options(precision=2, threshold=3, edge_items=1)
        assert shown(device, [1.25, 2.5, 3.5]) == "tensor([1.25, 2.50, 3.50]"
        assert shown(device, [1.0, 2.0, 3.0, 4.0]) == "tensor([1., ..., 4.]"
    finally:
        fogo.set_print_options(precision=4, threshold=1000, edge_items=3)
    assert shown(device, [1.25]) == "tensor([1.2500]"

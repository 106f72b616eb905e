"""safetensors beside the reference implementation, and files that must be refused."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load as their_load
from safetensors.torch import load_file, save, save_file

import fogo
from fogo.store import (
    dump_bytes,
    dump_bytes_async,
    load_bytes,
    load_safetensors,
    open_safetensors,
    save_safetensors,
)

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
]  # fmt: skip
SHAPES: list[tuple[int, ...]] = [(), (1,), (3, 4), (0, 2), (2, 1, 3)]


def sample(dtype: str, shape: tuple[int, ...]) -> torch.Tensor:
    rng = np.random.default_rng(len(dtype) + sum(shape))
    values = rng.uniform(0, 100, shape)
    if dtype.startswith("float"):
        values = values - 50.0
    return torch.tensor(values).to(getattr(torch, dtype))


def zoo() -> dict[str, torch.Tensor]:
    """Every dtype in every shape, and names that JSON must escape."""
    found = {f"{d}.{i}": sample(d, s) for d in DTYPES for i, s in enumerate(SHAPES)}
    found['quote " slash \\ é 語 \n'] = torch.tensor([1.5])
    found["special"] = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0])
    return found


def same(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    equal = torch.equal(torch.nan_to_num(actual), torch.nan_to_num(expected))
    return actual.dtype is expected.dtype and actual.shape == expected.shape and equal


def test_we_read_what_the_reference_writes(tmp_path: Path) -> None:
    file = tmp_path / "theirs.safetensors"
    tensors = zoo()
    save_file(tensors, file, metadata={"format": "pt", "note": 'a "b"'})
    found = load_safetensors(file, "numpy")
    assert set(found) == set(tensors)
    for name, t in tensors.items():
        assert same(torch.tensor(found[name].numpy()), t), name
    with open_safetensors(str(file)) as lazy:
        assert lazy.metadata == {"format": "pt", "note": 'a "b"'}
        assert len(lazy) == len(tensors) and "special" in lazy
        assert lazy.entries["int16.2"].shape == (3, 4)
        assert lazy.entries["int16.2"].dtype is fogo.int16
        assert "  int16.2: int16[3, 4]" in repr(lazy)
        assert lazy.load("bool.2", "python").tolist() == tensors["bool.2"].tolist()
        with pytest.raises(fogo.FormatError, match="no such tensor; given 'nope'"):
            lazy.load("nope")


def test_the_reference_reads_what_we_write(tmp_path: Path) -> None:
    file = tmp_path / "ours.safetensors"
    tensors = zoo()
    given = {n: fogo.tensor(t.numpy(), device="numpy") for n, t in tensors.items()}
    save_safetensors(file, given, metadata={"note": "tab\t ü"})
    found = load_file(file)
    assert set(found) == set(tensors)
    for name, t in tensors.items():
        assert same(found[name], t), name
    with safe_open(file, "pt") as reference:
        assert reference.metadata() == {"note": "tab\t ü"}
    assert [p.name for p in tmp_path.iterdir()] == ["ours.safetensors"]


def test_every_tensor_is_aligned() -> None:
    """Data begins at a multiple of 8, each tensor at one of its element's size."""
    given = {n: fogo.tensor(t.numpy(), device="numpy") for n, t in zoo().items()}
    data = dump_bytes(given)
    lazy = open_safetensors(io.BytesIO(data))
    assert lazy.start % 8 == 0
    assert all(e.begin % e.itemsize == 0 for e in lazy.entries.values())


def test_on_every_device(device: fogo.Device) -> None:
    """What a device holds comes back equal, views included; what not is refused."""
    holds = [d for d in DTYPES if fogo.dtype(d) in device.backend.holds]
    tensors = {d: sample(d, (3, 4)) for d in holds}
    given = {d: fogo.tensor(t.numpy(), device=device) for d, t in tensors.items()}
    given["view"] = given["float32"].transpose()[1:, ::2]
    tensors["view"] = tensors["float32"].T[1:, ::2].contiguous()
    reads = device.backend.reads
    data = dump_bytes(given)
    assert device.backend.reads == reads + 1  # one wait for all
    for name, t in their_load(data).items():
        assert same(t, tensors[name]), name
    for name, found in load_bytes(data, device).items():
        assert same(torch.tensor(found.numpy()), tensors[name]), name
    tracked = load_bytes(data, device.autodiff())["float32"]
    assert tracked.device is device.autodiff() and not tracked.requires_grad
    if "float64" not in holds:
        file = save({"x": torch.zeros(1, dtype=torch.float64)})
        with pytest.raises(fogo.DTypeError, match="does not hold float64; use"):
            load_bytes(file, device)


def test_tensors_of_several_devices(device: fogo.Device) -> None:
    mixed = {
        "a": fogo.tensor([1.0, 2.0], device=device),
        "b": fogo.tensor([3.0], device="python"),
        "c": fogo.tensor([4.0], device=device.autodiff()),
    }
    found = {n: t.tolist() for n, t in their_load(dump_bytes(mixed)).items()}
    assert found == {"a": [1.0, 2.0], "b": [3.0], "c": [4.0]}


async def test_without_waiting(device: fogo.Device) -> None:
    given = {"a": fogo.tensor([1.0, 2.0], device=device)}
    data = await dump_bytes_async(given, {"k": "v"}, "float16")
    assert data == dump_bytes(given, {"k": "v"}, "float16")


def test_every_bfloat16_comes_and_goes_as_it_is() -> None:
    values = torch.arange(0, 1 << 16, dtype=torch.int32).to(torch.int16)
    half = values.view(torch.bfloat16)
    found = load_bytes(save({"x": half}), "numpy")["x"]
    assert found.dtype is fogo.bfloat16
    assert torch.equal(
        their_load(dump_bytes({"x": found}))["x"].view(torch.int16), values
    )
    bits = torch.tensor(found.astype("float32").numpy()).view(torch.int32)
    assert torch.equal(bits, half.float().view(torch.int32))


def test_cast_rounds_as_pytorch_does(device: fogo.Device) -> None:
    rng = np.random.default_rng(4)
    x = np.concatenate([
        rng.normal(0, 1, 200), rng.normal(0, 1e-7, 50), [65519.0, 65520.0, 1e9, -0.0],
    ]).astype(np.float32)  # fmt: skip
    given = {"x": fogo.tensor(x, device=device), "n": fogo.tensor([7], device=device)}
    found = their_load(dump_bytes(given, cast=fogo.float16))
    assert torch.equal(found["x"], torch.tensor(x).half())
    assert not found["n"].is_floating_point()
    with pytest.raises(fogo.DTypeError, match="cast takes a float dtype; given int8"):
        dump_bytes(given, cast="int8")


def framed(header: Any, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(shape: Any = (2,), begin: Any = 0, end: Any = 8, dtype: Any = "F32") -> Any:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


BAD: list[tuple[str, bytes, str, str | None]] = [
    ("empty", b"", "first 8 bytes|begins with the 8 bytes.*given 0 bytes", None),
    ("short", b"\1\0\0", "given 3 bytes; is it cut off", None),
    ("huge", (1 << 60).to_bytes(8, "little") + b"{}", str(1 << 60), None),
    ("limit", (100_000_001).to_bytes(8, "little") + b"{" * 9, "100000001", None),
    ("cut header", framed({"a": entry()})[:-5], "in a file of", None),
    ("not JSON", framed(b"{'a': 1}"), "must be JSON", None),
    ("not UTF-8", framed(b'{"\xff": 1}'), "must be JSON", None),
    ("deep", framed(b'{"a":' + b"[" * 100_000), "must be JSON", None),
    ("a list", framed([1, 2]), "JSON object; given list", None),
    ("no dict", framed({"a": 3}), "has dtype, shape and data_offsets; given 3", "a"),
    ("no shape", framed({"a": {"dtype": "F32"}}), "has dtype, shape and", "a"),
    ("more", framed({"a": dict(entry(), x=1)}), "has dtype, shape and", "a"),
    ("dtype", framed({"a": entry(dtype="F8_E5M2")}), "given 'F8_E5M2'", "a"),
    ("dtype 3", framed({"a": entry(dtype=3)}), "dtype must be one of", "a"),
    ("dtype list", framed({"a": entry(dtype=[1])}), "dtype must be one of", "a"),
    ("negative", framed({"a": entry((-2,))}, b"\0" * 8), "whole numbers", "a"),
    ("fraction", framed({"a": entry((2.0,))}, b"\0" * 8), "whole numbers", "a"),
    ("bool", framed({"a": entry((True, 2))}, b"\0" * 8), "whole numbers", "a"),
    ("text", framed({"a": entry(begin="0")}, b"\0" * 8), "whole numbers", "a"),
    ("three", framed({"a": {**entry(), "data_offsets": [0, 8, 8]}}), "end]", "a"),
    ("backwards", framed({"a": entry((0,), 8, 0)}, b"\0" * 8), r"\[8, 0\]", "a"),
    ("disagree", framed({"a": entry((3,))}, b"\0" * 8), "must agree; given shape", "a"),
    ("2**60", framed({"a": entry((1 << 58,), 0, 1 << 60)}), "cut off", "a"),
    ("2**120", framed({"a": entry((1 << 60, 1 << 60))}, b"\0" * 8), "agree", "a"),
    ("cut data", framed({"a": entry()}, b"\0" * 7), "of 7 bytes of data", "a"),
    ("gap at 0", framed({"a": entry(begin=4, end=12)}, b"\0" * 12), "a gap", "a"),
    (
        "gap",
        framed({"a": entry(), "b": entry(begin=9, end=17)}, b"\0" * 17),
        "a gap: begin 9 after end 8",
        "b",
    ),
    (
        "overlap",
        framed({"a": entry(), "b": entry(begin=4, end=12)}, b"\0" * 12),
        "an overlap: begin 4 after end 8",
        "b",
    ),
    (
        "twice",
        framed(b'{"a":%s,"a":%s}' % (
            json.dumps(entry()).encode(), json.dumps(entry(begin=8, end=16)).encode()
        ), b"\0" * 16),
        "a gap",
        "a",
    ),
    ("after", framed({"a": entry()}, b"\0" * 9), "given 1 bytes after the last", None),
    ("nothing", framed({}, b"\0"), "given 1 bytes after the last", None),
    ("metadata", framed({"__metadata__": {"a": 1}}), "texts to texts", "__metadata__"),
    ("metadata 2", framed({"__metadata__": "a"}), "texts to texts", "__metadata__"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "text", "key"), [b[1:] for b in BAD],
                         ids=[b[0] for b in BAD])  # fmt: skip
def test_refused(data: bytes, text: str, key: str | None, tmp_path: Path) -> None:
    """Bad files raise FormatError with file, key and offset; the reference agrees."""
    file = tmp_path / "bad.safetensors"
    file.write_bytes(data)
    with pytest.raises(fogo.FormatError, match=text) as caught:
        load_safetensors(file, "python")
    assert caught.value.file == str(file)
    assert caught.value.key == key
    assert isinstance(caught.value.offset, int)
    assert f"file={file}" in str(caught.value)
    if not data.startswith(framed({"a": dict(entry(), x=1)})):  # it passes that over
        with pytest.raises(SafetensorError):
            their_load(data)


def test_no_memory_is_taken_for_what_a_header_claims() -> None:
    import tracemalloc

    data = framed({"a": entry((1 << 58,), 0, 1 << 60)}, b"\0" * 64)
    tracemalloc.start()
    with pytest.raises(fogo.FormatError):
        load_bytes(data, "python")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_random_damage_never_passes_unseen() -> None:
    """Change bytes of the header: an error of ours, or what the reference reads."""
    rng = random.Random(5)
    good = dump_bytes({
        "ab": fogo.tensor([1.0, 2.0], device="python"),
        "c": fogo.tensor([[3, 4]], dtype="int16", device="python"),
    }, {"k": "v"})  # fmt: skip
    header = 8 + int.from_bytes(good[:8], "little")
    refused = 0
    for _ in range(3000):
        data = bytearray(good)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(header)] = rng.choice(b'0123456789[]{}",:ab\\ \xff')
        try:
            found = load_bytes(data, "python")
        except fogo.FormatError:
            refused += 1
            continue
        theirs = their_load(bytes(data))
        assert {n: t.tolist() for n, t in found.items()} == {
            n: t.tolist() for n, t in theirs.items()
        }
    assert refused > 2500


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "x.safetensors"
    save_safetensors(file, {"x": fogo.ones(100_000, device="python")})
    with open_safetensors(file, "python") as lazy:
        with file.open("r+b") as other:
            other.truncate(lazy.start + 50_000)
        with pytest.raises(
            fogo.FormatError, match="given 50000 of 400000 bytes"
        ) as caught:
            lazy.load("x")
    assert caught.value.offset == lazy.start + 50_000


def test_writing_fails_before_work_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "m.safetensors"
    save_safetensors(file, {"x": fogo.ones(2, device="python")})
    before = file.read_bytes()
    with pytest.raises(fogo.FormatError, match="values are tensors; given .*list"):
        save_safetensors(file, {"x": [1.0]})  # type: ignore[dict-item]
    with pytest.raises(fogo.FormatError, match="other than __metadata__"):
        save_safetensors(file, {"__metadata__": fogo.ones(1, device="python")})
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(OSError, match="nowhere"):
        save_safetensors(tmp_path / "nowhere" / "m.safetensors", {})
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        save_safetensors(tmp_path / "folder", {"x": fogo.ones(2, device="python")})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "m.safetensors"]


def test_open_files_and_memory(tmp_path: Path) -> None:
    x = {"x": fogo.tensor([1.0, 2.0], device="python")}
    out = io.BytesIO()
    save_safetensors(out, x)
    assert out.getvalue() == dump_bytes(x)
    for data in (out.getvalue(), bytearray(out.getvalue()), memoryview(out.getvalue())):
        assert load_bytes(data, "python")["x"].tolist() == [1.0, 2.0]
    assert load_safetensors(out, "python")["x"].tolist() == [1.0, 2.0]


def test_swapped_arguments_are_told_before_a_file_is_made(tmp_path: Path) -> None:
    state = {"a": fogo.ones(1, device="python")}
    path = tmp_path / "model.safetensors"
    with pytest.raises(fogo.FormatError, match=r"takes \(path, tensors\)"):
        save_safetensors(state, path)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())

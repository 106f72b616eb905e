"""safetensors files, on every runtime."""

import os

import fogo
from fogo.store import (
    dump_bytes,
    load_bytes,
    load_safetensors,
    open_safetensors,
    save_safetensors,
)
from tests.shared.check import equal, raises

# The reference implementation's bytes (safetensors 0.8), made by:
#   safetensors.torch.save({"w": torch.tensor([[1.0, -2.0], [0.5, 3.25]]),
#       "h": torch.tensor([1.5]).half(), "n": torch.tensor(7, dtype=torch.int32),
#       "b": torch.tensor([1.0, -2.5]).bfloat16(), "ok": torch.tensor([True, False])},
#       {"format": "pt"})
HEADER = (
    b'{"__metadata__":{"format":"pt"},'
    b'"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},'
    b'"n":{"dtype":"I32","shape":[],"data_offsets":[16,20]},'
    b'"b":{"dtype":"BF16","shape":[2],"data_offsets":[20,24]},'
    b'"h":{"dtype":"F16","shape":[1],"data_offsets":[24,26]},'
    b'"ok":{"dtype":"BOOL","shape":[2],"data_offsets":[26,28]}}  '
)
DATA = (
    b"\x00\x00\x80?\x00\x00\x00\xc0\x00\x00\x00?\x00\x00P@\x07\x00\x00\x00\x80? \xc0"
    b"\x00>\x01\x00"
)
FILE = b"8\x01\x00\x00\x00\x00\x00\x00" + HEADER + DATA


class scratch:
    """A path that is removed again; MicroPython has no tempfile."""

    def __enter__(self):
        self.path = "fogo-scratch-%d.safetensors" % id(self)
        return self.path

    def __exit__(self, *error):
        for name in (self.path, self.path + ".partial"):
            try:
                os.remove(name)
            except OSError:
                pass


def test_reading_the_references_bytes():
    found = load_bytes(FILE, "python")
    assert list(found.keys()) == ["w", "n", "b", "h", "ok"]
    equal(found["w"], [[1.0, -2.0], [0.5, 3.25]])
    equal(found["n"], 7)
    equal(found["b"], [1.0, -2.5])
    equal(found["h"], [1.5])
    equal(found["ok"], [True, False])
    dtypes = [found[k].dtype.name for k in ("w", "n", "b", "h", "ok")]
    assert dtypes == ["float32", "int32", "bfloat16", "float16", "bool"]


def test_writing_the_references_bytes():
    given = load_bytes(FILE, "python")
    del given["b"]
    data = dump_bytes(given, {"format": "pt"})
    assert data[8:].startswith(b'{"__metadata__":{"format":"pt"},"w":{"dtype":"F32"')
    assert data.endswith(DATA[:20] + DATA[24:])
    again = load_bytes(data, "python")
    assert list(again.keys()) == ["w", "n", "h", "ok"]
    for name in again.keys():
        equal(again[name], given[name].tolist())


def test_a_file_on_disk(device):
    tensors = {"x": fogo.arange(6, dtype="float32", device=device).reshape(2, 3)}
    with scratch() as path:
        save_safetensors(path, tensors, {"a": "b"})
        equal(load_safetensors(path, device)["x"], [[0, 1, 2], [3, 4, 5]])
        with open_safetensors(path, device) as file:
            assert file.keys() == ["x"] and file.metadata == {"a": "b"}
            assert file.entries["x"].shape == (2, 3)
            equal(file["x"], [[0, 1, 2], [3, 4, 5]])
        save_safetensors(path, {"x": tensors["x"] + 1.0})
        equal(load_safetensors(path, device)["x"], [[1, 2, 3], [4, 5, 6]])


def test_half_precision_storage(device):
    data = dump_bytes({"x": fogo.tensor([1.0, 0.1], device=device)}, cast="float16")
    found = load_bytes(data, "python")["x"]
    assert found.dtype is fogo.float16
    equal(found, [1.0, 0.0999755859375])


def framed(header, data=b""):
    return len(header).to_bytes(8, "little") + header + data


def one(body, data=b"\0" * 8):
    return framed(b'{"a":{' + body + b"}}", data)


F32 = b'"dtype":"F32",'
REFUSED = (
    (b"", "given 0 bytes"),
    (b"\x10\x00", "given 2 bytes"),
    ((1 << 60).to_bytes(8, "little") + b"{}", str(1 << 60)),
    (FILE[:100], "in a file of 100 bytes"),
    (FILE[:-1], "the file is cut off; file="),
    (FILE + b"\0", "given 1 bytes after the last"),
    (framed(b"{nonsense"), "the header must be JSON"),
    (framed(b"[1]"), "must be a JSON object; given list"),
    (framed(b'{"a":1}'), "has dtype, shape and data_offsets; given 1"),
    (one(b'"dtype":"F32","shape":[2]'), "has dtype, shape and data_offsets"),
    (one(b'"dtype":"F8","shape":[2],"data_offsets":[0,8]'), "dtype must be one of"),
    (one(F32 + b'"shape":[-2],"data_offsets":[0,8]'), "list of whole numbers"),
    (one(F32 + b'"shape":[2.5],"data_offsets":[0,8]'), "list of whole numbers"),
    (one(F32 + b'"shape":2,"data_offsets":[0,8]'), "list of whole numbers"),
    (one(F32 + b'"shape":[2],"data_offsets":[8,0]'), "must be [begin, end]"),
    (one(F32 + b'"shape":[3],"data_offsets":[0,8]'), "must agree; given shape [3]"),
    (one(F32 + b'"shape":[0,1099511627776,512],"data_offsets":[0,0]'), "below 2**48"),
    (
        one(F32 + b'"shape":[288230376151711744],"data_offsets":[0,%d]' % (1 << 60)),
        "of 8 bytes of data; the file is cut off",
    ),
    (
        one(F32 + b'"shape":[2],"data_offsets":[4,12]', b"\0" * 12),
        "a gap: begin 4 after end 0",
    ),
    (
        framed(
            b'{"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},'
            b'"b":{"dtype":"I8","shape":[4],"data_offsets":[2,6]}}',
            b"\0" * 6,
        ),
        "an overlap: begin 2 after end 4",
    ),
    (framed(b'{"__metadata__":{"a":1}}'), "must map texts to texts"),
)


def test_bad_files_are_refused():
    for data, message in REFUSED:
        with scratch() as path:
            with open(path, "wb") as out:
                out.write(data)
            with raises(fogo.FormatError, "safetensors: ", message, path) as caught:
                load_safetensors(path, "python")
            assert caught.value.offset is not None


def test_a_name_that_is_not_there():
    with raises(fogo.FormatError, "no such tensor; given 'v'", "w, n, b, h, ok"):
        with scratch() as path:
            with open(path, "wb") as out:
                out.write(FILE)
            with open_safetensors(path, "python") as file:
                file.load("v")


def test_what_cannot_be_written():
    with raises(fogo.FormatError, "values are tensors", "key=x"):
        dump_bytes({"x": [1.0]})
    with raises(OSError):
        save_safetensors("no/such/folder/x.safetensors", {})

"""The assembler's bytes: against the format's own examples and wasmtime's assembler."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fogo.wasm.assembler import (
    Module,
    branch_if,
    get,
    invoke,
    memory_op,
    opened,
    put,
    signed,
    unsigned,
)
from fogo.wasm.opcodes import OP

# From the specification of DWARF 5, section 7.6.
UNSIGNED = {2: "02", 127: "7f", 128: "8001", 129: "8101", 12857: "b964"}
SIGNED = {
    2: "02", -2: "7e", 127: "ff00", -127: "817f", 128: "8001", -128: "807f",
    129: "8101", -129: "ff7e",
}  # fmt: skip
CONTROL = "block loop if else end br br_if br_table return call call_indirect".split()


@pytest.mark.parametrize("value", list(UNSIGNED))
def test_unsigned_leb128(value: int) -> None:
    assert unsigned(value).hex() == UNSIGNED[value]


@pytest.mark.parametrize("value", list(SIGNED))
def test_signed_leb128(value: int) -> None:
    assert signed(value).hex() == SIGNED[value]


def test_signed_leb128_of_random_numbers_reads_back() -> None:
    rng = random.Random(0)
    for _ in range(2000):
        value = rng.getrandbits(64) - (1 << 63) >> rng.randrange(64)
        total = 0
        data = signed(value)
        for i, byte in enumerate(data):
            total |= (byte & 0x7F) << 7 * i
        if data[-1] & 0x40:
            total -= 1 << 7 * len(data)
        assert total == value and len(data) <= 10


def test_a_module_by_hand() -> None:
    """(i32) -> i32: x + 1, exported as "inc", over an imported memory."""
    module = Module()
    f = module.function(("i32",), "i32", export="inc")
    f.code.extend(get(0) + OP["i32.const"] + signed(1) + OP["i32.add"])
    by_hand = (
        "00 61 73 6d 01 00 00 00"  # magic, version
        "01 06 01 60 01 7f 01 7f"  # one type: i32 -> i32
        "02 0f 01 03 65 6e 76 06 6d 65 6d 6f 72 79 02 00 01"  # env.memory, min 1
        "03 02 01 00"  # one function, of type 0
        "07 07 01 03 69 6e 63 00 00"  # export "inc"
        "0a 09 01 07 00 20 00 41 01 6a 0b"  # the body
    )
    assert module.encode() == bytes.fromhex(by_hand)


def test_locals_are_declared_in_runs() -> None:
    f = Module().function(("i32",))
    places = [f.local(kind) for kind in ("i32", "i32", "f64", "i32")]
    assert places == [1, 2, 3, 4]
    assert f.encode().hex() == "0803027f017c017f0b"


def test_equal_signatures_are_one_type() -> None:
    module = Module()
    for _ in range(3):
        module.function(("f32", "f32"), "f32").code.extend(get(0))
    assert module.encode()[8:18].hex() == "01070160027d7d017d02"


NUMERIC = [n for n in OP if n not in (*CONTROL, "drop", "select") and "const" not in n]


def assembled(wasmtime: Any, text: str) -> bytes:
    """The bytes that wasmtime's own assembler makes of a function's instructions."""
    module = bytes(wasmtime.wat2wasm(f"(module (memory 1) (func {text}))"))
    body = module[module.index(b"\x0a", 8 + 4) :]
    return body[body.index(b"\x00\x00") + 1 :]


@pytest.mark.parametrize("name", NUMERIC)
def test_every_instruction_is_what_wasmtime_makes_of_its_name(
    name: str, wasmtime: Any
) -> None:
    found = assembled(wasmtime, f"unreachable {name} unreachable")
    moves = ".load" in name or ".store" in name
    ours = memory_op(name) if moves else OP[name]
    assert ours + b"\x00\x0b" in found


def test_control_flow_runs(wasmtime: Any) -> None:
    """1 + 2 + … + n by a loop, and a call; validated and run by wasmtime."""
    module = Module()
    total = module.function(("i32",), "i32", export="total")
    twice = module.function(("i32",), "i32")
    twice.code.extend(get(0) + get(0) + OP["i32.add"])
    acc = total.local("i32")
    total.code.extend(
        opened("block") + get(0) + OP["i32.eqz"] + branch_if(0) + opened("loop")
        + get(acc) + get(0) + OP["i32.add"] + put(acc)
        + get(0) + OP["i32.const"] + signed(-1) + OP["i32.add"] + b"\x22\x00"
        + branch_if(0) + OP["end"] + OP["end"] + get(acc) + invoke(twice.index)
    )  # fmt: skip
    store = wasmtime.Store()
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
    compiled = wasmtime.Module(store.engine, module.encode())
    run = wasmtime.Instance(store, compiled, [memory]).exports(store)["total"]
    assert [run(store, n) for n in (0, 1, 10)] == [0, 2, 110]

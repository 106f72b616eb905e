"""A small WebAssembly assembler: functions of bytes in, a module's bytes out.

    module = Module()
    f = module.function(("f64",), "f64", export="twice")
    f.code.extend(get(0) + get(0) + OP["f64.add"])
    data = module.encode()

A module imports one memory, `env.memory`, and takes whatever size it has.
"""

from __future__ import annotations

from .opcodes import OP, TYPES


def unsigned(n):
    """LEB128 of a non-negative integer.

    Example:
        >>> unsigned(624485)
        b'\\xe5\\x8e&'
    """
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def signed(n):
    """Signed LEB128 of an integer.

    Example:
        >>> signed(-123456)
        b'\\xc0\\xbbx'
    """
    out = bytearray()
    while n < -64 or n > 63:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n & 0x7F)
    return bytes(out)


def get(index):
    """Push a local."""
    return b"\x20" + unsigned(index)


def put(index):
    """Pop into a local."""
    return b"\x21" + unsigned(index)


def tee(index):
    """Store the top of the stack in a local and keep it."""
    return b"\x22" + unsigned(index)


def branch_if(depth):
    """Pop; leave `depth` blocks further out (or go on with a loop) unless it is 0."""
    return OP["br_if"] + unsigned(depth)


def invoke(index):
    """Call a function of the module."""
    return OP["call"] + unsigned(index)


def opened(op, result=None):
    """Begin a block, loop or if that leaves one value of type `result`, or none."""
    return OP[op] + (TYPES[result] if result else b"\x40")


def memory_op(name, offset=0):
    """A load or store; the address is on the stack, `offset` is added to it."""
    return OP[name] + ALIGNMENT[name] + unsigned(offset)


def _alignment(name):
    """log2 of the bytes that an access touches: a promise, and the default."""
    width = name.split("load")[-1].split("store")[-1].split("_")[0]
    bits = int(width) if width else int(name[1:3])
    return bytes([{8: 0, 16: 1, 32: 2, 64: 3}[bits]])


ALIGNMENT = {n: _alignment(n) for n in OP if ".load" in n or ".store" in n}


class Function:
    """One function: parameters, result (or None), locals, and its code so far."""

    def __init__(self, index, params, result):
        self.index = index
        self.params = tuple(params)
        self.result = result
        self.locals = []
        self.code = bytearray()

    def local(self, kind):
        """Add a local variable of a type; returns its index."""
        self.locals.append(kind)
        return len(self.params) + len(self.locals) - 1

    def encode(self):
        runs = []
        for kind in self.locals:
            if runs and runs[-1][1] == kind:
                runs[-1][0] += 1
            else:
                runs.append([1, kind])
        head = [unsigned(n) + TYPES[kind] for n, kind in runs]
        body = _vector(head) + bytes(self.code) + OP["end"]
        return unsigned(len(body)) + body


class Module:
    """Functions in the order they were added, some exported by name."""

    def __init__(self):
        self.functions = []
        self.exports = []

    def function(self, params, result=None, export=None):
        """Add a function; its code may be written later."""
        made = Function(len(self.functions), params, result)
        self.functions.append(made)
        if export is not None:
            self.exports.append((export, made.index))
        return made

    def encode(self):
        """Return the module's binary format."""
        types = []
        uses = []
        for f in self.functions:
            signature = _signature(f)
            if signature not in types:
                types.append(signature)
            uses.append(unsigned(types.index(signature)))
        memory = _name("env") + _name("memory") + b"\x02\x00\x01"
        exports = [_name(n) + b"\x00" + unsigned(i) for n, i in self.exports]
        sections = (
            (1, types),
            (2, [memory]),
            (3, uses),
            (7, exports),
            (10, [f.encode() for f in self.functions]),
        )
        out = b"\x00asm\x01\x00\x00\x00"
        for number, items in sections:
            body = _vector(items)
            out += bytes([number]) + unsigned(len(body)) + body
        return out


def _signature(f):
    results = (f.result,) if f.result else ()
    params = [TYPES[t] for t in f.params]
    return b"\x60" + _vector(params) + _vector([TYPES[t] for t in results])


def _vector(items):
    return unsigned(len(items)) + b"".join(items)


def _name(text):
    data = text.encode()
    return unsigned(len(data)) + data

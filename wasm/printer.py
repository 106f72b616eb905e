"""Prints a kernel as a WebAssembly module with one exported function, `run`.

Its parameters are the addresses of the arrays, then the kernel's parameters; a 64-bit
integer among them comes as two i32, the lower half first. Grid and loops become
nested loops; see address.py for how array elements are found.
"""

from __future__ import annotations

from fogo.dtypes import float16, float32
from fogo.expr import INDEX, Expr, literal
from fogo.kernel.ir import Assign, Declare, Kernel, Let, Load, Loop, Store

from . import library
from .address import NOWHERE, Scope, product, total
from .assembler import (
    Module,
    branch_if,
    get,
    invoke,
    memory_op,
    opened,
    put,
    signed,
    tee,
)
from .jam import COUNT, axis_to_jam, jam
from .machine import kind_of
from .opcodes import OP
from .pointers import Pointers

# What a load or store of a dtype is called; the i32 ones by width and sign.
ACCESS = {"bool": "8_u", "float16": "16_u", "int8": "8_s", "uint8": "8_u",
          "int16": "16_s", "uint16": "16_u"}  # fmt: skip
REACH = 4096  # constant offsets up to here go into the instruction


def print_kernel(kernel):
    """Return (bytes of the module, kinds): a letter i, f or d per parameter of run."""
    module = Module()
    functions = _Functions(module)
    params = ["i32"] * len(kernel.arrays)
    for _, dtype in kernel.params:
        kind = kind_of(dtype)
        params.extend(["i32", "i32"] if kind == "i64" else [kind])
    run = Printer(module.function(params, export="run"), functions)
    run.kernel(kernel)
    functions.finish()
    letters = {"i32": "i", "f32": "f", "f64": "d"}
    return module.encode(), "".join([letters[p] for p in params])


class _Functions:
    """The library functions that a module calls, printed when the rest is."""

    def __init__(self, module):
        self.module = module
        self.made = {}
        self.waiting = []

    def index(self, name):
        made = self.made.get(name)
        if made is None:
            found = library.find(name)
            made = self.module.function(
                [kind_of(d) for d in found[1]], kind_of(found[2])
            )
            self.made[name] = made
            self.waiting.append((name, made, found))
        return made.index

    def finish(self):
        while self.waiting:
            name, made, (function, dtypes, _) = self.waiting.pop()
            k = Kernel(name)
            args = [k.param(("argument", i, 0), d) for i, d in enumerate(dtypes)]
            result = function(k, *args)
            Printer(made, self).function(k, result)


class Printer(Pointers):
    """Prints one function; `depth` counts the loops around the current place."""

    def __init__(self, out, functions):
        Pointers.__init__(self, out, functions)
        self.code = bytearray()

    def function(self, k, result):
        """The whole of a library function."""
        for i, (name, dtype) in enumerate(k.params):
            self.names[name] = (i, kind_of(dtype))
            self.atoms.depths[name] = 0
        self.block(k.body)
        self.code.extend(self.expression(result))
        self.out.code = self.code

    def kernel(self, k):
        """The whole of a kernel's `run`."""
        for i, array in enumerate(k.arrays):
            self.names[array.name] = (i, "i32")
            self.atoms.depths[array.name] = 0
        self._parameters(k, len(k.arrays))
        axis = axis_to_jam(k)
        if axis is None:
            self.widened = accumulators(k.body)
            self._grid(k, 0, None, k.body)
        else:
            body = jam(k, axis)
            self.widened = accumulators(k.body + body)
            self._grid(k, 0, axis, body)
        self.out.code = self.code

    def _parameters(self, k, place):
        for (name, dtype), source in zip(k.params, k.sources):
            kind = kind_of(dtype)
            self.names[name] = (place, kind)
            self.atoms.depths[name] = 0
            if source[0] in ("size", "offset"):
                self.natural.add(name)
            if kind == "i64":
                whole = self.out.local("i64")
                self.names[name] = (whole, kind)
                self.code.extend(
                    get(place) + OP["i64.extend_i32_u"] + get(place + 1)
                    + OP["i64.extend_i32_u"] + OP["i64.const"] + signed(32)
                    + OP["i64.shl"] + OP["i64.or"] + put(whole)
                )  # fmt: skip
                place += 1
            place += 1

    def _grid(self, k, d, axis, body):
        """Loops over the grid from axis `d` on; `body` jams points along `axis`."""
        if d == len(k.dims):
            self.block(body)
            return
        coord, size = k.coords[d], k.dims[d]
        zero = literal(0, INDEX)
        if coord.op == "const":
            self._grid(k, d + 1, axis, body)
        elif d != axis:
            self.loop(coord, zero, size, 1, lambda: self._grid(k, d + 1, axis, body))
        else:
            whole = size // COUNT * COUNT
            self.loop(
                coord, zero, whole, COUNT, lambda: self._grid(k, d + 1, None, body)
            )
            self.loop(coord, whole, size, 1, lambda: self._grid(k, d + 1, None, k.body))

    # Statements.

    def block(self, statements):
        for s in statements:
            self.statement(s)

    def statement(self, s):
        if isinstance(s, Assign):
            self._assign(s)
        elif isinstance(s, Let):
            self._define(s.target, self.expression(s.value), isinstance(s, Declare))
            if not isinstance(s, Declare) and self.lowering.natural(s.value):
                self.natural.add(s.target.args[0])
        elif isinstance(s, Load):
            self._define(s.target, self._load(s), False)
        elif isinstance(s, Store):
            self._store(s)
        elif isinstance(s, Loop):
            self.loop(s.target, s.start, s.stop, s.step, lambda: self.block(s.body))
        else:
            self.code.extend(self.expression(s.cond) + opened("if"))
            self.block(s.body)
            if s.orelse:
                self.code.extend(OP["else"])
                self.block(s.orelse)
            self.code.extend(OP["end"])

    def _define(self, target, code, mutable):
        name = target.args[0]
        kind = kind_of(target.dtype)
        if name in self.widened:
            kind = "f64"
            code += OP["f64.promote_f32"]
        local = self.out.local(kind)
        self.names[name] = (local, kind)
        self.atoms.depths[name] = NOWHERE if mutable else self.depth
        self.code.extend(code + put(local))

    def _assign(self, s):
        name = s.target.args[0]
        local = self.names[name][0]
        if name in self.widened:
            code = self._accumulate(s.value, s.target, local)
        else:
            code = self.expression(s.value)
        self.code.extend(code + put(local))

    def _accumulate(self, value, cell, local):
        """cell = cell + x in f64, though both are float32."""
        a, b = value.args
        other = b if a is cell else a
        code = self.expression(other) + OP["f64.promote_f32"]
        return get(local) + code + OP["f64." + value.op]

    def loop(self, target, start, stop, step, body):
        """A counted loop, with the code of its pointers before and after the body."""
        first, last = self.expression(start), self.expression(stop)
        counter = self.out.local("i32")
        self.code.extend(first + put(counter))
        if stop.op != "const":
            local = self.out.local("i32")
            self.code.extend(last + put(local))
            last = get(local)
        scope, inner = self._inside(target, start, step, counter, body)
        more = OP["i32.lt_s" if step > 0 else "i32.gt_s"]
        runs = get(counter) + last + more + OP["i32.eqz"] + branch_if(0)
        turn = get(counter) + OP["i32.const"] + signed(step) + OP["i32.add"]
        turn += tee(counter) + last + more + branch_if(0)
        self.code.extend(
            opened("block") + runs + scope.before + opened("loop") + inner
            + scope.after + turn + OP["end"] + OP["end"]
        )  # fmt: skip

    def _inside(self, target, start, step, counter, body):
        """Print the body of a loop; returns its Scope and the code."""
        name = target.args[0]
        origin = self.atoms.polynomial(start)
        if step > 0 and self.lowering.natural(start):
            self.natural.add(name)
        self.names[name] = (counter, "i32")
        self.atoms.depths[name] = self.depth + 1
        scope = Scope(self.atoms.number(target), origin, step)
        self.scopes.append(scope)
        outside = self.code
        self.code = bytearray()
        body()
        inner = self.code
        self.code = outside
        self.scopes.pop()
        return scope, inner

    # Memory.

    def _load(self, s):
        dtype = s.array.dtype
        code = self._access(s.array, s.index, "load")
        if dtype is float16:
            code += invoke(self.functions.index("half_value"))
        return code

    def _store(self, s):
        dtype = s.array.dtype
        value = self.expression(s.value)
        if dtype is float16:
            value += OP["f64.promote_f32"] + invoke(self.functions.index("half_bits"))
        code, instruction = self._place(s.array, s.index, "store")
        self.code.extend(code + value + instruction)

    def _access(self, array, index, action):
        code, instruction = self._place(array, index, action)
        return code + instruction

    def _place(self, array, index, action):
        """(code that pushes the address, the load or store that follows)."""
        size = array.dtype.itemsize
        base = {(self.atoms.number(Expr("var", (array.name,), INDEX)),): 1}
        p = total(base, product(self.atoms.polynomial(index), {(): size}))
        offset = p.get((), 0)
        if 0 < offset < REACH:
            del p[()]
        else:
            offset = 0
        width = ACCESS.get(array.dtype.name, "")
        if width:
            name = "i32." + action + (width if action == "load" else width[:-2])
        else:
            name = kind_of(array.dtype) + "." + action
        return self.address(p, self.depth), memory_op(name, offset)


def accumulators(statements):
    """Names of float32 cells that only ever add up: sums keep f64's digits for free."""
    adds = {}
    work = list(statements)
    while work:
        s = work.pop()
        if isinstance(s, Assign):
            name = s.target.args[0]
            adds[name] = adds.get(name, True) and _adds(s)
        elif isinstance(s, Loop):
            work.extend(s.body)
        elif not isinstance(s, (Let, Load, Store)):
            work.extend(s.body)
            work.extend(s.orelse)
    return {name for name in adds if adds[name]}


def _adds(s):
    value = s.value
    if s.target.dtype is not float32 or value.op not in ("add", "sub", "mul"):
        return False
    a, b = value.args
    return a is s.target or (b is s.target and value.op != "sub")

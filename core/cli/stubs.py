"""Writes the type stubs from the public functions: `python -m fogo.cli.stubs`.

`methods.pyi` lists what a Tensor can do, `__init__.pyi` what `fogo.` offers. Both come
from the signatures in fogo.ops: `T` becomes `Self` in a method, and each function or
method that takes further tensors is overloaded, so that an untracked tensor combined
with a tracked one is known to be tracked. `--check` says whether they are fresh.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import ops

CORE = Path(__file__).resolve().parents[1]
HEAD = '"""Made by `python -m fogo.cli.stubs` from the functions of fogo.ops."""\n\n'
EMPTY = inspect.Parameter.empty
KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY

METHODS_HEAD = (
    HEAD
    + """from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Sequence
from typing import Any, Self, overload

from .device import Device
from .dtypes import DType
from .tensor import Tensor, Tracked
"""
)
METHODS_CLASS = """
class Methods:
"""
INIT_HEAD = (
    HEAD
    + """from builtins import bool as _bool
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

"""
)
INIT_TYPES = """
T = TypeVar("T", bound=Tensor)

__version__: str
__array_api_version__: str
bool: DType

def __array_namespace_info__() -> Info: ...
"""

# Operators: name, and what stands on the other side beside a tensor.
BINARY = (
    ("add", "float"), ("sub", "float"), ("mul", "float"), ("truediv", "float"),
    ("floordiv", "float"), ("mod", "float"), ("pow", "float"), ("matmul", ""),
    ("and", "int"), ("or", "int"), ("xor", "int"), ("lshift", "int"),
    ("rshift", "int"), ("lt", "float"), ("le", "float"), ("gt", "float"),
    ("ge", "float"), ("eq", "float"), ("ne", "float"),
)  # fmt: skip
REFLECTED = (
    ("add", "float"), ("sub", "float"), ("mul", "float"), ("truediv", "float"),
    ("floordiv", "float"), ("mod", "float"), ("pow", "float"), ("and", "int"),
    ("or", "int"), ("xor", "int"), ("lshift", "int"), ("rshift", "int"),
)  # fmt: skip
UNARY = ("neg", "pos", "abs", "invert")


def retyped(annotation: str, change: dict[str, str]) -> str:
    """Return an annotation with names replaced.

    Example:
        >>> retyped("tuple[T, T]", {"T": "Self"})
        'tuple[Self, Self]'
    """

    class Rename(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.Name(change.get(node.id, node.id))

    return ast.unparse(Rename().visit(ast.parse(annotation, mode="eval")))


def names_in(annotation: str) -> set[str]:
    """Return the names that an annotation uses."""
    tree = ast.parse(annotation, mode="eval")
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


class Signature:
    """A public function's parameters, as (name, annotation, default, kind)."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        signature = inspect.signature(function)
        self.name = name
        self.parameters = list(signature.parameters.values())
        self.returns = str(signature.return_annotation)
        self.doc = (function.__doc__ or "").strip().split("\n")[0]
        self.prefix = "async def" if inspect.iscoroutinefunction(function) else "def"
        for p in self.parameters:
            if p.annotation is EMPTY:
                raise TypeError(f"{name}: parameter {p.name} has no annotation")

    def tensors(self) -> list[str]:
        """Names of the parameters after the first that may hold a tensor."""
        return [
            p.name
            for p in self.parameters[1:]
            if names_in(str(p.annotation)) & {"T", "Tensor"}
        ]

    def makes(self) -> bool:
        """Whether it makes a tensor on the device that a parameter names."""
        return self.returns == "Tensor" and "device" in [
            p.name for p in self.parameters
        ]

    def line(
        self,
        first: str | None,
        change: dict[str, str],
        tracked: str = "",
        returns: str = "",
    ) -> str:
        """Return one stub; `tracked` names the parameter that must be tracked."""
        parts = [first] if first else []
        starred = False
        for p in self.parameters[1:] if first else self.parameters:
            required = p.name == tracked and tracked == "device"
            if (p.kind is KEYWORD_ONLY or required) and not starred:
                if not any(x.startswith("*") for x in parts):
                    parts.append("*")
                starred = True
            parts.append(self._parameter(p, change, tracked))
        returns = returns or retyped(self.returns, change)
        return f"{self.prefix} {self.name}({', '.join(parts)}) -> {returns}"

    def _parameter(
        self, p: inspect.Parameter, change: dict[str, str], tracked: str
    ) -> str:
        star = "*" if p.kind is inspect.Parameter.VAR_POSITIONAL else ""
        annotation = retyped(str(p.annotation), change)
        if p.name == tracked:
            annotation = "AutodiffDevice" if tracked == "device" else "Tracked"
            return f"{star}{p.name}: {annotation}"
        default = "" if p.default is EMPTY else f" = {p.default!r}"
        return f"{star}{p.name}: {annotation}{default}"


def forms(signature: Signature, method: bool) -> Iterator[str]:
    """Yield the overloads of a function or method."""
    first = "self" if method else None
    kind = "Self" if method else "T"
    own = {"T": "Tensor"}
    generics = {"T": kind}
    # The namespace has a dtype of this name, tensors have methods of these.
    for hidden in ("bool", "float", "int") if method else ("bool",):
        own[hidden] = generics[hidden] = "_" + hidden
    if signature.makes():
        yield signature.line(None, own, "device", "Tracked")
        yield signature.line(None, own)
        return
    generic = "T" in names_in(signature.returns)
    for name in signature.tensors() if generic else ():
        returns = retyped(signature.returns, {**own, "T": "Tracked"})
        line = signature.line(first, own, name, returns)
        yield required_before(line, signature, name)
    yield signature.line(first, generics)


def required_before(line: str, signature: Signature, name: str) -> str:
    """Make a tracked parameter without default legal after ones with defaults."""
    before = signature.parameters[: [p.name for p in signature.parameters].index(name)]
    own = next(p for p in signature.parameters if p.name == name)
    if own.kind is KEYWORD_ONLY or all(p.default is EMPTY for p in before):
        return line
    return line.replace(f", {name}: Tracked", f", *, {name}: Tracked")


def written(lines: list[str], doc: str, indent: str) -> Iterator[str]:
    """Yield a function's stubs; the last carries its docstring."""
    for i, line in enumerate(lines):
        if len(lines) > 1:
            yield f"{indent}@overload"
        if i < len(lines) - 1 or not doc:
            yield f"{indent}{line}: ..."
        else:
            yield f"{indent}{line}:"
            yield f'{indent}    """{doc}"""'


def public() -> Iterator[tuple[str, Callable[..., Any], ModuleType]]:
    """Yield (name, function, module) for each public name, in order of modules."""
    seen = set()
    for module in ops.MODULES:
        room = ops.load(module)
        for name in sorted(room.__all__):
            if name not in seen:
                seen.add(name)
                yield name, getattr(room, name), room


def results() -> Iterator[str]:
    """Yield imports of the classes that public functions return: named tuples."""
    found = set()
    for name, function, room in public():
        for other in names_in(Signature(name, function).returns):
            kind = getattr(room, other, None)
            home = kind.__module__ if isinstance(kind, type) else ""
            if home.startswith("fogo.ops."):
                found.add((home.removeprefix("fogo"), other))
    for module, name in sorted(found):
        yield f"from {module} import {name} as {name}"


def operators() -> Iterator[str]:
    """Yield the stubs of `x + y` and its like."""
    for name, other in BINARY:
        union = f"Tensor | _{other}" if other else "Tensor"
        # object says that they take anything and give a bool.
        wrong = "  # type: ignore[override]" if name in ("eq", "ne") else ""
        yield f"    @overload{wrong}"
        yield f"    def __{name}__(self, other: Tracked, /) -> Tracked: ..."
        yield "    @overload"
        yield f"    def __{name}__(self, other: {union}, /) -> Self: ..."
    for name, other in REFLECTED:
        yield f"    def __r{name}__(self, other: _{other}, /) -> Self: ..."
    for name in UNARY:
        yield f"    def __{name}__(self) -> Self: ..."
    yield "    def __hash__(self) -> _int: ..."


def habits() -> Iterator[str]:
    """Yield the stubs of the methods that are no functions of fogo.ops."""
    from ..habits import inplace
    from ..habits import methods as own

    for name in own.names():
        signature = Signature(name, own.method(name))
        if name in own.METHODS:
            yield from written(list(forms(signature, True)), signature.doc, "    ")
            continue
        change = {"T": "Self", "bool": "_bool", "float": "_float", "int": "_int"}
        line = signature.line("self", change, returns="Self")
        doc = signature.doc if name in inplace.SPECIAL else f"`{name[:-1]}`, in place."
        yield from written([line], doc, "    ")


def methods() -> str:
    """Return the text of methods.pyi."""
    lines = list(operators())
    for name, function, room in public():
        if name in room.NOT_METHODS:
            continue
        signature = Signature(name, function)
        lines += written(list(forms(signature, True)), signature.doc, "    ")
    lines += habits()
    head = METHODS_HEAD + "\n".join(results()) + "\n" + METHODS_CLASS
    return head + "\n".join(lines) + "\n"


def reexports() -> Iterator[str]:
    """Yield the imports of fogo/__init__.py, as re-exports."""
    tree = ast.parse((CORE / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for a in sorted(node.names, key=lambda a: a.name):
                yield f"from .{node.module} import {a.name} as {a.name}"


def init() -> str:
    """Return the text of __init__.pyi."""
    import fogo

    homes: dict[str, str] = vars(fogo)["_HOMES"]
    rooms: tuple[str, ...] = vars(fogo)["_ROOMS"]
    lines = [f"from . import {room} as {room}" for room in sorted(rooms)]
    lines.append("from .namespace import Info")
    lines += reexports()
    lines += results()
    functions = []
    for name, home in sorted(homes.items()):
        if home == "random":
            functions.append((name, getattr(fogo, name)))
        else:
            lines.append(f"from .{home} import {name} as {name}")
    functions += [(name, function) for name, function, _ in public()]
    body: list[str] = []
    for name, function in functions:
        signature = Signature(name, function)
        body += written(list(forms(signature, False)), signature.doc, "")
    return INIT_HEAD + "\n".join(lines) + "\n" + INIT_TYPES + "\n".join(body) + "\n"


def stubs() -> dict[Path, str]:
    """Return each stub's path and the text it should have."""
    return {CORE / "methods.pyi": methods(), CORE / "__init__.pyi": init()}


def main(arguments: list[str]) -> int:
    """Write the stubs, or with --check say which are not fresh."""
    stale = [
        path
        for path, text in stubs().items()
        if not path.exists() or path.read_text() != text
    ]
    for path in stale:
        print(f"{path.name}: {'not fresh' if '--check' in arguments else 'written'}")
        if "--check" not in arguments:
            path.write_text(stubs()[path])
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

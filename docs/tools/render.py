"""Markdown from objects: a heading, the signature, and the docstring's sections."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from docs.tools.public import Room, members

EMPTY = inspect.Parameter.empty


class Bare(str):
    """An annotation that shows as it is written, without quotes."""

    def __repr__(self) -> str:
        return str(self)


def page(room: Room) -> str:
    """Return the page of a room: its introduction, then each name."""
    intro = prose(room.module.__doc__ or "")
    parts = [f"# {room.title}\n", intro]
    for name, value in room.names:
        parts += entry(name, value)
    return "\n".join(parts) + "\n"


def entry(name: str, value: Any) -> Iterator[str]:
    """Yield the Markdown of one name."""
    yield f"\n## `{name}` {{ #{name} }}\n"
    short = name.rsplit(".", 1)[-1]
    if not callable(value):
        yield f"`{value!r}`"
        return
    yield code(signature(short, value), "python")
    yield prose(inspect.getdoc(value) or "")
    if inspect.isclass(value):
        for method, how in members(value):
            yield f"\n### `{short}.{method}` {{ #{name}.{method} }}\n"
            if not isinstance(how, property):
                yield code(signature(method, how), "python")
            yield prose(inspect.getdoc(how) or "")


def signature(name: str, value: Any) -> str:
    """Return a signature, on one line or a line for each argument."""
    try:
        known = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    made = [
        p.replace(annotation=_bare(p.annotation), default=_default(p.default))
        for p in known.parameters.values()
        if p.name != "self"
    ]
    back = known.return_annotation
    back = EMPTY if inspect.isclass(value) else _bare(back)
    text = name + str(inspect.Signature(made, return_annotation=back))
    if len(text) <= 88 or not made:
        return text
    head, tail = f"{name}(\n", str(inspect.Signature([], return_annotation=back))[1:]
    whole = str(inspect.Signature(made))[1:-1]
    return head + "".join(f"    {line},\n" for line in _split(whole)) + tail


def _bare(annotation: Any) -> Any:
    return Bare(annotation) if isinstance(annotation, str) else annotation


def _default(default: Any) -> Any:
    # What shows as <… at 0x…> has a name that says more.
    text = repr(default)
    if default is EMPTY or not text.startswith("<"):
        return default
    return Bare(getattr(default, "__name__", "…"))


def _split(text: str) -> Iterator[str]:
    """Yield the parts between the commas that are in no brackets or quotes."""
    depth, start, quoted = 0, 0, False
    for i, char in enumerate(text):
        quoted ^= char == "'"
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth and not quoted:
            yield text[start:i].strip()
            start = i + 1
    yield text[start:].strip()


def code(text: str, language: str) -> str:
    """Return a fenced block."""
    return f"```{language}\n{text}\n```\n"


def prose(text: str) -> str:
    """Return a docstring as Markdown: examples fenced, columns kept, the rest as is."""
    blocks = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return "\n\n".join(_block(b) for b in _joined(blocks))


def _joined(blocks: list[str]) -> list[str]:
    """Put the blocks of an example, which are all indented, back together."""
    found: list[str] = []
    for block in blocks:
        if found and found[-1].startswith("Example:") and block.startswith("    "):
            found[-1] += "\n\n" + block
        else:
            found.append(block)
    return found


def _block(block: str) -> str:
    lines = block.split("\n")
    for i, line in enumerate(lines):
        if line.rstrip() in ("Example:", "Examples:"):
            inside = inspect.cleandoc("\n" + "\n".join(lines[i + 1 :]))
            before = _block("\n".join(lines[:i])) + "\n\n" if i else ""
            return f"{before}Example:\n\n{code(inside, 'pycon')}"
    if any(re.match(r"\s|\S+ {2,}\S", line) for line in lines):
        return code(block, "text")
    marks = r"^(Shapes?|Raises|Dtypes?|Returns|Args|Formula|Cost):"
    return "\n".join(re.sub(marks, r"\n**\1:**", line) for line in lines)

"""How a module shows itself: an indented tree with sizes and parameter counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .module import Module


def describe(module: Module) -> str:
    """Return the tree of a module, one line a module, its parameters counted."""
    lines: list[str] = []
    _add(lines, "", module, 0)
    return "\n".join(lines)


def _add(lines: list[str], name: str, module: Module, depth: int) -> None:
    indent = "  " * depth
    label = "(%s): " % name if name else ""
    head = "%s%s%s(%s" % (indent, label, type(module).__name__, module.extra_repr())
    tail = ")" + count(module)
    children = module.named_children()
    if not children:
        lines.append(head + tail)
        return
    lines.append(head)
    for child, below in children:
        _add(lines, child, below, depth + 1)
    lines.append(indent + tail)


def count(module: Module) -> str:
    """Return " · 1,234 parameters", with how many of them are frozen."""
    total = module.num_params()
    if not total:
        return ""
    frozen = total - module.num_params(trainable=True)
    text = " · %s parameter%s" % (grouped(total), "" if total == 1 else "s")
    return text + (", %s frozen" % grouped(frozen) if frozen else "")


def grouped(n: int) -> str:
    """Write a number with commas: MicroPython has no "," in format strings.

    Example:
        >>> grouped(1234567)
        '1,234,567'
    """
    digits = str(n)
    parts: list[str] = []
    while len(digits) > 3:
        parts.append(digits[-3:])
        digits = digits[:-3]
    parts.append(digits)
    return ",".join(reversed(parts))

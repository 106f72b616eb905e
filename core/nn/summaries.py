"""A table of a model's layers: what they give out, and how much they hold."""

from __future__ import annotations

from typing import Any

from .describe import grouped
from .module import Module


class Summary:
    """Rows (depth, name, kind, output shape, parameters); `str()` is the table.

    total, trainable: how many parameters there are; size_bytes: of these and buffers.
    """

    def __init__(self, rows: list[Any], module: Any) -> None:
        self.rows = rows
        self.total = module.num_params()
        self.trainable = module.num_params(trainable=True)
        tensors = module.parameters() + module.buffers()
        self.size_bytes = sum([t.size * t.dtype.itemsize for t in tensors])

    def __str__(self) -> str:
        head = ["layer", "output", "parameters"]
        cells = [head] + [
            ["  " * depth + (name + ": " if name else "") + kind, shape, count]
            for depth, name, kind, shape, count in self.rows
        ]
        wide = [max([len(row[i]) for row in cells]) for i in range(3)]
        lines = [
            "%s  %s  %s" % (_left(a, wide[0]), _left(b, wide[1]), _right(c, wide[2]))
            for a, b, c in cells
        ]
        rule = "-" * len(lines[0])
        frozen = self.total - self.trainable
        foot = "parameters: %s (%s trainable, %s frozen); %s bytes" % (
            grouped(self.total), grouped(self.trainable), grouped(frozen),
            grouped(self.size_bytes),
        )  # fmt: skip
        return "\n".join(lines[:1] + [rule] + lines[1:] + [rule, foot])

    __repr__ = __str__


def _left(text, width):
    return text + " " * (width - len(text))


def _right(text, width):
    return " " * (width - len(text)) + text


def summary(module: Module, *inputs: Any, depth: int = 8, **kwargs: Any) -> Summary:
    """Return a table of a module's layers down to a depth.

    With inputs the module is called with them, for the shapes of what layers give out.

    Example:
        >>> import fogo
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        >>> print(nn.summary(net, fogo.ones(2, 4)))
        layer        output  parameters
        -------------------------------
        Sequential   [2, 8]          40
          0: Linear  [2, 8]          40
          1: ReLU    [2, 8]           -
        -------------------------------
        parameters: 40 (40 trainable, 0 frozen); 160 bytes
    """
    shapes: list[tuple[Any, str]] = []
    if inputs or kwargs:
        shapes = _seen(module, inputs, kwargs)
    rows: list[Any] = []
    _add(rows, "", module, 0, depth, shapes)
    return Summary(rows, module)


def _seen(module, inputs, kwargs):
    """(module, shape of what it gave out) of a call."""
    found = []
    handles = [
        m.register_forward_hook(lambda m, _, out: found.append((m, _shape(out))))
        for m in module.modules()
    ]
    try:
        module(*inputs, **kwargs)
    finally:
        for handle in handles:
            handle.remove()
    return found


def _shape(out):
    if hasattr(out, "shape"):
        return str(list(out.shape))
    if isinstance(out, (list, tuple)):
        return ", ".join([_shape(part) for part in out if part is not None])
    return type(out).__name__


def _add(rows, name, module, depth, limit, shapes):
    shape = ""
    for known, text in shapes:
        if known is module:
            shape = text
    count = module.num_params()
    kind = type(module).__name__
    rows.append((depth, name, kind, shape, grouped(count) if count else "-"))
    if depth < limit:
        for child, below in module.named_children():
            _add(rows, child, below, depth + 1, limit, shapes)

"""How tensors look when printed: NumPy's layout, shortened where they are large."""

from __future__ import annotations

from typing import Any

THRESHOLD = 1000
EDGE = 3
_options: dict[str, Any] = {
    "threshold": THRESHOLD, "edge_items": EDGE, "precision": 4, "linewidth": 0,
    "sci_mode": None,
}  # fmt: skip


def set_print_options(
    threshold: int | None = None,
    edge_items: int | None = None,
    precision: int | None = None,
    linewidth: int | None = None,
    sci_mode: bool | str | None = None,
) -> None:
    """Change when printing shortens, how many items it keeps, how many digits.

    linewidth: columns after which a row goes on in the next line; 0 for never.
    sci_mode: True for exponents always, False for never, "auto" where digits need it.

    Example:
        >>> set_print_options(precision=4)
    """
    given = {
        "threshold": threshold, "edge_items": edge_items, "precision": precision,
        "linewidth": linewidth, "sci_mode": sci_mode,
    }  # fmt: skip
    for name in given:
        value = given[name]
        if value is not None:
            _options[name] = None if value == "auto" else value


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    sci_mode: bool | str | None = None,
) -> None:
    """`set_print_options`, by PyTorch's and NumPy's name and order."""
    set_print_options(threshold, edgeitems, precision, linewidth, sci_mode)


def format_tensor(t) -> str:
    """Return `tensor([...], dtype=…, device=…)`; raises DeviceError if unreadable."""
    short = t.size > _options["threshold"]
    shown = _edges(t) if short else t
    values = shown.tolist()
    flat = _flat(values)
    whole = all(_is_whole(v) for v in flat)
    width = max([len(_number(v, t.dtype, whole)) for v in flat] + [0])
    cuts = [short and n > 2 * _options["edge_items"] for n in t.shape]
    body = _rows(values, cuts, (t.dtype, whole), width, 7)
    tail = "" if t.dtype.name in ("float32", "bool") else ", dtype=" + t.dtype.name
    if 0 in t.shape:
        tail += ", shape=" + str(t.shape)
    return "tensor(%s%s, device=%s)" % (body, tail, t.device.name)


def _edges(t):
    """The corners of a large tensor, gathered on its device before reading."""
    from .ops.movement import concat, narrow

    edge = _options["edge_items"]
    for axis, n in enumerate(t.shape):
        if n > 2 * edge:
            t = concat(
                [narrow(t, axis, 0, edge), narrow(t, axis, n - edge, edge)], axis
            )
    return t


def _flat(values):
    out = []
    stack = [values]
    while stack:
        v = stack.pop()
        if isinstance(v, list):
            stack.extend(v)
        else:
            out.append(v)
    return out


def _is_finite(v):
    return v == v and v not in (float("inf"), -float("inf"))


def _is_whole(v):
    # nan and the infinities look the same beside any number.
    if isinstance(v, complex):
        return _is_whole(v.real) and _is_whole(v.imag)
    return not _is_finite(v) or (v == int(v) and abs(v) < 1e8)


def _number(v, dtype, whole):
    """One number; all of a tensor are written as whole ones (`3.`), or none is."""
    if isinstance(v, complex):
        imag = _number(v.imag, dtype, whole)
        sign = "" if imag[0] == "-" else "+"
        return _number(v.real, dtype, whole) + sign + imag + "j"
    if not dtype.inexact or not _is_finite(v):
        return str(v)
    digits, always = _options["precision"], _options["sci_mode"]
    if whole and not always:
        return "%d." % v
    far = v != 0 and (abs(v) >= 1e8 or abs(v) < 10.0 ** (1 - digits))
    if far if always is None else always:
        return "%.*e" % (digits, v)
    return "%.*f" % (digits, v)


def _rows(values, cuts, how, width, indent):
    if not isinstance(values, list):
        text = _number(values, how[0], how[1])
        return " " * (width - len(text)) + text
    parts = [_rows(v, cuts[1:], how, width, indent + 1) for v in values]
    if cuts and cuts[0]:
        parts[_options["edge_items"] : _options["edge_items"]] = ["..."]
    if not values or not isinstance(values[0], list):
        return "[" + _wrapped(parts, indent + 1) + "]"
    return "[" + (",\n" + " " * (indent + 1)).join(parts) + "]"


def _wrapped(parts, indent):
    """The numbers of a row, in lines no longer than `linewidth` where that is set."""
    most = _options["linewidth"]
    if not most:
        return ", ".join(parts)
    lines, line = [], ""
    for part in parts:
        if line and indent + len(line) + len(part) + 2 > most:
            lines.append(line)
            line = ""
        line += (", " if line else "") + part
    return (",\n" + " " * indent).join(lines + [line])

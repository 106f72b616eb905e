"""`ParamGroup`: which parameters of a model something is meant for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .parameter import Parameter


class ParamGroup:
    """A rule by which parameters are chosen, by their paths or otherwise.

    Made by `all`, `ids`, `of`, `paths`, `regex`, `predicate`, `any_of`; joined by
    `fuse`, cut by `exclude`. All but predicates can be saved (`to_dict`, `from_dict`).

    Example:
        >>> from fogo import nn
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
        >>> biases = nn.ParamGroup.paths("*.bias")
        >>> [path for path, p in biases.select(net)]
        ['0.bias', '1.bias']
        >>> rest = nn.ParamGroup.all().exclude(biases)
        >>> [path for path, p in rest.select(net)]
        ['0.weight', '1.weight']
    """

    def __init__(self, kind: str, what: Any) -> None:
        self.kind = kind
        self.what = what

    @staticmethod
    def all() -> ParamGroup:
        """Every parameter."""
        return ParamGroup("all", None)

    @staticmethod
    def ids(*paths: str) -> ParamGroup:
        """The parameters of exactly these paths."""
        return ParamGroup("ids", list(paths))

    @staticmethod
    def of(module: Any, prefix: str = "") -> ParamGroup:
        """The parameters that a module has now; prefix: its own path in the model."""
        dot = prefix + "." if prefix else ""
        return ParamGroup("ids", [dot + path for path, _ in module.named_parameters()])

    @staticmethod
    def paths(*patterns: str) -> ParamGroup:
        """Paths that match a pattern: `*` is any text, `?` any one character."""
        return ParamGroup("paths", list(patterns))

    @staticmethod
    def regex(*patterns: str) -> ParamGroup:
        """Paths in which a regular expression is found."""
        return ParamGroup("regex", list(patterns))

    @staticmethod
    def predicate(*rules: Callable[[str, Parameter], Any]) -> ParamGroup:
        """Parameters for which some rule(path, parameter) holds; cannot be saved."""
        return ParamGroup("predicate", list(rules))

    @staticmethod
    def any_of(*groups: ParamGroup) -> ParamGroup:
        """Parameters of any of these groups."""
        return ParamGroup("any", list(groups))

    def fuse(self, other: ParamGroup) -> ParamGroup:
        """The parameters of this group or of another."""
        return ParamGroup.any_of(self, other)

    def exclude(self, other: ParamGroup) -> ParamGroup:
        """The parameters of this group that another has not."""
        return ParamGroup("except", [self, other])

    def matches(self, path: str, parameter: Any = None) -> bool:
        """Say whether the parameter at a path belongs to the group."""
        kind, what = self.kind, self.what
        if kind == "all":
            return True
        if kind == "ids":
            return path in what
        if kind == "paths":
            return bool([p for p in what if glob(p, path)])
        if kind == "regex":
            import re

            return bool([p for p in what if re.search(p, path)])
        if kind == "predicate":
            return bool([rule for rule in what if rule(path, parameter)])
        found = [group.matches(path, parameter) for group in what]
        return found[0] and not found[1] if kind == "except" else True in found

    def select(self, module: Any) -> list[tuple[str, Parameter]]:
        """List (path, parameter) of a module's parameters that belong to it."""
        return [(n, p) for n, p in module.named_parameters() if self.matches(n, p)]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON. Raises: FormatError for predicates."""
        if self.kind == "predicate":
            raise FormatError(
                "ParamGroup: a predicate is code and cannot be saved; given %r; choose "
                "by paths or regex" % (self.what,)
            )
        what = self.what
        if self.kind in ("any", "except"):
            what = [group.to_dict() for group in what]
        return {"kind": self.kind, "what": what}

    @staticmethod
    def from_dict(saved: dict[str, Any]) -> ParamGroup:
        """Return what `to_dict` gave. Raises: FormatError for what it never gives."""
        kind = saved.get("kind")
        if kind not in ("all", "ids", "paths", "regex", "any", "except"):
            raise FormatError(
                'ParamGroup: the kind is "all", "ids", "paths", "regex", "any" or '
                '"except"; given %r' % (kind,)
            )
        what = saved["what"]
        if kind in ("any", "except"):
            what = [ParamGroup.from_dict(part) for part in what]
        return ParamGroup(kind, what)

    def __repr__(self) -> str:
        what = [] if self.what is None else self.what
        return "ParamGroup.%s(%s)" % (self.kind, ", ".join([repr(w) for w in what]))


def glob(pattern: str, text: str) -> bool:
    """Say whether a text matches a pattern of `*` and `?`.

    Example:
        >>> glob("layers.*.weight", "layers.0.norm.weight"), glob("?", "ab")
        (True, False)
    """
    at, star, mark = 0, -1, 0
    i = 0
    while i < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, mark = at, i
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", text[i]):
            at += 1
            i += 1
        elif star >= 0:  # let the last star take one more
            at = star + 1
            mark += 1
            i = mark
        else:
            return False
    return pattern[at:].replace("*", "") == ""

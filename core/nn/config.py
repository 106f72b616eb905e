"""`Config`: the settings of a model as one value, with defaults, in a JSON file."""

from __future__ import annotations

from typing import Any

from ..errors import FormatError


class Config:
    """Subclass it with one attribute a setting: its default, or `Config.REQUIRED`.

    Values are numbers, strings, bools, None, lists of these, and other configs.
    Raises: FormatError for a setting that is unknown, or required and not given.

    Example:
        >>> from fogo import nn
        >>> class Net(nn.Config):
        ...     d_model = nn.Config.REQUIRED
        ...     dropout = 0.1
        >>> small = Net(d_model=8)
        >>> small.with_(dropout=0.5)
        Net(d_model=8, dropout=0.5)
        >>> Net.from_dict(small.to_dict()) == small
        True
    """

    REQUIRED: Any = object()

    def __init__(self, **settings: Any) -> None:
        names = self._settings()
        for name in settings:
            if name not in names:
                raise FormatError(
                    "%s: the settings are %s; given %r"
                    % (type(self).__name__, ", ".join(names), name)
                )
        for name in names:
            value = settings[name] if name in settings else getattr(type(self), name)
            if value is Config.REQUIRED:
                raise FormatError(
                    "%s: %s has no default; given nothing" % (type(self).__name__, name)
                )
            setattr(self, name, value)

    @classmethod
    def _settings(cls) -> list[str]:
        """Names of the settings, in alphabetical order."""
        known = dir(Config)
        return sorted([n for n in dir(cls) if n[0] != "_" and n not in known])

    def with_(self, **changes: Any) -> Any:
        """Return a copy with some settings changed."""
        settings = {name: getattr(self, name) for name in self._settings()}
        settings.update(changes)
        return type(self)(**settings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; configs inside become dictionaries."""
        found = {}
        for name in self._settings():
            value = getattr(self, name)
            found[name] = value.to_dict() if isinstance(value, Config) else value
        return found

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Any:
        """Return what `to_dict` gave: a config inside is known by its default."""
        settings = dict(saved)
        for name in settings:
            default = getattr(cls, name, None)
            if isinstance(default, Config) and isinstance(settings[name], dict):
                settings[name] = type(default).from_dict(settings[name])
        return cls(**settings)

    def save(self, path: str) -> None:
        """Write it to a JSON file."""
        import json

        with open(path, "w") as file:
            file.write(json.dumps(self.to_dict()))

    @classmethod
    def load(cls, path: str) -> Any:
        """Read it from a JSON file."""
        import json

        with open(path) as file:
            return cls.from_dict(json.loads(file.read()))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        parts = ["%s=%r" % (n, getattr(self, n)) for n in self._settings()]
        return "%s(%s)" % (type(self).__name__, ", ".join(parts))

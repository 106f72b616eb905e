"""Backends from other packages, by way of entry points.

A package offers them in its pyproject.toml, in the group "fogo.backends":

    [project.entry-points."fogo.backends"]
    mine = "my_package.backend"            # a new device: fogo.device("mine")
    "numpy.mine" = "my_package.faster:OPS" # ops of its own on the device "numpy"

The first kind is a module with `create(index) -> Backend` and `probe() -> [(kind,
text)]`, like those of fogo itself (see device.py). The second is a dict: op name ->
function(backend, inputs, attrs, outs) that returns a tuple of handles, or None to leave
this call to fogo. Nothing is imported before its device is asked for; a package that
fails then is told of by a warning, or where `fogo.devices()` lists what is missing.
"""

from __future__ import annotations

from typing import Any

from .errors import DeviceError, warn

GROUP = "fogo.backends"
_FOUND: list[dict[str, Any]] = []  # one dict, once it has been looked for


def entries() -> dict[str, Any]:
    """Return entry point name -> entry point, of every installed package."""
    if not _FOUND:
        _FOUND.append(_look())
    return _FOUND[0]


def _look():
    try:
        from importlib.metadata import entry_points
    except ImportError:  # MicroPython has no packages to look in
        return {}
    found = {}
    try:
        for entry in entry_points(group=GROUP):
            found.setdefault(entry.name, entry)
    except Exception as error:  # broken metadata of any package
        _warn("the installed packages", error)
    return found


def kinds() -> list[str]:
    """List the names of devices that other packages offer."""
    from .device import MODULES

    return sorted([n for n in entries() if "." not in n and n not in MODULES])


def module(kind: str) -> Any:
    """Import the module behind a device; raises DeviceError naming its package."""
    entry = entries()[kind]
    try:
        found = entry.load()
    except Exception as error:  # whatever a stranger's module does
        raise DeviceError(
            "device: %s is not available; importing the plug-in %s failed: %s"
            % (kind, entry.value, error)
        )
    if not hasattr(found, "create") or not hasattr(found, "probe"):
        raise DeviceError(
            "device: %s is not available; the plug-in %s must have create and probe"
            % (kind, entry.value)
        )
    return found


def create(kind: str, index: int) -> Any:
    """Make a backend of a plug-in; raises DeviceError where that fails."""
    made = _called(kind, "create", index)
    if not hasattr(made, "execute"):
        raise _useless(kind, "create", "a backend", made)
    return made


def probe(kind: str) -> Any:
    """Ask a plug-in what the machine has; raises DeviceError where that fails."""
    found = _called(kind, "probe")
    if not isinstance(found, (list, tuple)) or [
        x for x in found if not isinstance(x, (list, tuple)) or len(x) != 2
    ]:
        raise _useless(kind, "probe", "a list of (kind, text)", found)
    return found


def _useless(kind, name, wanted, made):
    return DeviceError(
        "device: %s is not available; %s of the plug-in %s must return %s; given %s"
        % (kind, name, entries()[kind].value, wanted, type(made).__name__)
    )


def _called(kind, name, *args):
    function = getattr(module(kind), name)
    try:
        return function(*args)
    except DeviceError:
        raise
    except Exception as error:
        raise DeviceError(
            "device: %s is not available; %s of the plug-in %s failed: %s"
            % (kind, name, entries()[kind].value, error)
        )


def override(kind: str, backend: Any) -> None:
    """Give a backend the ops that packages have for its kind of device."""
    while backend.inner is not None:
        backend = backend.inner
    for name in sorted(entries()):
        if name.startswith(kind + "."):
            try:
                ops = dict(entries()[name].load())
                for op in ops:
                    if not callable(ops[op]):
                        raise TypeError("%s is no function" % op)
            except Exception as error:
                _warn("the plug-in " + entries()[name].value, error)
                continue
            backend.special = dict(getattr(backend, "special", {}))
            backend.special.update(ops)


def _warn(what, error):
    warn("fogo: %s (%s) cannot be used: %s" % (what, GROUP, error), 3)

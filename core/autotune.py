"""Which tuned kernel is fastest here: measured once, remembered, shipped with an app.

Where `fogo.fast` offers several kernels for an op, the first use on shapes of a new
class measures them on the device (about a quarter of a second) and remembers the
winner, in memory and in the cache folder. Rounding apart, results never depend on it.

    fogo.autotune.mode("off")            # always the first candidate: deterministic
    fogo.autotune.save("tuned.json")     # what is known, to ship with an app
    fogo.autotune.load("tuned.json")     # … and there

Modes: "on" measures; "cached" uses what is known and never measures; "off"; "auto", the
default, is "on" for GPUs and "off" where a CPU plays one. FOGO_AUTOTUNE chooses too.
"""

from __future__ import annotations

import json
import sys

from .errors import FogoError, FormatError, warn

try:
    import os
except ImportError:  # MicroPython in a browser has none
    os = None  # type: ignore[assignment]

MODES = ("auto", "on", "cached", "off")
FORMAT = 1
# Raised when kernels change so much that old winners may be losers.
KERNELS = 1
NAME = "autotune.json"


class Store:
    """What is known: device -> key -> {"best": name, "of": [names]}."""

    def __init__(self):
        self.devices = {}
        self.opened = False
        self.chosen = None  # the mode, where a program has set it
        self.generation = 0  # counts changes that earlier choices did not know
        self.read = _read_file  # () -> text or None
        self.write = _write_file  # (text)
        self.path = None  # of the file in the cache folder

    def known(self, device, key):
        """Return what is remembered of a key, or None."""
        self.open()
        return self.devices.get(device, {}).get(key)

    def remember(self, device, key, best, names):
        """Keep a winner, and write all to the cache."""
        self.open()
        self.catch_up()
        kept = self.devices.setdefault(device, {})
        kept[key] = {"best": best, "of": sorted(names)}
        self.write(self.text())

    def open(self):
        """Read the cache, once."""
        if self.opened:
            return
        self.opened = True
        text = self.read()
        if text is None:
            return
        try:
            found = parse(text, self.path or "the browser's storage")
        except FormatError as error:
            warn("%s; fogo measures again" % error)
            return
        self.merge(found or {})

    def catch_up(self):
        """Learn what other processes have written since, lest it be lost."""
        text = self.read()
        try:
            found = parse(text, "") if text else None
        except FormatError:  # it was told of, and is written over
            return
        for device in found or {}:
            ours = self.devices.setdefault(device, {})
            for key in found[device]:
                ours.setdefault(key, found[device][key])

    def merge(self, devices):
        for device in devices:
            self.devices.setdefault(device, {}).update(devices[device])
        self.generation += 1

    def text(self):
        return json.dumps(
            {"format": FORMAT, "kernels": KERNELS, "devices": self.devices}
        )


def parse(text, name, advice="delete it"):
    """The devices of a cache's text; None where it is of other kernels.

    Raises: FormatError, naming the file, where it is no tuning cache.
    """
    try:
        whole = json.loads(text)
        right = whole["format"] == FORMAT and whole["kernels"] == KERNELS
        devices = whole["devices"] if right else None
        for known in (devices or {}).values():
            for entry in known.values():
                if (
                    not isinstance(entry["best"], str)
                    or entry["best"] not in entry["of"]
                ):
                    raise ValueError("an entry without a winner")
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise FormatError(
            "autotune: a tuning cache is JSON that fogo wrote; %s is not (%s: %s); "
            "%s" % (name, type(error).__name__, error, advice)
        )
    return devices


def mode(name: str | None = None) -> str:
    """Return the mode, having set it to `name` if given.

    Set it, and load what is known, first of all: what has run keeps its kernels.
    Raises: FogoError for a name that is none of "auto", "on", "cached" and "off".

    Example:
        >>> import fogo
        >>> fogo.autotune.mode("off")
        'off'
        >>> fogo.autotune.mode("auto")
        'auto'
    """
    if name is not None:
        STORE.chosen = _checked(name)
        STORE.generation += 1
    if STORE.chosen is None:
        STORE.chosen = _checked(_environment("FOGO_AUTOTUNE") or "auto")
    return STORE.chosen


def mode_for(software: bool) -> str:
    """Return "on", "cached" or "off" for a device; `software`: a CPU plays a GPU.

    Example:
        >>> import fogo
        >>> fogo.autotune.mode_for(software=True) in ("on", "cached", "off")
        True
    """
    found = mode()
    if found == "auto":
        return "off" if software else "on"
    return found


def _checked(name):
    if name not in MODES:
        raise FogoError(
            'autotune: the mode is "auto", "on", "cached" or "off"; given %r; choose '
            "one (also by FOGO_AUTOTUNE)" % (name,)
        )
    return name


def export() -> str:
    """Return what is known as text: JSON, the same as `save` writes.

    Example:
        >>> import fogo
        >>> fogo.autotune.export()[:12]
        '{"format": 1'
    """
    STORE.open()
    return STORE.text()


def save(path: str) -> None:
    """Write what is known to a file, beside it first and then renamed.

    Example: see `load`.
    """
    _replace(path, export())


def load(path: str) -> int:
    """Take over what a file of `save` knows; returns how many choices it holds.

    A file for other kernels (an older fogo's) holds none of use. Raises: FormatError
    where it is no such file.

    Example:
        >>> import fogo, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "tuned.json")
        >>> fogo.autotune.save(path)
        >>> fogo.autotune.load(path) >= 0
        True
    """
    STORE.open()
    with open(path) as file:
        found = parse(file.read(), path, "pass a file of fogo.autotune.save") or {}
    STORE.merge(found)
    return sum([len(known) for known in found.values()])


def keep_in(read, write) -> None:
    """Keep the cache elsewhere than in a file: `read()` -> text or None, `write(text)`.

    For hosts without files: localStorage, OPFS, a server. Call it before the first
    kernel runs.

    Example:
        >>> import fogo
        >>> before, kept = fogo.autotune.STORE, {}
        >>> fogo.autotune.STORE = fogo.autotune.Store()
        >>> fogo.autotune.keep_in(
        ...     lambda: kept.get("fogo"), lambda text: kept.update(fogo=text))
        >>> fogo.autotune.STORE = before
    """
    STORE.read = read
    STORE.write = write
    STORE.opened = False


def _environment(name):
    getenv = getattr(os, "getenv", None)
    return getenv(name) if getenv is not None else None


def _file():
    """The path of the cache; None where there is no folder for such."""
    if sys.platform in ("emscripten", "webassembly") or os is None:
        return None
    if sys.implementation.name == "micropython":
        folder = _environment("FOGO_CACHE")
        return None if folder is None else folder + "/" + NAME
    try:
        from .data.cache import cache_dir
    except ImportError:
        return None
    return str(cache_dir() / NAME)


def _read_file():
    STORE.path = _file()
    if STORE.path is None:
        return None
    try:
        with open(STORE.path) as file:
            return file.read()
    except (OSError, ValueError):  # none yet; or no text at all
        return None if not _exists(STORE.path) else ""


def _exists(path):
    try:
        os.stat(path)
        return True
    except OSError:
        return False


def _write_file(text):
    path = STORE.path or _file()
    if path is None:
        return
    try:
        _replace(path, text)
    except OSError as error:  # a full or read-only disk: the choice lives in memory
        STORE.write = _write_nothing
        warn(
            "autotune: %s cannot be written (%s); choices are not kept" % (path, error)
        )


def _write_nothing(text):
    pass


def _replace(path, text):
    path = str(path)
    folder = path.rsplit("/", 1)[0] if "/" in path else ""
    if folder and hasattr(os, "makedirs"):
        os.makedirs(folder, exist_ok=True)
    draft = "%s.%s.part" % (path, os.getpid() if hasattr(os, "getpid") else 0)
    try:
        with open(draft, "w") as file:
            file.write(text)
        getattr(os, "replace", os.rename)(draft, path)
    except OSError:
        if _exists(draft):
            os.remove(draft)
        raise


STORE = Store()

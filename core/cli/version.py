"""The version, without importing anything heavy."""

from __future__ import annotations

from importlib import metadata


def version() -> str:
    """Return the installed version, or "unknown" in a checkout not installed."""
    try:
        return metadata.version("fogo")
    except metadata.PackageNotFoundError:
        return "unknown (not installed)"

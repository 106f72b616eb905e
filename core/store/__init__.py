"""Reading and writing models: safetensors."""

from __future__ import annotations

from .safetensors import (
    SafetensorsFile,
    dump_bytes,
    dump_bytes_async,
    load_bytes,
    load_safetensors,
    open_safetensors,
    save_safetensors,
)

__all__ = [
    "SafetensorsFile",
    "dump_bytes",
    "dump_bytes_async",
    "load_bytes",
    "load_safetensors",
    "open_safetensors",
    "save_safetensors",
]


def __dir__() -> list[str]:
    """List what is for use, without the files it is in."""
    return __all__

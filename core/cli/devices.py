"""`fogo devices`: what this machine has, and which of it would be chosen."""

from __future__ import annotations

import fogo


def show_devices() -> int:
    """Print a line for each device, then the best one and why."""
    for name, kind, text in fogo.devices():
        print(f"{name:<10} {kind:<9} {text}")
    best = fogo.best_device()
    print(f"best: {best.name} ({best.reason})")
    return 0

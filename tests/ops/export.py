"""Writes the op grid as JSON lines, for runtimes without NumPy and pytest.

    python -m tests.ops.export out.jsonl [--sample 0.1] [--seed 7] [--each 1]
                                         [--dtype float32 …] [--op add …]

A line is one case as tests/shared/cases.py describes it; `run(case, device)` there
runs it. `--each N` keeps N cases of every function and dtype, chosen by the seed;
`--sample` keeps a share of all, with at least one of every function in float32, and of
three times that share of the functions in other dtypes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from tests.ops import grid


def lines(
    sample: float = 1.0,
    seed: int = 0,
    each: int | None = None,
    dtypes: list[str] | None = None,
    names: list[str] | None = None,
) -> Iterator[str]:
    """Yield the chosen cases, each as one line of JSON."""
    for name, dtype in grid.ids():
        if (dtypes and dtype not in dtypes) or (names and name not in names):
            continue
        if dtype != "float32" and grid.draw(seed, f"{name}-{dtype}") >= 3 * sample:
            continue
        for case in grid.chosen(name, dtype, sample, seed, each):
            yield json.dumps(case, separators=(",", ":"), allow_nan=False)


def main() -> None:
    """Write the file that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--sample", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int)
    parser.add_argument("--dtype", nargs="*")
    parser.add_argument("--op", nargs="*")
    given = parser.parse_args()
    count = 0
    with given.out.open("w") as out:
        for line in lines(given.sample, given.seed, given.each, given.dtype, given.op):
            out.write(line + "\n")
            count += 1
    print(f"{count} cases, {given.out.stat().st_size / 1e6:.1f} MB, in {given.out}")


if __name__ == "__main__":
    main()

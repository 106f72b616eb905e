"""Builds every kernel that fogo ships with NVRTC, runs it, and compares the results.

    python benchmarks/nvrtc.py [--workers 12] [--sample 0.5] [--seconds 150] [--only X]

Three kinds of tasks: the cases of the ops grid (tests/ops: every function and dtype,
forward and gradients, against NumPy and PyTorch in float64); the programs of
tests/kernel/shipped.py with every candidate of every tuned kernel; the same programs
with Fusion. Prints a line for each family and then

    built N, checked N, failed N (names)

where `built` counts distinct kernels, and `checked` those that ran in a task whose
results were right. Needs an NVIDIA GPU, CuPy, PyTorch, and fogo and tests to import.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SEED = 1
GONE = 3  # exit status of a worker whose GPU context is lost


def tasks(only: list[str]) -> list[tuple[str, str]]:
    """All tasks, the same in every process: (kind, name)."""
    from tests.kernel.shipped import CALLS
    from tests.ops import grid

    made = [("grid", f"{name}-{dtype}") for name, dtype in grid.ids()]
    made += [("each", c.name) for c in CALLS] + [("fused", c.name) for c in CALLS]
    made = [t for t in made if not only or t[1].split("-")[0] in only]
    # The slow ones first, the rest in an order that spreads families over workers.
    return sorted(made, key=lambda t: (t[0] == "grid", grid.draw(SEED, t[1])))


class Worker:
    """One process: runs its share of the tasks, a line of JSON for each."""

    def __init__(self, sample: float) -> None:
        from fogo.device import Device
        from fogo.native.cuda_backend import Cuda

        worker = self

        class Counting(Cuda):
            """Notes which kernels are built and launched."""

            def program(self, kernel: Any) -> Any:
                worker.building = kernel.name
                found = Cuda.program(self, kernel)
                worker.building = ""
                return found

            def launch(self, plan: Any, *rest: Any) -> None:
                Cuda.launch(self, plan, *rest)
                worker.launched[plan.kernel] = plan.compiled.printed.text

        self.Device = Device
        self.Backend = Counting
        self.sample = sample
        self.building = ""
        self.launched: dict[Any, str] = {}
        self.grid = Device("cuda", Counting())

    def run(self, kind: str, name: str) -> list[str]:
        """Do a task; return what is wrong."""
        if kind == "grid":
            return self.cases(*name.rsplit("-", 1))
        return self.program(kind, name)

    def cases(self, name: str, dtype: str) -> list[str]:
        from tests.ops import grid
        from tests.shared import cases

        problems = []
        for case in grid.chosen(name, dtype, self.sample, SEED):
            problems += self.tried(case["id"], lambda c=case: cases.run(c, self.grid))
        return problems

    def program(self, kind: str, name: str) -> list[str]:
        from fogo.backend.fusion.stream import Fusion
        from tests.kernel.shipped import CALLS, Each

        call = next(c for c in CALLS if c.name == name)
        backend = self.Backend()
        if kind == "fused":
            device = self.Device("cuda", Fusion(backend))
            return self.tried(f"fused {name}", lambda: call.check(device))
        backend.fast = each = Each(backend, backend.fast.caps)
        device = self.Device("cuda", backend)
        problems = self.tried(name, lambda: call.check(device))
        return problems + [f"{name}: {p}" for p in each.problems]

    def tried(self, label: str, work: Any) -> list[str]:
        """Run; an error becomes a line."""
        self.building = ""
        try:
            work()
        except AssertionError as error:
            return [str(error)[:600]]
        except Exception as error:
            where = f" (building {self.building})" if self.building else ""
            text = f"{label}: {type(error).__name__}{where}: {error}"
            if "Error" in type(error).__name__ and "CUDA" in type(error).__name__:
                text += "\n" + traceback.format_exc(limit=-3)
            return [text[:1500]]
        return []

    def alive(self) -> bool:
        """Say whether the GPU still answers: one wild access ends a context."""
        try:
            self.grid.sync()
            self.grid.backend.cupy.cuda.runtime.deviceSynchronize()
        except Exception:
            return False
        return True


def work(args: argparse.Namespace) -> None:
    """Be a worker: tasks number `start`, `start + workers`, …"""
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    worker = Worker(args.sample)
    every = tasks(args.only)
    known: dict[str, bool] = {}
    for place in range(args.start, len(every), args.workers):
        if time.time() > args.until:
            break
        begin(place)
        worker.launched = {}
        problems = worker.run(*every[place])
        texts = {hashed(t): k.name for k, t in worker.launched.items()}
        fresh = {h: n for h, n in texts.items() if h not in known}
        known.update(dict.fromkeys(fresh, True))
        ran = sorted(texts) if not problems else []
        say({"task": place, "problems": problems, "built": fresh, "ran": ran})
        if not worker.alive():
            sys.exit(GONE)


def hashed(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()[:16]


def begin(place: int) -> None:
    say({"begin": place})


def say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


class Watch:
    """The parent's view of the workers: restarts those that die, adds results up."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.tasks = tasks(args.only)
        self.lock = threading.Lock()
        self.done: dict[int, list[str]] = {}
        self.built: dict[str, str] = {}
        self.checked: set[str] = set()
        self.noise: list[str] = []

    def follow(self, number: int) -> None:
        """See one worker through."""
        start = number
        while start < len(self.tasks) and time.time() < self.args.until:
            started, finished = self._read(start)
            if started is None:
                return
            if started != finished:
                with self.lock:
                    self.done[started] = ["the process died"]
            if started + self.args.workers >= len(self.tasks):
                return
            start = started + self.args.workers

    def _read(self, start: int) -> tuple[int | None, int | None]:
        """Run a worker from a task on; returns the last begun and the last ended."""
        a = self.args
        command = [sys.executable, __file__, "--start", str(start)]
        command += ["--workers", str(a.workers), "--sample", str(a.sample)]
        command += ["--until", str(a.until)] + [f"--only={n}" for n in a.only]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        errors: list[str] = []
        drain = threading.Thread(target=lambda: errors.append(process.stderr.read()))
        drain.start()
        started = finished = None
        for line in process.stdout:
            found = json.loads(line) if line.startswith("{") else {}
            if "begin" in found:
                started = found["begin"]
            elif "task" in found:
                finished = found["task"]
                self._enter(found)
        process.wait()
        drain.join()
        if process.returncode:
            self.noise.append("".join(errors)[-1500:])
        return started, finished

    def _enter(self, found: dict[str, Any]) -> None:
        with self.lock:
            self.done[found["task"]] = found["problems"]
            self.built.update(found["built"])
            self.checked.update(found["ran"])

    def table(self) -> None:
        """Print a line for each family, what failed, and the sum."""
        families: dict[str, list[list[str]]] = {}
        for place, problems in sorted(self.done.items()):
            kind, name = self.tasks[place]
            family = name.rsplit("-", 1)[0] if kind == "grid" else f"{kind}: {name}"
            families.setdefault(family, []).append(problems)
        failed = []
        for family in sorted(families):
            wrong = [p for problems in families[family] for p in problems]
            if wrong:
                failed.append(family)
            verdict = "ok" if not wrong else f"{len(wrong)} wrong"
            print(f"{family:40} {len(families[family]):3} tasks  {verdict}")
            for text in wrong[:3]:
                print("    " + text.replace("\n", "\n    "))
        for text in self.noise[:3]:
            print("a worker ended with an error:\n" + text)
        names = f" ({', '.join(failed)})" if failed else ""
        left = len(self.tasks) - len(self.done)
        print(f"tasks: {len(self.done)} of {len(self.tasks)}; not run: {left}")
        print(
            f"built {len(self.built)}, checked {len(self.checked)}, "
            f"failed {len(failed)}{names}"
        )


def main() -> None:
    """Start the workers, or be one."""
    parser = argparse.ArgumentParser(description="every kernel through NVRTC")
    parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 12))
    parser.add_argument("--sample", type=float, default=0.5)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--start", type=int, default=-1, help=argparse.SUPPRESS)
    parser.add_argument("--until", type=float, default=0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    # Compiled once each: a cache on disk would only be written.
    os.environ.setdefault("CUPY_CACHE_IN_MEMORY", "1")
    if args.start >= 0:
        work(args)
        return
    args.until = time.time() + args.seconds
    watch = Watch(args)

    def ended(*_: Any) -> None:
        watch.table()  # what is known by now: the run was cut short
        sys.stdout.flush()
        os._exit(1)

    signal.signal(signal.SIGTERM, ended)
    threads = [
        threading.Thread(target=watch.follow, args=(n,)) for n in range(args.workers)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    watch.table()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()

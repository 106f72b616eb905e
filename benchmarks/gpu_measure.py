"""How benchmarks/gpu.py measures: peers, cases, checks against float64, tables."""

from __future__ import annotations

import gc
import signal
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

WINDOWS = 5
LIMIT = 50  # seconds that a peer may take in a case
Work = Callable[[], Any]


@contextmanager
def limited(limit: float) -> Iterator[None]:
    """Raise TimeoutError in what takes longer."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"it took more than {limit:.0f} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Peer:
    """A library on a device: how to give it arrays, wait for it and read from it."""

    name = "none"

    def put(self, array: Any) -> Any:
        """Return a tensor of this library."""
        raise NotImplementedError

    def get(self, tensor: Any) -> torch.Tensor:
        """Return a float64 tensor, where PyTorch computes."""
        raise NotImplementedError

    def go(self, work: Work) -> Any:
        """Call `work`, and have the device begin it."""
        return work()

    def wait(self) -> None:
        """Wait until the device has done everything."""

    def device_time(self, work: Work) -> tuple[float, int] | None:
        """Return (seconds on the device, kernels) of one call, where that is known."""
        return None

    def clean(self) -> None:
        """Give memory back."""
        gc.collect()


class Torch(Peer):
    """PyTorch, eager; `compiled` has torch.compile make what is run."""

    def __init__(self, device: str, compiled: bool = False) -> None:
        self.name = "torch.compile" if compiled else "torch"
        self.device = device
        self.compiled = compiled

    def put(self, array: Any) -> torch.Tensor:
        return torch.as_tensor(array).to(self.device)

    def get(self, tensor: Any) -> torch.Tensor:
        return tensor.detach().to(self.device, torch.float64)

    def wait(self) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()

    def clean(self) -> None:
        gc.collect()
        if self.device == "cuda":
            torch.cuda.empty_cache()


class Tinygrad(Peer):
    """tinygrad on its default device; every result is realized."""

    name = "tinygrad"

    def __init__(self, device: str) -> None:
        from tinygrad import Device

        self.device = device
        self.where = Device[Device.DEFAULT]

    def put(self, array: Any) -> Any:
        from tinygrad import Tensor

        return Tensor(np.asarray(array)).realize()

    def get(self, tensor: Any) -> torch.Tensor:
        return torch.as_tensor(tensor.numpy()).to(self.device, torch.float64)

    def go(self, work: Work) -> Any:
        result = work()
        parts = result if isinstance(result, tuple) else (result,)
        for part in parts:
            part.realize()
        return result

    def wait(self) -> None:
        self.where.synchronize()


class Fogo(Peer):
    """fogo on one of its devices; `reference` is where PyTorch computes."""

    def __init__(
        self, name: str, device: Any, reference: str, captured: bool = False
    ) -> None:
        self.name = name
        self.device = device
        self.reference = reference
        self.captured = captured  # by fogo.compile

    def capture(self, function: Any) -> Any:
        """The function as this peer runs it."""
        import fogo

        return fogo.compile(function) if self.captured else function

    @property
    def backend(self) -> Any:
        """The backend that owns the GPU."""
        backend = self.device.base().backend
        while getattr(backend, "inner", None) is not None:
            backend = backend.inner
        return backend

    def put(self, array: Any) -> Any:
        import fogo

        return fogo.tensor(np.asarray(array), device=self.device)

    def get(self, tensor: Any) -> torch.Tensor:
        array = np.array(tensor.numpy())
        return torch.from_numpy(array).to(self.reference, torch.float64)

    def go(self, work: Work) -> Any:
        result = work()
        self.device.base().backend.flush()  # results that nobody reads are computed too
        return result

    def wait(self) -> None:
        self.device.sync()

    def device_time(self, work: Work) -> tuple[float, int] | None:
        gpu = self.backend.gpu
        if not getattr(gpu, "profile", None) or not gpu.profile(True):
            return None
        try:
            times, kernels = [], 0
            for _ in range(3):
                self.go(work)
                self.wait()
                timings = gpu.timings()
                times.append(sum(t[2] for t in timings) * 1e-9)
                kernels = len(timings)
            return (statistics.median(times), kernels) if kernels else None
        finally:
            gpu.profile(False)

    def ceilings(self) -> tuple[float, float]:
        """Bytes and operations a second that the device reaches at its best."""
        from fogo.profiling import ceilings

        return ceilings(self.device)

    def clean(self) -> None:
        gc.collect()
        import fogo

        self.device.sync()
        if hasattr(fogo, "memory_cleanup"):
            fogo.memory_cleanup(self.device)


def seconds(peer: Peer, work: Work, window: float) -> float:
    """Return the median time of a call: windows of many calls, each waited for."""
    for _ in range(2):
        peer.go(work)
    peer.wait()
    start = time.perf_counter()
    peer.go(work)
    peer.wait()
    count = max(1, min(1000, int(window / (time.perf_counter() - start + 1e-9))))
    times = []
    for _ in range(WINDOWS):
        start = time.perf_counter()
        for _ in range(count):
            peer.go(work)
        peer.wait()
        times.append((time.perf_counter() - start) / count)
    return statistics.median(times)


class Result:
    """What came of one peer in one case."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.device: float | None = None
        self.kernels = 0
        self.error = 0.0
        self.failed = ""
        self.first = 0.0  # seconds of the first call: compiling and tuning


class Case:
    """One row of a table: the work, how each peer does it, what is true.

    amount/unit  work of a call and what it is divided by: "GB/s", "TFLOP/s", "ms"
    true         a function that returns the float64 result(s)
    ways         peer name -> function(peer) that prepares and returns the call
    most         the largest error allowed, as a share of the largest true value;
                 other libraries may have ten times it
    nbytes       what must be moved, where the share of what is possible is wanted
    """

    def __init__(
        self,
        name: str,
        amount: float,
        unit: str,
        ways: dict[str, Callable[[Any], Work]],
        true: Callable[[], Any] | None = None,
        most: float = 1e-5,
        aim: str = "",
        nbytes: float = 0.0,
    ) -> None:
        self.name = name
        self.amount = amount
        self.unit = unit
        self.ways = ways
        self.true = true
        self.most = most
        self.aim = aim
        self.nbytes = nbytes
        self.results: dict[str, Result] = {}

    def run(self, peers: list[Peer], window: float) -> None:
        """Measure each peer that has a way; what fails says why and stops nothing."""
        true = None
        for peer in peers:
            way = self.ways.get(kind(peer))
            if way is None:
                continue
            result = self.results[peer.name] = Result()
            try:
                with limited(LIMIT):
                    if self.true is not None and true is None:
                        true = parts(self.true())
                    self._one(peer, way, true, result, window)
            except Exception as error:
                result.failed = f"{type(error).__name__}: {error}".split("\n")[0][:200]
                print(f"FAILED {self.name} ({peer.name}): {result.failed}", flush=True)
                if "-v" in sys.argv:
                    traceback.print_exc()
            try:
                with limited(LIMIT):
                    peer.clean()
            except Exception as error:
                print(f"FAILED cleaning after {self.name} ({peer.name}): {error}")

    def _one(
        self, peer: Peer, way: Any, true: Any, result: Result, window: float
    ) -> None:
        work = way(peer)
        start = time.perf_counter()
        answer = peer.go(work)
        peer.wait()
        result.first = time.perf_counter() - start
        if true is not None:
            result.error = worst(peer, parts(answer), true)
            # Peers may choose faster algorithms that round more: theirs are timed too.
            most = self.most if kind(peer) == "fogo" else 10 * self.most
            if not result.error <= most:
                raise ArithmeticError(
                    f"wrong: off by {result.error:.1e} of the largest"
                )
        del answer
        result.seconds = seconds(peer, work, window)
        try:
            timed = peer.device_time(work)
        except Exception as error:
            print(f"no device time of {self.name} ({peer.name}): {error}", flush=True)
            timed = None
        if timed:
            result.device, result.kernels = timed

    def merge(self, found: dict[str, Any], peer: str) -> None:
        """Take over what another process measured."""
        if self.name in found:
            self.results[peer] = result = Result()
            vars(result).update(found[self.name])

    def figure(self, spent: float) -> str:
        """A time as this case's figure."""
        if self.unit == "ms":
            return f"{spent * 1e3:.3g}" if spent < 1 else f"{spent * 1e3:.0f}"
        scale = {"GB/s": 1e9, "TFLOP/s": 1e12, "GFLOP/s": 1e9}[self.unit]
        value = self.amount / spent / scale
        return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def kind(peer: Peer) -> str:
    """The key of a peer in `Case.ways`."""
    return "fogo" if isinstance(peer, Fogo) else peer.name


def parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def worst(peer: Peer, answer: tuple[Any, ...], true: tuple[Any, ...]) -> float:
    """Return the largest error of any output, as a share of its largest true value."""
    error = 0.0
    for ours, theirs in zip(answer, true, strict=True):
        value = peer.get(ours).reshape(-1)
        right = theirs.detach().to(value.device, torch.float64).reshape(-1)
        if value.shape != right.shape:
            raise ArithmeticError(
                f"wrong: {value.numel()} numbers, not {right.numel()}"
            )
        scale = float(right.abs().max()) or 1.0
        error = max(error, float((value - right).abs().max()) / scale)
        if not bool(torch.isfinite(value).all()):
            return float("nan")
    return error


def table(title: str, cases: list[Case], names: list[str]) -> str:
    """A markdown table; a fogo column says wall (device) time."""
    lines = [f"\n### {title}\n"]
    ours = [name for name in names if name.startswith("fogo")]
    head = ["case", "unit", *names]
    head += [f"{name[5:]} ÷ torch" for name in ours] + ["kernels", "error", "aim"]
    lines.append("| " + " | ".join(head) + " |")
    lines.append("|" + "---|" * len(head))
    for case in cases:
        cells = [case.name, case.unit]
        cells += [cell(case, case.results.get(name)) for name in names]
        base = case.results.get("torch")
        for name in ours:
            cells.append(ratio(case.results.get(name), base))
        mine = [case.results[n] for n in ours if n in case.results]
        kernels = sorted({r.kernels for r in mine if r.kernels})
        cells.append(" ".join(str(n) for n in kernels) or "–")
        errors = [r.error for r in mine if not r.failed]
        cells.append(f"{max(errors):.0e}" if errors else "–")
        cells.append(case.aim or "–")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def shares(cases: list[Case], peers: list[Peer]) -> str:
    """Lines of text: how near the device's limits fogo's kernels come."""
    lines = []
    for peer in peers:
        if not isinstance(peer, Fogo) or peer.captured:
            continue
        try:
            with limited(LIMIT):
                copy, rate = peer.ceilings()
        except Exception as error:
            lines.append(f"- FAILED ceilings of {peer.name}: {error}")
            continue
        lines.append(
            f"- {peer.name}, at best: copy {copy / 1e9:.0f} GB/s, multiply-add f32 "
            f"{rate / 1e12:.1f} TFLOP/s; share of what they allow:"
        )
        for case in cases:
            result = case.results.get(peer.name)
            if case.nbytes and result is not None and not result.failed:
                ideal = max(case.nbytes / copy, case.amount / rate)
                share = 100 * ideal / (result.device or result.seconds)
                lines.append(f"  - {case.name}: {share:.0f} %")
    return "\n" + "\n".join(lines) + "\n" if lines else ""


def cell(case: Case, result: Result | None) -> str:
    if result is None:
        return "–"
    if result.failed:
        return "FAILED"
    text = case.figure(result.seconds)
    if result.device:
        text += f" ({case.figure(result.device)})"
    return text


def ratio(ours: Result | None, theirs: Result | None) -> str:
    """How many times as fast as PyTorch, by wall time."""
    if ours is None or theirs is None or ours.failed or theirs.failed:
        return "–"
    return f"{theirs.seconds / ours.seconds:.2f}"

"""Fixtures and reports for every test: the `device` of each backend, and the counts."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import fogo
from fogo.backend.fusion.stream import Fusion
from fogo.backend.python import Python
from tests.support import runtimes, sampling
from tests.support.report import Counter

COUNTER = pytest.StashKey[Counter]()


def pytest_configure(config: pytest.Config) -> None:
    """Register the counter."""
    config.stash[COUNTER] = Counter()
    config.pluginmanager.register(config.stash[COUNTER])


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Print what makes this run repeatable."""
    expected = ",".join(runtimes.expected()) or "nothing (absent backends skip)"
    sample = f"FOGO_SEED={sampling.seed()} FOGO_SAMPLE={sampling.fraction():g}"
    return [f"fogo: {sample}; expects {expected}"]


def backends() -> list[str]:
    """Return the backends under test; some only where they exist or are expected."""
    names = list(runtimes.BACKENDS)
    for name in runtimes.EXTRAS:
        if name not in runtimes.expected() and runtimes.why_absent(name):
            names.remove(name)
    return names


# The other of fused and unfused, on a part of the tests: name -> backend.
VARIANTS = {"webgpu-unfused": "webgpu", "python-fused": "python"}
SHARE = 0.15
# Grids of a test for each function, dtype and backend: a sampled run takes a part of
# those too, three times the share of their cases that it takes.
GRIDS = (
    "tests/ops/test_grid.py::test_function", "tests/ops/test_differences.py",
    "tests/autodiff/test_every_op.py", "tests/autodiff/test_every_gradient.py",
)  # fmt: skip


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Keep a part, by the seed, of grids and of tests on variants of backends."""
    left = [i for i in items if not _left_out(i)]
    if len(left) < len(items):
        config.hook.pytest_deselected(items=[i for i in items if _left_out(i)])
        items[:] = left


def _left_out(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return False
    if callspec.params.get("device") in VARIANTS:
        return not sampling.keep(item.nodeid, SHARE)
    return item.nodeid.startswith(GRIDS) and not sampling.keep(item.nodeid, 3.0)


@pytest.fixture(params=[*backends(), *VARIANTS])
def device(request: pytest.FixtureRequest) -> Iterator[fogo.Device]:
    """Each backend's device in turn; an absent one skips with its reason."""
    name = request.param
    request.node.user_properties.append(("device", name))
    kind = VARIANTS.get(name, name)
    runtimes.need(kind, runtimes.why_absent(kind))
    if name == "python-fused":
        yield fused_python()
    else:
        yield fogo.device(name) if name == kind else fogo.device(kind).unfused()


@pytest.fixture
def everywhere(device: fogo.Device) -> Iterator[fogo.Device]:
    """Each backend's device in turn, as the one that tensors are made on."""
    before = fogo.default_device()
    fogo.set_default_device(device)
    yield device
    fogo.set_default_device(before)


@functools.cache
def fused_python() -> fogo.Device:
    """Plain Python below Fusion."""
    return fogo.Device("python", Fusion(Python()))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run `async def` tests to their end."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{n: pyfuncitem.funcargs[n] for n in names}))
    return True


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the tests of each backend, and what is expected but did not run."""
    counter = config.stash[COUNTER]
    if counter.table:
        terminalreporter.section("tests by backend and runtime")
        for line in counter.lines():
            terminalreporter.write_line(line)
    for problem in unmet(counter):
        terminalreporter.write_line(f"FOGO_EXPECT: {problem}", red=True)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a run in which something expected was absent or had no test."""
    if exitstatus == pytest.ExitCode.OK and unmet(session.config.stash[COUNTER]):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def unmet(counter: Counter) -> list[str]:
    """Return a line for each expected name that was absent or never ran."""
    problems = []
    for name in runtimes.expected():
        if name in runtimes.ABSENT:
            problems.append(f"{name} is absent: {runtimes.ABSENT[name]}")
        elif not counter.ran(name):
            problems.append(f"no test ran on {name}")
    return problems

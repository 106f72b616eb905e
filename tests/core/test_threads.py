"""Threads that compute at once: on one device, beside `no_grad`, and at first use."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import fogo

AT_ONCE = """
import sys, threading
sys.setswitchinterval(1e-6)
import fogo
device = fogo.device("python")
start, problems = threading.Barrier(4), []
def work():
    start.wait()
    try:
        x = fogo.ones(2, 2, device=device)
        assert ((x @ x).exp().log() * 2.0).sum().item() > 0
        fogo.nn.Linear(2, 2), fogo.optim.SGD
    except BaseException as error:
        problems.append(repr(error))
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not problems, problems
"""


def together(work: Callable[[int], None], count: int = 3) -> None:
    """Run work(0), work(1), … in threads of their own; raise what they raise."""
    errors: list[BaseException] = []

    def guarded(k: int) -> None:
        try:
            work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
def test_threads_of_one_device_do_not_mix_their_results(device: fogo.Device) -> None:
    def work(k: int) -> None:
        for i in range(8):
            x = np.full((20 + i, 7), k + 1, np.float32)
            y = (fogo.tensor(x, device=device) * 2.0 + float(i)).sum(0)
            np.testing.assert_array_equal(y.numpy(), (x * 2 + i).sum(0))

    together(work)


@pytest.mark.usefixtures("restless")
def test_threads_go_backward_at_once(device: fogo.Device) -> None:
    where = device.autodiff()

    def work(k: int) -> None:
        for i in range(8):
            x = fogo.tensor([k + 1.0, 2.0], device=where).requires_grad_()
            gradient = (x * x * float(i)).sum().backward()[x]
            assert gradient.tolist() == [2.0 * (k + 1) * i, 4.0 * i]

    together(work)


@pytest.mark.usefixtures("restless")
def test_no_two_threads_draw_the_same_numbers(device: fogo.Device) -> None:
    drawn = []

    def work(k: int) -> None:
        for _ in range(10):
            drawn.append(fogo.rand(4, device=device).tolist())

    device.seed(1)
    together(work)
    assert len({tuple(numbers) for numbers in drawn}) == len(drawn)
    again = []
    device.seed(1)
    for _ in drawn:
        again.append(fogo.rand(4, device=device).tolist())
    assert sorted(again) == sorted(drawn)


def test_no_grad_holds_for_its_own_thread() -> None:
    x = fogo.ones(2, device=fogo.device("python").autodiff()).requires_grad_()
    inside, done = threading.Event(), threading.Event()
    seen = []

    def work() -> None:
        with fogo.no_grad():
            inside.set()
            done.wait(10)
            seen.append((x * 2).requires_grad)

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait(10)
    beside = (x * 2).requires_grad
    done.set()
    thread.join()
    assert beside and seen == [False]


def test_threads_may_load_the_ops_at_once() -> None:
    for _ in range(3):
        subprocess.run([sys.executable, "-c", AT_ONCE], check=True, timeout=60)

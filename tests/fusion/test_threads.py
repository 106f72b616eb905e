"""Every thread writes into a stream of its own; tensors may go from one to another."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import fogo


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[int], None], count: int = 4) -> None:
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


@pytest.mark.usefixtures("restless")
def test_streams_do_not_mix(fused: fogo.Device) -> None:
    def work(k: int) -> None:
        for i in range(6):
            x = np.full((5 + i, 7), k + 1, "float32")
            y = fogo.tensor(x, device=fused)
            z = ((y * 2.0 + float(i)).sum(0) - y[0]).tolist()
            assert z == list((x * 2 + i).sum(0) - x[0])

    together(work)


@pytest.mark.usefixtures("restless")
def test_pending_results_of_another_thread(fused: fogo.Device) -> None:
    """They are computed where they were written down, then read here."""
    shared = [fogo.tensor([float(i), 1.0], device=fused) * 2.0 for i in range(8)]
    views = [x[::-1] for x in shared]

    def work(k: int) -> None:
        for i, (x, v) in enumerate(zip(shared, views, strict=True)):
            assert (x + v + float(k)).tolist() == [2.0 * i + 2 + k] * 2

    together(work)


def test_results_of_a_thread_that_is_gone(fused: fogo.Device) -> None:
    made: list[fogo.Tensor] = []

    def work() -> None:
        made.append(fogo.tensor([1.0, 2.0], device=fused).exp() * 0.5)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    np.testing.assert_allclose(made[0].numpy(), np.exp([1.0, 2.0]) * 0.5, rtol=1e-6)


@pytest.mark.usefixtures("restless")
def test_gradients_in_threads(fused: fogo.Device) -> None:
    where = fused.autodiff()

    def work(k: int) -> None:
        for i in range(4):
            x = fogo.tensor([k + 1.0, 2.0], device=where).requires_grad_()
            gradient = (x * x * float(i)).sum().backward()[x]
            assert gradient.tolist() == [2.0 * (k + 1) * i, 4.0 * i]

    together(work)

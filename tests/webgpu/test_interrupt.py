"""Ctrl-C: it waits for what must happen whole, and a device works on after it."""

from __future__ import annotations

import signal
import threading
from typing import Any

import pytest

import fogo
from fogo.backend.threads import Uninterrupted


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    handler = signal.getsignal(signal.SIGINT)
    done = []
    with pytest.raises(KeyboardInterrupt):
        with Uninterrupted():
            with Uninterrupted():
                signal.raise_signal(signal.SIGINT)
                done.append("inner")
            done.append("outer")
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is handler


def test_other_threads_are_never_interrupted() -> None:
    handler, seen = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with Uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [handler]


def test_a_batch_is_not_lost_by_an_interrupt(full: Any, monkeypatch: Any) -> None:
    gpu = full.base().backend.gpu
    play = gpu.play

    def interrupted(*batch: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return play(*batch)

    x = fogo.tensor([[1.0, 4.0, 9.0]], device=full)
    y = x.sqrt().cumsum(1) * x.flip(1)  # kernels and buffers of this batch
    monkeypatch.setattr(gpu, "play", interrupted)
    for act in (y.tolist, full.sync):
        with pytest.raises(KeyboardInterrupt):
            act()
    monkeypatch.setattr(gpu, "play", play)
    assert y.tolist() == [[9.0, 12.0, 6.0]]
    assert (y + x).tolist() == [[10.0, 16.0, 15.0]]

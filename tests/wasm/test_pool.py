"""The pool of the host's memory, and the native host's memory itself."""

from __future__ import annotations

import gc
import random

import pytest

import fogo
from fogo.native.wasmtime_host import Space
from fogo.wasm.host import Host
from fogo.wasm.pool import SMALLEST, Pool, size_class


class Counter(Host):
    """A host that counts: what it gave, what came back, and an end of memory."""

    def __init__(self, limit: int = 1 << 40) -> None:
        self.next = 65536
        self.held: dict[int, int] = {}
        self.limit = limit

    def allocate(self, nbytes: int) -> int:
        if sum(self.held.values()) + nbytes > self.limit:
            raise MemoryError
        self.next += 1 << 30
        self.held[self.next] = nbytes
        return self.next

    def free(self, address: int) -> None:
        del self.held[address]


def test_size_classes_waste_at_most_a_fifth() -> None:
    for nbytes in range(SMALLEST, 5000):
        size = size_class(nbytes)
        assert nbytes <= size and (size - nbytes) <= size // 4 + 16
        assert size_class(size) == size and size % 16 == 0
    assert size_class(0) == SMALLEST and size_class(1 << 20) == 1 << 20


def test_a_buffer_is_used_again_when_its_last_reference_ends() -> None:
    pool = Pool(Counter())
    first = pool.take(1000)
    place = first.address
    assert pool.live == 1024
    del first
    gc.collect()
    assert (pool.live, pool.cached) == (0, 1024)
    again = pool.take(900)
    assert again.address == place and pool.made == 1
    other = pool.take(900)
    assert other.address != place and pool.made == 2


def test_beyond_its_limit_the_pool_gives_memory_back() -> None:
    host = Counter()
    pool = Pool(host, keep=4096)
    buffers = [pool.take(4096) for _ in range(3)]
    buffers.clear()
    gc.collect()
    assert pool.cached == 4096 and len(host.held) == 1


def test_when_memory_ends_the_cache_goes_first_then_it_says_so() -> None:
    pool = Pool(Counter(limit=10000))
    small = pool.take(4096)
    del small
    gc.collect()
    large = pool.take(8192)
    assert pool.cached == 0
    with pytest.raises(fogo.DeviceError, match="wasm: out of memory; 4096 bytes asked"):
        pool.take(4096)
    assert large.size == 8192


def test_space_joins_what_comes_back() -> None:
    space = Space(64, 64 + 480)
    places = [space.take(160) for _ in range(3)]
    assert places == [64, 224, 384] and space.take(1) is None
    for place in (224, 64, 384):
        space.give(place)
    assert space.take(480) == 64
    space.extend(160)
    assert space.take(160) == 544


def test_space_never_gives_a_byte_twice() -> None:
    rng = random.Random(5)
    space = Space(0, 1 << 16)
    held: dict[int, int] = {}
    for _ in range(3000):
        if held and rng.random() < 0.5:
            place = rng.choice(list(held))
            del held[place]
            space.give(place)
            continue
        size = rng.randrange(1, 2000)
        found = space.take(size)
        if found is not None:
            assert found % 16 == 0 and found + size <= 1 << 16
            for place, other in held.items():
                assert found + size <= place or place + other <= found
            held[found] = size
    for place in list(held):
        space.give(place)
    assert space.take(1 << 16) == 0

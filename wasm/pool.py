"""A caching pool of the host's memory: buffers of equal size class are used again."""

from __future__ import annotations

from fogo.errors import DeviceError

SMALLEST = 64  # bytes; a cache line


def size_class(nbytes):
    """The size to allocate: powers of two and three steps between (waste <= 25 %).

    Example:
        >>> size_class(1000), size_class(1100)
        (1024, 1280)
    """
    if nbytes <= SMALLEST:
        return SMALLEST
    step = SMALLEST // 4
    while step * 8 < nbytes:
        step *= 2
    return (nbytes + step - 1) // step * step


class Buffer:
    """Memory of the host; it goes back to the pool with its last reference."""

    __slots__ = ("pool", "address", "size")

    def __init__(self, pool, address, size):
        self.pool = pool
        self.address = address
        self.size = size

    def __del__(self):
        self.pool.give(self.address, self.size)


class Pool:
    """Buffers by size class; `made` counts allocations.

    At most `keep` bytes are cached, beyond that the host gets its memory back.
    """

    def __init__(self, host, keep=256 << 20):
        self.host = host
        self.keep = keep
        self.made = 0
        self._live = 0
        self._cached = 0
        self._free = {}
        self._returned = []  # (address, size): filled by whichever thread ends a Buffer

    @property
    def live(self):
        """Bytes in use."""
        self._collect()
        return self._live

    @property
    def cached(self):
        """Bytes kept for later."""
        self._collect()
        return self._cached

    def take(self, nbytes):
        """Return a Buffer of at least `nbytes`; raises DeviceError when memory ends."""
        if self._returned:
            self._collect()
        size = size_class(nbytes)
        waiting = self._free.get(size)
        if waiting:
            address = waiting.pop()
            self._cached -= size
        else:
            address = self._allocate(size)
        self._live += size
        return Buffer(self, address, size)

    def give(self, address, size):
        """Take memory back; called by a Buffer that ends, in any thread."""
        self._returned.append((address, size))

    def _collect(self):
        """Sort in what has come back since."""
        while self._returned:
            address, size = self._returned.pop()
            self._live -= size
            if self._cached + size > self.keep:
                self.host.free(address)
                continue
            self._cached += size
            self._free.setdefault(size, []).append(address)

    def trim(self):
        """Return all cached memory to the host."""
        self._collect()
        waiting, self._free = self._free, {}
        self._cached = 0
        for size in waiting:
            for address in waiting[size]:
                self.host.free(address)

    def _allocate(self, size):
        self.made += 1
        try:
            return self.host.allocate(size)
        except MemoryError:
            self.trim()
        try:
            return self.host.allocate(size)
        except MemoryError:
            raise DeviceError(
                "wasm: out of memory; %d bytes asked for, %d in use; WebAssembly's "
                "memory ends at 4 GiB: use smaller batches, or delete tensors"
                % (size, self.live)
            )

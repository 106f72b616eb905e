"""A player in plain Python: checks the format of batches and keeps the bytes.

It cannot run WGSL: a RUN is checked and written down, and its last buffer is filled
with the kernel's number.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from fogo.errors import DeviceError
from fogo.webgpu import gpu as G


class Played:
    """The reads of a batch, or the error that takes their place."""

    def __init__(self, reads: list[bytes], error: str | None) -> None:
        self.reads = reads
        self.error = error

    def wait(self) -> list[bytes]:
        if self.error:
            raise DeviceError(self.error)
        return self.reads

    async def result(self) -> list[bytes]:
        return self.wait()


class FakeGpu:
    """A `Gpu` that plays nothing but checks everything."""

    def __init__(self, **limits: int) -> None:
        self.info = {"name": "fake", "kind": "test", "software": True}
        self.features: set[str] = set()
        self.limits = {**G.PORTABLE, **limits}
        self.buffers: dict[int, bytearray] = {}
        self.kernels: dict[int, tuple[list[int], int]] = {}
        self.programs: dict[int, array[int]] = {}
        self.batches: list[list[tuple[Any, ...]]] = []
        self.error: str | None = None

    def play(
        self, words: array[int], blobs: Sequence[bytes], texts: Sequence[str]
    ) -> Played:
        assert isinstance(words, array) and words.typecode == "i"
        assert words[0] == G.FORMAT
        reads: list[bytes] = []
        commands: list[tuple[Any, ...]] = []
        at = 1
        while at < len(words):
            at = self._one(words, at, blobs, texts, reads, commands)
        assert at == len(words)
        self.batches.append(commands)
        return Played(reads, self.error)

    def _one(
        self,
        words: array[int],
        at: int,
        blobs: Sequence[bytes],
        texts: Sequence[str],
        reads: list[bytes],
        commands: list[tuple[Any, ...]],
    ) -> int:
        command = words[at]
        if command == G.BUFFER:
            id, count = words[at + 1 : at + 3]
            assert id not in self.buffers and count > 0
            self.buffers[id] = bytearray(count * 4)
            commands.append(("buffer", id, count))
            return at + 3
        if command == G.FREE:
            del self.buffers[words[at + 1]]
            commands.append(("free", words[at + 1]))
            return at + 2
        if command == G.WRITE:
            id, offset, count, blob = words[at + 1 : at + 5]
            assert len(blobs[blob]) == count * 4
            assert offset + count <= len(self.buffers[id]) // 4
            self.buffers[id][offset * 4 : (offset + count) * 4] = blobs[blob]
            commands.append(("write", id, count))
            return at + 5
        if command in (G.KERNEL, G.TRUSTED):
            nbuf = words[at + 3]
            access = list(words[at + 4 : at + 4 + nbuf])
            assert words[at + 1] not in self.kernels and set(access) <= {0, 1}
            assert "fn main(" in texts[words[at + 2]]
            self.kernels[words[at + 1]] = (access, words[at + 4 + nbuf])
            kind = "kernel" if command == G.KERNEL else "trusted"
            commands.append((kind, words[at + 1], texts[words[at + 2]]))
            return at + 5 + nbuf
        if command == G.RUN:
            return self._run(words, at, commands)
        if command == G.COPY:
            return self._copy(words, at, commands)
        if command == G.PROGRAM:
            end = at + 3 + words[at + 2]
            self.programs[words[at + 1]] = words[at + 3 : end]
            commands.append(("program", words[at + 1], words[at + 2]))
            return end
        if command == G.PLAY:
            held = self.programs[words[at + 1]]
            commands.append(("play", words[at + 1]))
            place = 0
            while place < len(held):
                assert held[place] in (G.RUN, G.COPY)
                place = self._one(held, place, (), (), reads, commands)
            return at + 2
        if command == G.DROP:
            del self.programs[words[at + 1]]
            commands.append(("drop", words[at + 1]))
            return at + 2
        assert command == G.READ, f"no command {command}"
        id, offset, count = words[at + 1 : at + 4]
        assert offset + count <= len(self.buffers[id]) // 4
        reads.append(bytes(self.buffers[id][offset * 4 : (offset + count) * 4]))
        commands.append(("read", id, count))
        return at + 4

    def _copy(self, words: array[int], at: int, commands: list[tuple[Any, ...]]) -> int:
        source, start, target, to, count = words[at + 1 : at + 6]
        assert count > 0
        assert start + count <= len(self.buffers[source]) // 4
        assert to + count <= len(self.buffers[target]) // 4
        part = self.buffers[source][start * 4 : (start + count) * 4]
        self.buffers[target][to * 4 : (to + count) * 4] = part
        commands.append(("copy", source, target, count))
        return at + 6

    def _run(self, words: array[int], at: int, commands: list[tuple[Any, ...]]) -> int:
        kernel, nbuf = words[at + 1 : at + 3]
        access, nparams = self.kernels[kernel]
        ids = list(words[at + 3 : at + 3 + nbuf])
        grid = at + 3 + nbuf
        assert nbuf == len(access) and words[grid + 3] == nparams
        assert all(1 <= g <= 65535 for g in words[grid : grid + 3])
        written = [i for i, w in zip(ids, access) if w]
        assert all(i in self.buffers for i in ids)
        assert len(written) == len(set(written))
        assert not set(written) & {i for i, w in zip(ids, access) if not w}
        for id in written:
            self.buffers[id][:4] = kernel.to_bytes(4, "little")
        params = list(words[grid + 4 : grid + 4 + nparams])
        commands.append(("run", kernel, ids, tuple(words[grid : grid + 3]), params))
        return grid + 4 + nparams

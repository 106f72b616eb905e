"""Programs: RUNs and COPYs that a player keeps, prepared to be played many times.

Bind groups, offsets and pipelines are found once, the parameters lie in a uniform
buffer of the program's own. Playing is a loop over lists; see wgpu_fast.py for a loop
that speaks to wgpu's C library itself.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from fogo.webgpu import gpu as G

from .wgpu_fast import fast_runs
from .wgpu_kernel import BLOCK_WORDS

if TYPE_CHECKING:
    from .wgpu_player import Buffer, Player

UNIFORM, COPY_DST = 0x40, 0x8

# pipeline (None: that of the run before), bind group, offset in bytes, grid
Run = tuple[Any, Any, int, int, int, int]


class Runs:
    """Dispatches that follow each other: one compute pass."""

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def encode(self, player: Player) -> None:
        """Add the pass to the player's encoder, by the public interface."""
        passing = player.copying().begin_compute_pass()
        for pipeline, group, offset, x, y, z in self.runs:
            if pipeline is not None:
                passing.set_pipeline(pipeline)
            passing.set_bind_group(0, group, (offset,))
            passing.dispatch_workgroups(x, y, z)
        passing.end()


class Copies:
    """Copies that follow each other."""

    def __init__(self) -> None:
        self.copies: list[list[int]] = []

    def encode(self, player: Player) -> None:
        """Add the copies to the player's encoder."""
        for words in self.copies:
            player.copy(*words)


class Program:
    """What PROGRAM made of its words: passes and copies, in order."""

    def __init__(self, player: Player, words: list[int]) -> None:
        self.words = words
        self.dispatches = 0
        self.buffers: dict[int, Buffer] = {}
        self.parts: list[Any] = []
        self._pipeline: Any = None
        self._groups: dict[tuple[Any, ...], Any] = {}
        self._params = array("i")
        self._uniform = player.device.create_buffer(
            size=_block_words(player, words) * 4, usage=UNIFORM | COPY_DST
        )
        at = 0
        while at < len(words):
            if words[at] == G.RUN:
                at = self._run(player, at)
            elif words[at] == G.COPY:
                at = self._copy(player, at)
            else:
                raise ValueError(
                    f"player: a program takes RUN and COPY; not {words[at]}"
                )
        self._finish(player)

    def _run(self, player: Player, at: int) -> int:
        words = self.words
        kernel = _known(player.kernels, words[at + 1], "kernel")
        grid = at + 3 + words[at + 2]
        end = grid + 4 + words[grid + 3]
        ids = tuple(words[at + 3 : grid])
        for id in ids:
            self.buffers[id] = _known(player.buffers, id, "buffer")
        key = (kernel.tag, ids)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = player.bind(kernel, ids, self._uniform)
        offset = len(self._params) * 4
        block = array("i", words[grid + 4 : end])
        self._params += block + array("i", [0]) * (kernel.block - len(block))
        pipeline = None if kernel.pipeline is self._pipeline else kernel.pipeline
        self._pipeline = kernel.pipeline
        runs = self._part(Runs).runs
        runs.append((pipeline, group, offset, *words[grid : grid + 3]))
        self.dispatches += 1
        return end

    def _copy(self, player: Player, at: int) -> int:
        copy = self.words[at + 1 : at + 6]
        for id in (copy[0], copy[2]):
            self.buffers[id] = _known(player.buffers, id, "buffer")
        self._part(Copies).copies.append(copy)
        self._pipeline = None
        return at + 6

    def _part(self, kind: Any) -> Any:
        """The last part, if it is of this kind; else a new one."""
        if not self.parts or type(self.parts[-1]) is not kind:
            self.parts.append(kind())
        return self.parts[-1]

    def _finish(self, player: Player) -> None:
        if self._params:
            player.queue.write_buffer(self._uniform, 0, self._params)
        self.parts = [
            (fast_runs(player.device, part.runs) or part)
            if isinstance(part, Runs)
            else part
            for part in self.parts
        ]
        self._groups = {}
        self._params = array("i")

    def play(self, player: Player) -> None:
        """Encode everything into the player's encoder."""
        player.copying()
        stamp = player.stamp
        for entry in self.buffers.values():
            entry.stamp = stamp
        for part in self.parts:
            part.encode(player)


def _known(table: dict[int, Any], id: int, what: str) -> Any:
    if id not in table:
        raise ValueError(f"player: there is no {what} {id}")
    return table[id]


def _block_words(player: Player, words: list[int]) -> int:
    """Words of the parameters of all RUNs, at least one block."""
    at = total = 0
    while at < len(words):
        if words[at] != G.RUN:
            at += 6
            continue
        total += _known(player.kernels, words[at + 1], "kernel").block
        grid = at + 3 + words[at + 2]
        at = grid + 4 + words[grid + 3]
    return max(total, BLOCK_WORDS)

"""The command player on wgpu-py or Dawn: one tight loop over the words of a batch.

It does what web/static/player.js does in a browser; the format is in
fogo/webgpu/gpu.py. One compute pass holds a run of kernels, one submit a batch; a
batch is cut only where host data must go to a buffer that waiting commands use, or
where its parameters fill the arena.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from fogo.errors import DeviceError
from fogo.webgpu import gpu as G

from .wgpu_fast import fast_encoders
from .wgpu_kernel import Compiler, Kernel
from .wgpu_pending import Chunk, Pending, Staging, padded
from .wgpu_program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .wgpu_timer import Timer

ARENA_WORDS = 65536  # parameters of one submit: 1024 blocks of 64 words

# Buffer usages, by WebGPU's numbers.
MAP_READ, COPY_SRC, COPY_DST, UNIFORM = 0x1, 0x4, 0x8, 0x40
STORAGE = 0x80 | COPY_SRC | COPY_DST


class Buffer:
    """A buffer, the keys of the bind groups it is in, and when it was last used."""

    __slots__ = ("buffer", "size", "keys", "stamp")

    def __init__(self, buffer: Any, size: int) -> None:
        self.buffer = buffer
        self.size = size
        self.keys: set[tuple[Any, ...]] = set()
        self.stamp = 0


class Player:
    """Plays batches on one device; the first error waits for the next read.

    api: the module that the device is of, `wgpu` or `wgpudawn` (the same interface).
    """

    def __init__(self, device: Any, api: Any) -> None:
        self.api = api
        self.errors = (api.GPUError, RuntimeError)
        self.device = device
        self.queue = device.queue
        self.stats = dict.fromkeys(
            ("batches", "submits", "dispatches", "kernels", "groups", "buffers"), 0
        )
        self.buffers: dict[int, Buffer] = {}
        self.kernels: dict[int, Kernel] = {}
        self.compiler = Compiler(device)
        self.groups: dict[tuple[Any, ...], Any] = {}
        self.programs: dict[int, Program] = {}
        self.staging = Staging(device)
        self.arena = array("i", bytes(ARENA_WORDS * 4))
        self.arena_buffer = device.create_buffer(
            size=ARENA_WORDS * 4, usage=UNIFORM | COPY_DST
        )
        self.arena_used = 0
        self.fast = fast_encoders(device)
        self.encoder: Any = None
        self.passing: Any = None
        self.pipeline: Any = None
        self.stamp = 1
        self.problem: str | None = None
        self.timer: Timer | None = None  # set while profiling
        # What the backend sets: it names buffers that nothing uses, to be freed where
        # memory is short.
        self.give_back: Callable[[], list[int]] | None = None
        self.missing: dict[int, int] = {}  # id -> words: there was no memory for them

    def play(
        self, words: Sequence[int], blobs: Sequence[Any], texts: Sequence[str]
    ) -> Pending:
        """Encode and submit a batch at once."""
        chunks: list[Chunk] = []
        try:
            self._decode(list(words), blobs, texts, chunks)
            self.submit()
        except (*self.errors, ValueError, KeyError) as error:
            self._note(error)
        self.stats["batches"] += 1
        return Pending(self, chunks)

    def _note(self, error: Exception) -> None:
        """Keep the first problem; give up what was being encoded."""
        self.problem = self.problem or str(error) or type(error).__name__
        self.encoder = self.passing = self.pipeline = None
        self.arena_used = 0
        self.stamp += 1

    def _decode(
        self,
        words: list[int],
        blobs: Sequence[Any],
        texts: Sequence[str],
        chunks: list[Chunk],
    ) -> None:
        if words[0] != G.FORMAT:
            raise ValueError(f"player: it plays format {G.FORMAT}, not {words[0]}")
        at, end = 1, len(words)
        while at < end:
            command = words[at]
            if command == G.RUN:
                at = self._run(words, at)
                continue
            if command == G.BUFFER:
                self._try(self._make_buffer, words[at + 1], words[at + 2])
                at += 3
            elif command == G.FREE:
                self._free(words[at + 1])
                at += 2
            elif command == G.WRITE:
                id, offset, count, blob = words[at + 1 : at + 5]
                self._write(id, offset, count, blobs[blob])
                at += 5
            elif command in (G.KERNEL, G.TRUSTED):
                stop = at + 5 + words[at + 3]
                text = texts[words[at + 2]]
                self._try(self._make_kernel, words[at:stop], text)
                at = stop
            elif command == G.COPY:
                self.copy(*words[at + 1 : at + 6])
                at += 6
            elif command == G.READ:
                stop = at + 4
                while stop < end and words[stop] == G.READ:
                    stop += 4
                chunks.append(self._read_some(words[at:stop]))
                at = stop
            elif command == G.PROGRAM:
                stop = at + 3 + words[at + 2]
                self._try(self._make_program, words[at + 1], words[at + 3 : stop])
                at = stop
            elif command == G.PLAY:
                self._play(words[at + 1])
                at += 2
            elif command == G.DROP:
                self.programs.pop(words[at + 1], None)
                at += 2
            else:
                raise ValueError(f"player: no command {command}, at word {at}")

    def _try(self, make: Any, *args: Any) -> None:
        """Make a thing; if that fails, what would use it is skipped."""
        try:
            make(*args)
        except self.api.GPUError as error:
            self.problem = self.problem or str(error)

    def _make_buffer(self, id: int, nwords: int) -> None:
        size = nwords * 4
        try:
            made = self._create(size)
        except self.api.GPUOutOfMemoryError:
            self.missing[id] = nwords
            raise self.api.GPUError(
                f"out of memory: the GPU has no room for {size} bytes more; drop "
                "tensors, or work on smaller batches"
            ) from None
        self.buffers[id] = Buffer(made, size)
        self.stats["buffers"] += 1

    def _create(self, size: int) -> Any:
        """Make a buffer; where memory is short, once more without the idle ones."""
        try:
            return self.device.create_buffer(size=size, usage=STORAGE)
        except self.api.GPUOutOfMemoryError:
            if self.give_back is None:
                raise
        for id in self.give_back():
            self._free(id)
        self.submit()
        self._settle()  # what was freed may be in use still
        return self.device.create_buffer(size=size, usage=STORAGE)

    def _settle(self) -> None:
        """Wait until the queue is empty."""
        end = self.device.create_buffer(size=8, usage=MAP_READ | COPY_DST)
        encoder = self._encoder()
        encoder.clear_buffer(end)
        if self.fast is not None:
            self.fast.submit(encoder)
        else:
            self.queue.submit([encoder.finish()])
        end.map_sync(MAP_READ)
        end.unmap()
        end.destroy()

    def _find(self, id: int) -> Buffer | None:
        """A buffer by its id; one that was missing is tried again."""
        entry = self.buffers.get(id)
        if entry is None and id in self.missing:
            self._try(self._make_buffer, id, self.missing.pop(id))
            entry = self.buffers.get(id)
        return entry

    def _free(self, id: int) -> None:
        entry = self.buffers.pop(id, None)
        if entry is None:
            self.missing.pop(id, None)
            return
        for key in entry.keys:
            self.groups.pop(key, None)
        self.stats["buffers"] -= 1
        if entry.stamp == self.stamp:
            self.submit()
        entry.buffer.destroy()

    def _write(self, id: int, offset: int, count: int, blob: Any) -> None:
        entry = self._find(id)
        if entry is None or not count:
            return
        # A queue's write happens before the commands that wait in the encoder.
        if entry.stamp == self.stamp:
            self.submit()
        self.queue.write_buffer(entry.buffer, offset * 4, blob, 0, count * 4)

    def _make_kernel(self, words: list[int], text: str) -> None:
        self.kernels[words[1]] = self.compiler.make(words, text)
        self.stats["kernels"] += 1

    def _run(self, words: list[int], at: int) -> int:
        nbuf = words[at + 2]
        grid = at + 3 + nbuf
        start = grid + 4
        end = start + words[grid + 3]
        kernel = self.kernels.get(words[at + 1])
        if kernel is None:
            self.problem = self.problem or f"player: no kernel {words[at + 1]}"
            return end
        if self.arena_used + kernel.block > ARENA_WORDS or (
            self.timer is not None and self.timer.full
        ):
            self.submit()
        ids = tuple(words[at + 3 : grid])
        group = self.groups.get((kernel.tag, ids)) or self._group(kernel, ids)
        if group is None:
            return end
        stamp = self.stamp
        buffers = self.buffers
        for id in ids:
            buffers[id].stamp = stamp
        place = self.arena_used
        self.arena[place : place + end - start] = array("i", words[start:end])
        self.arena_used = place + kernel.block
        passing = self.passing
        if passing is None:
            passing = self._begin()
        if self.pipeline is not kernel.pipeline:
            self.pipeline = kernel.pipeline
            passing.set_pipeline(kernel.pipeline)
        passing.set_bind_group(0, group, (place * 4,))
        passing.dispatch_workgroups(words[grid], words[grid + 1], words[grid + 2])
        self.stats["dispatches"] += 1
        if self.timer is not None:  # a pass for each dispatch
            passing.end()
            self.passing = None
            self.timer.note(words[at + 1], words[grid:end])
        return end

    def _make_program(self, id: int, words: list[int]) -> None:
        self.programs[id] = Program(self, words)

    def _play(self, id: int) -> None:
        """Encode what a program holds; dispatch by dispatch where each is timed."""
        program = self.programs.get(id)
        if program is None:
            self.problem = self.problem or f"player: there is no program {id}"
        elif self.timer is not None:
            self._decode([G.FORMAT, *program.words], (), (), [])
        else:
            program.play(self)
            self.stats["dispatches"] += program.dispatches

    def _group(self, kernel: Kernel, ids: tuple[int, ...]) -> Any:
        """Make the bind group of a kernel and these buffers, and remember it."""
        group = self.bind(kernel, ids, self.arena_buffer)
        if group is not None:
            key = (kernel.tag, ids)
            self.groups[key] = group
            for id in ids:
                self.buffers[id].keys.add(key)
            self.stats["groups"] += 1
        return group

    def bind(self, kernel: Kernel, ids: tuple[int, ...], params: Any) -> Any:
        """Make a bind group, with parameters out of a uniform buffer."""
        if len(ids) != kernel.nbuf:
            raise ValueError(
                f"player: the kernel takes {kernel.nbuf} buffers, not {len(ids)}"
            )
        block = {"buffer": params, "offset": 0, "size": kernel.block * 4}
        entries: list[dict[str, Any]] = [{"binding": 0, "resource": block}]
        for i, id in enumerate(ids):
            entry = self._find(id)
            if entry is None:
                self.problem = self.problem or f"player: there is no buffer {id}"
                return None
            whole = {"buffer": entry.buffer, "offset": 0, "size": entry.size}
            entries.append({"binding": i + 1, "resource": whole})
        return self.device.create_bind_group(layout=kernel.layout, entries=entries)

    def _begin(self) -> Any:
        if self.encoder is None:
            self.encoder = self._encoder()
        timer = self.timer
        self.passing = self.encoder.begin_compute_pass(
            timestamp_writes=None if timer is None else timer.writes()
        )
        self.pipeline = None
        return self.passing

    def _encoder(self) -> Any:
        if self.fast is not None:
            return self.fast.encoder()
        return self.device.create_command_encoder()

    def copying(self) -> Any:
        """The encoder, outside of any pass."""
        if self.passing is not None:
            self.passing.end()
            self.passing = None
        if self.encoder is None:
            self.encoder = self._encoder()
        return self.encoder

    def copy(self, src: int, at: int, dst: int, to: int, count: int) -> None:
        source, target = self._find(src), self._find(dst)
        if source is None or target is None or not count:
            return
        encoder = self.copying()
        size = count * 4
        source.stamp = target.stamp = self.stamp
        if source is not target:
            encoder.copy_buffer_to_buffer(
                source.buffer, at * 4, target.buffer, to * 4, size
            )
            return
        between = self.device.create_buffer(size=size, usage=COPY_SRC | COPY_DST)
        encoder.copy_buffer_to_buffer(source.buffer, at * 4, between, 0, size)
        encoder.copy_buffer_to_buffer(between, 0, target.buffer, to * 4, size)

    def _read_some(self, words: list[int]) -> Chunk:
        """Copy what READs ask for into one buffer, each part at a multiple of 8."""
        reads = [tuple(words[i + 1 : i + 4]) for i in range(0, len(words), 4)]
        counts = [count for _, _, count in reads]
        total = sum(padded(count) for count in counts)
        if not total:
            return Chunk(None, counts)
        staging = self.staging.take(total)
        encoder = self.copying()
        to = 0
        for id, offset, count in reads:
            entry = self._find(id)
            if entry is None:
                self.problem = self.problem or f"player: there is no buffer {id}"
            elif count:
                entry.stamp = self.stamp
                encoder.copy_buffer_to_buffer(
                    entry.buffer, offset * 4, staging, to, count * 4
                )
            to += padded(count)
        return Chunk(staging, counts)

    def submit(self) -> None:
        """Send what is encoded, its parameters first."""
        if self.encoder is None:
            return
        if self.passing is not None:
            self.passing.end()
        if self.timer is not None:
            self.timer.resolve(self.encoder)
        encoder, used = self.encoder, self.arena_used
        self.encoder = self.passing = self.pipeline = None
        self.arena_used = 0
        self.stamp += 1
        if used:
            self.queue.write_buffer(self.arena_buffer, 0, self.arena, 0, used * 4)
        if self.fast is not None:
            self.fast.submit(encoder)
        else:
            self.queue.submit([encoder.finish()])
        self.stats["submits"] += 1

    def take_problem(self) -> DeviceError | None:
        """The first thing that went wrong since it was last asked for."""
        text, self.problem = self.problem, None
        return None if text is None else DeviceError("webgpu: " + text)

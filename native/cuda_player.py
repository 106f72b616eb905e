"""The command player on CUDA: one stream, kernels by NVRTC, programs as CUDA graphs.

The format of batches is in fogo/webgpu/gpu.py. The text of a KERNEL is CUDA C++ behind
a head line, which `headed` writes: how many threads a block has, and whether P, the
parameters, lie in memory (for fogo.kernel_source) instead of being arguments. Arguments
are the addresses of the buffers, then the parameters, which all fit their 32-bit words.
"""

from __future__ import annotations

import os
from array import array
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from fogo.errors import DeviceError
from fogo.webgpu import gpu as G

from .cuda_memory import ACROSS, Memory, Pending
from .cuda_rtc import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .cuda_timer import Timer

ENTRY = "main_kernel"
HEAD = "// fogo threads "


def headed(text: str, threads: int, in_memory: bool = False) -> str:
    """The text of a KERNEL command for so many threads a block."""
    return f"{HEAD}{threads} {'P' * in_memory}\n{text}"


class Kernel:
    """A compiled function, and the arguments of its next launch.

    The driver copies arguments when it is called: they lie in two arrays that every
    launch fills anew, and `at` is the address of the list of where they are.
    """

    def __init__(self, made: Any, head: str, nbuf: int, nparams: int) -> None:
        threads, kind = head[len(HEAD) :].split(" ")
        self.made = made  # keeps the module
        self.function = made.kernel.ptr
        self.threads = int(threads)
        self.in_memory = kind == "P"
        self.nbuf = nbuf
        self.addresses = array("Q", bytes(8 * (nbuf + self.in_memory)))
        self.params = array("i", bytes(0 if self.in_memory else 4 * nparams))
        first, then = self.addresses.buffer_info()[0], self.params.buffer_info()[0]
        places = [first + 8 * i for i in range(len(self.addresses))]
        places += [then + 4 * i for i in range(len(self.params))]
        self.places = array("Q", places or [0])
        self.at = self.places.buffer_info()[0]


class Program:
    """A CUDA graph; its words, for when each kernel is timed; what it needs alive."""

    def __init__(self, words: array[int]) -> None:
        self.words = words
        self.graph: Any = None
        self.kept: list[Any] = []
        self.dispatches = 0


class Player:
    """Plays batches on one GPU; the first error waits for the next read."""

    def __init__(self, cupy: Any, index: int) -> None:
        self.cupy = cupy
        self.device = cupy.cuda.Device(index)
        with self.device:
            self.stream = cupy.cuda.Stream(non_blocking=True)
            self.memory = Memory(cupy, self.stream)
        self.launch = cupy.cuda.driver.launchKernel
        self.errors = (
            RuntimeError, MemoryError, ValueError, KeyError,
            cupy.cuda.compiler.CompileException,
        )  # fmt: skip
        self.stats = dict.fromkeys(
            ("batches", "dispatches", "kernels", "compiled", "graphs", "buffers"), 0
        )
        self.buffers: dict[int, Any] = {}
        self.kernels: dict[int, Kernel] = {}
        self.compiled: dict[str, Any] = {}
        self.freed = False  # whether a batch has freed buffers
        self.programs: dict[int, Program] = {}
        self.making: Program | None = None  # while its graph is captured
        self.blocks: list[Any] = []  # its parameters that lie in memory, in order
        self.problem: str | None = None
        self.timer: Timer | None = None  # set while profiling
        # What the backend sets: it names buffers that nothing uses, to be freed where
        # memory is short.
        self.give_back: Callable[[], list[int]] | None = None
        self.missing: dict[int, int] = {}  # id -> words: there was no memory for them

    def play(
        self, words: array[int], blobs: Sequence[Any], texts: Sequence[str]
    ) -> Pending:
        """Give a batch to the GPU; it does not wait for it."""
        reads: list[Any] = []
        event = None
        with self.device:
            try:
                if words[0] != G.FORMAT:
                    raise ValueError(f"it plays format {G.FORMAT}, not {words[0]}")
                self.memory.recycle()
                self._compile_all(texts)
                self._decode(words, 1, blobs, texts, reads)
                self.memory.sent()
                if self.freed:
                    self.memory.settle()
                    self.freed = False
                event = self.stream.record() if reads else None
            except self.errors as error:
                self._note(error)
        self.stats["batches"] += 1
        return Pending(self, reads, event)

    def _note(self, error: BaseException) -> None:
        self.problem = self.problem or str(error) or type(error).__name__

    def _decode(
        self,
        words: array[int],
        at: int,
        blobs: Sequence[Any],
        texts: Sequence[str],
        reads: list[Any],
    ) -> None:
        end = len(words)
        while at < end:
            command = words[at]
            if command == G.RUN:
                at = self._run(words, at)
            elif command == G.BUFFER:
                self._try(self._make_buffer, words[at + 1], words[at + 2])
                at += 3
            elif command == G.FREE:
                self._free(words[at + 1])
                at += 2
            elif command == G.WRITE:
                id, offset, count, blob = words[at + 1 : at + 5]
                self._try(self._write, id, offset, count, blobs[blob])
                at += 5
            elif command in (G.KERNEL, G.TRUSTED):
                stop = at + 5 + words[at + 3]
                self._try(self._make_kernel, words[at:stop], texts[words[at + 2]])
                at = stop
            elif command == G.COPY:
                self._try(self._copy, *words[at + 1 : at + 6])
                at += 6
            elif command == G.READ:
                reads.append(self._try(self._read, *words[at + 1 : at + 4]))
                at += 4
            elif command == G.PROGRAM:
                stop = at + 3 + words[at + 2]
                self._try(self._make_program, words[at + 1], words[at + 3 : stop])
                at = stop
            elif command == G.PLAY:
                self._try(self._play, words[at + 1])
                at += 2
            elif command == G.DROP:
                self.programs.pop(words[at + 1], None)
                at += 2
            else:
                raise ValueError(f"there is no command {command}, at word {at}")

    def _try(self, do: Any, *args: Any) -> Any:
        """Do a command; if that fails, the others go on."""
        try:
            return do(*args)
        except self.errors as error:
            if self.making is not None:
                raise
            self._note(error)
            return None

    # Buffers.

    def _make_buffer(self, id: int, nwords: int) -> None:
        try:
            made = self.memory.take(nwords * 4)
        except MemoryError:
            for idle in self.give_back() if self.give_back is not None else ():
                self._free(idle)
            self.memory.settle(0)
            try:
                made = self.memory.take(nwords * 4)
            except MemoryError:
                self.missing[id] = nwords
                raise MemoryError(
                    f"out of memory: the GPU has no room for {nwords * 4} bytes more; "
                    "drop tensors, or work on smaller batches"
                ) from None
        self.buffers[id] = made
        self.stats["buffers"] += 1

    def _free(self, id: int) -> None:
        if self.buffers.pop(id, None) is not None:
            self.stats["buffers"] -= 1
            self.freed = True
        self.missing.pop(id, None)

    def _find(self, id: int) -> Any:
        """A buffer by its id; one that was missing is tried again."""
        entry = self.buffers.get(id)
        if entry is None and id in self.missing:
            self._make_buffer(id, self.missing.pop(id))
            entry = self.buffers[id]
        if entry is None:
            raise ValueError(f"there is no buffer {id}")
        return entry

    def _write(self, id: int, offset: int, count: int, blob: Any) -> None:
        if count:
            self.memory.write(self._find(id).ptr + offset * 4, blob, count * 4)

    def _read(self, id: int, offset: int, count: int) -> Any:
        return self.memory.read(self._find(id).ptr + offset * 4, count * 4)

    def _copy(self, source: int, at: int, target: int, to: int, count: int) -> None:
        if not count:
            return
        start = self._find(source).ptr + at * 4
        if source == target:
            between = self.memory.take(count * 4)
            self.memory.copy(start, between.ptr, count * 4, ACROSS)
            start = between.ptr
            if self.making is not None:
                self.making.kept.append(between)
        self.memory.copy(start, self._find(target).ptr + to * 4, count * 4, ACROSS)

    # Kernels.

    def _compile_all(self, texts: Sequence[str]) -> None:
        """Compile what a batch brings, on all cores; errors are told in their turn."""
        codes = {text.partition("\n")[2]: True for text in texts}
        codes = {code: True for code in codes if code not in self.compiled}
        if len(codes) < 2:
            return
        with ThreadPoolExecutor(min(len(codes), os.cpu_count() or 1)) as pool:
            for code, made in zip(codes, pool.map(self._attempt, codes)):
                if made is not None:
                    self.compiled[code] = made

    def _attempt(self, code: str) -> Any:
        try:
            with self.device:
                return self._compile(code)
        except self.errors:
            return None

    def _compile(self, code: str) -> Any:
        self.stats["compiled"] += 1
        made = self.cupy.RawModule(code=code, options=OPTIONS).get_function(ENTRY)
        return made

    def _make_kernel(self, words: array[int], text: str) -> None:
        head, _, code = text.partition("\n")
        made = self.compiled.get(code)
        if made is None:
            made = self.compiled[code] = self._compile(code)
        self.kernels[words[1]] = Kernel(made, head, words[3], words[-1])
        self.stats["kernels"] += 1

    def _run(self, words: array[int], at: int) -> int:
        grid = at + 3 + words[at + 2]
        end = grid + 4 + words[grid + 3]
        try:
            self._start(words, at, grid, end)
        except self.errors as error:
            if self.making is not None:
                raise
            self._note(error)
        return end

    def _start(self, words: array[int], at: int, grid: int, end: int) -> None:
        """Launch the kernel of a RUN."""
        id = words[at + 1]
        kernel = self.kernels.get(id)
        if kernel is None:
            raise ValueError(f"there is no kernel {id}")
        if words[at + 2] != kernel.nbuf:
            raise ValueError(f"kernel {id} takes {kernel.nbuf} buffers")
        buffers, found = self.buffers, []
        if kernel.in_memory:
            block = self.blocks.pop(0) if self.making else self._block(words, grid, end)
            found.append(block.ptr)
        for b in words[at + 3 : grid]:
            found.append((buffers.get(b) or self._find(b)).ptr)
        kernel.addresses[:] = array("Q", found)
        if not kernel.in_memory:
            kernel.params[:] = words[grid + 4 : end]
        timer = self.timer
        if timer is not None:
            timer.begin()
        self.launch(
            kernel.function, words[grid], words[grid + 1], words[grid + 2],
            kernel.threads, 1, 1, 0, self.stream.ptr, kernel.at, 0,
        )  # fmt: skip
        if timer is not None:
            timer.end(id, tuple(words[grid:end]))
        self.stats["dispatches"] += 1

    def _block(self, words: array[int], grid: int, end: int) -> Any:
        """The parameters of a RUN, put into memory."""
        params = words[grid + 4 : end] or array("i", [0])
        block = self.memory.take(len(params) * 4)
        self.memory.write(block.ptr, params.tobytes(), len(params) * 4)
        return block

    # Programs.

    def _make_program(self, id: int, words: array[int]) -> None:
        program = Program(words)
        self._prepare(program)
        launched = self.stats["dispatches"]
        timer, self.timer = self.timer, None
        self.stream.begin_capture()
        self.making = program
        try:
            self._decode(words, 0, (), (), [])
        finally:
            self.making, self.timer = None, timer
            program.graph = self.stream.end_capture()
            program.dispatches = self.stats["dispatches"] - launched
            self.stats["dispatches"] = launched
        self.programs[id] = program
        self.stats["graphs"] += 1

    def _prepare(self, program: Program) -> None:
        """Check its commands, and do what may not happen during a capture."""
        words, at = program.words, 0
        while at < len(words):
            if words[at] == G.COPY:
                program.kept += [self._find(words[at + 1]), self._find(words[at + 3])]
                at += 6
                continue
            if words[at] != G.RUN:
                raise ValueError(f"a program takes RUN and COPY; not {words[at]}")
            grid = at + 3 + words[at + 2]
            end = grid + 4 + words[grid + 3]
            program.kept += [self._find(b) for b in words[at + 3 : grid]]
            kernel = self.kernels.get(words[at + 1])
            if kernel is not None and kernel.in_memory:
                self.blocks.append(self._block(words, grid, end))
            program.kept.append(kernel)
            at = end
        program.kept += self.blocks

    def _play(self, id: int) -> None:
        """Launch a graph; kernel by kernel where each is timed."""
        program = self.programs.get(id)
        if program is None:
            raise ValueError(f"there is no program {id}")
        if self.timer is not None:
            self._decode(program.words, 0, (), (), [])
        else:
            program.graph.launch(self.stream)
            self.stats["dispatches"] += program.dispatches

    def take_problem(self) -> DeviceError | None:
        """The first thing that went wrong since it was last asked for."""
        text, self.problem = self.problem, None
        return None if text is None else DeviceError("cuda: " + text)

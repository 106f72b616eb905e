"""The WebGPU backend: kernels printed as WGSL, work sent as batches of commands."""

from __future__ import annotations

from array import array
from struct import pack, unpack

from ..backend.base import Handle, RawBackend
from ..backend.threads import Lock, Uninterrupted
from ..dtypes import (
    bool_,
    float16,
    float32,
    int8,
    int16,
    int32,
    uint8,
    uint16,
    uint32,
)  # fmt: skip
from ..errors import DeviceError
from ..fast import Caps, Chooser
from ..shapes import Layout, size
from .inplace import sharing
from .pool import Pool
from .program import Capture
from .source import run_source
from .stream import Stream, run_words
from .wgsl import print_kernel

# Threads a workgroup: large ones keep memory busy, small ones spread few points over
# many processors (an H200 adds 2.5 times as fast by 256 as by 64).
SMALL, LARGE = 64, 256
MANY = 1 << 16  # points from which on groups are large
RUNS = 256  # kernels in a batch, at most
PREPARED = 8192  # plans remembered for profiles, at most
BATCH_BYTES = 16 << 20  # of host data in a batch, about


class Launch:
    """What a Plan became: the words of its RUN, and where its live numbers stand."""

    __slots__ = ("words", "name", "live", "params", "bound")

    def __init__(self, words, name, live, params, bound):
        self.words = words
        self.name = name
        self.live = live
        self.params = params
        self.bound = bound  # operands that have a binding, or None for all

    def distinct(self, handles):
        """Those of the operands that have a binding."""
        return [handles[i] for i in self.bound]


class WebGpu(RawBackend):
    """Runs on a `Gpu` (see gpu.py): of the browser, or of wgpu-py.

    Example:
        >>> import fogo
        >>> [name for name, kind, text in fogo.devices() if name == "webgpu"]
        ['webgpu']
    """

    name = "webgpu"
    wides = True
    arenas = True  # optimisers put parameters side by side: few kernels pay
    queues = True
    holds = (
        bool_, int8, int16, int32, uint8, uint16, uint32, float16, float32,
    )  # fmt: skip
    default_int = int32

    def __init__(self, gpu):
        RawBackend.__init__(self)
        self.gpu = gpu
        self.lock = Lock()  # threads share the batch being filled
        self.half = "shader-f16" in gpu.features
        self.stream = Stream()
        self.pool = Pool(self.stream, gpu.limits, getattr(gpu, "memory", None))
        if hasattr(gpu, "on_full"):
            gpu.on_full(self.pool.surrender)
        self.kernels = 0
        self.prepared = {}  # (kernel id, grid and parameters) -> Plan: for profiles
        self.compiled = {}  # (kernel, threads a workgroup) -> (its id, lanes)
        self.fast = Chooser(self, capabilities(gpu))
        self.names = {}  # of ops sent since the last read, for error messages
        self.fence = None
        self.tape = None  # the program being captured: see program.py
        self.capturing = Lock()  # one program at a time
        self.programs = 0
        self.sharing = {}  # (kernel, shares) -> the kernel with those
        self.forgotten = []  # (id of a program, its buffers)

    def describe(self):
        return self.gpu.info["name"]

    def bench(self):
        """What measures kernels here: see tuning.py."""
        from .tuning import Bench

        return Bench(self)

    # Kernels.

    def execute(self, op, inputs, attrs, outs):
        with self.lock:
            return RawBackend.execute(self, op, inputs, attrs, outs)

    def run(self, op, inputs, attrs, outs):
        found = self.fast.choose(op, inputs, attrs, outs)
        if found is not None:
            if found.run is not None:
                return found.run(self, inputs, outs)
            op, attrs = found.op, found.attrs
        return RawBackend.run(self, op, inputs, attrs, outs)

    def compose(self, op, inputs, attrs, outs):
        found = self.fast.choose(op, inputs, attrs, outs)
        if found is None:
            return RawBackend.compose(self, op, inputs, attrs, outs)
        if found.run is not None:
            return found.run(self, inputs, outs)
        return RawBackend.run(self, found.op, inputs, found.attrs, outs)

    def lacks(self, kernel, op):
        if op.decompose is None:
            return False  # what is missing will be named
        missing = [x for x in kernel.features if x not in self.fast.caps.features]
        return bool(missing)

    def run_source(self, op, inputs, attrs, outs):
        return run_source(self, op, inputs, attrs, outs)

    def allocate(self, count, dtype):
        return self.pool.take(count * dtype.itemsize)

    def launch(self, plan, inputs, outputs, attrs):
        made = plan.compiled
        if made is None:
            made = plan.compiled = self._prepare(plan)
        words = made.words[:]
        at = 3
        if made.bound is not None:
            inputs, outputs = made.distinct(list(inputs) + list(outputs)), ()
        for h in inputs:
            words[at] = h.buffer.id
            at += 1
        for h in outputs:
            words[at] = h.buffer.id
            at += 1
        if made.live:
            for place, attr, dtype in made.live:
                words[at + 4 + place] = word(attrs[attr], dtype)
        self.send(words, made.name, inputs, plan)

    def send(self, words, name, inputs, plan=None):
        """Put a RUN in the batch."""
        self.stream.run(words)
        if self.tape is not None:
            self.tape.add(words, [h.buffer for h in inputs], plan)
        self.names[name] = True
        if self.stream.runs >= RUNS:
            self.flush()

    def collect(self):
        """Use the buffers of forgotten programs again, unless one is captured now."""
        while self.forgotten and self.tape is None:
            id, unused = self.forgotten.pop()
            self.stream.drop(id)
            self.pool.take_back(unused)

    def program(self):
        """Begin to capture a program: see program.py."""
        return Capture(self)

    def _prepare(self, plan):
        kernel = plan.kernel
        group = kernel.threads or (LARGE if plan.points >= MANY else SMALL)
        known = self.compiled.get((kernel, group))
        if known is None:
            known = self.compiled[(kernel, group)] = self._compile(kernel, group)
        id, lanes = known
        threads = (plan.points + lanes - 1) // lanes
        groups = (threads + group - 1) // group
        if kernel.threads:  # a workgroup for each point
            groups = plan.points
        groups = fold(groups, self.gpu.limits["maxComputeWorkgroupsPerDimension"])
        dtypes = [dtype for _, dtype in kernel.params]
        params = [word(v, d) for v, d in zip(plan.values, dtypes)]
        bound = kernel.bindings()
        words = run_words(id, len(bound), groups, params)
        if len(self.prepared) >= PREPARED:
            self.prepared.clear()
        self.prepared[(id, tuple(words[3 + len(bound) :]))] = plan
        live = [(place, attr, dtypes[place]) for place, attr in plan.runtime]
        return Launch(
            words, kernel.name, live, params, bound if kernel.shares else None
        )

    def shared(self, plan, shares):
        """The number of a plan's kernel whose outputs lie over inputs; None where it
        would take other points at once."""
        key = (plan.kernel, tuple(sorted(shares.items())))
        if key not in self.sharing:
            self.sharing[key] = sharing(plan.kernel, shares)
        kernel = self.sharing[key]
        group = LARGE if plan.points >= MANY else SMALL
        found = self.compiled.get((kernel, group))
        if found is None:
            found = self.compiled[(kernel, group)] = self._compile(kernel, group)
        same = found[1] == self.compiled[(plan.kernel, group)][1]
        if not same:
            return None
        words = plan.compiled.words
        self.prepared[(found[0], tuple(words[3 + words[2] :]))] = plan
        return found[0]

    def _compile(self, kernel, group):
        demand(kernel, self.fast.caps)
        printed = self._print(kernel, group)
        trusted = getattr(kernel, "trusted", False)
        id = self.define(printed.text, printed.access, len(kernel.params), trusted)
        return id, printed.lanes

    def _print(self, kernel, group):
        """A kernel in the language of the player."""
        prints = getattr(self.gpu, "prints", None)
        if prints is not None:
            return prints(kernel, group)
        enables = "subgroups" in self.gpu.features
        printed = print_kernel(kernel, self.half, group, enables)
        printed.text = "// %s\n%s" % (kernel.name, printed.text)
        return printed

    def define(self, text, access, nparams, trusted=False):
        """Put a KERNEL in the batch; returns its number."""
        self.kernels += 1
        self.stream.kernel(self.kernels, text, access, nparams, trusted)
        return self.kernels

    # Memory.

    def copy(self, source, offset, target, to, nwords):
        """Copy words between Buffers (or within one), in order with all else."""
        if nwords:
            words = self.stream.copy(source.id, offset, target.id, to, nwords)
            if self.tape is not None:
                self.tape.add(words, (source,))

    def upload(self, values, shape, dtype):
        count = size(shape)
        blob = to_bytes(values, dtype)
        with self.lock:
            self.uploads += 1
            buffer = self.pool.take(count * dtype.itemsize, True)
            if self.tape is not None:
                self.tape.keep(buffer)
            if count:
                self.stream.write(buffer.id, blob)
                if self.stream.bytes >= BATCH_BYTES:
                    self.flush()
        return Handle(buffer, Layout(shape), dtype)

    def read(self, handles):
        with self.lock:
            handles, pending = self._ask(handles)
            try:
                blobs = pending.wait()
            except DeviceError as error:
                raise self._explained(error)
            return self._unpack(handles, blobs)

    async def read_async(self, handles):
        with self.lock:
            handles, pending = self._ask(handles)
        try:
            blobs = await pending.result()
        except DeviceError as error:
            raise self._explained(error)
        return self._unpack(handles, blobs)

    def _ask(self, handles):
        """Send the batch with a READ for each handle."""
        self.reads += 1
        if self.tape is not None:
            self.tape.refuse("it reads data from the device")
        handles = [self.contiguous(h) for h in handles]
        with Uninterrupted():
            for h in handles:
                n = size(h.shape) * h.dtype.itemsize
                self.stream.read(h.buffer.id, (n + 3) // 4)
            return handles, self.flush()

    def _unpack(self, handles, blobs):
        self.names = {}
        out = []
        for h, blob in zip(handles, blobs):
            n = size(h.shape) * h.dtype.itemsize
            out.append(array(h.dtype.code, bytes(memoryview(blob)[:n])))
        return out

    def _explained(self, error):
        """The same error, with the ops that were under way."""
        if "out of memory" in str(error).lower():
            self.pool.trim()  # what is spare may be what the next try needs
        names = ", ".join(sorted(self.names)) or "none"
        self.names = {}
        return DeviceError("%s; ops since the last read: %s" % (error, names))

    def flush(self):
        """Send what is pending; returns its Pending."""
        with self.lock, Uninterrupted():
            pending = self.gpu.play(*self.stream.take())
            self.pool.sent()
            return pending

    def sync(self):
        """Wait for everything, and raise what went wrong: a read of one word."""
        with self.lock:
            if self.tape is not None:
                self.tape.refuse("it waits for the device")
            self.collect()
            if self.fence is None:
                self.fence = self.pool.take(4, True)
            with Uninterrupted():
                self.stream.read(self.fence.id, 1)
                pending = self.flush()
            try:
                pending.wait()
            except DeviceError as error:
                raise self._explained(error)
            self.names = {}


def demand(kernel, caps):
    """Raise DeviceError where a kernel needs more than the device has."""
    _limit(kernel, caps, "buffers", "maxStorageBuffersPerShaderStage",
           len(kernel.bindings()), "pass fewer tensors")  # fmt: skip
    _limit(kernel, caps, "threads a workgroup", "maxComputeInvocationsPerWorkgroup",
           kernel.threads, "ask for fewer")  # fmt: skip
    used = 0
    for a in kernel.shareds:
        narrow = a.dtype is float16 and "shader-f16" in caps.features
        used += (a.size * (2 if narrow else 4) + 15) // 16 * 16
    _limit(kernel, caps, "bytes of shared memory", "maxComputeWorkgroupStorageSize",
           used, "use smaller tiles")  # fmt: skip
    for name in kernel.features:
        if name not in caps.features:
            raise DeviceError(
                "%s: this kernel needs the feature %s; given a device with %s; choose "
                "a kernel without it"
                % (kernel.name, name, ", ".join(sorted(caps.features)) or "none")
            )


def _limit(kernel, caps, what, limit, count, remedy):
    if count > caps.limits[limit]:
        raise DeviceError(
            "%s: a kernel takes at most %d %s on this device (its limit %s); given %d; "
            "%s" % (kernel.name, caps.limits[limit], what, limit, count, remedy)
        )


def capabilities(gpu):
    """What kernels may be chosen for this GPU."""
    features = set(gpu.features)
    if "subgroup" in features:  # wgpu's spelling
        features.add("subgroups")
    if "chromium-experimental-subgroup-matrix" in features:
        features.add("matrix")
    return Caps(
        features, gpu.limits, gpu.info["software"], gpu.info.get("matrices", ())
    )


def fold(groups, most=65535):
    """(gx, gy) with gx*gy at least `groups`: a dimension holds at most `most`."""
    rows = (groups + most - 1) // most
    return (groups + rows - 1) // rows, rows


def word(value, dtype):
    """A parameter as an int32 word."""
    if dtype.is_float:
        try:
            return unpack("<i", pack("<f", value))[0]
        except OverflowError:
            return 0x7F800000 if value > 0 else -0x800000
    return (int(value) + 0x80000000 & 0xFFFFFFFF) - 0x80000000


def to_bytes(values, dtype):
    """A copy of a flat buffer's bytes, padded to whole words."""
    if isinstance(values, (list, tuple)):
        values = array(dtype.code, values)
    blob = bytes(values)
    rest = len(blob) % 4
    return blob + bytes(4 - rest) if rest else blob

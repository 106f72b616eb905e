"""The browser's WebGPU, as Pyodide sees it: batches go to the JavaScript player.

A batch crosses the border between Python and JavaScript once, as memory, however
many kernels it runs. `open_gpu()` must be awaited before the device can be used:
a browser gives its GPU to nobody who cannot wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fogo.errors import DeviceError

try:
    from pyodide.ffi import JsException, can_run_sync, run_sync, to_js
except ImportError:  # anywhere else the module can be imported, and does no more
    JsException = None

if TYPE_CHECKING:
    from array import array
    from typing import Any

# Our modules come out of the package itself, so the page has nothing to serve.
PARTS = ("device.js", "program.js", "staging.js", "timer.js", "player.js")
OPEN = """async (names, texts) => {
  const urls = {};
  names.forEach((name, i) => {
    let text = texts[i];
    for (const part in urls) text = text.replace(`./${part}`, urls[part]);
    urls[name] = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  });
  const { requestDevice } = await import(urls["device.js"]);
  const { Player } = await import(urls["player.js"]);
  const gpu = await requestDevice();
  return gpu && { ...gpu, player: new Player(gpu.device) };
}"""


class BrowserGpu:
    """One GPU device of the browser: `info`, `features`, `limits` and `play`.

    `info` has name, kind ("discrete", "integrated", "cpu" or "unknown") and software
    (True: a CPU that plays a GPU).
    """

    precise = False  # browsers round the clock of `timings`, to 0.1 ms for most pages

    def __init__(self, gpu: Any) -> None:
        self.info = gpu.info.to_py()
        self.info["matrices"] = tuple([tuple(m) for m in self.info["matrices"]])
        self.profiling = False
        self.features = set(gpu.features.to_py())
        self.limits = gpu.limits.to_py()
        self._player = gpu.player
        self._play = gpu.player.play

    def play(self, words: array[int], blobs: list[bytes], texts: list[str]) -> Pending:
        """Hand a batch to the player; the Pending gives its reads, in order."""
        return Pending(self._play(to_js(words), to_js(blobs), to_js(texts)))

    def profile(self, on: bool) -> bool:
        """Time every dispatch from now on, or no more; False where it cannot."""
        able = bool(self._player.profile(on))
        self.profiling = able and on
        return able

    def timings(self) -> list[Any]:
        """Wait for the dispatches timed: (kernel, grid and parameters, ns, start).

        Raises: DeviceError where this thread cannot wait.
        """
        if not can_run_sync():
            raise DeviceError(
                "profile: Python cannot wait for the GPU here; profile in a browser "
                "with stack switching, started by runPythonAsync"
            )
        found = _checked(run_sync, self._player.timings()).to_py()
        return [(key[0], tuple(key[1:]), ns, start) for key, ns, start in found]

    def can_wait(self) -> bool:
        """Say whether Python can wait for the GPU here."""
        return bool(can_run_sync())

    def stats(self) -> dict[str, int]:
        """The player's counters: dispatches, batches, bytesRead, …"""
        counters: dict[str, int] = self._player.stats.to_py()
        return counters


class Pending:
    """The reads of a batch that plays: await `result()`, or `wait()` where one can."""

    def __init__(self, promise: Any) -> None:
        self._promise = promise

    def wait(self) -> list[bytes]:
        """Wait for the reads. Raises DeviceError where this thread cannot wait."""
        if not can_run_sync():
            raise DeviceError(
                "read: Python cannot wait for the GPU here (this browser has no stack "
                "switching, or the program was not started by runPythonAsync); "
                "use `await t.data_async()`"
            )
        return _bytes(_checked(run_sync, self._promise))

    async def result(self) -> list[bytes]:
        """Await the reads. Raises DeviceError with what the GPU objected to."""
        try:
            return _bytes(await self._promise)
        except JsException as error:
            raise _device_error(error) from None


def adapters() -> None:
    """A browser says what its GPU is only once it is open: nothing to list before."""
    return None


def open_now(index: int = 0) -> BrowserGpu:
    """`open_gpu` where Python can wait. Raises DeviceError where it cannot."""
    if JsException is not None and not can_run_sync():
        raise DeviceError(
            "webgpu: Python cannot wait for the GPU here; use "
            "`import fogo.webgpu`, `await fogo.webgpu.open_gpu()` first"
        )
    gpu: BrowserGpu = run_sync(open_gpu(index))
    return gpu


async def open_gpu(index: int = 0) -> BrowserGpu:
    """Ask the browser for its GPU. Raises DeviceError, with the reason, without one."""
    if index:
        raise DeviceError("webgpu: a browser offers one GPU; given index %d" % index)
    if JsException is None:
        raise DeviceError(
            "webgpu: the browser's GPU is there only for Python in a browser (Pyodide)"
        )
    from pyodide.code import run_js

    texts = []
    for name in PARTS:
        with open(__file__.rsplit("/", 1)[0] + "/static/" + name) as file:
            texts.append(file.read())
    try:
        gpu = await run_js(OPEN)(to_js(PARTS), to_js(texts))
    except JsException as error:
        raise _device_error(error) from None
    if not gpu:
        raise DeviceError(
            "webgpu: this browser offers no GPU adapter; use the cpu device, or open "
            "the page over https or localhost in a browser with WebGPU switched on"
        )
    return BrowserGpu(gpu)


def _checked(call: Any, promise: Any) -> Any:
    try:
        return call(promise)
    except JsException as error:
        raise _device_error(error) from None


def _bytes(reads: Any) -> list[bytes]:
    return [read.to_bytes() for read in reads]


def _device_error(error: Exception) -> DeviceError:
    text = str(error)
    return DeviceError("webgpu: " + (text[7:] if text[:7] == "Error: " else text))

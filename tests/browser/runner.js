// Runs Python programs in Pyodide, in a worker, for tests/browser/pyodide.py.
import { loadPyodide } from "./pyodide/pyodide.mjs";

let lines = [];
const pyodide = await loadPyodide({
  stdout: (line) => lines.push(line), stderr: (line) => lines.push(line),
});

onmessage = async ({ data: { wheel, program, files } }) => {
  lines = [];
  try {
    if (wheel) await pyodide.loadPackage(wheel, { messageCallback: () => {} });
    for (const [path, bytes] of Object.entries(files ?? {})) write(path, bytes);
    const value = program && await pyodide.runPythonAsync(program);
    postMessage({ ok: true, value: JSON.stringify(plain(value)), printed: lines });
  } catch (error) {
    postMessage({ ok: false, error: String(error.message ?? error), printed: lines });
  }
};

function write(path, base64) {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  pyodide.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")) || "/");
  pyodide.FS.writeFile(path, bytes);
}

function plain(value) {
  if (!(value instanceof pyodide.ffi.PyProxy)) return value ?? null;
  const copy = value.toJs({ dict_converter: Object.fromEntries });
  value.destroy();
  return copy;
}

postMessage({ started: true });

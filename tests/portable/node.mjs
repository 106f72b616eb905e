// Runs a staged folder under MicroPython's WebAssembly build: node node.mjs
//   <micropython.mjs> <staged folder> <tests a step>
// Its collector works only while no Python is running, hence many short steps.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [library, folder, step = "20"] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(library).href);
const python = await loadMicroPython({
  heapsize: 32 << 20,
  stdout: (line) => console.log(line),
});

function copy(from, to) {
  python.FS.mkdir(to);
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    if (statSync(source).isDirectory()) copy(source, `${to}/${name}`);
    else python.FS.writeFile(`${to}/${name}`, readFileSync(source));
  }
}

function run(code) {
  try {
    return python.runPython(code);
  } catch (error) {
    if (error.name !== "PythonError") throw error;
    console.log(error.message);
    process.exit(1);
  }
}

copy(folder, "/stage");
run(`
import os, sys
os.chdir("/stage")
sys.path.insert(0, "/stage")
from tests.portable.runner import Run
_run = Run("manifest.jsonl", "node")
_more = True
`);
while (python.globals.get("_more")) run(`_more = _run.step(${step})`);
run("_status = _run.report()");
process.exitCode = python.globals.get("_status");

// The page's end of the line to the worker. Messages, all with a number `id`:
//
//   page → worker   { id, ask: "load", device }      "auto", "webgpu", "wasm", "cpu"
//                   { id, ask: "predict", pixels }   Float32Array of 784
//                   { id, ask: "stats" }
//   worker → page   { id, answer }                   what was asked for
//                   { id, failed: { what, message, cure } }
//                   { progress: { label, loaded, total } }   bytes; total 0: unknown

export class PythonWorker {
  constructor(onProgress) {
    this.waiting = new Map();
    this.nextId = 1;
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      if (data.progress) onProgress(data.progress);
      else this.#settle(data);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.#failAll(event.message || "worker.js, or a module it imports, did not load");
    };
  }

  load(device) {
    return this.#ask({ ask: "load", device });
  }

  predict(pixels) {
    return this.#ask({ ask: "predict", pixels });
  }

  stats() {
    return this.#ask({ ask: "stats" });
  }

  #ask(message) {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message });
    });
  }

  #settle({ id, answer, failed }) {
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    if (failed) reject(failed);
    else resolve(answer);
  }

  #failAll(message) {
    const failed = {
      what: "the worker", message,
      cure: "Reload the page. If that does not help, use a current Chrome, Edge, "
        + "Firefox or Safari.",
    };
    for (const { reject } of this.waiting.values()) reject(failed);
    this.waiting.clear();
  }
}

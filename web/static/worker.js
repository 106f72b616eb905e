// The worker in which Python runs: loads Pyodide, our wheel and the weights, then
// answers the page (link.js has the messages). Imported modules stay few: what fails
// here is told to the page with what to do about it.

let page; // the Python module fogo.web.page
let trouble; // rejects when a file of Pyodide fails: it would wait for ever itself
const progress = { label: "", loaded: 0, total: 0 };
let lastTold = 0;

onmessage = async ({ data: { id, ask, ...rest } }) => {
  try {
    postMessage({ id, answer: await ASKED[ask](rest) });
  } catch (error) {
    postMessage({ id, failed: error.what ? error : failure("the network", error) });
  }
};

const ASKED = {
  load: ({ device }) => load(device),
  predict: async ({ pixels }) => plain(await page.predict(pixels)),
  stats: () => plain(page.stats()),
};

async function load(device) {
  const site = await step("the site", "Reading what the site has", readSite);
  progress.total = totalBytes(site);
  countFetches(new URL(site.pyodide.url, import.meta.url).href);
  const weights = download(site.weights); // comes while Python starts
  weights.catch(() => {}); // awaited below, where its failure is told
  const pyodide = await step("Python", "Python", () => Promise.race([startPython(site), trouble]));
  await step("fogo", "fogo", () => installWheel(pyodide, site));
  const bytes = await step("the weights", "Weights", () => weights);
  tell("Opening the device");
  return step("the network", "Opening the device", async () => {
    page = pyodide.pyimport("fogo.web.page");
    return plain(await page.load(device, bytes));
  });
}

async function step(what, label, run) {
  tell(label);
  try {
    return await run();
  } catch (error) {
    throw failure(what, error);
  }
}

function failure(what, error) {
  const lines = String(error?.message ?? error).trim().split("\n");
  // A Python traceback ends with the line that says it; our own errors need no name.
  const message = lines.at(-1).replace(/^(fogo\.errors\.\w+: |[\w.]+\.(?=\w+Error: ))/, "");
  const cures = {
    "the network": "Choose another device below, or reload the page.",
    "the weights": "Build the site again with weights that `fogo demo mnist` wrote.",
  };
  return { what, message, cure: cures[what] ?? "Check that the server still runs and "
    + "serves the whole site, then reload the page." };
}

async function readSite() {
  const site = await (await get("site.json")).json();
  if (site.format !== 1) throw new Error(`site.json has format ${site.format}, not 1`);
  return site;
}

async function get(path) {
  const url = new URL(path, import.meta.url);
  const reply = await fetch(url).catch((error) => {
    throw new Error(`${url.pathname} could not be fetched (${error.message})`);
  });
  if (!reply.ok) throw new Error(`${url.pathname}: the server answered ${reply.status}`);
  return reply;
}

async function download(path) {
  return new Uint8Array(await (await get(path)).arrayBuffer());
}

async function startPython({ pyodide: { url } }) {
  const base = new URL(url, import.meta.url).href;
  const { loadPyodide } = await import(`${base}pyodide.mjs`).catch(() => {
    throw new Error(`${base}pyodide.mjs could not be loaded`);
  });
  return loadPyodide({ indexURL: base, stderr: (line) => console.warn(line) });
}

async function installWheel(pyodide, { micropip, wheel }) {
  const quiet = { messageCallback: () => {} };
  const source = micropip.startsWith("./")
    ? new URL(micropip, import.meta.url).href : micropip;
  await pyodide.loadPackage(source, quiet);
  // No dependencies: in a browser fogo has none.
  const install = pyodide.pyimport("micropip").install;
  await install.callKwargs(new URL(wheel, import.meta.url).href, { deps: false });
}

// Progress: every byte that this worker fetches, whoever asks for it.

function totalBytes({ bytes, weights, wheel, pyodide }) {
  const names = ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];
  if (pyodide.url.startsWith("./")) names.push(...Object.keys(bytes).filter(
    (name) => name.startsWith("micropip")));
  return [...names, weights, wheel].reduce((sum, name) => sum + (bytes[name] ?? 0), 0);
}

function countFetches(base) {
  const fetchBare = globalThis.fetch;
  let fail;
  trouble = new Promise((_, reject) => {
    fail = (url, why) => url.startsWith(base) && reject(new Error(url + why));
  });
  trouble.catch(() => {});
  globalThis.fetch = async (what, ...more) => {
    const url = String(what.url ?? what);
    const reply = await fetchBare(what, ...more).catch((error) => {
      fail(url, ` could not be fetched (${error.message})`);
      throw error;
    });
    if (!reply.ok) fail(url, `: the server answered ${reply.status}`);
    if (!reply.ok || !reply.body) return reply;
    const counted = reply.body.pipeThrough(new TransformStream({
      transform(chunk, to) {
        progress.loaded += chunk.byteLength;
        if (performance.now() - lastTold > 50) tell();
        to.enqueue(chunk);
      },
    }));
    const { status, statusText, headers } = reply;
    const copy = new Response(counted, { status, statusText, headers });
    Object.defineProperty(copy, "url", { value: reply.url });
    return copy;
  };
}

function tell(label = progress.label) {
  progress.label = label;
  lastTold = performance.now();
  postMessage({ progress: { ...progress } });
}

// A Python dict as a JavaScript object.
function plain(value) {
  const copy = value.toJs({ dict_converter: Object.fromEntries });
  value.destroy();
  return copy;
}

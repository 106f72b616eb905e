// Wires the pad, the worker in which Python runs, and what the page shows.
//
// Predictions never queue: one is under way at most, and when it comes back the
// newest picture goes next.

import { Pad, PENS } from "./pad.js";
import { rasterise } from "./strokes.js";
import * as view from "./view.js";
import { PythonWorker } from "./link.js";

const at = (id) => document.getElementById(id);
const wanted = new URLSearchParams(location.search).get("device") ?? "auto";

const LOADING = "Draw already: Python is on its way.";
const INVITE = "Draw something: it watches while you do.";

let ready = false; // Python can predict
let busy = false; // a prediction is under way
let stale = false; // the picture has changed since the last one was sent
let latest = null; // the last answer
let ended = false; // and its last stroke has ended: worth saying aloud

view.buildBars();
view.watchTheme();
view.markDevice(wanted);

const pad = new Pad(at("pad"), (strokeEnded) => {
  stale = true;
  ended = strokeEnded;
  at("undo").disabled = at("clear").disabled = pad.empty;
  document.querySelector(".bench").classList.toggle("drawn", !pad.empty);
  pump();
});

function pixels() {
  return rasterise(pad.strokes, pad.width);
}

function pump() {
  if (busy || !stale) return;
  if (pad.empty) {
    stale = false;
    view.showAnswer(null);
    view.showWaiting(ready ? INVITE : LOADING);
    view.say("");
    return;
  }
  busy = true;
  requestAnimationFrame(predictLatest);
}

async function predictLatest() {
  if (pad.empty) { // cleared before this frame came
    busy = false;
    pump();
    return;
  }
  const spoken = ended;
  stale = false;
  const picture = pixels();
  view.showSeen(picture);
  if (!ready) {
    busy = false;
    return;
  }
  try {
    latest = await worker.predict(picture);
    if (!pad.empty) show(latest, spoken);
  } catch (error) {
    ready = false;
    view.showFailure(error);
  }
  busy = false;
  pump();
}

function show({ probs, ms }, spoken) {
  const best = view.showAnswer(probs);
  view.showSpeed(ms);
  if (spoken) view.say(`${best}, ${Math.round(probs[best] * 100)} percent`);
}

at("clear").addEventListener("click", () => pad.clear());
at("retry").addEventListener("click", () => location.reload());
at("undo").addEventListener("click", () => pad.undo());
addEventListener("keydown", (event) => {
  if (event.key === "Escape") pad.clear();
  if (event.key === "z" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    pad.undo();
  }
});
for (const input of document.querySelectorAll("[name=pen]")) {
  input.addEventListener("change", () => {
    pad.width = PENS[input.value];
  });
}

const started = performance.now();
const worker = new PythonWorker(view.showProgress);
const loaded = worker.load(wanted).then((about) => {
  ready = true;
  stale = true;
  view.showReady({ ...about, seconds: (performance.now() - started) / 1000 });
  pump();
  return about;
});
loaded.catch(view.showFailure);

// For tests, and for those who like to look: the same calls that the page makes.
window.fogo = {
  loaded,
  worker,
  pixels: () => [...pixels()],
  draw: (strokes, width) => pad.set(strokes, width),
  clear: () => pad.clear(),
  predict: (picture) => worker.predict(Float32Array.from(picture)),
  stats: () => worker.stats(),
  settled: async () => { // the answer to what is on the pad now
    while (busy || stale) await new Promise(requestAnimationFrame);
    return pad.empty ? null : latest;
  },
};

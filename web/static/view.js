// What the page shows: the ten bars, the verdict, the device, loading and failures.

const at = (id) => document.getElementById(id);
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

export function buildBars() {
  for (let digit = 0; digit < 10; digit++) {
    const bar = document.createElement("li");
    bar.innerHTML = `<div class="well"><i></i><span></span></div>${digit}`;
    at("bars").append(bar);
  }
}

// Show probabilities, or none: null when there is nothing on the pad.
export function showAnswer(probs) {
  const best = probs && probs.indexOf(Math.max(...probs));
  [...at("bars").children].forEach((bar, digit) => {
    const p = probs ? probs[digit] : 0;
    bar.style.setProperty("--p", p.toFixed(4));
    bar.classList.toggle("top-one", digit === best);
    bar.classList.toggle("some", p >= 0.005);
    bar.querySelector("span").textContent = Math.round(p * 100) || "";
  });
  document.querySelector(".answer").classList.toggle("known", Boolean(probs));
  at("digit").textContent = probs ? best : "";
  if (probs) at("sure").innerHTML = sentence(probs, best);
  return best;
}

function sentence(probs, best) {
  const sure = percent.format(probs[best]);
  if (probs[best] >= 0.9) return `It is a ${best}: <b>${sure}</b> sure.`;
  const second = probs.indexOf(Math.max(...probs.filter((_, i) => i !== best)));
  return `A ${best} at <b>${sure}</b>, or else a ${second} at `
    + `<b>${percent.format(probs[second])}</b>.`;
}

export function showWaiting(text) {
  at("sure").textContent = text;
}

// For those who cannot see the bars; only when a stroke has ended.
export function say(text) {
  at("spoken").textContent = text;
}

export function showSeen(pixels) {
  const context = at("seen").getContext("2d");
  const image = context.createImageData(28, 28);
  for (let i = 0; i < 784; i++) {
    image.data.fill(Math.round(pixels[i] * 255), i * 4, i * 4 + 3);
    image.data[i * 4 + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

export function showProgress({ label, loaded, total }) {
  if (at("notice").dataset.state !== "loading") return; // what failed stays
  const done = total ? Math.min(1, loaded / total) : 0;
  at("device").textContent = "Starting";
  at("news").textContent = total
    ? `${label} · ${megabytes(loaded)} of ${megabytes(total)} MB` : label;
  at("progress").setAttribute("aria-valuenow", Math.round(done * 100));
  at("progress").firstElementChild.style.width = `${done * 100}%`;
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

export function showReady({ label, reason, parameters, seconds }) {
  at("notice").dataset.state = at("status").dataset.state = "ready";
  at("device").textContent = label;
  at("detail").textContent = `${reason} Ready in ${seconds.toFixed(1)} s.`;
  const count = parameters.toLocaleString("en");
  at("about").textContent = `A network of ${count} parameters, trained in Python, `
    + "running as Python in this tab. No server computes anything.";
}

export function showSpeed(ms) {
  const text = ms < 10 ? ms.toFixed(1) : Math.round(ms);
  at("speed").textContent = `${text} ms a prediction`;
}

export function showFailure({ what, message, cure }) {
  at("notice").dataset.state = at("status").dataset.state = "failed";
  at("device").textContent = "Not running";
  at("news").textContent = `Could not load ${what}. ${message}`;
  at("cure").textContent = cure;
  at("cure").hidden = at("retry").hidden = false;
  at("detail").textContent = at("speed").textContent = "";
  showAnswer(null);
  showWaiting("Nothing can be recognised yet.");
}

export function markDevice(name) {
  for (const link of document.querySelectorAll("[data-device]")) {
    if (link.dataset.device === name) link.setAttribute("aria-current", "page");
  }
}

// Light or dark: the system's choice until the button is pressed, then remembered.
export function watchTheme() {
  const root = document.documentElement;
  const kept = remembered();
  if (kept) root.dataset.theme = kept;
  at("theme").addEventListener("click", () => {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("fogo-theme", root.dataset.theme);
    } catch { /* private windows may refuse */ }
  });
}

function remembered() {
  try {
    const kept = localStorage.getItem("fogo-theme");
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    return null;
  }
}

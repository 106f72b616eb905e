// The drawing surface: strokes by pointer, drawn as lines that glow and cool down.
//
// Points are fractions of the pad's side, so a picture survives any resize.

export const PENS = { fine: 0.035, medium: 0.06, broad: 0.1 };
const COOLING_MS = 900;
const EMBER = ["#f9621a", "#ff7b2e", "#ff9145", "#ffa65f", "#ffb877"]; // rim to core
const HOT = [255, 246, 224];
const CORE = [255, 184, 119];
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

export class Pad {
  // onChange is called after each change, with true when a stroke has ended.
  constructor(canvas, onChange) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.onChange = onChange;
    this.strokes = []; // each: an array of [x, y, time]
    this.width = PENS.medium;
    this.pointer = null;
    this.waiting = false;
    new ResizeObserver(() => this.#resize()).observe(canvas);
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.#up(event));
    }
  }

  get empty() {
    return !this.strokes.length;
  }

  clear() {
    this.strokes = [];
    this.#changed(true);
  }

  undo() {
    this.strokes.pop();
    this.#changed(true);
  }

  // Replace the picture: strokes of [x, y] points, and the pen's width.
  set(strokes, width) {
    this.width = width;
    this.strokes = strokes.map((stroke) => stroke.map(([x, y]) => [x, y, -Infinity]));
    this.#changed(true);
  }

  #down(event) {
    if (this.pointer !== null || event.button > 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer = event.pointerId;
    this.strokes.push([this.#point(event)]);
    this.#changed(false);
  }

  #move(event) {
    if (event.pointerId !== this.pointer) return;
    const passed = event.getCoalescedEvents?.() ?? [];
    const stroke = this.strokes.at(-1);
    if (!stroke) return; // cleared in the middle of a stroke
    for (const each of passed.length ? passed : [event]) stroke.push(this.#point(each));
    this.#changed(false);
  }

  #up(event) {
    if (event.pointerId !== this.pointer) return;
    this.pointer = null;
    this.#changed(true);
  }

  #point(event) {
    const box = this.canvas.getBoundingClientRect();
    const inside = (value) => Math.min(1.02, Math.max(-0.02, value));
    return [inside((event.clientX - box.left) / box.width),
      inside((event.clientY - box.top) / box.height), performance.now()];
  }

  #changed(ended) {
    this.#schedule();
    this.onChange(ended);
  }

  #resize() {
    const side = this.canvas.clientWidth * devicePixelRatio;
    this.canvas.width = this.canvas.height = Math.max(1, Math.round(side));
    this.#draw();
  }

  #schedule() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.#draw();
    });
  }

  #draw() {
    const { context, canvas } = this;
    const side = canvas.width;
    context.clearRect(0, 0, side, side);
    context.lineCap = context.lineJoin = "round";
    const width = this.width * side;
    context.shadowColor = "#ff5a14";
    context.shadowBlur = width * 1.2;
    this.#lines(width, EMBER[0]);
    context.shadowBlur = 0;
    EMBER.forEach((colour, i) => this.#lines(width * (1 - i * 0.19), colour));
    if (!CALM.matches) this.#hot(width, side);
  }

  #lines(width, colour) {
    const { context, canvas } = this;
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.beginPath();
    for (const stroke of this.strokes) {
      context.moveTo(stroke[0][0] * canvas.width, stroke[0][1] * canvas.width);
      for (const [x, y] of stroke) context.lineTo(x * canvas.width, y * canvas.width);
    }
    context.stroke();
  }

  // What was drawn a moment ago is still white-hot.
  #hot(width, side) {
    const now = performance.now();
    let cooling = false;
    this.context.lineWidth = width * 0.62;
    for (const stroke of this.strokes) {
      for (let i = Math.max(1, stroke.length - 120); i < stroke.length; i++) {
        const heat = 1 - (now - stroke[i][2]) / COOLING_MS;
        if (heat <= 0) continue;
        cooling = true;
        this.context.strokeStyle = mix(CORE, HOT, heat);
        this.context.beginPath();
        this.context.moveTo(stroke[i - 1][0] * side, stroke[i - 1][1] * side);
        this.context.lineTo(stroke[i][0] * side, stroke[i][1] * side);
        this.context.stroke();
      }
    }
    if (cooling) this.#schedule();
  }
}

function mix(from, to, share) {
  return `rgb(${from.map((value, i) => Math.round(value + (to[i] - value) * share))})`;
}

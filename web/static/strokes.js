// Pen strokes to the 28 × 28 picture that a network trained on MNIST expects.
//
// MNIST's digits fill a box of 20 × 20, keep their aspect, are anti-aliased, and
// have their centre of mass at pixel (14, 14). Strokes are lines, so they are drawn
// afresh at that size, never scaled as pixels: any screen, any zoom, same picture.

export const SIDE = 28;
const BOX = 20;
const CENTRE = 14.5; // the middle of pixel 14
const PEN = [2.1, 3.3]; // thinnest and thickest pen, in pixels, as in MNIST
const EDGE = 0.7; // half the width of the grey rim
const NEAR = 0.15; // points closer than this, in pixels, add nothing

// strokes: arrays of [x, y]; width: the pen's width in the same unit.
// Returns 784 floats from 0 to 1, row by row; all zero if there is no stroke.
export function rasterise(strokes, width) {
  const drawn = strokes.filter((stroke) => stroke.length);
  if (!drawn.length) return new Float32Array(SIDE * SIDE);
  const { scale, pen, x0, y0 } = fit(drawn, width);
  const paths = drawn.map((stroke) => thin(stroke.map(
    ([x, y]) => [(x - x0) * scale + CENTRE, (y - y0) * scale + CENTRE])));
  const picture = paint(paths, pen / 2, 0, 0);
  const [mx, my] = centreOfMass(picture);
  return paint(paths, pen / 2, CENTRE - mx, CENTRE - my);
}

// The scale, the pen's width in pixels, and the middle of the strokes' box.
function fit(strokes, width) {
  let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  for (const stroke of strokes) {
    for (const [x, y] of stroke) {
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  const side = Math.max(right - left, bottom - top);
  const asDrawn = width * BOX / (side + width);
  const pen = Math.min(PEN[1], Math.max(PEN[0], asDrawn));
  const scale = side ? (BOX - pen) / side : 1;
  return { scale, pen, x0: (left + right) / 2, y0: (top + bottom) / 2 };
}

function thin(points) {
  const kept = [points[0]];
  for (const point of points) {
    const last = kept.at(-1);
    if (Math.hypot(point[0] - last[0], point[1] - last[1]) >= NEAR) kept.push(point);
  }
  return kept;
}

function paint(paths, radius, dx, dy) {
  const picture = new Float32Array(SIDE * SIDE);
  for (const path of paths) {
    for (let i = 0; i < Math.max(1, path.length - 1); i++) {
      const [ax, ay] = path[i];
      const [bx, by] = path[Math.min(i + 1, path.length - 1)];
      paintLine(picture, ax + dx, ay + dy, bx + dx, by + dy, radius);
    }
  }
  return picture;
}

// Each pixel takes the darkest of the lines over it, by its distance to the line.
function paintLine(picture, ax, ay, bx, by, radius) {
  const reach = radius + EDGE;
  const firstX = Math.max(0, Math.floor(Math.min(ax, bx) - reach));
  const lastX = Math.min(SIDE - 1, Math.floor(Math.max(ax, bx) + reach));
  const firstY = Math.max(0, Math.floor(Math.min(ay, by) - reach));
  const lastY = Math.min(SIDE - 1, Math.floor(Math.max(ay, by) + reach));
  const ux = bx - ax, uy = by - ay;
  const length2 = ux * ux + uy * uy || 1;
  for (let y = firstY; y <= lastY; y++) {
    for (let x = firstX; x <= lastX; x++) {
      const px = x + 0.5 - ax, py = y + 0.5 - ay;
      const t = Math.min(1, Math.max(0, (px * ux + py * uy) / length2));
      const distance = Math.hypot(px - t * ux, py - t * uy);
      const ink = Math.min(1, (reach - distance) / (2 * EDGE));
      const at = y * SIDE + x;
      if (ink > picture[at]) picture[at] = ink;
    }
  }
}

function centreOfMass(picture) {
  let total = 0, sumX = 0, sumY = 0;
  picture.forEach((ink, at) => {
    total += ink;
    sumX += ink * (at % SIDE + 0.5);
    sumY += ink * (Math.floor(at / SIDE) + 0.5);
  });
  return [sumX / total, sumY / total];
}

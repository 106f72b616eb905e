// TensorFlow.js, onnxruntime-web and jax-js on WebGPU: a product of matrices, and a
// training step of the convnet of peers.py. Each `open…` resolves to {matmul, train}:
// functions that do the work once and resolve when its result has been read.

const SIDES = [1, 8, 16, 24];
const FLAT = 11616, HIDDEN = 32, CLASSES = 10, BATCH = 64;

function numbers(count, scale = 1) {
  return Float32Array.from({ length: count }, () => (Math.random() - 0.5) * scale);
}

function script(src) {
  return new Promise((resolve, reject) => {
    const tag = Object.assign(document.createElement("script"), { src });
    tag.onload = resolve;
    tag.onerror = () => reject(new Error(`${src} did not load`));
    document.head.append(tag);
  });
}

export async function openTfjs() {
  await script("/node_modules/@tensorflow/tfjs/dist/tf.min.js");
  await script("/node_modules/@tensorflow/tfjs-backend-webgpu/dist/tf-backend-webgpu.min.js");
  const tf = window.tf;
  if (!await tf.setBackend("webgpu")) throw new Error("no webgpu backend");
  await tf.ready();
  const gelu = (x) => x.mul(0.5).mul(tf.erf(x.mul(Math.SQRT1_2)).add(1));
  const variable = (shape, scale) => tf.variable(tf.tensor(
    numbers(shape.reduce((a, b) => a * b), scale), shape));
  return {
    prepareMatmul(n) {
      const [a, b] = [0, 1].map(() => tf.tensor(numbers(n * n), [n, n]));
      return async () => {
        const c = tf.matMul(a, b);
        await c.data();
        c.dispose();
      };
    },
    prepareTraining() {
      const w = [1, 2, 3].map((i) => variable([3, 3, SIDES[i - 1], SIDES[i]], 0.4));
      const b = [1, 2, 3].map((i) => variable([SIDES[i]], 0.1));
      const gain = variable([24], 1), shift = variable([24], 1);
      const f1 = variable([FLAT, HIDDEN], 0.02), c1 = variable([HIDDEN], 0.1);
      const f2 = variable([HIDDEN, CLASSES], 0.3), c2 = variable([CLASSES], 0.1);
      const x = tf.tensor(numbers(BATCH * 784), [BATCH, 28, 28, 1]);
      const labels = Int32Array.from({ length: BATCH }, (_, i) => i % CLASSES);
      const y = tf.oneHot(tf.tensor1d(labels, "int32"), CLASSES).toFloat();
      const adam = tf.train.adam(1e-3);
      const loss = () => {
        let h = x;
        for (let i = 0; i < 3; i++) h = tf.conv2d(h, w[i], 1, "valid").add(b[i]);
        const { mean, variance } = tf.moments(h, [0, 1, 2]);
        h = h.sub(mean).div(variance.add(1e-5).sqrt()).mul(gain).add(shift);
        h = tf.dropout(gelu(h).reshape([BATCH, FLAT]), 0.5);
        const logits = gelu(h.matMul(f1).add(c1)).matMul(f2).add(c2);
        return tf.losses.softmaxCrossEntropy(y, logits);
      };
      return async () => {
        const value = adam.minimize(loss, true);
        const [number] = await value.data();
        value.dispose();
        return number;
      };
    },
  };
}

export async function openOrt(model) {
  const ort = await import("/node_modules/onnxruntime-web/dist/ort.webgpu.bundle.min.mjs");
  ort.env.wasm.wasmPaths = "/node_modules/onnxruntime-web/dist/";
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(new Uint8Array(model), {
    executionProviders: ["webgpu"],
  });
  return {
    prepareMatmul(n) {
      const [a, b] = [0, 1].map(() => new ort.Tensor("float32", numbers(n * n), [n, n]));
      return async () => {
        const { c } = await session.run({ a, b });
        await c.getData();
      };
    },
  };
}

export async function openJax() {
  const jax = await import("/node_modules/@jax-js/jax/dist/index.js");
  const { numpy: np, lax, nn, tree, jit, valueAndGrad } = jax;
  await jax.init("webgpu");
  jax.defaultDevice("webgpu");
  const made = (shape, scale = 1) => np.array(
    numbers(shape.reduce((a, b) => a * b), scale)).reshape(shape);
  return {
    prepareMatmul(n) {
      const a = made([n, n]), b = made([n, n]);
      const product = jit((a, b) => np.matmul(a, b));
      return async () => {
        await product(a.ref, b.ref).data();
      };
    },
    prepareTraining() {
      let p = {
        w: [1, 2, 3].map((i) => made([SIDES[i], SIDES[i - 1], 3, 3], 0.4)),
        b: [1, 2, 3].map((i) => made([1, SIDES[i], 1, 1], 0.1)),
        gain: made([1, 24, 1, 1]), shift: made([1, 24, 1, 1]),
        f1: made([FLAT, HIDDEN], 0.02), c1: made([HIDDEN], 0.1),
        f2: made([HIDDEN, CLASSES], 0.3), c2: made([CLASSES], 0.1),
      };
      const x = made([BATCH, 1, 28, 28]);
      const y = np.array(Float32Array.from({ length: BATCH * CLASSES }, (_, i) =>
        Number(i % CLASSES === Math.floor(i / CLASSES) % CLASSES))).reshape([BATCH, CLASSES]);
      const keep = np.array(Float32Array.from({ length: BATCH * FLAT }, () =>
        (Math.random() < 0.5 ? 2 : 0))).reshape([BATCH, FLAT]);
      const loss = (p, x, y, keep) => {
        let h = x;
        for (let i = 0; i < 3; i++) {
          h = lax.conv(h, p.w[i], [1, 1], "VALID").add(p.b[i]);
        }
        const mean = np.mean(h.ref, [0, 2, 3], { keepdims: true });
        h = h.sub(mean);
        const variance = np.mean(np.square(h.ref), [0, 2, 3], { keepdims: true });
        h = h.div(np.sqrt(variance.add(1e-5))).mul(p.gain).add(p.shift);
        h = nn.gelu(h).reshape([BATCH, FLAT]).mul(keep);
        h = nn.gelu(np.matmul(h, p.f1).add(p.c1));
        const logits = np.matmul(h, p.f2).add(p.c2);
        return nn.logSoftmax(logits).mul(y).sum().mul(-1 / BATCH);
      };
      const step = jit((p, m, v, x, y, keep) => {
        const [value, g] = valueAndGrad(loss)(tree.ref(p), x, y, keep);
        m = tree.map((m, g) => m.mul(0.9).add(g.mul(0.1)), m, tree.ref(g));
        v = tree.map((v, g) => v.mul(0.999).add(np.square(g).mul(0.001)), v, g);
        p = tree.map((p, m, v) => p.sub(m.div(np.sqrt(v).add(1e-8)).mul(1e-3)),
          p, tree.ref(m), tree.ref(v));
        return [value, p, m, v];
      });
      let m = tree.map((a) => np.zeros(a.shape), p);
      let v = tree.map((a) => np.zeros(a.shape), p);
      return async () => {
        let value;
        [value, p, m, v] = step(p, m, v, x.ref, y.ref, keep.ref);
        const [number] = await value.data();
        await jax.blockUntilReady(p);
        return number;
      };
    },
  };
}

// Seconds of each of `count` calls, after one that is not counted.
export async function time(work, count) {
  await work();
  const times = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await work();
    times.push((performance.now() - start) / 1e3);
  }
  return times;
}

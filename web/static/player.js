// The command player: plays batches of int32 words on a WebGPU device.
//
// It knows buffers, kernels and reads by number, and nothing of shapes, dtypes or
// gradients. A batch is `words` (Int32Array), `blobs` (Uint8Arrays to write) and
// `texts` (WGSL sources). words[0] is the format version; then commands follow,
// sizes and offsets counted in 4-byte words:
//
//   1 BUFFER id nwords
//   2 FREE   id
//   3 WRITE  id offset nwords blob
//   4 KERNEL id text nbuf access*nbuf nparams     access: 0 read-only, 1 read-write
//   5 RUN    kernel nbuf buffer*nbuf gx gy gz nparams param*nparams
//   6 COPY   src src_offset dst dst_offset nwords
//   7 READ   id offset nwords
//   8 PROGRAM id nwords command…                  RUNs and COPYs, kept for PLAY
//   9 PLAY   id
//  10 DROP   id
//  11 TRUSTED …                                   as KERNEL: browsers check all alike
//
// A kernel's entry point is "main". Its parameters stand in group 0, binding 0:
// `var<uniform> P: array<vec4<i32>, N>` with N = max(1, ceil(nparams / 4)), always
// present; its buffers are bindings 1 to nbuf of the same group.

import { Program } from "./program.js";
import { Staging } from "./staging.js";
import { Timer } from "./timer.js";

export const FORMAT = 2;
const BUFFER = 1, FREE = 2, WRITE = 3, KERNEL = 4, RUN = 5, COPY = 6, READ = 7;
const PROGRAM = 8, PLAY = 9, DROP = 10, TRUSTED = 11;
const LEAST_WORDS = [0, 3, 2, 5, 5, 7, 6, 4, 3, 2, 2, 5]; // of each command

const ARENA_WORDS = 65536; // parameters of one submit: 1024 blocks of 64 words
const BLOCK_WORDS = 64; // 256 bytes, the alignment that WebGPU guarantees

export class Player {
  constructor(device) {
    this.device = device;
    this.stats = {
      batches: 0, submits: 0, dispatches: 0, kernels: 0, bindGroups: 0,
      buffers: 0, bytesWritten: 0, bytesRead: 0,
    };
    this.buffers = new Map(); // id -> { buffer, keys, stamp }
    this.kernels = new Map(); // id -> { id, pipeline, layout, tag, nbuf, blockWords }
    this.layouts = new Map(); // access pattern -> { layout, pipelineLayout, tag }
    this.groups = new Map(); // key of layout and buffer ids -> { group, ids }
    this.programs = new Map(); // id -> Program
    this.staging = new Staging(device);
    this.arena = new Int32Array(ARENA_WORDS);
    this.arenaBuffer = device.createBuffer({
      size: ARENA_WORDS * 4, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
      label: "fogo parameters",
    });
    this.arenaUsed = 0;
    this.encoder = null;
    this.pass = null;
    this.stamp = 1; // number of the encoder being filled
    this.doomed = []; // buffers freed while commands that use them are waiting
    this.problem = null;
    this.settled = Promise.resolve();
    this.lost = null;
    this.timer = null; // while profiling
    device.lost.then((info) => {
      this.lost = `GPU device lost (${info.reason}): ${info.message || "no details"}; `
        + "reload the page to get a new one";
    });
  }

  // Time every dispatch from now on, or no more; false where the device cannot.
  profile(on) {
    if (!this.device.features.has("timestamp-query")) return false;
    this.timer?.destroy();
    this.timer = on ? new Timer(this.device) : null;
    return true;
  }

  // Resolve to the times of the dispatches since the last call: see timer.js.
  timings() {
    return this.timer ? this.timer.collect() : Promise.resolve([]);
  }

  // Encode and submit a batch at once; resolve to one Uint8Array for each READ.
  // Without READs nothing is waited for. What the GPU objects to is reported at
  // the next batch that reads.
  play(words, blobs = [], texts = []) {
    if (this.lost) return Promise.reject(new Error(this.lost));
    this.device.pushErrorScope("out-of-memory");
    this.device.pushErrorScope("validation");
    const reads = { chunks: [], items: [] };
    try {
      this.#decode(words, blobs, texts, reads);
    } catch (error) {
      // The next read says it too, should nobody look at this promise.
      this.problem ??= error.message;
      const failed = Promise.reject(error);
      failed.catch(() => {});
      return failed;
    } finally {
      this.#submit();
      this.#popErrorScopes();
    }
    this.stats.batches += 1;
    return reads.items.length ? this.#collect(reads) : Promise.resolve([]);
  }

  #decode(words, blobs, texts, reads) {
    if (words[0] !== FORMAT) {
      throw new Error(`player: it plays format ${FORMAT}; the batch has ${words[0]}`);
    }
    let at = 1;
    while (at < words.length) {
      if (at + LEAST_WORDS[words[at]] > words.length) break;
      switch (words[at]) {
        case BUFFER:
          this.#makeBuffer(words[at + 1], words[at + 2]);
          at += 3;
          break;
        case FREE:
          this.#free(words[at + 1]);
          at += 2;
          break;
        case WRITE:
          this.#write(words[at + 1], words[at + 2], words[at + 3], blobs[words[at + 4]]);
          at += 5;
          break;
        case KERNEL:
        case TRUSTED:
          at = this.#makeKernel(words, at, texts);
          break;
        case RUN:
          at = this.#run(words, at);
          break;
        case COPY:
          this.copy(words[at + 1], words[at + 2], words[at + 3], words[at + 4],
            words[at + 5]);
          at += 6;
          break;
        case READ:
          this.#read(words[at + 1], words[at + 2], words[at + 3], reads);
          at += 4;
          break;
        case PROGRAM:
          at = this.#makeProgram(words, at);
          break;
        case PLAY:
          this.#play(words[at + 1]);
          at += 2;
          break;
        case DROP:
          this.#drop(words[at + 1]);
          at += 2;
          break;
        default:
          throw new Error(`player: no command ${words[at]}, at word ${at}`);
      }
    }
    if (at !== words.length) throw new Error("player: the last command is cut off");
  }

  entry(id) {
    const entry = this.buffers.get(id);
    if (!entry) throw new Error(`player: there is no buffer ${id}`);
    if (entry.missing) {
      for (const key of entry.keys) this.#forgetGroup(key, id);
      entry.keys.clear();
      const nwords = entry.missing;
      entry.missing = 0;
      this.#allocate(entry, nwords);
    }
    return entry;
  }

  kernel(id) {
    const kernel = this.kernels.get(id);
    if (!kernel) throw new Error(`player: there is no kernel ${id}`);
    return kernel;
  }

  #makeBuffer(id, nwords) {
    if (this.buffers.has(id)) throw new Error(`player: buffer ${id} exists already`);
    const entry = { buffer: null, keys: new Set(), stamp: 0, missing: 0 };
    this.#allocate(entry, nwords);
    this.buffers.set(id, entry);
    this.stats.buffers += 1;
  }

  // Give an entry its buffer; where there is no memory, it is told at the next read,
  // and the entry's next use tries again.
  #allocate(entry, nwords) {
    const size = Math.max(4, nwords * 4);
    this.device.pushErrorScope("out-of-memory");
    entry.buffer = this.device.createBuffer({
      size,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    const popped = this.device.popErrorScope().then((error) => {
      if (!error) return;
      entry.missing = nwords;
      this.problem ??= `out of memory: the GPU has no room for ${size} bytes more; `
        + "drop tensors, or work on smaller batches";
    }, () => {});
    this.settled = Promise.all([this.settled, popped]);
  }

  #free(id) {
    const entry = this.entry(id);
    for (const key of entry.keys) this.#forgetGroup(key, id);
    this.buffers.delete(id);
    this.stats.buffers -= 1;
    if (entry.stamp === this.stamp) this.doomed.push(entry.buffer);
    else entry.buffer.destroy();
  }

  #forgetGroup(key, freed) {
    const { ids } = this.groups.get(key);
    this.groups.delete(key);
    this.stats.bindGroups -= 1;
    for (const id of ids) {
      if (id !== freed) this.buffers.get(id).keys.delete(key);
    }
  }

  #write(id, offset, nwords, blob) {
    const entry = this.entry(id);
    // writeBuffer happens before the commands that wait in the encoder: a buffer
    // that they use must be written after them.
    if (entry.stamp === this.stamp) this.#submit();
    const size = nwords * 4;
    if (blob.byteLength < size) blob = padded(blob, size);
    this.device.queue.writeBuffer(entry.buffer, offset * 4, blob, 0, size);
    this.stats.bytesWritten += size;
  }

  #makeKernel(words, at, texts) {
    const id = words[at + 1];
    const code = texts[words[at + 2]];
    const nbuf = words[at + 3];
    const access = words.slice(at + 4, at + 4 + nbuf);
    const nparams = words[at + 4 + nbuf];
    const { layout, pipelineLayout, tag } = this.#layout(access);
    const pipeline = this.device.createComputePipeline({
      layout: pipelineLayout,
      compute: { module: this.device.createShaderModule({ code }), entryPoint: "main" },
    });
    const blockWords = Math.max(1, Math.ceil(nparams / BLOCK_WORDS)) * BLOCK_WORDS;
    this.kernels.set(id, {
      id, pipeline, layout, nbuf, blockWords, tag: `${tag}/${blockWords}`,
    });
    this.stats.kernels += 1;
    return at + 5 + nbuf;
  }

  #layout(access) {
    const pattern = access.join("");
    let made = this.layouts.get(pattern);
    if (made) return made;
    const entries = [{
      binding: 0, visibility: GPUShaderStage.COMPUTE,
      buffer: { type: "uniform", hasDynamicOffset: true },
    }];
    access.forEach((writes, i) => entries.push({
      binding: i + 1, visibility: GPUShaderStage.COMPUTE,
      buffer: { type: writes ? "storage" : "read-only-storage" },
    }));
    const layout = this.device.createBindGroupLayout({ entries });
    const pipelineLayout = this.device.createPipelineLayout({ bindGroupLayouts: [layout] });
    made = { layout, pipelineLayout, tag: this.layouts.size };
    this.layouts.set(pattern, made);
    return made;
  }

  #run(words, at) {
    const kernel = this.kernel(words[at + 1]);
    const nbuf = words[at + 2];
    const grid = at + 3 + nbuf;
    const nparams = words[grid + 3];
    const end = grid + 4 + nparams;
    if (nparams > kernel.blockWords || end > words.length) {
      throw new Error(`player: too many parameters (${nparams}), at word ${at}`);
    }
    const offset = this.#place(words, grid + 4, end, kernel.blockWords);
    const group = this.#group(kernel, words, at + 3, nbuf);
    if (!this.pass) this.#beginPass();
    if (this.pipeline !== kernel.pipeline) {
      this.pass.setPipeline(kernel.pipeline);
      this.pipeline = kernel.pipeline;
    }
    this.pass.setBindGroup(0, group, [offset]);
    this.pass.dispatchWorkgroups(words[grid], words[grid + 1], words[grid + 2]);
    this.stats.dispatches += 1;
    if (this.timer) { // a pass for each dispatch
      this.#endPass();
      this.timer.note(kernel.id, words.slice(grid, end));
    }
    return end;
  }

  // Put parameters into the arena; return their offset in bytes.
  #place(words, start, end, blockWords) {
    if (this.arenaUsed + blockWords > ARENA_WORDS || this.timer?.full) this.#submit();
    const offset = this.arenaUsed;
    for (let i = start, to = offset; i < end; i++, to++) this.arena[to] = words[i];
    this.arenaUsed += blockWords;
    return offset * 4;
  }

  #drop(id) {
    const program = this.programs.get(id);
    if (program) this.doomed.push(program.uniform); // what waits may use it
    this.programs.delete(id);
  }

  #group(kernel, words, at, nbuf) {
    let key = kernel.tag;
    for (let i = at; i < at + nbuf; i++) {
      key += `,${words[i]}`;
      this.entry(words[i]).stamp = this.stamp;
    }
    const known = this.groups.get(key);
    if (known) return known.group;
    const ids = words.slice(at, at + nbuf);
    const group = this.bind(kernel, ids, this.arenaBuffer);
    for (const id of ids) this.entry(id).keys.add(key);
    this.groups.set(key, { group, ids: new Set(ids) });
    this.stats.bindGroups += 1;
    return group;
  }

  // Make the bind group of a kernel and buffers, parameters out of `uniform`.
  bind(kernel, ids, uniform) {
    if (ids.length !== kernel.nbuf) {
      throw new Error(`player: kernel ${kernel.id} takes ${kernel.nbuf} buffers, `
        + `not ${ids.length}`);
    }
    const entries = [{
      binding: 0, resource: { buffer: uniform, size: kernel.blockWords * 4 },
    }];
    ids.forEach((id, i) => entries.push({
      binding: i + 1, resource: { buffer: this.entry(id).buffer },
    }));
    return this.device.createBindGroup({ layout: kernel.layout, entries });
  }

  #makeProgram(words, at) {
    const end = at + 3 + words[at + 2];
    if (end > words.length) throw new Error("player: the last command is cut off");
    this.programs.set(words[at + 1], new Program(this, words.slice(at + 3, end)));
    return end;
  }

  #play(id) {
    const program = this.programs.get(id);
    if (!program) throw new Error(`player: there is no program ${id}`);
    if (this.timer) { // one by one
      const { words } = program;
      for (let at = 0; at < words.length;) {
        if (words[at] === RUN) {
          at = this.#run(words, at);
        } else {
          this.copy(...words.slice(at + 1, at + 6));
          at += 6;
        }
      }
      return;
    }
    program.play(this);
    this.stats.dispatches += program.dispatches;
  }

  copy(src, srcOffset, dst, dstOffset, nwords) {
    const from = this.entry(src);
    const to = this.entry(dst);
    if (!nwords) return;
    const size = nwords * 4;
    const encoder = this.copying();
    from.stamp = to.stamp = this.stamp;
    if (src !== dst) {
      encoder.copyBufferToBuffer(from.buffer, srcOffset * 4, to.buffer, dstOffset * 4, size);
      return;
    }
    const between = this.device.createBuffer({
      size, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    encoder.copyBufferToBuffer(from.buffer, srcOffset * 4, between, 0, size);
    encoder.copyBufferToBuffer(between, 0, to.buffer, dstOffset * 4, size);
    this.doomed.push(between);
  }

  // Reads of one batch share buffers ("chunks"), and so are waited for together.
  #read(id, offset, nwords, reads) {
    const entry = this.entry(id);
    const size = nwords * 4;
    let chunk = reads.chunks.at(-1);
    if (!chunk || chunk.used + size > chunk.buffer.size) {
      chunk = { buffer: this.staging.take(size), used: 0 };
      reads.chunks.push(chunk);
    }
    reads.items.push({ chunk, at: chunk.used, size });
    if (!size) return;
    const encoder = this.copying();
    entry.stamp = this.stamp;
    encoder.copyBufferToBuffer(entry.buffer, offset * 4, chunk.buffer, chunk.used, size);
    chunk.used += size;
    this.stats.bytesRead += size;
  }

  copying() {
    this.#endPass();
    this.encoder ??= this.device.createCommandEncoder();
    return this.encoder;
  }

  #beginPass() {
    this.encoder ??= this.device.createCommandEncoder();
    this.pass = this.encoder.beginComputePass(
      this.timer ? { timestampWrites: this.timer.writes() } : {});
    this.pipeline = null;
  }

  #endPass() {
    this.pass?.end();
    this.pass = null;
  }

  #submit() {
    this.#endPass();
    if (this.encoder) {
      this.timer?.resolve(this.encoder);
      if (this.arenaUsed) {
        this.device.queue.writeBuffer(this.arenaBuffer, 0, this.arena, 0, this.arenaUsed);
      }
      this.device.queue.submit([this.encoder.finish()]);
      this.stats.submits += 1;
    }
    this.encoder = null;
    this.arenaUsed = 0;
    this.stamp += 1;
    for (const buffer of this.doomed) buffer.destroy();
    this.doomed = [];
  }

  #popErrorScopes() {
    const note = (error) => {
      if (error && !this.problem) this.problem = error.message;
    };
    const popped = [1, 2].map(() => this.device.popErrorScope().then(note, () => {}));
    this.settled = Promise.all([this.settled, ...popped]);
  }

  async #collect({ chunks, items }) {
    const mapped = await Promise.allSettled(
      chunks.map(({ buffer }) => buffer.mapAsync(GPUMapMode.READ)));
    await this.settled;
    const failed = this.lost || this.problem
      || mapped.find((result) => result.status === "rejected")?.reason.message;
    if (failed) {
      this.problem = null;
      for (const { buffer } of chunks) buffer.destroy();
      throw new Error(failed);
    }
    return this.staging.bytes(chunks, items);
  }
}

function padded(blob, size) {
  const whole = new Uint8Array(size);
  whole.set(blob);
  return whole;
}

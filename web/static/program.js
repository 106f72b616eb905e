// Programs: RUNs and COPYs that a player keeps, prepared to be played many times.
//
// Bind groups, offsets and pipelines are found once, the parameters lie in a uniform
// buffer of the program's own: playing is one loop over arrays.

const RUN = 5, COPY = 6;
const BLOCK_WORDS = 64; // 256 bytes, the alignment of dynamic offsets

export class Program {
  // player: finds entries of buffers and kernels, and makes bind groups.
  constructor(player, words) {
    this.entries = new Set(); // of the buffers it uses
    this.dispatches = 0;
    this.parts = []; // { runs: [pipeline or null, group, x, y, z], offsets } or { copy }
    this.player = player;
    this.words = words;
    this.params = [];
    this.groups = new Map();
    this.uniform = player.device.createBuffer({
      size: 4 * Math.max(BLOCK_WORDS, this.#blockWords()),
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST, label: "fogo program",
    });
    for (let at = 0; at < words.length;) {
      at = words[at] === RUN ? this.#run(at) : this.#copy(at);
    }
    if (this.params.length) {
      player.device.queue.writeBuffer(this.uniform, 0, new Int32Array(this.params));
    }
    for (const part of this.parts) {
      if (part.runs) part.offsets = new Uint32Array(part.offsets);
    }
    this.params = this.groups = this.player = null;
  }

  // Words of the parameters of all RUNs.
  #blockWords() {
    const { words, player } = this;
    let total = 0;
    for (let at = 0; at < words.length;) {
      if (words[at] === RUN) {
        total += player.kernel(words[at + 1]).blockWords;
        const grid = at + 3 + words[at + 2];
        at = grid + 4 + words[grid + 3];
      } else if (words[at] === COPY) {
        at += 6;
      } else {
        throw new Error(`player: a program takes RUN and COPY; not ${words[at]}`);
      }
    }
    return total;
  }

  #run(at) {
    const { words, player, params } = this;
    const kernel = player.kernel(words[at + 1]);
    const grid = at + 3 + words[at + 2];
    const end = grid + 4 + words[grid + 3];
    const ids = words.slice(at + 3, grid);
    for (const id of ids) this.entries.add(player.entry(id));
    const key = `${kernel.tag},${ids.join()}`;
    let group = this.groups.get(key);
    if (!group) {
      group = player.bind(kernel, ids, this.uniform);
      this.groups.set(key, group);
    }
    let part = this.parts.at(-1);
    if (!part?.runs) {
      part = { runs: [], offsets: [], last: null };
      this.parts.push(part);
    }
    part.runs.push({
      pipeline: kernel.pipeline === part.last ? null : kernel.pipeline,
      group, x: words[grid], y: words[grid + 1], z: words[grid + 2],
    });
    part.last = kernel.pipeline;
    part.offsets.push(params.length * 4);
    for (let i = 0; i < kernel.blockWords; i++) {
      params.push(grid + 4 + i < end ? words[grid + 4 + i] : 0);
    }
    this.dispatches += 1;
    return end;
  }

  #copy(at) {
    const copy = [...this.words.slice(at + 1, at + 6)];
    for (const id of [copy[0], copy[2]]) this.entries.add(this.player.entry(id));
    this.parts.push({ copy });
    return at + 6;
  }

  // Encode everything into the player's encoder.
  play(player) {
    const encoder = player.copying();
    for (const entry of this.entries) entry.stamp = player.stamp;
    for (const { runs, offsets, copy } of this.parts) {
      if (copy) {
        player.copy(...copy);
        continue;
      }
      const pass = encoder.beginComputePass();
      for (let i = 0; i < runs.length; i++) {
        const run = runs[i];
        if (run.pipeline) pass.setPipeline(run.pipeline);
        pass.setBindGroup(0, run.group, offsets, i, 1);
        pass.dispatchWorkgroups(run.x, run.y, run.z);
      }
      pass.end();
    }
  }
}

// Device time of every dispatch: two timestamps around a pass of its own.

const MOST = 4096; // queries in a set: WebGPU's limit

export class Timer {
  constructor(device) {
    this.device = device;
    this.queries = device.createQuerySet({ type: "timestamp", count: MOST });
    this.resolved = device.createBuffer({
      size: MOST * 8, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
    this.keys = []; // of the open encoder
    this.waiting = []; // { keys, staging }
  }

  // Must the open encoder be sent before another dispatch?
  get full() {
    return this.keys.length * 2 >= MOST;
  }

  // The timestampWrites of the pass of the next dispatch.
  writes() {
    const at = this.keys.length * 2;
    return {
      querySet: this.queries, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1,
    };
  }

  // The pass that has just ended held this kernel, with this grid and parameters.
  note(kernel, words) {
    this.keys.push([kernel, ...words]);
  }

  // Add to an encoder, before it is sent, what saves its times.
  resolve(encoder) {
    if (!this.keys.length) return;
    const count = this.keys.length * 2;
    const staging = this.device.createBuffer({
      size: count * 8, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    encoder.resolveQuerySet(this.queries, 0, count, this.resolved, 0);
    encoder.copyBufferToBuffer(this.resolved, 0, staging, 0, count * 8);
    this.waiting.push({ keys: this.keys, staging });
    this.keys = [];
  }

  // Resolve to [[kernel, …grid and parameters], nanoseconds, start] of each dispatch.
  async collect() {
    const found = [];
    const waiting = this.waiting;
    this.waiting = [];
    for (const { keys, staging } of waiting) {
      await staging.mapAsync(GPUMapMode.READ);
      const ticks = new BigUint64Array(staging.getMappedRange());
      keys.forEach((key, i) => {
        const began = Number(ticks[2 * i]);
        found.push([key, Math.max(0, Number(ticks[2 * i + 1]) - began), began]);
      });
      staging.destroy();
    }
    return found;
  }

  destroy() {
    this.queries.destroy();
    this.resolved.destroy();
    for (const { staging } of this.waiting) staging.destroy();
  }
}

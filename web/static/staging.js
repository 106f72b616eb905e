// Buffers that reads go through. A few small ones are kept, smallest first: the first
// that fits is best.

const CHUNK_BYTES = 1 << 16; // least size
const KEEP_BYTES = 1 << 22; // larger ones are not kept

export class Staging {
  constructor(device) {
    this.device = device;
    this.idle = [];
  }

  // A buffer of at least `size` bytes.
  take(size) {
    const fit = this.idle.findIndex((buffer) => buffer.size >= size);
    if (fit >= 0) return this.idle.splice(fit, 1)[0];
    return this.device.createBuffer({
      size: Math.max(CHUNK_BYTES, size),
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
  }

  // The bytes of each item { chunk, at, size }, out of buffers that are mapped.
  bytes(chunks, items) {
    for (const chunk of chunks) chunk.range = chunk.buffer.getMappedRange();
    const bytes = items.map(({ chunk, at, size }) =>
      new Uint8Array(chunk.range, at, size).slice());
    for (const { buffer } of chunks) this.#recycle(buffer);
    return bytes;
  }

  #recycle(buffer) {
    buffer.unmap();
    if (buffer.size > KEEP_BYTES || this.idle.length >= 16) {
      buffer.destroy();
      return;
    }
    this.idle.push(buffer);
    this.idle.sort((a, b) => a.size - b.size);
  }
}

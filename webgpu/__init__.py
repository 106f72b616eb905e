"""The WebGPU backend: a WGSL printer and a runtime over a small `Gpu` interface."""

"""The WebAssembly backend: an assembler in Python and the SIMD CPU backend."""

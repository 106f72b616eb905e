"""What exists because of a desktop, server or board: NumPy, wgpu-py, MicroPython."""

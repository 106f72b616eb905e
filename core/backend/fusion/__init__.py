"""`Fusion(b)`: ops are written down, and run later as few kernels of the backend b."""

"""The demonstration: a small network that reads handwritten digits."""

"""MicroPython: which modules run there, and the tools that lay them out."""

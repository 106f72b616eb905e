"""The training loop and what shows it."""

from .curve import draw_curve
from .loop import History, fit, measure
from .renderer import PlainRenderer, Renderer, make_renderer

__all__ = [
    "History",
    "PlainRenderer",
    "Renderer",
    "draw_curve",
    "fit",
    "make_renderer",
    "measure",
]

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


def __dir__() -> list[str]:
    """List what is for use, without the files it is in."""
    return __all__

"""PyTorch's `torch.nn.utils`: `rnn` (packed sequences), `parametrizations` (norms).

Rooms load at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import parametrizations as parametrizations
    from . import rnn as rnn

__all__ = ["parametrizations", "rnn"]


def __getattr__(name):
    import sys

    if name not in __all__:
        raise AttributeError("fogo.nn.utils has no attribute %r" % name)
    path = __name__ + "." + name
    __import__(path)
    return sys.modules[path]

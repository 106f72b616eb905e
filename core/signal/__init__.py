"""Signals: `fogo.signal`, transforms as pairs of real tensors, and windows.

For every device; `fogo.fft` has the transforms of complex tensors. Names load at first
use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .spectra import cfft as cfft
    from .spectra import icfft as icfft
    from .spectra import irfft as irfft
    from .spectra import istft as istft
    from .spectra import rfft as rfft
    from .spectra import stft as stft
    from .windows import bartlett_window as bartlett_window
    from .windows import blackman_window as blackman_window
    from .windows import hamming_window as hamming_window
    from .windows import hann_window as hann_window

# Where each name lives.
_FILES = {
    "spectra": "cfft icfft irfft istft rfft stft",
    "windows": "bartlett_window blackman_window hamming_window hann_window",
}
_HOMES = {name: file for file in _FILES for name in _FILES[file].split()}
__all__ = sorted(_HOMES)


def __dir__() -> list[str]:
    """List what has not been loaded too, so that a shell can complete it."""
    return __all__


def __getattr__(name):
    import sys

    if name not in _HOMES:
        raise AttributeError("fogo.signal has no attribute %r" % name)
    path = __name__ + "." + _HOMES[name]
    __import__(path)  # also where it is there: another thread may not be done with it
    return getattr(sys.modules[path], name)

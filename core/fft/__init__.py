"""Fourier transforms: `fogo.fft`, the array API's extension, of any length.

They need a device with complex numbers ("numpy"); `fogo.signal` has the same
transforms, as pairs of real tensors, for every device. Names load at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .frequencies import fftfreq as fftfreq
    from .frequencies import fftshift as fftshift
    from .frequencies import ifftshift as ifftshift
    from .frequencies import rfftfreq as rfftfreq
    from .transforms import fft as fft
    from .transforms import fft2 as fft2
    from .transforms import fftn as fftn
    from .transforms import hfft as hfft
    from .transforms import ifft as ifft
    from .transforms import ifft2 as ifft2
    from .transforms import ifftn as ifftn
    from .transforms import ihfft as ihfft
    from .transforms import irfft as irfft
    from .transforms import irfft2 as irfft2
    from .transforms import irfftn as irfftn
    from .transforms import rfft as rfft
    from .transforms import rfft2 as rfft2
    from .transforms import rfftn as rfftn

# Where each name lives.
_FILES = {
    "frequencies": "fftfreq fftshift ifftshift rfftfreq",
    "transforms": (
        "fft fft2 fftn hfft ifft ifft2 ifftn ihfft irfft irfft2 irfftn rfft rfft2 rfftn"
    ),
}
_HOMES = {name: file for file in _FILES for name in _FILES[file].split()}
__all__ = sorted(_HOMES)


def __dir__() -> list[str]:
    """List what has not been loaded too, so that a shell can complete it."""
    return __all__


def __getattr__(name):
    import sys

    if name not in _HOMES:
        raise AttributeError("fogo.fft has no attribute %r" % name)
    path = __name__ + "." + _HOMES[name]
    __import__(path)  # also where it is there: another thread may not be done with it
    return getattr(sys.modules[path], name)

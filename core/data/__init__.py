"""Datasets, batches and augmentation; nothing here needs more than core."""

from .augment import Augment
from .cache import cache_dir, replacing
from .download import DownloadError, RemoteFile, fetch
from .idx import Idx, read_idx
from .images import ImageDataset
from .loader import DataLoader
from .mnist import MnistDataset
from .package import package_file
from .tensors import TensorDataset

__all__ = [
    "Augment",
    "DataLoader",
    "DownloadError",
    "Idx",
    "ImageDataset",
    "MnistDataset",
    "RemoteFile",
    "TensorDataset",
    "cache_dir",
    "fetch",
    "package_file",
    "read_idx",
    "replacing",
]


def __dir__() -> list[str]:
    """List what is for use, without the files it is in."""
    return __all__

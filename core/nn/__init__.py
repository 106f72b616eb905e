"""Modules, layers, losses and initialisers: PyTorch's names, arguments and layouts.

`Module`, `Parameter`, `Sequential` and `ModuleList`; layers (`Linear`, `Conv2d`,
`LayerNorm`, `Dropout`, `Embedding`, `MaxPool2d`, …); activations (`ReLU`, `GELU`, …);
losses (`CrossEntropyLoss`, `MSELoss`, …); `init`. `dir(fogo.nn)` lists them all.
Names load with their file, at first use: a page pays only for the layers it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import init as init
    from . import utils as utils
    from .activation import CELU as CELU
    from .activation import ELU as ELU
    from .activation import GELU as GELU
    from .activation import GLU as GLU
    from .activation import SELU as SELU
    from .activation import Hardsigmoid as Hardsigmoid
    from .activation import Hardswish as Hardswish
    from .activation import Hardtanh as Hardtanh
    from .activation import LeakyReLU as LeakyReLU
    from .activation import LogSigmoid as LogSigmoid
    from .activation import LogSoftmax as LogSoftmax
    from .activation import Mish as Mish
    from .activation import PReLU as PReLU
    from .activation import ReLU as ReLU
    from .activation import ReLU6 as ReLU6
    from .activation import Sigmoid as Sigmoid
    from .activation import SiLU as SiLU
    from .activation import Softmax as Softmax
    from .activation import Softplus as Softplus
    from .activation import Softsign as Softsign
    from .activation import Tanh as Tanh
    from .activation import Tanhshrink as Tanhshrink
    from .container import ModuleList as ModuleList
    from .container import Sequential as Sequential
    from .conv import Conv1d as Conv1d
    from .conv import Conv2d as Conv2d
    from .conv import Conv3d as Conv3d
    from .conv import ConvTranspose2d as ConvTranspose2d
    from .dropout import Dropout as Dropout
    from .embedding import Embedding as Embedding
    from .linear import Flatten as Flatten
    from .linear import Identity as Identity
    from .linear import Linear as Linear
    from .loss import BCELoss as BCELoss
    from .loss import BCEWithLogitsLoss as BCEWithLogitsLoss
    from .loss import CrossEntropyLoss as CrossEntropyLoss
    from .loss import HuberLoss as HuberLoss
    from .loss import KLDivLoss as KLDivLoss
    from .loss import L1Loss as L1Loss
    from .loss import MSELoss as MSELoss
    from .loss import NLLLoss as NLLLoss
    from .loss import SmoothL1Loss as SmoothL1Loss
    from .loss_density import DiceLoss as DiceLoss
    from .loss_density import FocalLoss as FocalLoss
    from .loss_density import GaussianNLLLoss as GaussianNLLLoss
    from .loss_density import GramMatrixLoss as GramMatrixLoss
    from .loss_density import InfoNCELoss as InfoNCELoss
    from .loss_density import LpLoss as LpLoss
    from .loss_density import PoissonNLLLoss as PoissonNLLLoss
    from .loss_density import SigmoidFocalLoss as SigmoidFocalLoss
    from .loss_margin import CosineEmbeddingLoss as CosineEmbeddingLoss
    from .loss_margin import HingeEmbeddingLoss as HingeEmbeddingLoss
    from .loss_margin import MarginRankingLoss as MarginRankingLoss
    from .loss_margin import MultiLabelMarginLoss as MultiLabelMarginLoss
    from .loss_margin import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
    from .loss_margin import MultiMarginLoss as MultiMarginLoss
    from .loss_margin import SoftMarginLoss as SoftMarginLoss
    from .loss_margin import TripletMarginLoss as TripletMarginLoss
    from .loss_margin import (
        TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss,
    )
    from .module import Module as Module
    from .norm import BatchNorm1d as BatchNorm1d
    from .norm import BatchNorm2d as BatchNorm2d
    from .norm import GroupNorm as GroupNorm
    from .norm import LayerNorm as LayerNorm
    from .norm import RMSNorm as RMSNorm
    from .parameter import Parameter as Parameter
    from .pool import AdaptiveAvgPool2d as AdaptiveAvgPool2d
    from .pool import AvgPool1d as AvgPool1d
    from .pool import AvgPool2d as AvgPool2d
    from .pool import MaxPool1d as MaxPool1d
    from .pool import MaxPool2d as MaxPool2d
    from .rnn import GRU as GRU
    from .rnn import LSTM as LSTM
    from .rnn import RNN as RNN
    from .rnn import RNNBase as RNNBase
    from .rnn_cells import GRUCell as GRUCell
    from .rnn_cells import LSTMCell as LSTMCell
    from .rnn_cells import RNNCell as RNNCell

# Where each name lives.
_FILES = {
    "activation": (
        "CELU ELU GELU GLU Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid "
        "LogSoftmax Mish PReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softplus "
        "Softsign Tanh Tanhshrink"
    ),
    "container": "ModuleList Sequential",
    "conv": "Conv1d Conv2d Conv3d ConvTranspose2d",
    "dropout": "Dropout",
    "embedding": "Embedding",
    "linear": "Flatten Identity Linear",
    "loss": (
        "BCELoss BCEWithLogitsLoss CrossEntropyLoss HuberLoss KLDivLoss L1Loss "
        "MSELoss NLLLoss SmoothL1Loss"
    ),
    "loss_density": (
        "DiceLoss FocalLoss GaussianNLLLoss GramMatrixLoss InfoNCELoss LpLoss "
        "PoissonNLLLoss SigmoidFocalLoss"
    ),
    "loss_margin": (
        "CosineEmbeddingLoss HingeEmbeddingLoss MarginRankingLoss "
        "MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss "
        "SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss"
    ),
    "module": "Module",
    "norm": "BatchNorm1d BatchNorm2d GroupNorm LayerNorm RMSNorm",
    "parameter": "Parameter",
    "pool": "AdaptiveAvgPool2d AvgPool1d AvgPool2d MaxPool1d MaxPool2d",
    "rnn": "GRU LSTM RNN RNNBase",
    "rnn_cells": "GRUCell LSTMCell RNNCell",
}
_HOMES = {name: file for file in _FILES for name in _FILES[file].split()}
_ROOMS = ("init", "utils")
__all__ = sorted(list(_HOMES) + list(_ROOMS))


def __dir__() -> list[str]:
    """List what has not been loaded too, so that a shell can complete it."""
    return __all__


def __getattr__(name):
    import sys

    file = _HOMES.get(name, name if name in _ROOMS else None)
    if file is None:
        raise AttributeError("fogo.nn has no attribute %r" % name)
    path = __name__ + "." + file
    __import__(path)  # also where it is there: another thread may not be done with it
    room = sys.modules[path]
    return room if name in _ROOMS else getattr(room, name)

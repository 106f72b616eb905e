"""Modules, layers, losses and initialisers: PyTorch's names, arguments and layouts.

`Module`, `Parameter`, `Sequential` and `ModuleList`; layers (`Linear`, `Conv2d`,
`LayerNorm`, `Dropout`, `Embedding`, `LSTM`, `MultiheadAttention`, …); activations
(`ReLU`, `GELU`, …); losses (`CrossEntropyLoss`, `MSELoss`, …); `ParamGroup`, `LoRA`,
parametrizations; `init`, `utils`. `dir(fogo.nn)` lists them all.
Names load with their file, at first use: a page pays only for the layers it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import functional as functional
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
    from .activation_more import Hardshrink as Hardshrink
    from .activation_more import QuietSoftmax as QuietSoftmax
    from .activation_more import RReLU as RReLU
    from .activation_more import Shrink as Shrink
    from .activation_more import Softmax2d as Softmax2d
    from .activation_more import Softmin as Softmin
    from .activation_more import Softshrink as Softshrink
    from .activation_more import SwiGLU as SwiGLU
    from .activation_more import Threshold as Threshold
    from .activation_more import ThresholdedReLU as ThresholdedReLU
    from .attention import MultiheadAttention as MultiheadAttention
    from .attention_parts import KVCache as KVCache
    from .attention_parts import (
        generate_autoregressive_mask as generate_autoregressive_mask,
    )
    from .attention_parts import generate_padding_mask as generate_padding_mask
    from .config import Config as Config
    from .container import ModuleDict as ModuleDict
    from .container import ModuleList as ModuleList
    from .container import ParameterDict as ParameterDict
    from .container import ParameterList as ParameterList
    from .container import Sequential as Sequential
    from .conv import Conv1d as Conv1d
    from .conv import Conv2d as Conv2d
    from .conv import Conv3d as Conv3d
    from .conv_transpose import ConvTranspose1d as ConvTranspose1d
    from .conv_transpose import ConvTranspose2d as ConvTranspose2d
    from .conv_transpose import ConvTranspose3d as ConvTranspose3d
    from .cross_attention import CrossAttention as CrossAttention
    from .deform import DeformConv2d as DeformConv2d
    from .distance import CosineSimilarity as CosineSimilarity
    from .distance import PairwiseDistance as PairwiseDistance
    from .dropout import AlphaDropout as AlphaDropout
    from .dropout import Dropout as Dropout
    from .dropout import Dropout1d as Dropout1d
    from .dropout import Dropout2d as Dropout2d
    from .dropout import Dropout3d as Dropout3d
    from .dropout import FeatureAlphaDropout as FeatureAlphaDropout
    from .dropout import GaussianNoise as GaussianNoise
    from .embedding import Embedding as Embedding
    from .embedding_bag import EmbeddingBag as EmbeddingBag
    from .feed_forward import Bilinear as Bilinear
    from .feed_forward import PositionWiseFeedForward as PositionWiseFeedForward
    from .groups import ParamGroup as ParamGroup
    from .lazy import LazyParameter as LazyParameter
    from .linear import Flatten as Flatten
    from .linear import Identity as Identity
    from .linear import Linear as Linear
    from .linear import Unflatten as Unflatten
    from .lora import LoRA as LoRA
    from .lora import load_lora_state_dict as load_lora_state_dict
    from .lora import lora_state_dict as lora_state_dict
    from .lora import merge_lora as merge_lora
    from .lora import remove_lora as remove_lora
    from .lora import unmerge_lora as unmerge_lora
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
    from .loss_sequence import CTCLoss as CTCLoss
    from .loss_sequence import RNNTLoss as RNNTLoss
    from .module import Module as Module
    from .norm import BatchNorm1d as BatchNorm1d
    from .norm import BatchNorm2d as BatchNorm2d
    from .norm import GroupNorm as GroupNorm
    from .norm import LayerNorm as LayerNorm
    from .norm import RMSNorm as RMSNorm
    from .norm_more import BatchNorm3d as BatchNorm3d
    from .norm_more import InstanceNorm1d as InstanceNorm1d
    from .norm_more import InstanceNorm2d as InstanceNorm2d
    from .norm_more import InstanceNorm3d as InstanceNorm3d
    from .norm_more import LocalResponseNorm as LocalResponseNorm
    from .pad import CircularPad1d as CircularPad1d
    from .pad import CircularPad2d as CircularPad2d
    from .pad import CircularPad3d as CircularPad3d
    from .pad import ConstantPad1d as ConstantPad1d
    from .pad import ConstantPad2d as ConstantPad2d
    from .pad import ConstantPad3d as ConstantPad3d
    from .pad import ReflectionPad1d as ReflectionPad1d
    from .pad import ReflectionPad2d as ReflectionPad2d
    from .pad import ReflectionPad3d as ReflectionPad3d
    from .pad import ReplicationPad1d as ReplicationPad1d
    from .pad import ReplicationPad2d as ReplicationPad2d
    from .pad import ReplicationPad3d as ReplicationPad3d
    from .pad import ZeroPad1d as ZeroPad1d
    from .pad import ZeroPad2d as ZeroPad2d
    from .pad import ZeroPad3d as ZeroPad3d
    from .parameter import Parameter as Parameter
    from .pool import AdaptiveAvgPool1d as AdaptiveAvgPool1d
    from .pool import AdaptiveAvgPool2d as AdaptiveAvgPool2d
    from .pool import AdaptiveAvgPool3d as AdaptiveAvgPool3d
    from .pool import AvgPool1d as AvgPool1d
    from .pool import AvgPool2d as AvgPool2d
    from .pool import AvgPool3d as AvgPool3d
    from .pool import MaxPool1d as MaxPool1d
    from .pool import MaxPool2d as MaxPool2d
    from .pool import MaxPool3d as MaxPool3d
    from .pool_more import AdaptiveMaxPool1d as AdaptiveMaxPool1d
    from .pool_more import AdaptiveMaxPool2d as AdaptiveMaxPool2d
    from .pool_more import AdaptiveMaxPool3d as AdaptiveMaxPool3d
    from .pool_more import LPPool1d as LPPool1d
    from .pool_more import LPPool2d as LPPool2d
    from .pool_more import LPPool3d as LPPool3d
    from .pool_more import MaxUnpool1d as MaxUnpool1d
    from .pool_more import MaxUnpool2d as MaxUnpool2d
    from .pool_more import MaxUnpool3d as MaxUnpool3d
    from .positional import PositionalEncoding as PositionalEncoding
    from .positional import RotaryEncoding as RotaryEncoding
    from .positional import generate_sinusoids as generate_sinusoids
    from .reparam import Reparameterization as Reparameterization
    from .reparam import is_parametrized as is_parametrized
    from .reparam import register_parametrization as register_parametrization
    from .reparam import remove_parametrizations as remove_parametrizations
    from .resize import ChannelShuffle as ChannelShuffle
    from .resize import Fold as Fold
    from .resize import Interpolate as Interpolate
    from .resize import PixelShuffle as PixelShuffle
    from .resize import PixelUnshuffle as PixelUnshuffle
    from .resize import Unfold as Unfold
    from .resize import Upsample as Upsample
    from .resize import UpsamplingBilinear2d as UpsamplingBilinear2d
    from .resize import UpsamplingNearest2d as UpsamplingNearest2d
    from .rnn import GRU as GRU
    from .rnn import LSTM as LSTM
    from .rnn import RNN as RNN
    from .rnn import RNNBase as RNNBase
    from .rnn_cells import GRUCell as GRUCell
    from .rnn_cells import LSTMCell as LSTMCell
    from .rnn_cells import RNNCell as RNNCell
    from .summaries import summary as summary
    from .transformer import Transformer as Transformer
    from .transformer import TransformerCache as TransformerCache
    from .transformer import TransformerDecoder as TransformerDecoder
    from .transformer import TransformerEncoder as TransformerEncoder
    from .transformer_layers import TransformerDecoderLayer as TransformerDecoderLayer
    from .transformer_layers import TransformerEncoderLayer as TransformerEncoderLayer
    from .visit import ModuleMapper as ModuleMapper
    from .visit import ModuleVisitor as ModuleVisitor

# Where each name lives.
_FILES = {
    "activation": (
        "CELU ELU GELU GLU Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid "
        "LogSoftmax Mish PReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softplus "
        "Softsign Tanh Tanhshrink"
    ),
    "activation_more": (
        "Hardshrink QuietSoftmax RReLU Shrink Softmax2d Softmin Softshrink SwiGLU "
        "Threshold ThresholdedReLU"
    ),
    "attention": "MultiheadAttention",
    "attention_parts": "KVCache generate_autoregressive_mask generate_padding_mask",
    "config": "Config",
    "container": "ModuleDict ModuleList ParameterDict ParameterList Sequential",
    "conv": "Conv1d Conv2d Conv3d",
    "conv_transpose": "ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    "cross_attention": "CrossAttention",
    "deform": "DeformConv2d",
    "distance": "CosineSimilarity PairwiseDistance",
    "dropout": (
        "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout "
        "GaussianNoise"
    ),
    "embedding": "Embedding",
    "embedding_bag": "EmbeddingBag",
    "feed_forward": "Bilinear PositionWiseFeedForward",
    "groups": "ParamGroup",
    "lazy": "LazyParameter",
    "linear": "Flatten Identity Linear Unflatten",
    "lora": (
        "LoRA load_lora_state_dict lora_state_dict merge_lora remove_lora unmerge_lora"
    ),
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
    "loss_sequence": "CTCLoss RNNTLoss",
    "module": "Module",
    "norm": "BatchNorm1d BatchNorm2d GroupNorm LayerNorm RMSNorm",
    "norm_more": (
        "BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d LocalResponseNorm"
    ),
    "pad": (
        "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d "
        "ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d "
        "ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d "
        "ZeroPad3d"
    ),
    "parameter": "Parameter",
    "pool": (
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AvgPool1d AvgPool2d "
        "AvgPool3d MaxPool1d MaxPool2d MaxPool3d"
    ),
    "pool_more": (
        "AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d LPPool1d LPPool2d "
        "LPPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
    ),
    "positional": "PositionalEncoding RotaryEncoding generate_sinusoids",
    "reparam": (
        "Reparameterization is_parametrized register_parametrization "
        "remove_parametrizations"
    ),
    "resize": (
        "ChannelShuffle Fold Interpolate PixelShuffle PixelUnshuffle Unfold Upsample "
        "UpsamplingBilinear2d UpsamplingNearest2d"
    ),
    "rnn": "GRU LSTM RNN RNNBase",
    "rnn_cells": "GRUCell LSTMCell RNNCell",
    "summaries": "summary",
    "transformer": "Transformer TransformerCache TransformerDecoder TransformerEncoder",
    "transformer_layers": "TransformerDecoderLayer TransformerEncoderLayer",
    "visit": "ModuleMapper ModuleVisitor",
}
_HOMES = {name: file for file in _FILES for name in _FILES[file].split()}
_ROOMS = ("functional", "init", "utils")
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

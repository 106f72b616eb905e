"""Optimisers, learning rate schedules and gradient clipping.

Optimisers: `SGD`, `AdamW`, `Lion`, `Muon`, `LBFGS`, … Schedules: `OneCycleLR`, …
Averages of weights: `EMA`, `SWA`. Clipping: `clip_grad_norm_`,
`clip_grad_value_`. `dir(fogo.optim)` lists them all.
Names load with their file, at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .adam import Adam as Adam
    from .adam import AdamW as AdamW
    from .adaptive import Adadelta as Adadelta
    from .adaptive import Adagrad as Adagrad
    from .adaptive import Adamax as Adamax
    from .adaptive import RMSprop as RMSprop
    from .adaptive import Rprop as Rprop
    from .average import EMA as EMA
    from .average import SWA as SWA
    from .average import update_bn as update_bn
    from .clip import clip_grad_norm_ as clip_grad_norm_
    from .clip import clip_grad_value_ as clip_grad_value_
    from .cycles import SWALR as SWALR
    from .cycles import ComposedLR as ComposedLR
    from .cycles import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
    from .cycles import CyclicLR as CyclicLR
    from .cycles import NoamLR as NoamLR
    from .cycles import OneCycleLR as OneCycleLR
    from .layerwise import LAMB as LAMB
    from .layerwise import LARS as LARS
    from .layerwise import Adafactor as Adafactor
    from .layerwise import Muon as Muon
    from .lbfgs import LBFGS as LBFGS
    from .moments import Adan as Adan
    from .moments import Lion as Lion
    from .moments import NAdam as NAdam
    from .moments import RAdam as RAdam
    from .optimizer import Optimizer as Optimizer
    from .plateau import ReduceLROnPlateau as ReduceLROnPlateau
    from .schedule import ConstantLR as ConstantLR
    from .schedule import CosineAnnealingLR as CosineAnnealingLR
    from .schedule import ExponentialLR as ExponentialLR
    from .schedule import LambdaLR as LambdaLR
    from .schedule import LinearLR as LinearLR
    from .schedule import LRScheduler as LRScheduler
    from .schedule import MultiStepLR as MultiStepLR
    from .schedule import PolynomialLR as PolynomialLR
    from .schedule import SequentialLR as SequentialLR
    from .schedule import StepLR as StepLR
    from .several import Optimizers as Optimizers
    from .sgd import SGD as SGD

# Where each name lives.
_FILES = {
    "average": "EMA SWA update_bn",
    "cycles": (
        "ComposedLR CosineAnnealingWarmRestarts CyclicLR NoamLR OneCycleLR SWALR"
    ),
    "plateau": "ReduceLROnPlateau",
    "adaptive": "Adadelta Adagrad Adamax RMSprop Rprop",
    "layerwise": "Adafactor LAMB LARS Muon",
    "lbfgs": "LBFGS",
    "moments": "Adan Lion NAdam RAdam",
    "adam": "Adam AdamW",
    "clip": "clip_grad_norm_ clip_grad_value_",
    "optimizer": "Optimizer",
    "schedule": (
        "ConstantLR CosineAnnealingLR ExponentialLR LRScheduler LambdaLR LinearLR "
        "MultiStepLR PolynomialLR SequentialLR StepLR"
    ),
    "several": "Optimizers",
    "sgd": "SGD",
}
_HOMES = {name: file for file in _FILES for name in _FILES[file].split()}
__all__ = sorted(_HOMES)


def __dir__() -> list[str]:
    """List what has not been loaded too, so that a shell can complete it."""
    return __all__


def __getattr__(name):
    import sys

    if name not in _HOMES:
        raise AttributeError("fogo.optim has no attribute %r" % name)
    path = __name__ + "." + _HOMES[name]
    __import__(path)  # also where it is there: another thread may not be done with it
    return getattr(sys.modules[path], name)

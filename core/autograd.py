"""PyTorch's names of what has to do with gradients: `torch.autograd` by ours."""

from __future__ import annotations

from .anomaly import detect_anomaly
from .backend.checkpoint import checkpoint
from .backend.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from .backend.gradients import Gradients, GradientsAccumulator
from .func.custom import Function, custom_vjp
from .gradchecks import gradcheck, gradgradcheck

__all__ = [
    "Function", "Gradients", "GradientsAccumulator", "checkpoint", "custom_vjp",
    "detect_anomaly", "enable_grad", "gradcheck", "gradgradcheck", "inference_mode",
    "is_grad_enabled", "no_grad", "set_grad_enabled",
]  # fmt: skip

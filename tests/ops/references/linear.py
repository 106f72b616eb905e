"""References of fogo.ops.linear."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch.nn.functional as F

from tests.ops.rows import ref


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    y = np.einsum("...c,...c->...", x[..., None, :], weight)
    y = y[..., 0] if weight.ndim == 1 else y
    return y if bias is None else y + bias


def bilinear(x1: Any, x2: Any, weight: Any, bias: Any = None) -> Any:
    y = np.einsum("...a,oab,...b->...o", x1, weight, x2)
    return y if bias is None else y + bias


WHY = "sums of products"
ref("linear", numpy=linear, torch=F.linear, accepts="float", factor=4.0, why=WHY)
ref("bilinear", numpy=bilinear, torch=F.bilinear, accepts="float", factor=8.0, why=WHY)

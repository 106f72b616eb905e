"""References of fogo.ops.complex_, for real numbers; tests/array_api has the others."""

from __future__ import annotations

import numpy as np
import torch

from fogo.ops.define import Sample
from tests.ops.rows import ref

ref("real", numpy=np.real, torch=lambda x: x * 1)
ref("imag", numpy=np.imag)
ref("conj", numpy=np.conj, torch=lambda x: x * 1)
ref(
    "angle",
    numpy=lambda x: np.angle(x.astype("float64")),
    torch=torch.angle,
    accepts="numeric",
    out=lambda d: d if d.startswith("float") else "float32",
    samples=(Sample(((3, 5), -3.0, 3.0)),),
)

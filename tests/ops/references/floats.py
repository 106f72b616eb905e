"""References of fogo.ops.floats."""

from __future__ import annotations

import numpy as np
import torch

from tests.ops.references.elementwise import of_tensors
from tests.ops.rows import ref

ref("positive", numpy=np.positive, torch=lambda x: x * 1)
ref("signbit", numpy=np.signbit)
ref("copysign", numpy=np.copysign, torch=of_tensors(torch.copysign))
ref("hypot", numpy=np.hypot, torch=of_tensors(torch.hypot))
ref("logaddexp", numpy=np.logaddexp, torch=of_tensors(torch.logaddexp))
ref("nextafter", numpy=np.nextafter, dtypes=["float64"])  # tests/array_api: narrower

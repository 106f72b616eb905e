"""References of fogo.ops.matmul."""

from __future__ import annotations

import numpy as np
import torch

from fogo.ops.define import Sample
from tests.ops.rows import ref

V = ((4,), -2.0, 2.0)

ref(
    "matmul",
    numpy=np.matmul,
    torch=torch.matmul,
    factor=4.0,
    why="a sum of products",
)
ref(
    "dot",
    numpy=np.dot,
    torch=torch.dot,
    accepts="numeric",
    samples=(Sample(V, V), Sample(((0,), -1.0, 1.0), ((0,), -1.0, 1.0))),
    factor=4.0,
    why="a sum of products",
)
ref(
    "outer",
    numpy=np.outer,
    torch=torch.outer,
    accepts="numeric",
    samples=(Sample(V, ((3,), -2.0, 2.0)), Sample(V, ((0,), -2.0, 2.0))),
)

"""References of fogo.ops.unique: NumPy's unique, PyTorch's for runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.ops.rows import ref

READ = "the size of the result is read"


def unique(x: Any, **o: Any) -> Any:
    found = np.unique(x, **o)
    if not isinstance(found, tuple) or not o.get("return_inverse"):
        return found
    shape = x.shape if o.get("axis") is None else (-1,)
    return (found[0], found[1].reshape(shape), *found[2:])


def consecutive(x: Any, axis: Any = None, **o: Any) -> Any:
    """PyTorch has no unsigned integers here: by their values in int64."""
    wide = torch.tensor(x if x.dtype.kind in "fb" else x.astype("int64"))
    found = torch.unique_consecutive(wide, dim=axis, **o)
    parts = found if isinstance(found, tuple) else (found,)
    return [parts[0].numpy().astype(x.dtype), *[p.numpy() for p in parts[1:]]]


for name, function in (("unique", unique), ("unique_consecutive", consecutive)):
    ref(
        name,
        numpy=function,
        accepts="any",
        out=["same", "int", "int"],
        host=True,
        why=READ,
    )

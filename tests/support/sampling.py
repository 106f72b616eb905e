"""Picks a part of a large grid by a printed seed, so that a run can be repeated.

FOGO_SAMPLE is the fraction to keep (1, the default, keeps all), FOGO_SEED the seed.
"""

from __future__ import annotations

import os
import zlib


def fraction() -> float:
    """Return FOGO_SAMPLE; ValueError unless it lies in (0, 1]."""
    value = float(os.environ.get("FOGO_SAMPLE", "1"))
    if not 0 < value <= 1:
        raise ValueError(f"FOGO_SAMPLE: must lie in (0, 1]; got {value}")
    return value


def seed() -> int:
    """Return FOGO_SEED, 0 by default."""
    return int(os.environ.get("FOGO_SEED", "0"))


def keep(case_id: str, share: float = 1.0) -> bool:
    """Tell whether a case is in this run's sample: by its name and the seed alone.

    share: of the cases, times FOGO_SAMPLE.
    """
    part = zlib.crc32(f"{seed()}:{case_id}".encode()) / 2**32
    return part < fraction() * share

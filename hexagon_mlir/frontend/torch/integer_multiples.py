"""Tells quickly that a matrix of floats is no matrix of small integers with scales: two columns are looked at."""

from __future__ import annotations

import numpy as np
import torch

_COLUMNS = 2
_MOST = 255
"""The largest integer of 8 bits."""
_ROUNDING = {torch.float32: 2.0**-23, torch.float16: 2.0**-10}
"""Of a weight, relative to it or, if that is less, its scale: its own rounding, and that of the scale."""
_BOTH = 2.1
"""The largest weight of a column tells the scale, and is rounded as the others are."""


def may_be_multiples(weight: torch.Tensor, rows: int) -> bool:
    """False where the first ``rows`` weights of two columns of ``weight``, K x N of f16 or f32, are not integers from
    -255 to 255 times a number for each column, whatever the largest is: the full search would find nothing.

    Weights that are not finite are left to it.
    """
    sample = weight[:rows, :_COLUMNS].detach().numpy().T.astype(np.float64)
    largest = np.abs(sample).max(axis=1, initial=0.0)
    if not np.isfinite(largest).all():
        return True
    units = sample[largest > 0] / largest[largest > 0, None]
    multiples = units[:, None] * np.arange(1.0, _MOST + 1)[:, None]
    rounding = _BOTH * _ROUNDING[weight.dtype] * np.maximum(np.abs(multiples), 1)
    off = np.abs(multiples - np.rint(multiples)) - rounding
    return bool((off <= 0).all(axis=2).any(axis=1).all())

"""Sums of bytes as the matrix engine's column tables convert them, on this machine."""

from __future__ import annotations

import numpy as np

_OUT_BIAS_SHIFT = 31
"""From sixteenths of a result to the unit of a product with a scale, 2**-35."""
_FRACTION, _POINT = 12, 32
"""Bits of a sum below the point, which a shift brings above bit 31."""
_MOST_VALUE = 4 << _FRACTION
"""Sums beyond it in magnitude, shifted, are out of range."""


def _fields(low: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scale, exponent and bias of the result, i64, of low words."""
    low = low.astype(np.int64)
    return (low & 0x3FF) << 1 | low >> 31 & 1 | (~low >> 16 & 1) << 11, low >> 10 & 0x1F, low >> 19 & 0xFFF


def low_bytes_of(sums: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The low byte of ``scale * (sum + bias) * 2**(exponent - 35) + out / 16``, rounded down; i32 sums that are scaled
    by a power of two."""
    scale, exponent, out = _fields(low)
    total = sums.astype(np.int64) + high.astype(np.int32)
    return (((total << exponent) * scale + (out << _OUT_BIAS_SHIFT)) >> 35).astype(np.uint8)


def bytes_of(sums: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The nearest of 0 to 255 of the same; of a sum the bits from 2**-12 on are kept after the shift by the exponent,
    and one more that is 1 unless they are all 0. i32 sums, columns last."""
    scale, exponent, out = _fields(low)
    total = sums.astype(np.int64) + high.astype(np.int32)
    value = np.clip((total << exponent) >> _POINT - _FRACTION, -_MOST_VALUE, _MOST_VALUE - 1)
    value = value << 1 | (value != 0)
    return (np.clip(value * scale + (out << _FRACTION) >> _FRACTION, 0, 4095) >> 4).astype(np.uint8)

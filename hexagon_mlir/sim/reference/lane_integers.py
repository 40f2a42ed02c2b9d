"""Integer lanes (int64) that stand for exact numbers: a lane ``x`` with a ``scale`` is x * 2**scale.

A sum of numbers of very different size does not fit 64 bits. Bits shifted out are collected in a sticky bit: bit 0 is
set when any of them was not zero. The bits above are the number rounded down, so a comparison with any multiple of 2,
and every rounding at bit 2 or above, has the result of the exact number.
"""

from __future__ import annotations

import numpy as np

SUM_BITS = 58
"""The larger addend of `exact_sum` is shifted up to this many bits; the sum has one more at most."""
_MOST = 62
_HALF = 31


def bit_length(x: np.ndarray) -> np.ndarray:
    """Of lanes that are not negative; 0 for 0."""
    high, low = x >> _HALF, x & (1 << _HALF) - 1
    top = np.frexp(np.where(high > 0, high, low).astype(np.float64))[1].astype(np.int64)
    return top + np.where(high > 0, _HALF, 0)


def two_complement_length(x: np.ndarray) -> np.ndarray:
    """Bits beside the sign: -4 has 2, 4 has 3."""
    return bit_length(np.where(x < 0, ~x, x))


def shifted_down(x: np.ndarray, n: np.ndarray) -> np.ndarray:
    """x * 2**-n rounded down, with a sticky bit; n is not negative."""
    n = np.minimum(n, _MOST)
    whole = x >> n
    return whole | (whole << n != x)


def exact_sum(
    x: np.ndarray, x_scale: np.ndarray, y: np.ndarray, y_scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """x + y of up to 50 bits each, and its scale."""
    least = np.iinfo(np.int32).min
    tops = [np.where(v == 0, least, bit_length(np.abs(v)) + s) for v, s in ((x, x_scale), (y, y_scale))]
    top = np.maximum(*tops)
    scale = np.where(top == least, 0, top - SUM_BITS)

    def moved(v: np.ndarray, v_scale: np.ndarray) -> np.ndarray:
        up = np.where(v == 0, 0, v_scale - scale)
        return np.where(up >= 0, v << np.clip(up, 0, _MOST), shifted_down(v, np.maximum(-up, 0)))

    return moved(x, x_scale) + moved(y, y_scale), scale


def round_even(x: np.ndarray, n: np.ndarray) -> np.ndarray:
    """x * 2**-n to the nearest whole number, ties to even; neither x nor the result is negative."""
    down = np.clip(n, 1, _MOST)
    whole = x >> down
    rest, half = x - (whole << down), np.int64(1) << down - 1
    up = (rest > half) | ((rest == half) & (whole & 1 == 1))
    return np.where(n > 0, whole + up, x << np.clip(-n, 0, _MOST))

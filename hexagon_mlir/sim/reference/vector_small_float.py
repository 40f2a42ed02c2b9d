"""bf16 extremes, 8-bit floats, and signs and scalar factors of qfloats, in numpy.

An f8 is sign, 4 exponent bits of bias 8 and 3 fraction bits; 0x80 is its only NaN. Its 256 values are listed once
and rounding picks the nearest of them, ties to the even pattern.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.reference.rules import rule
from hexagon_mlir.sim.reference.vector_float import lanes

NAN = 0x80
_FIELDS = np.arange(128)
_SIZES = np.where(_FIELDS < 8, _FIELDS / 8 * 2.0**-7, (1 + _FIELDS % 8 / 8) * 2.0 ** (_FIELDS // 8 - 8))
"""The values of the patterns 0 to 0x7f."""
VALUES = np.concatenate([_SIZES, [np.nan], -_SIZES[1:]])


def nearest(values):
    """f8 patterns of float64 lanes; what rounds beyond the largest value is NaN, and so is infinity."""
    sizes = np.abs(np.nan_to_num(values, nan=0.0, posinf=1e9, neginf=1e9))
    above = np.searchsorted(_SIZES, sizes)
    high, low = np.minimum(above, 127), np.maximum(above - 1, 0)
    down, up = sizes - _SIZES[low], _SIZES[high] - sizes
    pattern = np.where((up < down) | ((up == down) & (high % 2 == 0)), high, low)
    step = _SIZES[127] - _SIZES[126]
    lost = np.isnan(values) | (sizes >= _SIZES[127] + step / 2)
    signed = np.where(np.signbit(values) & (pattern > 0), pattern | 0x80, pattern)
    return np.where(lost, NAN, signed).astype(np.uint8)


def _pair(values):
    halves = values.astype(np.float16)
    return halves[::2], halves[1::2]


@rule("VV.hf=v{add|sub|mpy}(V.f8,V.f8)")
def arithmetic(name, a, b):
    a, b = VALUES[a], VALUES[b]
    return _pair({"add": a + b, "sub": a - b, "mpy": a * b}[name])


@rule("VV.hf+=vmpy(V.f8,V.f8)")
def multiply_update(old, a, b):
    """The f16 sum of exact product and accumulator, by way of f32."""
    products = VALUES[a] * VALUES[b]
    sums = (products[i::2].astype(np.float32) + lanes(o, "hf").astype(np.float32) for i, o in enumerate(old))
    return tuple(s.astype(np.float16) for s in sums)


@rule("V.f8=vf{max|min}(V.f8,V.f8)")
def extreme(name, a, b):
    """The number when one is NaN."""
    return nearest((np.fmax if name == "max" else np.fmin)(VALUES[a], VALUES[b]))


@rule("V.f8=v{abs|fneg}(V.f8)")
def sign(name, a):
    return nearest(np.abs(VALUES[a]) if name == "abs" else -VALUES[a])


@rule("V.bf=v{max|min}(V.bf,V.bf)")
def brain_extreme(name, a, b):
    x, y = lanes(a, "bf"), lanes(b, "bf")
    return np.where(x > y if name == "max" else x < y, a.view(np.uint16), b.view(np.uint16))


@rule("V.qf{16|32}=v{abs|neg}(V.{hf|qf16|sf|qf32})")
def qfloat_sign(bits, name, _, a):
    whole = a.view({"16": np.uint16, "32": np.uint32}[bits])
    top = whole.dtype.type(1 << int(bits) - 1)
    return whole & ~top if name == "abs" else whole ^ top


@rule("V.qf{16|32}=vmpy(V.{hf|qf16|sf},R.{hf|sf})")
def multiply_by_scalar(_, left, right, a, r):
    """The two halves of the register take turns over 16-bit lanes."""
    return lanes(a, left) * np.full(32, r, np.uint32).view(np.float16 if right == "hf" else np.float32)

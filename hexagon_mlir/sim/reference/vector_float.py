"""HVX floating point forms in IEEE arithmetic, in numpy: qf32 and qf16 lanes hold f32 and f16.

What a chip computes is in `vector_qfloat` and `vector_chip_float`; `arithmetic.Model` chooses. ``vmax``/``vmin``
return the second operand when an input is NaN or both are equal. Payload and sign of a NaN are not defined.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.reference.exact import SINGLE, multiply_add
from hexagon_mlir.sim.reference.rules import DTYPES, rule
from hexagon_mlir.sim.reference.vector_int import VECTOR_BYTES, interleaved, wide


def lanes(value, suffix):
    """Lanes as float32 (or the format's own type for 32-bit ones)."""
    if suffix == "bf":
        return (value.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return value.view(DTYPES[suffix])


def _apply(name, a, b):
    return {"add": np.add, "sub": np.subtract, "mpy": np.multiply}[name](a, b)


def _halves(value, suffix):
    """Even and odd 16-bit lanes as f32."""
    wider = lanes(value, suffix).astype(np.float32)
    return wider[::2], wider[1::2]


def _half(value):
    with np.errstate(all="ignore"):
        return value.astype(np.float16)


@rule("V.{qf32|sf}=v{add|sub|mpy}(V.{qf32|sf},V.{qf32|sf})")
@rule("V.{qf16|hf}=v{add|sub|mpy}(V.{qf16|hf},V.{qf16|hf})")
def arithmetic(_out, name, left, right, a, b):
    return _apply(name, lanes(a, left), lanes(b, right))


@rule("VV.{qf32|sf}=v{add|sub|mpy}(V.{hf|qf16|bf},V.{hf|qf16|bf})")
def widening(_out, name, left, right, a, b):
    pairs = zip(_halves(a, left), _halves(b, right), strict=True)
    low, high = (_apply(name, x, y) for x, y in pairs)
    return low, high


@rule("V.{sf|qf32}=V.{qf32|sf}", "V.{hf|qf16}=V.{qf16|hf}")
def reinterpret(_out, _source, a):
    return a


@rule("V.hf=VV.qf32")
def narrow_pair(pair):
    return interleaved(*(_half(lanes(half, "sf")) for half in pair))


def _fused(a, b, c):
    """Exact multiply-add of f32 lanes, rounded once."""
    patterns = [np.ascontiguousarray(x).view(np.uint32).tolist() for x in (a, b, c)]
    results = [multiply_add(x, y, z, SINGLE) for x, y, z in zip(*patterns, strict=True)]
    return np.array(results, np.uint32).view(np.float32)


@rule("V.hf+=vmpy(V.hf,V.hf)")
def fused_half(old, a, b):
    """f16 products are exact in f32; the sum is rounded to f32, then to f16."""
    return _half(_fused(*(lanes(x, "hf").astype(np.float32) for x in (a, b, old))))


@rule("VV.sf+=vmpy(V.{hf|bf},V.{1})")
def fused_widening(suffix, old, a, b):
    three = zip(_halves(a, suffix), _halves(b, suffix), old, strict=True)
    low, high = (_fused(x, y, lanes(z, "sf")) for x, y, z in three)
    return low, high


@rule("V.sf=vdmpy(V.hf,V.hf)")
def dot2(a, b):
    (a0, a1), (b0, b1) = _halves(a, "hf"), _halves(b, "hf")
    return a0 * b0 + a1 * b1


@rule("V.sf+=vdmpy(V.hf,V.hf)")
def dot2_update(old, a, b):
    return lanes(old, "sf") + dot2(a, b)


@rule("V.{sf|hf}=v{abs|fneg}(V.{1})")
def sign(suffix, name, a):
    bits = a.view({"sf": np.uint32, "hf": np.uint16}[suffix])
    top = bits.dtype.type(1 << bits.itemsize * 8 - 1)
    return bits & ~top if name == "abs" else bits ^ top


@rule("Q=vcmp.{gt|eq}(V.{sf|hf|bf},V.{2})")
def compare(name, suffix, a, b):
    a, b = lanes(a, suffix), lanes(b, suffix)
    return np.repeat(a > b if name == "gt" else a == b, VECTOR_BYTES // a.size)


@rule("V.{sf|hf}=v{max|min}(V.{1},V.{1})")
def extreme(suffix, name, a, b):
    a, b = lanes(a, suffix), lanes(b, suffix)
    return np.where(a > b if name == "max" else a < b, a, b)


@rule("V.{sf|hf}=vf{max|min}(V.{1},V.{1})")
def number_extreme(suffix, name, a, b):
    """The number when one is NaN; -0 is below +0."""
    a, b = lanes(a, suffix), lanes(b, suffix)
    first = (a > b) | ((a == b) & ~np.signbit(a)) if name == "max" else (a < b) | ((a == b) & np.signbit(a))
    return np.where(np.isnan(b) | (first & ~np.isnan(a)), a, b)


def _brain(value):
    """f32 rounded to nearest even bfloat16 patterns; NaN becomes quiet."""
    bits = value.view(np.uint32).astype(np.uint64)
    kept, rest = bits >> 16, bits & 0xFFFF
    up = (rest > 0x8000) | ((rest == 0x8000) & (kept & 1 == 1))
    return np.where(np.isnan(lanes(value, "sf")), kept | 0x40, kept + up).astype(np.uint16)


@rule("V.bf=VV.qf32")
def narrow_pair_brain(pair):
    return interleaved(*map(_brain, pair))


@rule("V.w=vilog2(V.{sf|qf32|hf|qf16})")
def logarithm(suffix, a):
    """Floor of the logarithm; zero gives the least integer, NaN the largest and infinity the one before it."""
    value = lanes(a, suffix)
    limits = np.iinfo(f"i{value.itemsize}")
    result = np.frexp(value.astype(np.float64))[1].astype(np.int64) - 1
    special = [(value == 0, limits.min), (np.isinf(value), limits.max - 1), (np.isnan(value), limits.max)]
    for where, number in special:
        result = np.where(where, number, result)
    return result.astype(limits.dtype)


def _integer(value, out):
    """Saturating lanes of whole numbers; NaN gives the largest."""
    limits = np.iinfo(DTYPES[out])
    with np.errstate(all="ignore"):
        clipped = np.clip(value.astype(np.float64), limits.min, limits.max)
    return np.where(np.isnan(value), limits.max, np.nan_to_num(clipped)).astype(np.int64).astype(DTYPES[out])


@rule("V.{w|h}=V.{sf|hf}{|:rnd}")
def truncate(out, suffix, nearest, a):
    return _integer((np.rint if nearest else np.trunc)(lanes(a, suffix)), out)


@rule("V.hf=V.h")
def from_half(a):
    return _half(wide(a, "h").astype(np.float32))


@rule("V.sf=V.w")
def from_word(a):
    return a.view(np.int32).astype(np.float32)

"""HVX IEEE forms on register values, as the chip computes them: which lanes meet, and in what order results stand.

Lane orders: three QEMU trees, their tests and device code. Where LLVM's patterns imply another one, see
`Model.narrowing_order`.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.reference import eight_bit_float, ieee_float
from hexagon_mlir.sim.reference.arithmetic import Model, Vector
from hexagon_mlir.sim.reference.exact import HALF, SINGLE
from hexagon_mlir.sim.reference.ieee_float import FORMATS, TYPES, Lanes
from hexagon_mlir.sim.reference.rules import DTYPES, chip_rule
from hexagon_mlir.sim.reference.vector_int import VECTOR_BYTES, interleaved, wide


def _patterns(a: Vector, suffix: str) -> np.ndarray:
    return a.data.view(TYPES[FORMATS[suffix].bits])


def _lanes(a: Vector, suffix: str) -> Lanes:
    return ieee_float.decode(_patterns(a, suffix), FORMATS[suffix])


def _halves(a: Vector, suffix: str) -> tuple[Lanes, Lanes]:
    """The even and the odd lanes."""
    patterns, f = _patterns(a, suffix), FORMATS[suffix]
    return ieee_float.decode(patterns[::2], f), ieee_float.decode(patterns[1::2], f)


def _apply(name: str, a: Lanes, b: Lanes, out: str) -> np.ndarray:
    if name == "mpy":
        return ieee_float.multiply(a, b, FORMATS[out])
    return ieee_float.add(a, b.negated() if name == "sub" else b, FORMATS[out])


# -- arithmetic --------------------------------------------------------------------------------------------
@chip_rule("V.{sf|hf}=v{add|sub|mpy}(V.{1},V.{1})")
def arithmetic(_model, suffix, name, a, b):
    return _apply(name, _lanes(a, suffix), _lanes(b, suffix), suffix)


@chip_rule("VV.sf=v{add|sub|mpy}(V.{hf|bf},V.{2})")
def widening(_model, name, suffix, a, b):
    pairs = zip(_halves(a, suffix), _halves(b, suffix), strict=True)
    return tuple(_apply(name, x, y, "sf") for x, y in pairs)


@chip_rule("V.hf+=vmpy(V.hf,V.hf)")
def update(_model, old, a, b):
    x, y, z = (_lanes(value, "hf") for value in (a, b, old))
    return ieee_float.multiply_add(x, y, z, HALF)


@chip_rule("VV.sf+=vmpy(V.{hf|bf},V.{1})")
def widening_update(_model, suffix, old, a, b):
    three = zip(_halves(a, suffix), _halves(b, suffix), old, strict=True)
    return tuple(ieee_float.multiply_add(x, y, _lanes(z, "sf"), SINGLE) for x, y, z in three)


@chip_rule("V.sf=vdmpy(V.hf,V.hf)")
def dot2(_model, a, b):
    (a0, a1), (b0, b1) = _halves(a, "hf"), _halves(b, "hf")
    return ieee_float.add(ieee_float.product(a0, b0), ieee_float.product(a1, b1), SINGLE)


@chip_rule("V.sf+=vdmpy(V.hf,V.hf)")
def dot2_update(model, old, a, b):
    """The fused one is defined by its source's doubles: products are exact in them, the two sums are rounded."""
    if model.dot_accumulation == "separate":
        return ieee_float.add(ieee_float.decode(dot2(model, a, b), SINGLE), _lanes(old, "sf"), SINGLE)
    x, y = (value.data.view(np.float16).astype(np.float64) for value in (a, b))
    total = old.data.view(np.float32) + ((x * y)[::2] + (x * y)[1::2])
    return np.where(np.isnan(total), SINGLE.sign - 1, total.astype(np.float32).view(np.uint32)).astype(np.uint32)


@chip_rule("V.{sf|hf}=v{abs|fneg}(V.{1})")
def sign(_model, suffix, name, a):
    patterns = _patterns(a, suffix)
    top = patterns.dtype.type(FORMATS[suffix].sign)
    return patterns & ~top if name == "abs" else patterns ^ top


# -- order -------------------------------------------------------------------------------------------------
def _unordered(model: Model) -> bool:
    """Whether NaN has no place in the order: only on v79 and later."""
    return model.qfloat == "extended" and model.nan_order == "ieee"


@chip_rule("Q=vcmp.{gt|eq}(V.{sf|hf|bf},V.{2})")
def compare(model, name, suffix, a, b):
    """Equality is of numbers: NaN equals nothing."""
    f = FORMATS[suffix]
    x, y = _patterns(a, suffix), _patterns(b, suffix)
    ordered = [ieee_float.order(p, f, False) for p in (x, y)]
    result = ordered[0] > ordered[1] if name == "gt" else ordered[0] == ordered[1]
    if name == "eq" or _unordered(model):
        result &= ~(ieee_float.is_nan(x, f) | ieee_float.is_nan(y, f))
    return np.repeat(result, VECTOR_BYTES // result.size)


@chip_rule("V.{sf|hf}=v{max|min}(V.{1},V.{1})")
def extreme(model, suffix, name, a, b):
    function = ieee_float.extreme_or_signed_nan if _unordered(model) else ieee_float.extreme
    return function(name, _patterns(a, suffix), _patterns(b, suffix), FORMATS[suffix])


@chip_rule("V.{sf|hf}=vf{max|min}(V.{1},V.{1})", "V.{bf}=v{max|min}(V.bf,V.bf)")
def extreme_or_nan(_model, suffix, name, a, b):
    return ieee_float.extreme_or_nan(name, _patterns(a, suffix), _patterns(b, suffix), FORMATS[suffix])


# -- conversions -------------------------------------------------------------------------------------------
def _in_order(model: Model, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return interleaved(u, v) if model.narrowing_order == "first-even" else interleaved(v, u)


@chip_rule("V.{hf|bf}=vcvt(V.sf,V.sf)")
def narrow(model, out, u, v):
    return _in_order(model, *(ieee_float.convert(_lanes(x, "sf"), FORMATS[out]) for x in (u, v)))


@chip_rule("VV.sf=vcvt(V.hf)")
def widen(_model, a):
    return tuple(ieee_float.convert(half, SINGLE) for half in _halves(a, "hf"))


@chip_rule("V.{w|h}=V.{sf|hf}{|:rnd}")
def truncate(_model, out, suffix, nearest, a):
    limits = np.iinfo(DTYPES[out])
    return ieee_float.to_integers(_lanes(a, suffix), limits, bool(nearest), True).astype(DTYPES[out])


@chip_rule("V.{sf|hf}=V.{w|h}", "V.{hf}=vcvt(V.{h|uh})")
def from_integer(_model, out, suffix, a):
    return ieee_float.from_integers(wide(a.data, suffix), FORMATS[out])


@chip_rule("V.{h|uh}=vcvt(V.hf)")
def to_integer(_model, out, a):
    return ieee_float.to_integers(_lanes(a, "hf"), np.iinfo(DTYPES[out]), True, False).astype(DTYPES[out])


@chip_rule("VV.hf=vcvt{|2}(V.{b|ub})")
def from_bytes(_model, second, suffix, a):
    """Of each word, ``vcvt`` puts bytes 0 and 1 into the low register and 2 and 3 into the high one; ``vcvt2`` 0, 2."""
    words = ieee_float.from_integers(wide(a.data, suffix), HALF).reshape(32, 4)
    low, high = ([0, 2], [1, 3]) if second else ([0, 1], [2, 3])
    return words[:, low].reshape(-1), words[:, high].reshape(-1)


@chip_rule("V.{b|ub}=vcvt{|2}(V.hf,V.hf)")
def to_bytes(_model, out, second, u, v):
    limits = np.iinfo(DTYPES[out])
    first, last = (
        ieee_float.to_integers(_lanes(x, "hf"), limits, True, False).astype(DTYPES[out]).reshape(32, 2) for x in (u, v)
    )
    if second:
        return np.stack([first, last], axis=-1).reshape(-1)
    return np.concatenate([first, last], axis=1).reshape(-1)


# -- 8-bit floats (v79): even bytes belong to the low register or the first operand ------------------------
def _bytes(a: Vector) -> tuple[Lanes, Lanes]:
    return eight_bit_float.decode(a.data[::2]), eight_bit_float.decode(a.data[1::2])


@chip_rule("VV.hf=v{add|sub|mpy}(V.f8,V.f8)")
def eight_bit_arithmetic(_model, name, a, b):
    return tuple(_apply(name, x, y, "hf") for x, y in zip(_bytes(a), _bytes(b), strict=True))


@chip_rule("VV.hf+=vmpy(V.f8,V.f8)")
def eight_bit_update(_model, old, a, b):
    three = zip(_bytes(a), _bytes(b), old, strict=True)
    return tuple(ieee_float.multiply_add(x, y, _lanes(z, "hf"), HALF) for x, y, z in three)


@chip_rule("VV.hf=vcvt(V.f8)")
def eight_bit_widen(_model, a):
    return tuple(ieee_float.convert(half, HALF) for half in _bytes(a))


@chip_rule("V.f8=vcvt(V.hf,V.hf)")
def eight_bit_narrow(model, u, v):
    saturating = model.f8_overflow == "largest"
    return interleaved(*(eight_bit_float.encode(_lanes(x, "hf"), saturating) for x in (u, v)))


@chip_rule("V.f8=vf{max|min}(V.f8,V.f8)")
def eight_bit_extreme(_model, name, a, b):
    return eight_bit_float.extreme(name, a.data, b.data)


@chip_rule("V.f8=v{abs|fneg}(V.f8)")
def eight_bit_sign(_model, name, a):
    return (eight_bit_float.absolute if name == "abs" else eight_bit_float.negate)(a.data)

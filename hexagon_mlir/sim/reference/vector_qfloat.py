"""qfloat forms on register values, as the chip computes them: lanes, pairs, conversions, extension bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from hexagon_mlir.sim.reference import qfloat_extended, qfloat_legacy
from hexagon_mlir.sim.reference.arithmetic import DEFAULT_EXTENSION, Model, Vector, qfloat_vector
from hexagon_mlir.sim.reference.ieee_float import FORMATS as IEEE
from hexagon_mlir.sim.reference.qfloat_format import FORMATS
from hexagon_mlir.sim.reference.rules import chip_rule
from hexagon_mlir.sim.reference.vector_int import interleaved

_GENERATIONS: dict[str, Any] = {"legacy": qfloat_legacy, "extended": qfloat_extended}


def _apply(model: Model, name: str, a: Any, b: Any, out: str) -> Vector:
    unit = _GENERATIONS[model.qfloat]
    if name == "mpy":
        return unit.multiply(a, b, FORMATS[out])
    return unit.add(a, unit.negated(b) if name == "sub" else b, FORMATS[out])


def _halves(value: Vector, suffix: str) -> tuple[Vector, Vector]:
    """The even and the odd 16-bit lanes, packed."""
    lanes, bits = value.data.view(np.uint16), value.extensions(16)
    even, odd = (qfloat_vector(np.ascontiguousarray(lanes[i::2]), bits[i::2]) for i in (0, 1))
    return even, odd


@chip_rule("V.qf32=v{add|sub}(V.{qf32},V.{qf32|sf})", "V.qf32=v{add|sub|mpy}(V.{sf},V.{sf})")
@chip_rule("V.qf32=v{mpy}(V.{qf32},V.{qf32})")
def words(model, name, left, right, a, b):
    unit = _GENERATIONS[model.qfloat]
    return _apply(model, name, unit.decode(left, a), unit.decode(right, b), "qf32")


@chip_rule("V.qf16=v{add|sub|mpy}(V.{qf16},V.{qf16|hf})", "V.qf16=v{add|sub|mpy}(V.{hf},V.{hf})")
def halfwords(model, name, left, right, a, b):
    unit = _GENERATIONS[model.qfloat]
    return _apply(model, name, unit.decode(left, a), unit.decode(right, b), "qf16")


@chip_rule("VV.qf32=v{mpy}(V.{qf16},V.{qf16|hf})", "VV.qf32=v{mpy}(V.{hf},V.{hf})")
def widening(model, name, left, right, a, b):
    unit = _GENERATIONS[model.qfloat]
    pairs = zip(_halves(a, left), _halves(b, right), strict=True)
    return tuple(_apply(model, name, unit.decode(left, x), unit.decode(right, y), "qf32") for x, y in pairs)


@chip_rule("V.{sf}=V.{qf32}", "V.{hf}=V.{qf16}")
def convert(model, out, source, a):
    if model.qfloat == "legacy":
        return qfloat_legacy.to_ieee(qfloat_legacy.decode(source, a), IEEE[out], model.conversion_overflow)
    return qfloat_extended.to_ieee(qfloat_extended.decode(source, a), IEEE[out])


@chip_rule("V.{hf}=VV.qf32")
@chip_rule("V.{bf}=VV.qf32", qfloat="extended")
def narrow(model, out, pair):
    return interleaved(*(convert(model, out, "qf32", half) for half in pair))


# -- v79 and v81 -------------------------------------------------------------------------------------------
@chip_rule("V.{qf32}=vmpy(V.{sf},R.{sf})", "V.{qf16}=vmpy(V.{qf16|hf},R.{hf})", qfloat="extended")
def by_scalar(model, out, left, right, a, r):
    """The two halves of the register take turns over 16-bit lanes."""
    factor = Vector(np.full(32, r, np.uint32))
    unit = qfloat_extended
    return unit.multiply(unit.decode(left, a), unit.decode(right, factor), FORMATS[out])


@chip_rule("V.{qf32}=v{sub}(V.{sf},V.{qf32})", "V.{qf16}=v{sub}(V.{hf},V.{qf16})", qfloat="extended")
def reversed_difference(model, out, name, left, right, a, b):
    unit = qfloat_extended
    return _apply(model, name, unit.decode(left, a), unit.decode(right, b), out)


@chip_rule("V.{qf32}=V.{qf32|sf}", "V.{qf16}=V.{qf16|hf}", qfloat="extended")
def normalise(model, out, source, a):
    return qfloat_extended.normalised(qfloat_extended.decode(source, a), FORMATS[out])


@chip_rule("V.{qf32}=v{neg|abs}(V.{qf32|sf})", "V.{qf16}=v{neg|abs}(V.{qf16|hf})", qfloat="extended")
def sign(model, out, name, source, a):
    number = qfloat_extended.decode(source, a)
    changed = {"neg": qfloat_extended.negated, "abs": qfloat_extended.absolute}[name](number)
    return qfloat_extended.normalised(changed, FORMATS[out])


@chip_rule("V.w=vilog2(V.{qf32|sf|qf16|hf})", qfloat="extended")
def logarithm(model, source, a):
    return qfloat_extended.floor_log2(qfloat_extended.decode(source, a))


# -- extension bits ----------------------------------------------------------------------------------------
def _mask(r: int) -> np.ndarray:
    return np.full(32, r, np.uint32).view(np.uint8)


@chip_rule("V=vgetqfext(V.x,R)")
def get_extension(_model, a, r):
    """Byte i is byte i % 4 of r where bit i % 4 of word i // 4 is set (quarter, exponent, increment, last)."""
    bits = a.extension[:, None] >> np.arange(4, dtype=np.uint8) & 1
    return np.where(bits.reshape(-1) == 1, _mask(r), np.uint8(0))


@chip_rule("V.x=vsetqfext(V,R)")
def set_extension(_model, a, r):
    """A bit is set where byte and mask share one; the words become 0."""
    bits = (a.data & _mask(r) != 0).reshape(32, 4)
    return Vector(np.zeros_like(DEFAULT_EXTENSION, np.uint32), np.packbits(bits[:, ::-1], axis=1).reshape(-1) >> 4)


@chip_rule("V=vmerge(V.x,V.w)")
def merge(_model, a, b):
    return Vector(b.data, a.extension)

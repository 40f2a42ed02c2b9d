"""Forms of the reference on single numbers or columns, and qfloat words as exact rationals."""

import re
from fractions import Fraction

import numpy as np

from hexagon_mlir.sim.reference import Model, Vector, find_chip
from hexagon_mlir.sim.reference.arithmetic import qfloat_vector

LEGACY, EXTENDED = Model("chip", "legacy"), Model("chip", "extended")
WIDTHS = {"qf32": 32, "sf": 32, "w": 32, "qf16": 16, "hf": 16, "bf": 16, "h": 16, "uh": 16, "f8": 8, "b": 8, "ub": 8}
FIELDS = {"qf32": (8, 127, 23), "qf16": (5, 15, 10)}
"""Bits of the exponent, bias, bits of a fraction."""


def register(value, width):
    """A register from up to a register's worth of patterns, the last one repeated; registers and pairs as they are."""
    if isinstance(value, (Vector, tuple)):
        return value
    lanes = np.atleast_1d(np.asarray(value, np.int64))
    filled = np.concatenate([lanes, np.full(1024 // width - lanes.size, lanes[-1])])
    return Vector(filled.astype(f"u{width // 8}").view(np.uint8))


def run(model, form, *operands):
    """The register a form makes of its operands: patterns of the widths that suffixes say, or an int for an R."""
    rule = find_chip(form, model)
    left, update, right = re.fullmatch(r"([^=+]+)(\+?)=(.+)", form).groups()
    kinds = re.findall(r"([VR])V?\.(\w+)", f"{left * bool(update)},{right}")
    pairs = zip(operands, kinds, strict=True)
    result = rule(*(x if cls == "R" else register(x, WIDTHS[suffix]) for x, (cls, suffix) in pairs))
    return result if isinstance(result, (Vector, tuple)) else Vector(result)


def patterns(vector, width=32):
    return vector.data.view(np.uint8).view(f"u{width // 8}")


def first(vector, width=32):
    return int(patterns(vector, width)[0])


def bits_of(number):
    """The pattern of a Python float as f32."""
    return int(np.float32(number).view(np.uint32))


def in_words(model, name, *numbers):
    """sf patterns through ``name`` and back to sf."""
    return first(run(model, "V.sf=V.qf32", run(model, f"V.qf32={name}(V.sf,V.sf)", *numbers)))


def legacy_value(kind, word):
    """The rational that a legacy word stands for: S = 2M + 1 in units of 2**(E - bias - fraction)."""
    exponent_bits, bias, fraction = FIELDS[kind]
    width = WIDTHS[kind]
    mantissa = (word ^ 1 << width - 1) - (1 << width - 1) >> exponent_bits
    field = word & (1 << exponent_bits) - 1
    return Fraction(2 * mantissa + 1) * Fraction(2) ** (field - bias - fraction)


def packed(words, extensions):
    """A register of 32-bit lanes with extension bits; the last one is repeated."""
    lanes = register(words, 32).data.view(np.uint32)
    bits = np.concatenate([np.atleast_1d(extensions), np.full(32, np.atleast_1d(extensions)[-1])])[:32]
    return qfloat_vector(lanes, bits)

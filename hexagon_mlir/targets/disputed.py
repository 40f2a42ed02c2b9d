"""Where public sources about HVX floating point contradict each other, and the side that is taken.

The sources are open models of the instruction set (QEMU trees of Qualcomm and others, with their tests), LLVM's
instruction selection, and observations on devices. Each choice is a field of `Disputed`, a field of every `Target`:
``replace(target, disputed=Disputed(...))`` is a chip of the other opinion.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ConversionOverflow(StrEnum):
    """What a qfloat number of v68 to v75 beyond the IEEE range becomes in a conversion."""

    PATTERN = "pattern"
    """The exponent field runs on into the one of NaN (three QEMU trees; llama.cpp saw NaN on devices)."""
    INFINITY = "infinity"
    """Infinity (the newest rewrite of the model in QEMU)."""


class DotAccumulation(StrEnum):
    """How often ``V.sf+=vdmpy(V.hf,V.hf)`` rounds."""

    SEPARATE = "separate"
    """The sum of products, then the sum with the accumulator (upstream QEMU and its test)."""
    FUSED = "fused"
    """Once, from a sum in double precision (Qualcomm's QEMU)."""


class NarrowingOrder(StrEnum):
    """Which lanes of ``V.hf=vcvt(Vu.sf,Vv.sf)`` and ``V.bf=vcvt(Vu.sf,Vv.sf)`` the first operand gives."""

    FIRST_EVEN = "first-even"
    """The even ones (three QEMU trees and their tests, device code)."""
    FIRST_ODD = "first-odd"
    """The odd ones (LLVM's pattern for fptrunc)."""


class NanOrder(StrEnum):
    """What vmax, vmin and vcmp.gt of v79 and later do with NaN."""

    TOTAL = "total"
    """By the order of bits, as on v68 to v75: +NaN is greatest, -NaN least (all trees but one)."""
    IEEE = "ieee"
    """A comparison with NaN is false, an extreme is NaN: the larger one positive when a positive NaN is there, the
    smaller one negative when a negative NaN is there, all other bits set (Qualcomm's QEMU)."""


@dataclass(frozen=True)
class Disputed:
    """The side taken; the default is the one with more, or better checked, sources."""

    conversion_overflow: ConversionOverflow = ConversionOverflow.PATTERN
    dot_accumulation: DotAccumulation = DotAccumulation.SEPARATE
    narrowing_order: NarrowingOrder = NarrowingOrder.FIRST_EVEN
    nan_order: NanOrder = NanOrder.TOTAL


DEFAULT_SIDES = Disputed()

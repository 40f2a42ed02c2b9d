"""Whether HVX floating point computes as the chip does or as plain IEEE numbers."""

from __future__ import annotations

from enum import StrEnum


class Arithmetic(StrEnum):
    """How the simulator computes HVX floating point."""

    CHIP = "chip"
    """As the target does: qfloat formats and their rounding, NaN, infinities."""
    IEEE = "ieee"
    """qf32 and qf16 as f32 and f16, rounded to nearest even: to test code independently of qfloat rounding."""


DEFAULT_ARITHMETIC = Arithmetic.CHIP
IEEE_NOTE = "HVX floating point is IEEE here, not the chip's (arithmetic=ieee)"
"""The note in every report of such a run."""

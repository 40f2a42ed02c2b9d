"""The float models of the reference, and the registers that hold the floats."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from hexagon_mlir.targets import Target

CHOICES = {
    "arithmetic": ("chip", "ieee"), "qfloat": ("legacy", "extended"), "conversion_overflow": ("pattern", "infinity"),
    "dot_accumulation": ("separate", "fused"), "narrowing_order": ("first-even", "first-odd"),
    "nan_order": ("total", "ieee"), "f8_overflow": ("nan", "largest"),
}  # fmt: skip
"""The settings of `Model` and their values, the default first. Strings compare equal to members of a StrEnum."""


@dataclass(frozen=True)
class Model:
    """How HVX floats compute; sources contradict each other on the last five.

    ``arithmetic`` "chip": what Qualcomm's simulators publish of v68 to v75 (``qfloat`` "legacy") or v79 and later
    ("extended"). "ieee": qfloat registers hold IEEE numbers and everything rounds to nearest even; the other settings
    mean nothing then.
    """

    arithmetic: str = "chip"
    qfloat: str = "legacy"
    conversion_overflow: str = "pattern"
    """Of legacy conversions to IEEE: the exponent field runs on (three QEMU trees), or infinity (a fourth one)."""
    dot_accumulation: str = "separate"
    """``V.sf+=vdmpy``: the dot product is rounded, then the sum (upstream QEMU and its test), or sums in doubles are
    rounded once (Qualcomm's QEMU)."""
    narrowing_order: str = "first-even"
    """Which lanes of ``V.hf=vcvt(V.sf,V.sf)`` the first operand gives: the even ones (three QEMU trees), or the odd
    ones (LLVM's pattern for fptrunc)."""
    nan_order: str = "total"
    """``vmax``, ``vmin``, ``vcmp.gt``: NaNs are the ends of one order, or (one tree, for v79 and later) a comparison
    with NaN is false and extremes are NaN."""
    f8_overflow: str = "nan"
    """What f8 numbers beyond 240 become; "largest" stands for USR's saturation bit."""

    def __post_init__(self) -> None:
        for setting in fields(self):
            if getattr(self, setting.name) not in CHOICES[setting.name]:
                raise ValueError(f"{setting.name} is one of {', '.join(CHOICES[setting.name])}")


NEWEST = Model(qfloat="extended")
"""Of the latest chips, which have every form."""
DISPUTED = ("conversion_overflow", "dot_accumulation", "narrowing_order", "nan_order")


def model(target: Target, arithmetic: str = "chip", qfloat: str | None = None) -> Model:
    """The model of a chip: its own generation when ``qfloat`` is None, its choice of the disputed settings."""
    taken = {name: str(getattr(target.disputed, name)) for name in DISPUTED}
    return Model(str(arithmetic), str(qfloat or target.qfloat), **taken)


# -- registers ---------------------------------------------------------------------------------------------
WORDS = 32
DEFAULT_EXTENSION = np.full(WORDS, 0b1010, np.uint8)
"""What every write that is no qfloat operation leaves in the extension bits of a register."""
DEFAULT_EXTENSION.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Vector:
    """A register: 128 bytes, and the 4 extension bits of each word (v79): last bit, increment, exponent, quarter.

    16-bit lanes have last bit and increment alone, the even lane in the lower half of the four.
    """

    data: np.ndarray
    extension: np.ndarray = field(default_factory=lambda: DEFAULT_EXTENSION)

    def extensions(self, bits: int) -> np.ndarray:
        """The extension bits of each lane of ``bits``, as int64."""
        words = self.extension.astype(np.int64)
        if bits == 32:
            return words
        return np.stack([words & 3, words >> 2], axis=-1).reshape(-1)


def qfloat_vector(patterns: np.ndarray, extensions: np.ndarray | None = None) -> Vector:
    """A register from patterns (uint16 or uint32) and the extension bits of each lane."""
    if extensions is None:
        return Vector(patterns)
    if patterns.itemsize == 2:
        extensions = extensions[::2] | extensions[1::2] << 2
    return Vector(patterns, extensions.astype(np.uint8))

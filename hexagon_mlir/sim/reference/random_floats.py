"""Random lanes of every HVX float: any pattern, near one, ends of the range, unnormalised, and operands that cancel."""

from __future__ import annotations

import numpy as np

SINGLES = np.array(
    [0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F7FFFFF, 1, 0x80000001,
     0x007FFFFF, 0x00800000, 0x3F7FFFFF, 0x4F000000, 0xCF000000, 0x4B000001, 0x3F000000, 0x3FC00000, 0x33800000,
     0x477FE000, 0x477FF000, 0x477FEFFF, 0x38800000, 0x33000000, 0x3F808000, 0x3F818000], np.uint32)  # fmt: skip
"""Zeros, ones, infinities, NaNs, the extremes, denormals, halves (ties), and f16 and bf16 rounding borders."""
HALVES = np.array(
    [0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7BFF, 1, 0x8001, 0x03FF, 0x0400, 0x3800, 0x3E00,
     0x5800, 0xD808, 0x77FF, 0x7800, 0xF800, 0x3BFF], np.uint16)  # fmt: skip
_BRAINS = np.array([0, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 0xFF81, 0x7F7F, 1, 0x8001, 0x007F, 0x0080],
                   np.uint16)  # fmt: skip
_QF32 = np.array(
    [0, 0xFFFFFF00, 0x100, 0x4000007F, 0xBFFFFF7F, 0x7FFFFF7F, 0x8000007F, 0x7FFFFFFF, 0x800000FF, 0x400000FE,
     0x55555580, 0x8000017F, 0x17F, 0x4000007E, 0x8000007E, 0x00FFFF80], np.uint32)  # fmt: skip
_QF16 = np.array([0, 0xFFE0, 0x20, 0x400F, 0xBFEF, 0x7FEF, 0x800F, 0x7FFF, 0x801F, 0x401E, 0x5550, 0x2F, 0x400E],
                 np.uint16)  # fmt: skip
"""Tiny numbers, powers of two on both sides, the ends of the range, the words of extended specials."""
_EIGHTS = np.array([0, 0x80, 1, 0x81, 7, 8, 0x40, 0xC0, 0x7F, 0xFF, 0x7E], np.uint8)
SPECIALS: dict[str, np.ndarray] = {
    "sf": SINGLES, "hf": HALVES, "bf": _BRAINS, "qf32": _QF32, "qf16": _QF16, "f8": _EIGHTS,
}  # fmt: skip
_FIELDS = {"sf": (8, 23), "hf": (5, 10), "bf": (8, 7), "f8": (4, 3)}
"""Bits of exponent and fraction of the IEEE kinds; a qfloat has the exponent below and a signed number above."""
_SHAPES = 6


def _lanes(random: np.random.Generator, kind: str, rows: int) -> np.ndarray:
    """int64 patterns of one kind, a way of choosing them for each row."""
    bits = 8 * SPECIALS[kind].itemsize
    count = 1024 // bits
    shape = (rows, count)
    anything = random.integers(0, 1 << bits, shape)
    exponent_bits = _FIELDS[kind][0] if kind in _FIELDS else {"qf32": 8, "qf16": 5}[kind]
    middle = (1 << exponent_bits - 1) - 1
    near, ends = middle + random.integers(-3, 4, shape), random.choice([0, 1, 2, -1, -2, -3], shape)
    close = middle + random.integers(-30, 30, shape)
    mask = (1 << exponent_bits) - 1

    def with_field(field: np.ndarray, mantissa: np.ndarray) -> np.ndarray:
        """The mantissa as it stands in ``anything``, or with sign bits in place of its leading ones."""
        if kind in _FIELDS:
            fraction = _FIELDS[kind][1]
            return mantissa & ~(mask << fraction) | (field & mask) << fraction
        return mantissa & ~mask | field & mask

    half = 1 << bits - 1
    signed = (anything ^ half) - half
    short = signed >> random.integers(0, bits - exponent_bits, shape) & (1 << bits) - 1
    sparse = anything & (random.integers(0, 1 << bits, shape) | half) & -(1 << max(0, bits - exponent_bits - 3))
    choices = (
        anything, with_field(near, anything), with_field(ends, anything), with_field(close, short),
        with_field(near, sparse), random.choice(SPECIALS[kind], shape).astype(np.int64),
    )  # fmt: skip
    chosen = random.integers(0, _SHAPES, rows)
    mixed = np.choose(chosen[:, None], choices)
    specials = random.integers(0, 16, shape) == 0
    return np.where(specials, choices[-1], mixed)


def float_rows(random: np.random.Generator, rows: int, kinds: tuple[str, ...]) -> np.ndarray:
    """Vectors (uint8, 128 wide) of these kinds in turn; some are another one with its last bits or its sign changed."""
    result = np.empty((rows, 128), np.uint8)
    for index, kind in enumerate(kinds):
        mine = result[index :: len(kinds)]
        lanes = _lanes(random, kind, len(mine))
        bits = 8 * SPECIALS[kind].itemsize
        for row in range(1, len(mine)):
            if random.integers(5) == 0:
                change = random.integers(0, 4, lanes.shape[1]) << (0 if kind in _FIELDS else {32: 8, 16: 5}[bits])
                lanes[row] = lanes[row - 1] ^ change ^ (int(random.integers(2)) << bits - 1)
        mine[:] = lanes.astype(SPECIALS[kind].dtype).view(np.uint8)
    return result

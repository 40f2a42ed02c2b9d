"""Random register states: random bits, small numbers and floating point specials in every register file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.reference.random_operands import BASES, DATA, INDICES, TCM_BASE, UNALIGNED_BASE

BUFFER_BYTES = 4096
TCM_WINDOW = layout.TCM_BASE + BUFFER_BYTES
"""Where the part of TCM begins that packets gather from and scatter to."""
REGION_BYTES = 2048
"""The longest region of a gather or scatter."""
MODIFIERS, STARTS, FREE = (6, 7), (12, 13), (8, 10, 11)
"""Control register numbers of m0 and m1, of cs0 and cs1, and of usr, ugp and gp."""

_SINGLES = np.array(
    [0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F7FFFFF, 1, 0x80000001,
     0x007FFFFF, 0x00800000, 0x3F7FFFFF, 0x4F000000, 0xCF000000, 0x4B000001, 0x3F000000, 0x3FC00000, 0x33800000,
     0x477FE000, 0x477FF000, 0x477FEFFF, 0x38800000, 0x33000000, 0x3F808000, 0x3F818000], np.uint32)  # fmt: skip
"""Zeros, ones, infinities, NaNs, the extremes, denormals, halves (ties), and f16 and bf16 rounding borders."""
_HALVES = np.array(
    [0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7BFF, 1, 0x8001, 0x03FF, 0x0400, 0x3800, 0x3E00,
     0x5800, 0xD808, 0x77FF, 0x7800, 0xF800, 0x3BFF], np.uint16)  # fmt: skip


@dataclass
class State:
    """Everything a packet reads and writes; q as bools, c the 32 control registers."""

    r: np.ndarray
    p: np.ndarray
    v: np.ndarray
    q: np.ndarray
    c: np.ndarray
    buffer: np.ndarray
    tcm: np.ndarray


def random_state(random: np.random.Generator, address: int, gathers: bool) -> State:
    """A state whose buffer stands at ``address``; with ``gathers`` the modifiers are lengths of regions."""
    r = random.integers(0, 1 << 32, 32, np.uint32)
    for index in range(DATA):
        kind = int(random.integers(6))
        if kind == 0:
            r[index] = _SINGLES[random.integers(_SINGLES.size)]
        elif kind == 1:
            r[index] = np.uint32(int(random.integers(-40, 40)) & 0xFFFFFFFF)
        elif kind == 2:
            r[index] = np.float32(random.standard_normal() * 100).view(np.uint32)
    if random.integers(2):
        for index in range(0, DATA, 4):
            value = np.float64(random.standard_normal() * 10.0 ** float(random.integers(-320, 300)))
            r[index : index + 2] = value.reshape(1).view(np.uint32)
    for index, base in enumerate(BASES):
        r[base] = address + 1024 * (index + 1)
    r[UNALIGNED_BASE] = address + 2048 + int(random.integers(128))
    r[list(INDICES)] = random.integers(0, 64, len(INDICES))
    r[TCM_BASE] = TCM_WINDOW + int(random.integers(64))
    r[29], r[30] = address + 3584 + 8 * int(random.integers(8)), address + 3072 + 8 * int(random.integers(8))
    p = np.where(random.integers(0, 2, 4) == 1, random.choice([0, 255], 4), random.integers(0, 256, 4)).astype(np.uint8)
    q = random.integers(0, 2, (4, 128)).astype(bool)
    memories = (random.integers(0, 256, BUFFER_BYTES, np.uint8) for _ in range(2))
    return State(r, p, _vectors(random), q, _controls(random, address, gathers), *memories)


def _vectors(random: np.random.Generator) -> np.ndarray:
    v = random.integers(0, 256, (32, 128), np.uint8)
    for row in v:
        kind = int(random.integers(8))
        if kind == 0:
            row[:] = random.choice(_SINGLES, 32).view(np.uint8)
        elif kind == 1:
            row[:] = random.choice(_HALVES, 64).view(np.uint8)
        elif kind == 2:
            row[:] = (random.standard_normal(32) * 30).astype(np.float32).view(np.uint8)
        elif kind == 3:
            row[:] = (random.standard_normal(64) * 30).astype(np.float16).view(np.uint8)
        elif kind == 4:
            row[:] = random.integers(-70, 70, 32).astype(np.int32).view(np.uint8)
        elif kind == 5:
            row[:] = random.integers(0, REGION_BYTES, 32).astype(np.uint32).view(np.uint8)
        elif kind == 6:
            row[:] = random.integers(0, REGION_BYTES, 64).astype(np.uint16).view(np.uint8)
    return v


def _controls(random: np.random.Generator, address: int, gathers: bool) -> np.ndarray:
    """Modifiers as region lengths, or circular buffers of both kinds around the bases."""
    c = np.zeros(32, np.uint32)
    for modifier, start in zip(MODIFIERS, STARTS, strict=True):
        base = address + 1024 * int(random.integers(1, 4))
        if gathers:
            c[modifier] = random.integers(16, REGION_BYTES)
            continue
        step = int(random.integers(-20, 20))
        exponent = 0 if random.integers(2) else int(random.integers(3, 9))
        length = int(random.integers(64, 1000)) if exponent == 0 else int(random.integers(1, 4 << exponent))
        c[modifier] = (step >> 7 & 15) << 28 | exponent << 24 | (step & 127) << 17 | length
        c[start] = base - int(random.integers(64))
    c[list(FREE)] = random.integers(0, 1 << 22, len(FREE))
    return c

"""Random register states: random bits, small numbers and floating point specials in every register file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.reference.random_floats import HALVES, SINGLES, float_rows
from hexagon_mlir.sim.reference.random_operands import BASES, DATA, INDICES, TCM_BASE, UNALIGNED_BASE

BUFFER_BYTES = 4096
TCM_WINDOW = layout.TCM_BASE + BUFFER_BYTES
"""Where the part of TCM begins that packets gather from and scatter to."""
REGION_BYTES = 2048
"""The longest region of a gather or scatter."""
MODIFIERS, STARTS, FREE = (6, 7), (12, 13), (8, 10, 11)
"""Control register numbers of m0 and m1, of cs0 and cs1, and of usr, ugp and gp."""



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


def random_state(
    random: np.random.Generator, address: int, gathers: bool, floats: tuple[str, ...] = ()
) -> State:
    """A state whose buffer stands at ``address``; with ``gathers`` the modifiers are lengths of regions.

    ``floats`` are the kinds of float lanes that vectors should have, see `random_floats.float_rows`.
    """
    r = random.integers(0, 1 << 32, 32, np.uint32)
    kinds = random.integers(0, 6, DATA)
    picks = (
        random.choice(SINGLES, DATA), random.integers(-40, 40, DATA).astype(np.int32).view(np.uint32),
        (random.standard_normal(DATA) * 100).astype(np.float32).view(np.uint32),
    )  # fmt: skip
    r[:DATA] = np.select([kinds == k for k in range(3)], picks, r[:DATA])
    if random.integers(2):
        doubles = random.standard_normal(DATA // 4) * 10.0 ** random.integers(-320, 300, DATA // 4).astype(float)
        r[:DATA].reshape(-1, 4)[:, :2] = doubles.view(np.uint32).reshape(-1, 2)
    for index, base in enumerate(BASES):
        r[base] = address + 1024 * (index + 1)
    r[UNALIGNED_BASE] = address + 2048 + int(random.integers(128))
    r[list(INDICES)] = random.integers(0, 64, len(INDICES))
    r[TCM_BASE] = TCM_WINDOW + int(random.integers(64))
    r[29], r[30] = address + 3584 + 8 * int(random.integers(8)), address + 3072 + 8 * int(random.integers(8))
    p = np.where(random.integers(0, 2, 4) == 1, random.choice([0, 255], 4), random.integers(0, 256, 4)).astype(np.uint8)
    q = random.integers(0, 2, (4, 128)).astype(bool)
    memories = (random.integers(0, 256, BUFFER_BYTES, np.uint8) for _ in range(2))
    vectors = _vectors(random)
    if floats:
        rows = random.permutation(32)[: 32 - int(random.integers(12))]
        vectors[rows] = float_rows(random, rows.size, floats)
    return State(r, p, vectors, q, _controls(random, address, gathers), *memories)


def _vectors(random: np.random.Generator) -> np.ndarray:
    v = random.integers(0, 256, (32, 128), np.uint8)
    words, kinds = v.view(np.uint32), random.integers(0, 8, 32)

    def fill(kind: int, lanes: np.ndarray) -> None:
        words[kinds == kind] = lanes.view(np.uint32)[kinds == kind]

    fill(0, random.choice(SINGLES, (32, 32)))
    fill(1, random.choice(HALVES, (32, 64)))
    fill(2, (random.standard_normal((32, 32)) * 30).astype(np.float32))
    fill(3, (random.standard_normal((32, 64)) * 30).astype(np.float16))
    fill(4, random.integers(-70, 70, (32, 32)).astype(np.int32))
    fill(5, random.integers(0, REGION_BYTES, (32, 32)).astype(np.uint32))
    fill(6, random.integers(0, REGION_BYTES, (32, 64)).astype(np.uint16))
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

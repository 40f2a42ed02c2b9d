"""The memory timing model, LLVM IR helpers (`cache_helpers`); `accesses` decides which accesses have to call them.

Regions: TCM by address, everything else is DDR behind the caches.

* Scalar load: an L1D hit is free, an L1D miss that hits L2 stalls ``scalar_l2_latency_cycles``; TCM stalls
  ``scalar_tcm_latency_cycles`` each time.
* Vector access: goes to L2 directly and a hit is free (the pipelined latency is static, see `timing`).
* L2 miss of a load: if the line belongs to one of the last ``ddr_streams`` streams it costs line /
  ``ddr_bytes_per_cycle``; otherwise it begins one and costs ``ddr_latency_cycles`` (see `streams`).
* Stores are buffered. A miss allocates: a partial line is read (bandwidth cost), a whole aligned vector line
  is not. Dirty lines cost bandwidth when they are evicted; lines still dirty at the end of a run count as
  bytes written, not as cycles.
* A scalar store does not allocate in L1D, and a vector store leaves L1D tags alone.
* Arguments that a run gets on the stack are the caller's stores: their lines are in L2.

Tags keep (line << 1) | dirty, most recently used way first; 0 is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.targets import Target

Q8 = 256
"""Fractions of a cycle are kept in 1/256."""

NEAR_STEP = 16
"""Tags looked at together; the number of tags of a level is a multiple."""
SLOW = "preserve_allcc"
"""Calling convention of the helpers: the caller's vector registers stay where they are."""


def _log2(number: int, what: str) -> int:
    if number <= 0 or number & (number - 1):
        raise ValueError(f"{what} must be a power of two, not {number}")
    return number.bit_length() - 1


GROUP_MASK = (1 << 16) - 1
WRITE, STRADDLES, SCALAR_LOAD, ALIGNED = 1 << 16, 1 << 19, 1 << 20, 1 << 21
FILL_SHIFT, BYTES_SHIFT, OFFSET_SHIFT = 17, 24, 32
SKIPPED = 1 << 32
"""In place of a group's address: its accesses are accounted for, or did not run."""


@dataclass(frozen=True)
class CacheAccess:
    """What one instruction does to the caches.

    In the tables of `mm_replay` it is a word: group, flags, fill and bytes (at `BYTES_SHIFT`), and from
    `OFFSET_SHIFT` on the distance from the group's address.
    """

    bytes: int
    write: bool
    fill: int
    """On a miss: 0 no read (a whole line is written), 1 demanded, 2 read for a partial store."""
    straddles: bool = False
    """May touch two lines."""
    aligned: bool = False
    """The address is rounded down to a vector."""
    scalar_load: bool = False
    """Goes through L1D."""

    def word(self, group: int, offset: int) -> int:
        flags = (
            WRITE * self.write | STRADDLES * self.straddles | SCALAR_LOAD * self.scalar_load | ALIGNED * self.aligned
        )
        numbers = self.fill << FILL_SHIFT | self.bytes << BYTES_SHIFT
        return group | flags | numbers | (offset & 0xFFFFFFFF) << OFFSET_SHIFT


def vector_load(nbytes: int, aligned: bool) -> CacheAccess:
    return CacheAccess(nbytes, False, 1, straddles=not aligned, aligned=aligned)


def vector_store(nbytes: int, aligned: bool, masked: bool) -> CacheAccess:
    return CacheAccess(nbytes, True, 0 if aligned and not masked else 2, straddles=not aligned, aligned=aligned)


def scalar_load(nbytes: int) -> CacheAccess:
    return CacheAccess(nbytes, False, 1, scalar_load=True)


def scalar_store(nbytes: int) -> CacheAccess:
    return CacheAccess(nbytes, True, 2)


class Geometry:
    """Sets, ways and shifts of the two cache levels of a target."""

    def __init__(self, target: Target) -> None:
        self.l1_ways = int(target.l1d_ways.value)
        self.l1_sets = int(target.l1d_bytes.value) // int(target.l1d_line_bytes.value) // self.l1_ways
        self.l1_shift = _log2(int(target.l1d_line_bytes.value), "L1D line")
        self.l2_ways = int(target.l2_ways.value)
        self.l2_line = int(target.l2_line_bytes.value)
        self.l2_sets = int(target.l2_bytes.value) // self.l2_line // self.l2_ways
        self.l2_shift = _log2(self.l2_line, "L2 line")
        _log2(self.l1_sets, "L1D sets")
        _log2(self.l2_sets, "L2 sets")


def cycles_q8(cycles: float) -> int:
    return round(cycles * Q8)


def ddr_costs(g: Geometry, target: Target) -> tuple[int, int]:
    """Of a line of a stream and of any other, in 1/256 cycle."""
    rate, latency = float(target.ddr_bytes_per_cycle.value), float(target.ddr_latency_cycles.value)
    return cycles_q8(g.l2_line / rate), cycles_q8(latency)


def declarations(exact: bool) -> str:
    """What translated code calls; without ``exact``, block copies touch no line."""
    if not exact:
        return "define internal void @mm_range(ptr %st, i32 %address, i32 %bytes, i1 %write) {\n  ret void\n}"
    return (
        f"declare {SLOW} void @mm_replay(ptr, ptr, i32, ptr, ptr, i32)\n"
        "declare void @mm_account(ptr, ptr, i32, ptr, ptr, i32)\n"
        "declare void @mm_range(ptr, i32, i32, i1)"
    )

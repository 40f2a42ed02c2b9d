"""Products of bytes whose sums are words: HVX multiplies and adds four of them in each lane (vrmpy)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.lib.byte_product_cost import LEAST_LANES, WORD_BYTES, product_packets
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.vector_loop import byte_loop, lane_loop
from hexagon_mlir.targets import Target

_BYTE = 1
_FACTORS = 2
_LEAST_ROWS = 4
"""Fewer are no work for threads but by chunks of the other loops."""


@dataclass(frozen=True)
class ByteProduct:
    """``packets`` on one thread. ``known``: loops of the factor that is copied, four steps of the reduction to a word.
    Where the number of their iterations is known at run time only, bytes are multiplied one by one.
    """

    packets: float
    known: frozenset[int]

    def allows(self, loops: Sequence[int], steps: Sequence[int], extents: Sequence[int]) -> bool:
        """Whether chunks of ``steps`` iterations of ``loops`` leave these numbers known: all are equal."""
        return not any(loop in self.known and extents[loop] % step for loop, step in zip(loops, steps, strict=True))


def read_byte_product(op: ir.Operation, extents: Sequence[int], dynamic: Sequence[int],
                      reads: Sequence[tuple[int | None, ...]], target: Target) -> ByteProduct | None:
    """The `ByteProduct` that linalg op ``op`` is; None for any other. ``extents`` of loops, those that are ``dynamic``,
    and ``reads`` as in a `ThreadNest`.
    """
    types = [value.type for value in op.operands]
    if len(op.results) != 1 or len(types) != _FACTORS + 1 or not all(isinstance(t, ir.RankedTensorType) for t in types):
        return None
    if [element_bytes(type_.element_type) for type_ in types] != [_BYTE, _BYTE, WORD_BYTES]:
        return None
    column = reads[-1][-1] if reads[-1] else None
    if column is None or lane_loop(len(extents), reads, extents) != column or not multiplies_and_adds(op):
        return None
    copied = [dims for dims in reads[:-1] if column in dims]
    if len(copied) != 1 or None in copied[0] or extents[column] < LEAST_LANES:
        return None
    (other,) = (dims for dims in reads[:-1] if column not in dims)
    step = other[-1] if other else None
    known = frozenset(loop for loop in copied[0] if loop is not None and loop not in reads[-1])
    rows = prod(n for loop, n in enumerate(extents) if loop not in known and loop != column)
    ready = byte_loop(reads, extents) is not None
    if step not in known or extents[step] < WORD_BYTES or not known.isdisjoint(dynamic):
        return None
    if rows < _LEAST_ROWS and not ready:
        return None
    words = -(-extents[step] // WORD_BYTES) * prod(extents[loop] for loop in known if loop != step)
    lanes = target.lanes(8 * WORD_BYTES)
    return ByteProduct(product_packets(rows, extents[column], words, lanes, not ready), known)

"""Matrix transposition in registers, by exchanges of half of two vectors at a time.

Rows are vectors; exchange number b swaps bit b of the row's number with bit b of the lane's. After all of them rows and
lanes have changed places (Eklundh, "A fast computer method for matrix transposing", IEEE Trans. Computers, 1972). LLVM
22 selects one ``vshuff`` of a register pair for each exchange.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from hexagon_mlir.ir import ir, make


class Butterfly:
    """``rows`` (vectors of one type) after exchanges ``bits``: index it by row.

    Row r stands for number r * 2**bits[0] of the matrix, so that the exchange of bit b is between rows whose numbers
    differ in it. Exchanges are emitted lazily, at the first access to a row that depends on them.
    """

    def __init__(self, rows: Sequence[ir.Value], bits: range):
        self.bits = bits
        self.known = {(bits.start, row): value for row, value in enumerate(rows)}

    def __getitem__(self, row: int) -> ir.Value:
        return self._after(self.bits.stop, row)

    def _after(self, stage: int, row: int) -> ir.Value:
        if (stage, row) not in self.known:
            bit = 1 << (stage - 1 - self.bits.start)
            low, high = row & ~bit, row | bit
            self.known[stage, low], self.known[stage, high] = exchange(
                self._after(stage - 1, low), self._after(stage - 1, high), 1 << (stage - 1))
        return self.known[stage, row]


def exchange(low: ir.Value, high: ir.Value, block: int) -> tuple[ir.Value, ir.Value]:
    """Exchange every odd block of ``block`` lanes of ``low`` with the preceding even block of ``high``."""
    new_low, new_high = _exchanged(ir.VectorType(low.type).shape[0], block)
    return make.shuffle(low, high, new_low), make.shuffle(low, high, new_high)


@cache
def _exchanged(lanes: int, block: int) -> tuple[list[int], list[int]]:
    """Shuffle masks of the two results of `exchange` for vectors of ``lanes``."""
    return ([lane if not lane & block else lanes + (lane ^ block) for lane in range(lanes)],
            [lane | block if not lane & block else lanes + lane for lane in range(lanes)])


def reading_order(rows: int) -> list[int]:
    """The order of reading rows with the fewest live values: bit-reversed row numbers."""
    bits = rows.bit_length() - 1
    return [int(format(row, f"0{bits}b")[::-1], 2) if bits else 0 for row in range(rows)]

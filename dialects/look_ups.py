"""Look-ups of tables in registers, from `hexagon-vectorization` to `lower-look-ups`."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.hexagon_dialect import LOOK_UP

INDEX_BITS = 8
MOST_ELEMENTS = 1 << INDEX_BITS
ELEMENT_BITS = (8, 16, 32)
"""Of the tables that HVX looks up."""


@dataclass(frozen=True)
class LookUp:
    """``found[i] = table[indices[i]]``, 0 for an index that is no less than the size of the table.

    ``table`` is a vector of integers of `ELEMENT_BITS`, of which the first ``count`` are elements and the others 0;
    ``indices`` a vector of i8 without sign.
    """

    table: ir.Value
    indices: ir.Value
    count: int

    @staticmethod
    def of(op: ir.Operation) -> LookUp:
        """What the ``hexagon.look_up`` ``op`` says."""
        table, indices = op.operands
        return LookUp(table, indices, ir.IntegerAttr(op.attributes["count"]).value)

    def emit(self) -> ir.Value:
        """The operation, at the insertion point."""
        found = ir.VectorType.get(ir.VectorType(self.indices.type).shape, ir.VectorType(self.table.type).element_type)
        count = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), self.count)
        return ir.Operation.create(LOOK_UP, results=[found], operands=[self.table, self.indices],
                                   attributes={"count": count}).result

"""Products whose factors can be split, read into plain records."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hexagon_mlir.dialects.split_weights import FIRST, ORDER, SECOND
from hexagon_mlir.ir import ir
from hexagon_mlir.passes.lib.factor_casts import narrow
from hexagon_mlir.passes.matrix_engine.read import Matmul, elementwise_user, read_product, starts_from_zero

_ORDERS = {(2, 2): ((SECOND, FIRST, FIRST), ORDER), (1, 2): ((FIRST, FIRST), (SECOND, FIRST)),
           (2, 1): ((SECOND, FIRST), (FIRST, FIRST)), (1, 1): ((FIRST,), (FIRST,))}
"""By the pieces of either factor: the pieces along the reduction. The products with a second piece come first, while
the sums are small; that of two second pieces is left out."""


@dataclass(frozen=True)
class Split:
    """A product, and the pieces of its factors that are multiplied with each other."""

    matmul: Matmul
    factors: tuple[ir.Value, ir.Value]
    """As they are before they are extended to f32."""
    orders: tuple[tuple[int, ...], tuple[int, ...]]
    rounds: bool = False
    """Whether the sums may be rounded to f16: those of bf16, of which bf16 is all that is read."""

    @property
    def products(self) -> int:
        """How many products of pieces there are."""
        return len(self.orders[0])

    def is_bf16(self, side: int) -> bool:
        """Whether a factor is of bf16, and multiplied once."""
        element = ir.RankedTensorType(self.factors[side].type).element_type
        return isinstance(element, ir.BF16Type) and len(self.orders[side]) == 1

    @property
    def all_bf16(self) -> bool:
        """Whether both factors are of bf16."""
        return self.is_bf16(0) and self.is_bf16(1)


def _rounds_to_bf16(op: ir.Operation, sums: ir.Value) -> bool:
    """Whether elementwise ``op`` reads ``sums`` only to round them to bf16."""
    argument = op.regions[0].blocks[0].arguments[list(op.operands).index(sums)]
    readers = [use.owner.operation for use in argument.uses]
    return bool(readers) and all(reader.name == "arith.truncf" and isinstance(reader.results[0].type, ir.BF16Type)
                                 for reader in readers)


def read_split(op: ir.Operation) -> Split | str | None:
    """The product that linalg op ``op`` on tensors is; why it cannot be split; None for what is no such product."""
    matmul = read_product(op)
    if not isinstance(matmul, Matmul):
        return matmul
    left, right, sums = (ir.RankedTensorType(value.type).element_type for value in op.operands)
    factors = narrow(op.operands[0]), narrow(op.operands[1])
    counts = [_pieces(ir.RankedTensorType(value.type).element_type) for value in factors]
    if 0 in counts or (isinstance(left, ir.F16Type) and isinstance(right, ir.F16Type)):
        return None
    if not isinstance(sums, ir.F32Type):
        return f"sums of {sums}, not f32"
    if not starts_from_zero(op.operands[2]):
        return "its sums do not start from zero"
    split, reader = Split(matmul, factors, _ORDERS[counts[0], counts[1]]), elementwise_user(op)
    rounds = split.all_bf16 and reader is not None and _rounds_to_bf16(reader, op.results[0])
    return replace(split, rounds=rounds)


def _pieces(element: ir.Type) -> int:
    """Pieces of f16 that hold a number of type ``element``."""
    return 2 if isinstance(element, ir.F32Type) else int(isinstance(element, ir.BF16Type | ir.F16Type))

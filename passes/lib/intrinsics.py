"""Calls of LLVM's HVX intrinsics, and wide vectors as the registers these take.

Such a register is a vector of i32: the intrinsics know no other type.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, make
from hexagon_mlir.ir.constants import constant

WORD_BITS = 32
"""Of the elements that the intrinsics take vectors of."""


class Registers:
    """HVX of ``vector_bytes`` per register."""

    def __init__(self, vector_bytes: int):
        self.bits = vector_bytes * 8
        self.suffix = f".{vector_bytes}B"
        word = ir.IntegerType.get_signless(WORD_BITS)
        self.vector = ir.VectorType.get([self.bits // WORD_BITS], word)
        self.pair = ir.VectorType.get([2 * self.bits // WORD_BITS], word)

    def call(self, name: str, result: ir.Type, *arguments: ir.Value | int) -> ir.Value:
        """``llvm.hexagon.V6.<name>`` of ``arguments``; a number is an immediate or a scalar of 32 bits."""
        word = ir.IntegerType.get_signless(WORD_BITS)
        operands = [constant(ir.IntegerAttr.get(word, value)) if isinstance(value, int) else value
                    for value in arguments]
        return ir.Operation.create(
            "llvm.call_intrinsic", results=[result], operands=operands,
            attributes={"intrin": ir.StringAttr.get(f"llvm.hexagon.V6.{name}{self.suffix}"),
                        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
                        "op_bundle_sizes": ir.DenseI32ArrayAttr.get([])}).result

    def halves(self, pair: ir.Value) -> list[ir.Value]:
        """The low and the high register of ``pair``."""
        return [self.call(name, self.vector, pair) for name in ("lo", "hi")]

    def parts(self, value: ir.Value) -> list[ir.Value]:
        """The registers that ``value``, a vector of integers that fills whole registers, consists of."""
        type_ = ir.VectorType(value.type)
        native = self.bits // type_.element_type.width
        lanes = type_.shape[0]
        parts = [value] if lanes == native else [
            make.shuffle(value, value, range(start, start + native)) for start in range(0, lanes, native)]
        return [self._as(self.vector, part) for part in parts]

    def concatenated(self, parts: Sequence[ir.Value], element: ir.IntegerType) -> ir.Value:
        """The concatenation of ``parts``, a power of two of them."""
        native = ir.VectorType.get([self.bits // element.width], element)
        values = [self._as(native, part) for part in parts]
        while len(values) > 1:
            lanes = 2 * ir.VectorType(values[0].type).shape[0]
            values = [make.shuffle(low, high, range(lanes))
                      for low, high in zip(values[::2], values[1::2], strict=True)]
        return values[0]

    @staticmethod
    def _as(type_: ir.VectorType, value: ir.Value) -> ir.Value:
        return value if value.type == type_ else make.cast("vector.bitcast", type_, value)

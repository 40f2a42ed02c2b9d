"""Integers of words, in the bodies of linalg.generic, of which only the lower half matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.intervals import interval
from hexagon_mlir.ir.make import cast
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep

_BITS = 16
_FROM_LOW_BITS = ("arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori")
"""What makes the lower bits of its result of the lower bits of its operands."""
_RIGHT_SHIFTS = ("arith.shrsi", "arith.shrui")
_CONVERSIONS = ("arith.sitofp", "arith.uitofp")
_EXTENSIONS = ("arith.extsi", "arith.extui")


@dataclass(frozen=True)
class NarrowIntegersPass(Pass):
    """Computes integers of 32 bits and more in 16 bits where these are all that is read of them.

    That is so before a conversion to f16 of a number that 16 bits hold, as weights of 4 bits are after a mask, and
    before a truncation. A vector has twice as many lanes then, and HVX converts lanes of one width at once.

    Before:
        #map = affine_map<(d0) -> (d0)>
        func.func @f(%x: tensor<64xi32>, %y: tensor<64xf16>) -> tensor<64xf16> {
          %four = arith.constant 4 : i32
          %mask = arith.constant 15 : i32
          %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%x : tensor<64xi32>) outs(%y : tensor<64xf16>) {
          ^bb0(%in: i32, %out: f16):
            %1 = arith.shrsi %in, %four : i32
            %2 = arith.andi %1, %mask : i32
            %3 = arith.sitofp %2 : i32 to f16
            linalg.yield %3 : f16
          } -> tensor<64xf16>
          return %0 : tensor<64xf16>
        }

    After:
        #map = affine_map<(d0) -> (d0)>
        func.func @f(%arg0: tensor<64xi32>, %arg1: tensor<64xf16>) -> tensor<64xf16> {
          %c15_i16 = arith.constant 15 : i16
          %c4_i32 = arith.constant 4 : i32
          %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg0 : tensor<64xi32>)
              outs(%arg1 : tensor<64xf16>) {
          ^bb0(%in: i32, %out: f16):
            %1 = arith.shrsi %in, %c4_i32 : i32
            %2 = arith.trunci %1 : i32 to i16
            %3 = arith.andi %2, %c15_i16 : i16
            %4 = arith.sitofp %3 : i16 to f16
            linalg.yield %4 : f16
          } -> tensor<64xf16>
          return %0 : tensor<64xf16>
        }

    Options: none.

    Refuses (with a remark; the conversion stays): a conversion to f16 of a number that may need more than 16 bits.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "narrow-integers"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (CLEAN,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Narrow what conversions and truncations in ``module`` read."""
        changed = False
        for op in ops_named(module, *_CONVERSIONS, "arith.trunci"):
            if op.parent is None or op.parent.operation.name != "linalg.generic" or not _reads_words(op):
                continue
            if op.name in _CONVERSIONS and not fits(op.operands[0], op.name == "arith.sitofp"):
                self.remark(context, op, "the number may need more than 16 bits")
                continue
            if op.name == "arith.trunci" and narrowed_by(op.operands[0]) is None:
                continue
            with op.location, ir.InsertionPoint(op):
                name = "arith.sitofp" if op.name in _CONVERSIONS else op.name
                low, result = _low_bits(op.operands[0]), op.results[0].type
                op.results[0].replace_all_uses_with(low if low.type == result else cast(name, result, low))
            erase_op(op, self.name)
            changed = True
        if changed:
            CLEAN.run(module, context)


def _reads_words(op: ir.Operation) -> bool:
    """Whether ``op`` makes f16 or a short integer of one with more than 16 bits."""
    source, result = op.operands[0].type, op.results[0].type
    short = isinstance(result, ir.F16Type) or (isinstance(result, ir.IntegerType) and 1 < result.width <= _BITS)
    return short and isinstance(source, ir.IntegerType) and source.width > _BITS


def fits(value: ir.Value, signed: bool = True) -> bool:
    """Whether 16 bits hold integer ``value`` with its sign; one that is not ``signed`` must not have its first bit."""
    least, most = interval(value)
    return least >= (-(1 << _BITS - 1) if signed else 0) and most < 1 << _BITS - 1


def narrowed_by(value: ir.Value) -> ir.Operation | None:
    """The op that makes ``value`` where its lower 16 bits can be computed in 16 bits; None for any other value."""
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    if op.name in _FROM_LOW_BITS or (op.name in _EXTENSIONS and op.operands[0].type.width <= _BITS):
        return op
    if op.name not in (*_RIGHT_SHIFTS, "arith.shli"):
        return None
    least, most = interval(op.operands[1])
    if least < 0 or most >= _BITS:
        return None
    return op if op.name == "arith.shli" or fits(op.operands[0], op.name == "arith.shrsi") else None


def _low_bits(value: ir.Value) -> ir.Value:
    """The lower 16 bits of ``value``, a wider integer, at the insertion point."""
    short, op = ir.IntegerType.get_signless(_BITS), narrowed_by(value)
    maker = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if op is None and maker is not None and maker.name == "arith.index_cast" and isinstance(
            maker.operands[0].type, ir.IndexType):
        return cast("arith.index_cast", short, maker.operands[0])
    if op is None:
        return cast("arith.trunci", short, value)
    if op.name in _EXTENSIONS:
        source = op.operands[0]
        return source if source.type == short else cast(op.name, short, source)
    return ir.Operation.create(op.name, results=[short], operands=[_low_bits(v) for v in op.operands]).result

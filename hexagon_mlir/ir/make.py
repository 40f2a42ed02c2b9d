"""Operations that passes make by the hundred: the bindings' own builders, which infer types, take three times as long.

They are named as those, take the same arguments, and make the same operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir
from torch_mlir._mlir_libs._mlirDialectsLinalg import fill_builtin_region


def binary(name: str, left: ir.Value, right: ir.Value) -> ir.Value:
    """``name(left, right)`` of the type that both have."""
    return ir.Operation.create(name, results=[left.type], operands=[left, right]).result


def cast(name: str, type_: ir.Type, value: ir.Value) -> ir.Value:
    """``name(value)`` of ``type_``, a conversion without attributes."""
    return ir.Operation.create(name, results=[type_], operands=[value]).result


def addi(left: ir.Value, right: ir.Value) -> ir.Value:
    """``left + right``."""
    return binary("arith.addi", left, right)


def subi(left: ir.Value, right: ir.Value) -> ir.Value:
    """``left - right``."""
    return binary("arith.subi", left, right)


def muli(left: ir.Value, right: ir.Value) -> ir.Value:
    """``left * right``."""
    return binary("arith.muli", left, right)


def load(type_: ir.VectorType, source: ir.Value, indices: Sequence[ir.Value], alignment: int) -> ir.Value:
    """The vector at ``indices``, an address that is a multiple of ``alignment`` bytes."""
    return ir.Operation.create("vector.load", results=[type_], operands=[source, *indices],
                               attributes={"alignment": _i64(alignment)}).result


def store(value: ir.Value, target: ir.Value, indices: Sequence[ir.Value], alignment: int) -> None:
    """Writes a vector to ``indices``, an address that is a multiple of ``alignment`` bytes."""
    ir.Operation.create("vector.store", operands=[value, target, *indices], attributes={"alignment": _i64(alignment)})


def broadcast(type_: ir.VectorType, value: ir.Value) -> ir.Value:
    """``value`` in every lane."""
    return ir.Operation.create("vector.broadcast", results=[type_], operands=[value]).result


def shuffle(first: ir.Value, second: ir.Value, lanes: Sequence[int]) -> ir.Value:
    """A vector of these ``lanes`` of both vectors, those of ``second`` behind those of ``first``."""
    type_ = ir.VectorType(first.type)
    return ir.Operation.create("vector.shuffle", results=[ir.VectorType.get([len(lanes)], type_.element_type)],
                               operands=[first, second],
                               attributes={"mask": ir.DenseI64ArrayAttr.get(lanes)}).result


def fill(value: ir.Value, target: ir.Value) -> ir.Operation:
    """``linalg.fill`` of ``target`` with ``value``; its result is the filled tensor, a buffer gives none."""
    results = [target.type] if isinstance(target.type, ir.RankedTensorType) else []
    op = ir.Operation.create("linalg.fill", results=results, operands=[value, target], regions=1, attributes={
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])})
    fill_builtin_region(op)
    return op


def _i64(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)

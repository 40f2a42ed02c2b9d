"""Replaces outputs that ops only overwrite by empty tensors: a producer kept only as a destination would be computed in
vain."""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.query import input_count


def detach_outputs(op: ir.Operation) -> None:
    """Replace each output of generic ``op`` that is another op's result, and that the body never reads, by a fresh
    tensor. (Elementwise arith on tensors arrives with its first operand as destination.)"""
    body = op.regions[0].blocks[0]
    for position in range(input_count(op), len(op.operands)):
        value = op.operands[position]
        root = _destination(value)
        if root == value or any(True for _ in body.arguments[position].uses):
            continue
        type_ = ir.RankedTensorType(value.type)
        with op.location, ir.InsertionPoint(op):
            sizes = [tensor.dim(root, arith.constant(ir.IndexType.get(), d)) if type_.is_dynamic_dim(d)
                     else type_.shape[d] for d in range(type_.rank)]
            op.operands[position] = tensor.empty(sizes, type_.element_type)


def _destination(value: ir.Value) -> ir.Value:
    """The destination tensor, of the same sizes, of the chain of linalg ops that makes ``value``."""
    while isinstance(value.owner, ir.OpView) and value.owner.operation.name == "linalg.generic":
        producer = value.owner.operation
        value = producer.operands[input_count(producer) + ir.OpResult(value).result_number]
    return value

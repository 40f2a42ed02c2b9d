"""Vectors that are multiplied by matrices: matrices of one row again. Upstream's folding of loops with one iteration
made vectors of them."""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir, linalg, tensor
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.vector_loop import dims_of
from hexagon_mlir.passes.matrix_engine.read import starts_from_zero

_READS = [(0,), (0, 1), (1,)]
"""The loops of vector, matrix and sums, reduction first."""
NAMES = ("linalg.generic", "linalg.vecmat")
"""Of ops that may be such products."""


def multiplies_vector(op: ir.Operation) -> bool:
    """Whether linalg op ``op``, one of `NAMES`, sums up, from zero and in f16 or f32, products of a vector and a matrix
    of f16 whose sizes are known."""
    if op.name not in NAMES or len(op.operands) != len(_READS) or not multiplies_and_adds(op):
        return False
    if not all(isinstance(value.type, ir.RankedTensorType) for value in op.operands):
        return False
    types = [ir.RankedTensorType(value.type) for value in op.operands]
    if not all(isinstance(type_.element_type, ir.F16Type) for type_ in types[:2]) or types[0].rank != 1:
        return False
    if not isinstance(types[2].element_type, ir.F16Type | ir.F32Type):
        return False
    if not all(type_.has_static_shape and 0 not in type_.shape for type_ in types):
        return False
    reads = dims_of(op)
    if reads is None or not starts_from_zero(op.operands[2]):
        return False
    order = {loop: number for number, loop in enumerate(reads[1])}
    return [tuple(order.get(loop) for loop in dims) for dims in reads] == _READS


def as_one_row(op: ir.Operation) -> ir.Value:
    """The result of ``op``, of `multiplies_vector`, from a product of matrices, at
    the insertion point."""
    vector, matrix, sums = op.operands
    steps, = ir.RankedTensorType(vector.type).shape
    type_ = ir.RankedTensorType(sums.type)
    row = tensor.expand_shape(ir.RankedTensorType.get([1, steps], ir.F16Type.get()), vector, [[0, 1]], [], [1, steps])
    zero = arith.constant(type_.element_type, 0.0)
    zeros = linalg.fill(zero, outs=[tensor.empty([1, type_.shape[0]], type_.element_type)])
    product = linalg.matmul(row, matrix, outs=[zeros])
    return tensor.collapse_shape(type_, product, [[0, 1]])

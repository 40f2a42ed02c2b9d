"""Products of a vector and a matrix that is tiles already, as products of a matrix with one row."""

from __future__ import annotations

from hexagon_mlir.dialects.packed_weights import tiles_of
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import fill
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.matrix_engine.read import elementwise_user, starts_from_zero

_FACTORS = 2


def with_row(op: ir.Operation) -> ir.Operation:
    """Linalg op ``op``; where it is such a product, from zeros, the one of a matrix that replaces it.

    The elementwise op that alone reads its result reads the matrix then: what has an element for each column is a bias
    to it.
    """
    maps = indexing_maps(op) if op.name == "linalg.generic" and len(op.results) == 1 else None
    if maps is None or input_count(op) != _FACTORS or tiles_of(op.operands[1]) is None:
        return op
    if [ir.RankedTensorType(value.type).rank for value in op.operands] != [1, 2, 1]:
        return op
    if not multiplies_and_adds(op) or not starts_from_zero(op.operands[2]):
        return op
    reader = elementwise_user(op)
    last = op if reader is None else reader
    with op.location, ir.InsertionPoint(op):
        new = _copy(op, [_row(op.operands[0]), op.operands[1], _zeros(op.operands[2])], [0, 2])
    if reader is not None:
        with reader.location, ir.InsertionPoint(reader):
            place = list(reader.operands).index(op.results[0])
            operands = [new.results[0] if number == place else value for number, value in enumerate(reader.operands)]
            operands[-1] = _empty(operands[-1])
            result = _copy(reader, operands, [place, len(operands) - 1])
    else:
        result = new
    with last.location, ir.InsertionPoint.after(result):
        vector = tensor.collapse_shape(last.results[0].type, result.results[0], [[0, 1]])
    last.results[0].replace_all_uses_with(vector)
    for old in dict.fromkeys((last, op)):
        old.erase()
    return new


def _copy(op: ir.Operation, operands: list[ir.Value], matrices: list[int]) -> ir.Operation:
    """``op`` on ``operands`` with one more loop before its own, along the rows of ``matrices``; takes its body."""
    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(op) or ()]
    row, shifted = ir.AffineDimExpr.get(0), list[ir.Attribute]()
    for number, map_ in enumerate(maps):
        results = [ir.AffineDimExpr.get(ir.AffineDimExpr(result).position + 1) for result in map_.results]
        first = [row] if number in matrices else []
        shifted.append(ir.AffineMapAttr.get(ir.AffineMap.get(map_.n_dims + 1, 0, [*first, *results])))
    kinds = [ir.Attribute.parse("#linalg.iterator_type<parallel>"), *op.attributes["iterator_types"]]
    new = ir.Operation.create("linalg.generic", results=[operands[-1].type], operands=operands, regions=1, attributes={
        "indexing_maps": ir.ArrayAttr.get(shifted), "iterator_types": ir.ArrayAttr.get(kinds),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands) - 1, 1])})
    op.regions[0].blocks[0].append_to(new.regions[0])
    return new


def _matrix_type(vector: ir.Value) -> ir.RankedTensorType:
    type_ = ir.RankedTensorType(vector.type)
    return ir.RankedTensorType.get([1, *type_.shape], type_.element_type)


def _row(vector: ir.Value) -> ir.Value:
    """``vector`` as a matrix of one row."""
    type_ = _matrix_type(vector)
    return tensor.expand_shape(type_, vector, [[0, 1]], [], type_.shape)


def _empty(vector: ir.Value) -> ir.Value:
    type_ = _matrix_type(vector)
    return tensor.empty(type_.shape, type_.element_type)


def _zeros(vector: ir.Value) -> ir.Value:
    element = ir.RankedTensorType(vector.type).element_type
    integers = isinstance(element, ir.IntegerType)
    zero = ir.IntegerAttr.get(element, 0) if integers else ir.FloatAttr.get(element, 0.0)
    return fill(constant(zero), _empty(vector)).result

"""The elementwise op that reads a product, on a block of the result: what the engine does not do of it."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.matrix_engine.read import RESULT, Dims, Matmul


def epilogue_reads(matmul: Matmul) -> list[tuple[ir.Value, Dims]]:
    """What the epilogue of ``matmul`` reads besides the result, and the loops of the product that index it."""
    op = matmul.epilogue
    if op is None or matmul.only_converts:
        return []
    return [(op.operands[number], _loops(matmul, op, number)) for number in _inputs(matmul, op)
            if op.operands[number] != matmul.read_out]


def on_block(matmul: Matmul, block: ir.Value, others: Sequence[ir.Value], dropped: Sequence[int]) -> ir.Value:
    """The epilogue on ``block``, f16 or f32, instead of the whole result; ``others`` are parts of what `epilogue_reads`
    gives. None of them has dimensions for the ``dropped`` loops."""
    op = matmul.epilogue
    assert op is not None
    kept = [loop for loop in matmul.reads[RESULT] if loop not in dropped]
    given, inputs, maps, numbers = iter(others), list[ir.Value](), list[ir.AffineMap](), _inputs(matmul, op)
    for number in numbers:
        own = [loop for loop in _loops(matmul, op, number) if loop not in dropped]
        maps.append(ir.AffineMap.get(len(kept), 0, [ir.AffineDimExpr.get(kept.index(loop)) for loop in own]))
        inputs.append(block if op.operands[number] == matmul.read_out else next(given))
    shape = ir.RankedTensorType(block.type).shape
    into = tcm_tensor(list(shape), ir.RankedTensorType(op.results[0].type).element_type)
    maps.append(ir.AffineMap.get_identity(len(kept)))

    with op.location:
        return generic(inputs, into, maps, ["parallel"] * len(kept), lambda elements: _body(matmul, numbers, elements))


def on_tiles(matmul: Matmul, block: ir.Value) -> ir.Value:
    """The epilogue, which reads nothing else, on the f16 result tiles ``block``."""
    op = matmul.epilogue
    assert op is not None
    numbers, type_ = _inputs(matmul, op), ir.RankedTensorType(block.type)
    same = ir.AffineMap.get_identity(type_.rank)
    with op.location:
        return generic([block] * len(numbers), tcm_tensor(type_.shape, type_.element_type),
                       [same] * (len(numbers) + 1), ["parallel"] * type_.rank,
                       lambda elements: _body(matmul, numbers, elements))


def _body(matmul: Matmul, numbers: Sequence[int], elements: Sequence[ir.Value]) -> ir.Value:
    """What the epilogue computes of ``elements`` of its inputs ``numbers``."""
    assert matmul.epilogue is not None
    old = matmul.epilogue.regions[0].blocks[0]
    return _cloned(matmul, old, dict(zip((old.arguments[number] for number in numbers), elements, strict=False)))


def _cloned(matmul: Matmul, old: ir.Block, mapping: dict[ir.Value, ir.Value]) -> ir.Value:
    """What ``old``, the epilogue's body, yields for the elements ``mapping`` instead of its arguments: that of the
    result has been converted already, or rounded."""
    folding = matmul.folding
    if folding is not None:
        result = next(value for value, number in zip(old.arguments, matmul.last.operands, strict=True)
                      if number == matmul.read_out)
        mapping = {**mapping, folding.value: mapping[result]}
    *operations, end = [view.operation for view in old.operations]
    for inner in operations:
        known = mapping.get(inner.operands[0]) if len(inner.operands) else None
        if folding is not None and inner in folding.ops:
            continue
        if inner.name == "arith.truncf" and known is not None and inner.operands[0].type != known.type:
            mapping[inner.results[0]] = known
        else:
            clone(inner, mapping)
    return mapping.get(end.operands[0], end.operands[0])


def _inputs(matmul: Matmul, op: ir.Operation) -> list[int]:
    """The numbers of the inputs of ``op`` that are read but for what the engine does."""
    folding = matmul.folding
    body = op.regions[0].blocks[0]
    return [number for number in range(input_count(op))
            if folding is None or number != folding.bias
            or any(use.owner.operation not in folding.ops for use in body.arguments[number].uses)]


def _loops(matmul: Matmul, op: ir.Operation, number: int) -> Dims:
    """The loops of the product that index input ``number`` of its epilogue ``op``."""
    dims = matmul.reads[RESULT]
    map_ = ir.AffineMapAttr(list(indexing_maps(op) or ())[number]).value
    return tuple(dims[result.position] for result in map_.results)

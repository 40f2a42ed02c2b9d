"""Sums of the matrix engine in f32 as linalg: split into two pieces of f16, and put together again as rows."""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import PIECE_EXPONENTS, PIECES, RANK, pieces_shape
from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.ir.make import binary, cast
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.engine_tiles import COLUMN_DIMS, UNPACKED, float_constant
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

_PIECE = 2
"""The dimension of tiles with pieces that tells the piece."""


def in_pieces(sums: ir.Value) -> ir.Value:
    """Result tiles of f32 as tiles with pieces."""
    rows, columns, *_ = ir.RankedTensorType(sums.type).shape
    return splitting(sums, tcm_tensor(pieces_shape(rows, columns), ir.F16Type.get())).result


def splitting(sums: ir.Value, into: ir.Value) -> ir.Operation:
    """``sums`` of f32 in pieces, written to ``into``: two tensors or two buffers."""
    f16, f32 = ir.F16Type.get(), ir.F32Type.get()
    rank = RANK + 1
    dims = [ir.AffineDimExpr.get(dim) for dim in range(rank)]
    maps = [ir.AffineMap.get(rank, 0, [dim for place, dim in enumerate(dims) if place != _PIECE]),
            ir.AffineMap.get_identity(rank)]
    op = _parallel([sums], into, maps)
    body = op.regions[0].blocks.append(f32, f16, arg_locs=[op.location] * 2)
    with ir.InsertionPoint(body):
        whole, (coarse, fine) = body.arguments[0], PIECE_EXPONENTS
        first = cast("arith.truncf", f16, _times(whole, -coarse))
        rest = binary("arith.subf", whole, _of_piece(first, coarse))
        second = cast("arith.truncf", f16, _times(rest, -fine))
        place = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
            "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _PIECE)}).result
        is_first = arith.cmpi(arith.CmpIPredicate.eq, place, index(0))
        ir.Operation.create("linalg.yield", operands=[arith.select(is_first, first, second)])
    return op


def _of_piece(piece: ir.Value, exponent: int) -> ir.Value:
    return _times(cast("arith.extf", ir.F32Type.get(), piece), exponent)


def _times(value: ir.Value, exponent: int) -> ir.Value:
    return binary("arith.mulf", value, constant(ir.FloatAttr.get(ir.F32Type.get(), 2.0**exponent)))


def add_pieces(pieces: ir.Value, into: ir.Value, transposed: bool, bias: ir.Value | None = None) -> ir.Value:
    """``into``, a tensor of `rows_shape` of f32, with the numbers that the tiles ``pieces`` are pieces of, plus
    ``bias``: [columns of tiles, columns of a tile] of f32."""
    f16, f32 = ir.F16Type.get(), ir.F32Type.get()
    dims = [ir.AffineDimExpr.get(dim) for dim in range(RANK)]
    identity = ir.AffineMap.get_identity(RANK)
    rows = ir.AffineMap.get(RANK, 0, [dims[dim] for dim in UNPACKED[transposed]])
    of_column = ir.AffineMap.get(RANK, 0, [dims[dim] for dim in COLUMN_DIMS])
    biases, maps = ([], []) if bias is None else ([bias], [of_column])
    op = _parallel([*(_tiles(pieces, piece) for piece in range(PIECES)), *biases], into,
                   [identity, identity, *maps, rows])
    types = [f16, f16, *([f32] * len(biases)), f32]
    body = op.regions[0].blocks.append(*types, arg_locs=[op.location] * len(types))
    with ir.InsertionPoint(body):
        numbers = [_of_piece(value, exponent)
                   for value, exponent in zip(list(body.arguments)[:PIECES], PIECE_EXPONENTS, strict=True)]
        total = binary("arith.addf", *numbers)
        for added in list(body.arguments)[PIECES:-1]:
            total = binary("arith.addf", total, added)
        ir.Operation.create("linalg.yield", operands=[total])
    return op.result


def adds_pieces(op: ir.Operation) -> bool:
    """True for a linalg op, on tensors or buffers, that adds pieces of f16 to f32, and maybe a bias for each column,
    and does nothing else."""
    if op.name != "linalg.generic" or input_count(op) not in (PIECES, PIECES + 1):
        return False
    biases = input_count(op) - PIECES
    if biases and ir.AffineMapAttr(list(indexing_maps(op) or ())[PIECES]).value != ir.AffineMap.get(
            RANK, 0, [ir.AffineDimExpr.get(dim) for dim in COLUMN_DIMS]):
        return False
    operations = [view.operation for view in op.regions[0].blocks[0].operations]
    factors = [float_constant(inner.operands[1]) for inner in operations if inner.name == "arith.mulf"]
    names = [*_ADDING, *["arith.addf"] * biases, "linalg.yield"]
    return ([inner.name for inner in operations] == names and factors == [2.0**e for e in PIECE_EXPONENTS]
            and all(isinstance(inner.operands[0].type, ir.F16Type) for inner in operations
                    if inner.name == "arith.extf"))


_ADDING = [*(["arith.extf", "arith.mulf"] * PIECES), "arith.addf"]


def _tiles(pieces: ir.Value, piece: int) -> ir.Value:
    """The tiles of one piece."""
    type_ = ir.RankedTensorType(pieces.type)
    shape = list(type_.shape)
    kept = [size for dim, size in enumerate(shape) if dim != _PIECE]
    shape[_PIECE] = 1
    starts = [piece if dim == _PIECE else 0 for dim in range(type_.rank)]
    return ir.Operation.create(
        "tensor.extract_slice", results=[ir.RankedTensorType.get(kept, type_.element_type)], operands=[pieces],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
                    "static_offsets": ir.DenseI64ArrayAttr.get(starts),
                    "static_sizes": ir.DenseI64ArrayAttr.get(shape),
                    "static_strides": ir.DenseI64ArrayAttr.get([1] * type_.rank)}).result


def _parallel(inputs: list[ir.Value], output: ir.Value, maps: list[ir.AffineMap]) -> ir.Operation:
    """A linalg.generic without a body, whose loops are all parallel."""
    loops = ", ".join(["#linalg.iterator_type<parallel>"] * maps[0].n_dims)
    results = [output.type] if isinstance(output.type, ir.RankedTensorType) else []
    return ir.Operation.create(
        "linalg.generic", results=results, operands=[*inputs, output], regions=1,
        attributes={"indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
                    "iterator_types": ir.Attribute.parse(f"[{loops}]"),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1])})

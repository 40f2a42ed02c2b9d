"""Products of tiles of the matrix engine as linalg on tensors: packing, the product itself, unpacking.

Everything here is ordinary linalg, so that each stage can be executed; `form-engine-products` finds the products again
by their indexing maps.
"""

from __future__ import annotations

from math import prod

from hexagon_mlir.dialects.engine_tiles import PAIR, PIECE_EXPONENTS, RANK, TILE, tiled_shape
from hexagon_mlir.dialects.engine_windows import WINDOWS_RANK, Windows
from hexagon_mlir.ir import ir, linalg, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast, fill
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.engine_byte_conversions import converts
from hexagon_mlir.passes.lib.engine_byte_products import is_byte_product, takes_planes
from hexagon_mlir.passes.lib.engine_conversions import read_conversion
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.targets import Target

_ROWS, _COLUMNS = [TILE // PAIR, PAIR], [TILE]
_MAPS = """[affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>,
            affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>,
            affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>]"""
_PARALLEL, _REDUCTIONS = RANK, 3


def _maps(activations: ir.Value, windows: Windows | None) -> ir.ArrayAttr:
    maps = ir.ArrayAttr(ir.Attribute.parse(_MAPS, activations.type.context))
    type_ = ir.ShapedType(activations.type)
    if windows is None or type_.rank != WINDOWS_RANK:
        return maps
    map_ = ir.AffineMapAttr(maps[0]).value
    tile, step, *inside = map_.results
    places = windows.places(tile, ir.AffineDimExpr.get(1), step, type_.shape[WINDOWS_RANK - len(inside) - 1])
    return ir.ArrayAttr.get([ir.AffineMapAttr.get(ir.AffineMap.get(map_.n_dims, 0, [*places, *inside])),
                             *list(maps)[1:]])


def zeros(value: ir.Value) -> ir.Value:
    """``value``, a tensor of floats, filled with zeros."""
    element = ir.RankedTensorType(value.type).element_type
    return fill(constant(ir.FloatAttr.get(element, 0.0)), value).result


def pack_activations(matrix: ir.Value, transposed: bool, into: ir.Value | None = None) -> ir.Value:
    """Tiles of ``matrix``, whole tiles of M x K halves, or of K x M if ``transposed``; written to ``into``."""
    return _pack(matrix, _COLUMNS if transposed else _ROWS, _ROWS if transposed else _COLUMNS,
                 [2, 0, 3, 1, 4] if transposed else [0, 3, 1, 4, 2], into)


def pack_weights(matrix: ir.Value, transposed: bool, into: ir.Value | None = None) -> ir.Value:
    """Tiles of ``matrix``, whole tiles of K x N halves, or of N x K if ``transposed``; written to ``into``."""
    return _pack(matrix, _COLUMNS if transposed else _ROWS, _ROWS if transposed else _COLUMNS,
                 [0, 2, 3, 1, 4] if transposed else [3, 0, 1, 4, 2], into)


def _pack(matrix: ir.Value, rows: list[int], columns: list[int], permutation: list[int],
          into: ir.Value | None = None) -> ir.Value:
    type_ = ir.RankedTensorType(matrix.type)
    shape = [type_.shape[0] // TILE, *rows, type_.shape[1] // TILE, *columns]
    cut = 1 + len(rows)
    view = tensor.expand_shape(ir.RankedTensorType.get(shape, type_.element_type), matrix,
                               [list(range(cut)), list(range(cut, RANK))], [], shape)
    if into is None:
        into = tcm_tensor([shape[dim] for dim in permutation], type_.element_type)
    return linalg.transpose(view, outs=[into], permutation=permutation).results[0]


def rows_shape(rows: int, columns: int, transposed: bool) -> list[int]:
    """Shape of a matrix of so many ``rows`` and ``columns`` of tiles that `unpack` writes: the dimensions of its rows
    and of its columns are cut into tiles and pairs. ``transposed``: N x M.
    """
    shape = tiled_shape(rows, columns)
    return [shape[dim] for dim in UNPACKED[transposed]]


UNPACKED = {False: [0, 2, 4, 1, 3], True: [1, 3, 0, 2, 4]}
"""Dimensions of result tiles in the order of a matrix's rows; of those of a transposed one."""
COLUMN_DIMS = 1, 3
"""Dimensions of result tiles that tell the column."""


def unpack(tiles: ir.Value, into: ir.Value, transposed: bool) -> ir.Value:
    """``into``, a tensor of `rows_shape`, with the elements of the result tiles ``tiles``."""
    return linalg.transpose(tiles, outs=[into], permutation=UNPACKED[transposed]).results[0]


def as_matrix(rows: ir.Value, transposed: bool) -> ir.Value:
    """``rows``, a tensor of `rows_shape`, as a matrix of two dimensions."""
    groups = [[0, 1], [2, 3, 4]] if transposed else [[0, 1, 2], [3, 4]]
    type_ = ir.RankedTensorType(rows.type)
    sizes = [prod(type_.shape[dim] for dim in group) for group in groups]
    return tensor.collapse_shape(ir.RankedTensorType.get(sizes, type_.element_type), rows, groups)


def multiply(activations: ir.Value, weights: ir.Value, rows: int = 0, windows: Windows | None = None) -> ir.Value:
    """Sums in f32 of the products of tiles of f16, as result tiles: ``rows`` of them, where ``windows`` share
    activations, else as many as there are rows of activations.
    """
    known, columns = (ir.RankedTensorType(value.type).shape[0] for value in (activations, weights))
    sums = zeros(tcm_tensor(tiled_shape(rows or known, columns), ir.F32Type.get()))
    return product_of_tiles(activations, weights, sums, windows).result


def rounded(sums: ir.Value) -> ir.Value:
    """Tiles of f32 as tiles of f16."""
    return rounding(sums, tcm_tensor(list(ir.RankedTensorType(sums.type).shape), ir.F16Type.get())).result


def product_of_tiles(activations: ir.Value, weights: ir.Value, sums: ir.Value,
                     windows: Windows | None = None) -> ir.Operation:
    """The product of f16 tiles, added to f32 ``sums``: three tensors or three buffers."""
    f16, f32 = ir.F16Type.get(), ir.F32Type.get()
    op = _generic([activations, weights], sums, _maps(activations, windows), _PARALLEL, _REDUCTIONS)
    if windows is not None:
        windows.note(op)
    body = op.regions[0].blocks.append(f16, f16, f32, arg_locs=[op.location] * 3)
    with ir.InsertionPoint(body):
        left, right = (cast("arith.extf", f32, value) for value in list(body.arguments)[:2])
        total = binary("arith.addf", body.arguments[2], binary("arith.mulf", left, right))
        ir.Operation.create("linalg.yield", operands=[total])
    return op


def rounding(sums: ir.Value, into: ir.Value) -> ir.Operation:
    """``sums`` of f32 rounded to f16, written to ``into``: two tensors or two buffers."""
    f16, f32 = ir.F16Type.get(), ir.F32Type.get()
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(RANK))
    op = _generic([sums], into, ir.ArrayAttr.get([identity] * 2), RANK, 0)
    body = op.regions[0].blocks.append(f32, f16, arg_locs=[op.location] * 2)
    with ir.InsertionPoint(body):
        ir.Operation.create("linalg.yield", operands=[cast("arith.truncf", f16, body.arguments[0])])
    return op


def _generic(inputs: list[ir.Value], output: ir.Value, maps: ir.ArrayAttr, parallel: int,
             reductions: int) -> ir.Operation:
    """A linalg.generic without a body."""
    kinds = ["parallel"] * parallel + ["reduction"] * reductions
    iterators = ir.Attribute.parse(f"[{', '.join(f'#linalg.iterator_type<{kind}>' for kind in kinds)}]")
    results = [output.type] if isinstance(output.type, ir.RankedTensorType) else []
    return ir.Operation.create(
        "linalg.generic", results=results, operands=[*inputs, output], regions=1,
        attributes={"indexing_maps": maps, "iterator_types": iterators,
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1])})


def engine_cycles(op: ir.Operation, target: Target) -> float:
    """Cycles of the matrix engine for such a product, on tensors or buffers: those of its multiplier array."""
    weights, results = (ir.ShapedType(op.operands[number].type).shape for number in (1, len(op.operands) - 1))
    tile = target.matrix_byte_tile_cycles if is_byte_product(op) else target.matrix_half_tile_cycles
    return results[0] * weights[0] * weights[1] * float(tile.value)


def is_for_engine(op: ir.Operation) -> bool:
    """True for such a product on tensors, and for the ops that start its sums and round them or split them into pieces:
    HVX does none of their work.
    """
    if is_engine_product(op):
        return True
    if fills_zero(op):
        return any(is_engine_product(use.owner.operation) for result in op.results for use in result.uses)
    return reads_out(op) and not isinstance(op.operands[0].owner, ir.Block) and is_engine_product(
        op.operands[0].owner.operation)


def packs_tiles(op: ir.Operation) -> bool:
    """True for an op on tensors that writes the tiles of a factor of such a product."""
    return len(op.results) == 1 and any(use.operand_number < 2 and is_engine_product(use.owner.operation)
                                        for use in op.results[0].uses)


def fills(op: ir.Operation) -> bool:
    """True for a linalg op, on tensors or buffers, that writes its only input, a number, all over its output."""
    if op.name not in ("linalg.fill", "linalg.generic") or len(op.operands) != 2 or input_count(op) != 1:
        return False
    body = op.regions[0].blocks[0]
    if len(list(body.operations)) != 1 or body.operations[0].operands[0] != body.arguments[0]:
        return False
    return not isinstance(op.operands[0].type, ir.ShapedType)


def fills_zero(op: ir.Operation) -> bool:
    """True for a linalg op, on tensors or buffers, that writes zeros all over its output."""
    if not fills(op):
        return False
    value = op.operands[0]
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return False
    return is_zero(value.owner.operation.attributes["value"])


def is_zero(attribute: ir.Attribute) -> bool:
    """True for the number 0."""
    return isinstance(attribute, ir.FloatAttr | ir.IntegerAttr) and attribute.value == 0


def reads_out(op: ir.Operation) -> bool:
    """True for what the engine does to sums when it stores them: it rounds, splits or converts them to bytes, or takes
    their bytes."""
    return read_conversion(op) is not None or is_splitting(op) or takes_planes(op) or converts(op)


def only_rounds(op: ir.Operation) -> bool:
    """True for a linalg op, on tensors or buffers, that rounds its input to f16 and does nothing else."""
    if op.name != "linalg.generic" or len(op.operands) != 2 or input_count(op) != 1:
        return False
    body = op.regions[0].blocks[0]
    operations = [view.operation for view in body.operations]
    maps = list(op.attributes["indexing_maps"])
    return (len(operations) == 2 and operations[0].name == "arith.truncf" and maps[0] == maps[1]
            and operations[0].operands[0] == body.arguments[0]
            and operations[1].operands[0] == operations[0].results[0]
            and isinstance(operations[0].results[0].type, ir.F16Type))


def is_splitting(op: ir.Operation) -> bool:
    """True for a linalg op, on tensors or buffers, that splits sums of f32 into pieces of f16, and does nothing else
    (`hexagon_mlir.passes.lib.engine_pieces`).
    """
    if op.name != "linalg.generic" or len(op.operands) != 2 or input_count(op) != 1:
        return False
    operations = [view.operation for view in op.regions[0].blocks[0].operations]
    factors = [float_constant(inner.operands[1]) for inner in operations if inner.name == "arith.mulf"]
    coarse, fine = PIECE_EXPONENTS
    return ([inner.name for inner in operations] == _SPLITTING
            and factors == [2.0**exponent for exponent in (-coarse, coarse, -fine)])


_SPLITTING = ["arith.mulf", "arith.truncf", "arith.extf", "arith.mulf", "arith.subf", "arith.mulf", "arith.truncf",
              "linalg.index", "arith.cmpi", "arith.select", "linalg.yield"]


def float_constant(value: ir.Value) -> float | None:
    """The constant that ``value`` is."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return None
    attribute = value.owner.attributes["value"]
    return attribute.value if isinstance(attribute, ir.FloatAttr) else None


def is_engine_product(op: ir.Operation) -> bool:
    """True for the product that `multiply` writes, or `multiply_bytes`, on tensors or on buffers."""
    if is_byte_product(op):
        return True
    if op.name != "linalg.generic" or len(op.operands) != 3:
        return False
    maps = indexing_maps(op)
    loops = ir.AffineMapAttr(maps[0]).value.n_dims if maps is not None else 0
    if loops != _PARALLEL + _REDUCTIONS or maps != _maps(op.operands[0], Windows.of(op)):
        return False
    return multiplies_and_adds(op)


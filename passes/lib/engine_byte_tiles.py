"""Products of byte tiles of the matrix engine as linalg on tensors: packing, the product itself, its planes, unpacking.

Activations are unsigned bytes. Signed ones are stored plus 128, and 128 times the sums of the weights of each column is
subtracted afterwards. The engine gives each sum as four bytes, each in a tile of its own (a plane).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from math import prod

from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, PLANES, TILE, WORD, byte_tiled_shape, plane_shape
from hexagon_mlir.dialects.engine_windows import BYTE_WINDOWS_RANK, Windows
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast, fill
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

SIGN = -128
"""Flips the first bit of a byte: signed bytes plus 128."""
_PRODUCT = ("(rt, ct, r, c, kt, k, l)", "(rt, kt, r, k * 4 + l)", "(ct, kt, k, c, l)", "(rt, ct, r, c)")
_PLANES = ("(rt, ct, p, r, c)", "(rt, ct, r, c)", "(rt, ct, p, r, c)")
_PLANE_LOOP = 2
_ACTIVATIONS = ("(rt, kt, r, k)", "(rt, r, kt, k)", "(rt, kt, r, k)")
_WEIGHTS = ("(ct, kt, k, c, l)", "(kt, k, l, ct, c)", "(ct, kt, k, c, l)")
_WEIGHTS_BY_COLUMN = ("(ct, kt, k, c, l)", "(ct, c, kt, k, l)", "(ct, kt, k, c, l)")
_SUMS = ("(ct, c, kt, k, l)", "(ct, kt, k, c, l)", "(ct, c)")
_JOIN = ("(rt, r, ct, c)", *(f"(rt, ct, {plane}, r, c)" for plane in range(PLANES)), "(rt, r, ct, c)")
_JOIN_AND_ADD = (*_JOIN[:-1], "(ct, c)", _JOIN[-1])


def pack_byte_activations(matrix: ir.Value, transposed: bool, signed: bool) -> ir.Value:
    """Tiles of ``matrix``, whole tiles of M x K bytes, or of K x M if ``transposed``."""
    rows, columns = ir.RankedTensorType(matrix.type).shape[::-1 if transposed else 1]
    view = _expanded(matrix, [TILE], [BYTE_ROWS]) if transposed else _expanded(matrix, [BYTE_ROWS], [TILE])
    into = tcm_tensor([rows // BYTE_ROWS, columns // TILE, BYTE_ROWS, TILE], _byte())
    loops, source, _ = _ACTIVATIONS
    return elementwise([view], into, loops, ["(kt, k, rt, r)" if transposed else source, loops], lambda byte: (
        binary("arith.xori", byte, constant(ir.IntegerAttr.get(_byte(), SIGN))) if signed else byte)).result


def pack_byte_weights(matrix: ir.Value, transposed: bool) -> ir.Value:
    """Tiles of ``matrix``, whole tiles of K x N bytes, or of N x K if ``transposed``."""
    reduction, columns = ir.RankedTensorType(matrix.type).shape[::-1 if transposed else 1]
    words = [TILE // WORD, WORD]
    view = _expanded(matrix, [TILE], words) if transposed else _expanded(matrix, words, [TILE])
    into = tcm_tensor([columns // TILE, reduction // TILE, TILE // WORD, TILE, WORD], _byte())
    loops, *maps = _WEIGHTS_BY_COLUMN if transposed else _WEIGHTS
    return elementwise([view], into, loops, maps, lambda byte: byte).result


def multiply_bytes(activations: ir.Value, weights: ir.Value, rows: int = 0,
                   windows: Windows | None = None) -> ir.Value:
    """Planes of the sums in i32 of the products of tiles: ``rows`` of them, where ``windows`` share activations, else
    as many as there are rows of activations.
    """
    known, columns = (ir.RankedTensorType(value.type).shape[0] for value in (activations, weights))
    rows = rows or known
    zero = constant(ir.IntegerAttr.get(_word(), 0))
    sums = fill(zero, tcm_tensor(byte_tiled_shape(rows, columns), _word())).result
    return planes(product_of_byte_tiles(activations, weights, sums, windows).result,
                  tcm_tensor(plane_shape(rows, columns), _byte())).result


def product_of_byte_tiles(activations: ir.Value, weights: ir.Value, sums: ir.Value,
                          windows: Windows | None = None) -> ir.Operation:
    """The product of tiles, added to i32 ``sums``: three tensors or three buffers."""
    op = _generic([activations, weights], sums, _PRODUCT[0], _PRODUCT[1:], reductions=3)
    if windows is not None:
        windows.note(op)
        op.attributes["indexing_maps"] = _product_maps(activations, windows)
    with _body(op) as (left, right, old):
        product = binary("arith.muli", cast("arith.extui", _word(), left), cast("arith.extsi", _word(), right))
        _yield(binary("arith.addi", old, product))
    return op


def planes(sums: ir.Value, into: ir.Value) -> ir.Operation:
    """The bytes of i32 ``sums``, the lowest ones first, written to ``into``: two tensors or two buffers."""
    op = _generic([sums], into, _PLANES[0], _PLANES[1:])
    with _body(op) as (total, _):
        number = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
            "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _PLANE_LOOP)}).result
        eight = constant(ir.IntegerAttr.get(_word(), 8))
        places = binary("arith.muli", arith.index_cast(_word(), number), eight)
        _yield(cast("arith.trunci", _byte(), binary("arith.shrui", total, places)))
    return op


def column_sums(weights: ir.Value, start: ir.Value) -> ir.Value:
    """``start``, i32 [N / 32][32], minus 128 times the sum of each column of the tiles ``weights``."""
    op = _generic([weights], start, _SUMS[0], _SUMS[1:], reductions=3)
    with _body(op) as (byte, old):
        wide = cast("arith.extsi", _word(), byte)
        _yield(binary("arith.addi", old, binary("arith.muli", wide, constant(ir.IntegerAttr.get(_word(), SIGN)))))
    return op.result


def join_planes(tiles: ir.Value, of_columns: ir.Value | None, into: ir.Value) -> ir.Value:
    """``into``, i32 rows [M / 64][64][N / 32][32], with the sums that the planes ``tiles`` give, each plus what
    ``of_columns``, i32 [N / 32][32], has for its column.
    """
    inputs = [tiles] * PLANES

    def body(*parts: ir.Value) -> ir.Value:
        total = cast("arith.extui", _word(), parts[0])
        for number, part in enumerate(parts[1:PLANES], 1):
            places = constant(ir.IntegerAttr.get(_word(), 8 * number))
            total = binary("arith.ori", total, binary("arith.shli", cast("arith.extui", _word(), part), places))
        return binary("arith.addi", total, parts[PLANES]) if len(parts) > PLANES else total

    loops, *maps = _JOIN if of_columns is None else _JOIN_AND_ADD
    return elementwise([*inputs, *([] if of_columns is None else [of_columns])], into, loops, maps, body).result


def elementwise(inputs: Sequence[ir.Value], into: ir.Value, loops: str, maps: Sequence[str],
                body: Callable[..., ir.Value]) -> ir.Operation:
    """A linalg.generic that writes ``body`` of its ``inputs`` to ``into``."""
    op = _generic(inputs, into, loops, maps)
    with _body(op) as arguments:
        _yield(body(*arguments[:-1]))
    return op


def _expanded(matrix: ir.Value, rows: list[int], columns: list[int]) -> ir.Value:
    """``matrix`` with both dimensions cut into tiles of ``rows`` and ``columns``."""
    type_ = ir.RankedTensorType(matrix.type)
    counts = [size // prod(sizes) for size, sizes in zip(type_.shape, (rows, columns), strict=True)]
    shape = [counts[0], *rows, counts[1], *columns]
    cut = 1 + len(rows)
    return tensor.expand_shape(ir.RankedTensorType.get(shape, type_.element_type), matrix,
                               [list(range(cut)), list(range(cut, len(shape)))], [], shape)


def is_byte_product(op: ir.Operation) -> bool:
    """True for the product that `multiply_bytes` writes, on tensors or on buffers."""
    windows = Windows.of(op) if op.name == "linalg.generic" else None
    if windows is None:
        return _has_maps(op, _PRODUCT, 3) and multiplies_and_adds(op)
    if len(op.operands) != 3 or ir.ShapedType(op.operands[0].type).rank != BYTE_WINDOWS_RANK or not _is_byte(op):
        return False
    return indexing_maps(op) == _product_maps(op.operands[0], windows) and multiplies_and_adds(op)


def _is_byte(op: ir.Operation) -> bool:
    return ir.ShapedType(op.operands[0].type).element_type == _byte()


def _product_maps(activations: ir.Value, windows: Windows) -> ir.ArrayAttr:
    """Those of a product whose result tiles share ``activations``."""
    of_tiles, *others = list(_maps(_PRODUCT[0], _PRODUCT[1:], activations.type.context))
    map_ = ir.AffineMapAttr(of_tiles).value
    tile, step, *inside = map_.results
    places = windows.places(tile, ir.AffineDimExpr.get(1), step, ir.ShapedType(activations.type).shape[2])
    return ir.ArrayAttr.get([ir.AffineMapAttr.get(ir.AffineMap.get(map_.n_dims, 0, [*places, *inside])), *others])


def takes_planes(op: ir.Operation) -> bool:
    """True for the op that `multiply_bytes` takes the bytes of sums with, on tensors or on buffers."""
    return _has_maps(op, _PLANES, 2) and any(view.operation.name == "linalg.index"
                                             for view in op.regions[0].blocks[0].operations)


class ByteCopy(Enum):
    """What moves bytes between rows and tiles."""

    ACTIVATIONS = auto()
    WEIGHTS = auto()
    WEIGHTS_BY_COLUMN = auto()
    JOIN = auto()
    SUMS = auto()
    """Not a copy: sums of the columns of weights."""


_COPIES = {_ACTIVATIONS: ByteCopy.ACTIVATIONS, _WEIGHTS: ByteCopy.WEIGHTS,
           _WEIGHTS_BY_COLUMN: ByteCopy.WEIGHTS_BY_COLUMN, _JOIN: ByteCopy.JOIN, _JOIN_AND_ADD: ByteCopy.JOIN,
           _SUMS: ByteCopy.SUMS}
LOOPS_OF_THREADS = {ByteCopy.ACTIVATIONS: (0, 2), ByteCopy.WEIGHTS: (1, 2), ByteCopy.WEIGHTS_BY_COLUMN: (0,),
                    ByteCopy.JOIN: (0, 2), ByteCopy.SUMS: (0,)}
"""Loops that threads may share: not those that vectors, or several of them at a time, go along."""


def byte_copy(op: ir.Operation) -> ByteCopy | None:
    """Which copy of this file the linalg op ``op``, on tensors or on buffers, is; None for any other."""
    for maps, kind in _COPIES.items():
        if _has_maps(op, maps, len(maps) - 1) and _computes(op, kind):
            return kind
    return None


def _computes(op: ir.Operation, kind: ByteCopy) -> bool:
    """Whether the elements of ``op`` and its body are those of ``kind``."""
    *inputs, output = (ir.ShapedType(value.type).element_type for value in op.operands)
    body = op.regions[0].blocks[0]
    names = [view.operation.name for view in body.operations]
    if kind is ByteCopy.JOIN:
        same = all(value == op.operands[0] for value in list(op.operands)[:PLANES])
        adds = len(inputs) > PLANES
        return same and inputs[0] == _byte() and output == _word() and names == join_names(adds)
    if kind is ByteCopy.SUMS:
        return inputs == [_byte()] and output == _word() and names == [
            "arith.extsi", "arith.muli", "arith.addi", "linalg.yield"]
    if inputs != [_byte()] or output != _byte():
        return False
    if kind is ByteCopy.ACTIVATIONS and flipped_sign(op) == SIGN:
        return True
    return is_plain_copy(op)


def is_plain_copy(op: ir.Operation) -> bool:
    """Whether the linalg op ``op`` writes what it reads."""
    body = op.regions[0].blocks[0]
    operations = [view.operation for view in body.operations]
    return [inner.name for inner in operations] == ["linalg.yield"] and operations[0].operands[0] == body.arguments[0]


def join_names(adds: bool) -> list[str]:
    """The operations that join planes, and add a number of the column if it ``adds`` one."""
    return ["arith.extui", *["arith.extui", "arith.shli", "arith.ori"] * (PLANES - 1), *["arith.addi"] * adds,
            "linalg.yield"]


def flipped_sign(op: ir.Operation) -> int:
    """What the copy of activations ``op`` flips in each byte; 0 where it just copies."""
    operations = [view.operation for view in op.regions[0].blocks[0].operations]
    if [inner.name for inner in operations] != ["arith.xori", "linalg.yield"]:
        return 0
    value = operations[0].operands[1]
    known = not isinstance(value.owner, ir.Block) and value.owner.operation.name == "arith.constant"
    return ir.IntegerAttr(value.owner.operation.attributes["value"]).value if known else 0


def _has_maps(op: ir.Operation, maps: Sequence[str], operands: int) -> bool:
    if op.name != "linalg.generic" or len(op.operands) != operands or input_count(op) != operands - 1:
        return False
    found = indexing_maps(op)
    return found is not None and found == _maps(maps[0], maps[1:], op.context)


def _generic(inputs: Sequence[ir.Value], output: ir.Value, loops: str, maps: Sequence[str],
             reductions: int = 0) -> ir.Operation:
    """A linalg.generic without a body; its last loops are ``reductions``."""
    kinds = ["parallel"] * (loops.count(",") + 1 - reductions) + ["reduction"] * reductions
    iterators = ir.Attribute.parse(f"[{', '.join(f'#linalg.iterator_type<{kind}>' for kind in kinds)}]")
    return ir.Operation.create(
        "linalg.generic", results=[output.type] if isinstance(output.type, ir.RankedTensorType) else [],
        operands=[*inputs, output], regions=1,
        attributes={"indexing_maps": _maps(loops, maps, output.type.context), "iterator_types": iterators,
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1])})


def _maps(loops: str, maps: Sequence[str], context: ir.Context) -> ir.ArrayAttr:
    text = ", ".join(f"affine_map<{loops} -> {map_}>" for map_ in maps)
    return ir.ArrayAttr(ir.Attribute.parse(f"[{text}]", context))


@contextmanager
def _body(op: ir.Operation) -> Iterator[list[ir.Value]]:
    """The arguments of the body of ``op``, which is written meanwhile."""
    elements = [ir.ShapedType(value.type).element_type for value in op.operands]
    block = op.regions[0].blocks.append(*elements, arg_locs=[op.location] * len(elements))
    with ir.InsertionPoint(block):
        yield list(block.arguments)


def _yield(value: ir.Value) -> None:
    ir.Operation.create("linalg.yield", operands=[value])


def _byte() -> ir.Type:
    return ir.IntegerType.get_signless(8)


def _word() -> ir.Type:
    return ir.IntegerType.get_signless(32)

"""Writes a chain of products in tiles."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.activation_tiles import taken_as_tiles
from hexagon_mlir.dialects.engine_tiles import TILE, tiles
from hexagon_mlir.ir import erase_op, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast, fill
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.layout_propagation.chain import Chain, Kind, start_of
from hexagon_mlir.passes.layout_propagation.operands import Operands
from hexagon_mlir.passes.layout_propagation.row_values import compute_row_values
from hexagon_mlir.passes.lib.engine_conversions import Conversion, converted
from hexagon_mlir.passes.lib.engine_tiles import as_matrix, multiply, rows_shape, unpack
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.tile_layouts import (
    COLUMNS,
    LANES,
    PAIRS,
    ROWS,
    TILES,
    generic,
    shape_of,
    to_all_columns,
    with_lanes,
    with_pairs,
)
from hexagon_mlir.passes.lib.vector_loop import dims_of

Operand = tuple[ir.Value, Sequence[int]]
_ORIGIN = "hexagon-layout-propagation"


class ChainBuilder:
    """Writes each op of ``chain`` before the op itself; `results` are what others read instead."""

    def __init__(self, chain: Chain, shared: dict[ir.Value, ir.Value]) -> None:
        self._chain, self._operands = chain, Operands(shared)
        self._tiles: dict[ir.Value, ir.Value] = {}
        self._rows: dict[ir.Value, ir.Value] = {}
        self._sums: dict[ir.Value, tuple[ir.Value, int, float]] = {}
        """Sums of rows: read where they are used first, until when nothing waits for the product."""

    def build(self) -> dict[ir.Value, ir.Value]:
        """The chain; what takes the place of each of its results."""
        results = dict[ir.Value, ir.Value]()
        for op, kind in self._chain.ops:
            with op.location, ir.InsertionPoint(op):
                if kind is Kind.PRODUCT:
                    self._product(op)
                elif kind is Kind.MAXIMUM:
                    self._maximum(op)
                elif kind is Kind.ELEMENTWISE:
                    self._elementwise(op)
                if op.results[0] in self._chain.results:
                    results |= self._read_outside(op.results[0])
        return results

    def _read_outside(self, value: ir.Value) -> dict[ir.Value, ir.Value]:
        """What takes the place of ``value``, which ops outside the chain read: tiles alone where one of them takes
        these."""
        taken = taken_as_tiles(value)
        if taken is None:
            return {value: self._matrix(value)}
        return {taken.results[0]: with_pairs(self._tiles[value])}

    def _product(self, op: ir.Operation) -> None:
        left, right = list(op.operands)[:2]
        dims = dims_of(op)
        assert dims is not None
        sum_ = self._chain.sums.get(op)
        columns = tiles(ir.RankedTensorType(op.results[0].type).shape[1])
        weights = self._operands.weights(right, dims[1][0] != dims[0][1], sum_ is not None)
        activations = with_pairs(self._whole_columns(left)) if left in self._tiles else self._operands.activations(left)
        scale = self._chain.scales.get(op, 1.0)
        product = with_lanes(converted(multiply(activations, weights), Conversion(scale=scale)))
        if sum_ is not None:
            self._sums[sum_.results[0]] = product, columns, scale
            product = _columns(product, 0, columns)
        self._tiles[op.results[0]] = product

    def _whole_columns(self, left: ir.Value) -> ir.Value:
        """The tiles of the left factor ``left``: columns that fill up the last tile are zero, as the rows of the right
        factor are, whatever was computed there."""
        found, columns = self._tiles[left], ir.RankedTensorType(left.type).shape[1]
        rest = columns % TILE
        if not rest:
            return found
        type_ = ir.RankedTensorType(found.type)
        last = tiles(columns) - 1
        i16 = ir.IntegerType.get_signless(16)
        kept = [ir.IntegerAttr.get(i16, -int(lane // 2 < rest)) for lane in range(LANES)]
        masks = constant(ir.DenseElementsAttr.get(kept, ir.RankedTensorType.get([LANES], i16)))

        def masked(elements: list[ir.Value]) -> ir.Value:
            bits = binary("arith.andi", cast("arith.bitcast", i16, elements[0]), elements[1])
            return cast("arith.bitcast", type_.element_type, bits)

        part = _columns(found, last, 1)
        out = tcm_tensor(ir.RankedTensorType(part.type).shape, type_.element_type)
        part = generic([(part, TILES), (masks, (3,))], (out, TILES), (), masked)
        sizes = list(ir.RankedTensorType(part.type).shape)
        return tensor.InsertSliceOp(part, found, [], [], [], [0, last, 0, 0], sizes, [1] * 4).result

    def _elementwise(self, op: ir.Operation) -> None:
        dims = dims_of(op)
        assert dims is not None
        type_ = ir.RankedTensorType(op.results[0].type)
        matrix = len(dims[-1]) == 2
        columns = type_.shape[1] if matrix else 1
        reads = self._reads(op, dims, dims[-1][0], columns)
        into = TILES if matrix else ROWS
        values = compute_row_values(op, reads, self._chain.rows) if columns > TILE else {}
        reads += [(value, ROWS) for value in values.values()]
        out = tcm_tensor(shape_of(into, self._chain.rows, columns), type_.element_type)
        found = self._tiles if matrix else self._rows
        found[op.results[0]] = _uncopied(generic(reads, (out, into), (), lambda elements: self._body(
            op, elements, list(values))))

    def _maximum(self, op: ir.Operation) -> None:
        dims = dims_of(op)
        assert dims is not None
        count, body = input_count(op), op.regions[0].blocks[0]
        row = dims[-1][0]
        place = next(n for n, read in enumerate(dims) if len(read) == 2)
        columns = ir.RankedTensorType(op.operands[place].type).shape[dims[place].index(1 - row)]
        reads = self._reads(op, dims, row, columns)
        combiner = body.operations[len(body.operations) - 1].operands[0].owner.operation.name
        element = ir.RankedTensorType(op.results[0].type).element_type

        def start() -> ir.Value:
            return fill(start_of(op), tcm_tensor(shape_of(ROWS, self._chain.rows, 1), element)).result

        if columns % TILE:
            reads.append((self._operands.limits(columns), COLUMNS))

        def bounded(elements: list[ir.Value]) -> ir.Value:
            """The new maximum; the element, which is the combiner's other operand, is at most its column's limit."""
            *inputs, out = elements
            limit = inputs.pop() if columns % TILE else None
            mapping = self._mapped(op, [*inputs, out])
            combining = body.operations[len(body.operations) - 1].operands[0].owner.operation
            other = next(value for value in combining.operands if value != body.arguments[count])
            value = mapping.get(other, other)
            if limit is not None:
                value = binary("arith.minnumf", value, limit)
            return binary(combiner, value, out)

        partial = generic(reads, (start(), ROWS), (1,), bounded)
        self._rows[op.results[0]] = to_all_columns(partial, lambda one, other: binary(combiner, one, other), start())

    def _reads(self, op: ir.Operation, dims: Sequence[Sequence[int]], row: int, columns: int) -> list[Operand]:
        reads: list[Operand] = []
        for value in [value for value in op.operands if value in self._sums]:
            self._rows[value] = _widened(*self._sums.pop(value))
        for value, read in zip(list(op.operands)[:input_count(op)], dims, strict=False):
            if value in self._tiles:
                reads.append((self._tiles[value], TILES))
            elif value in self._rows:
                reads.append((self._rows[value], ROWS))
            else:
                reads.append(self._operands.operand(value, read, row, columns))
        return reads

    def _mapped(self, op: ir.Operation, elements: list[ir.Value], given: Sequence[ir.Value] = ()
                ) -> dict[ir.Value, ir.Value]:
        """The values of the body of ``op`` but for its end, of ``elements``: those of its inputs, the ``given`` values
        of the body, and that of its output; sums of products have been scaled and rounded already."""
        body = op.regions[0].blocks[0]
        *inputs, output = body.arguments
        mapping = dict(zip((*inputs, *given, output), elements, strict=True))
        for view in list(body.operations)[:-1]:
            inner = view.operation
            if inner.results[0] in mapping:
                continue
            known = mapping.get(inner.operands[0]) if len(inner.operands) else None
            is_rounded = known is not None and known.type != inner.operands[0].type
            if is_rounded and inner.name in ("arith.mulf", "arith.truncf"):
                mapping[inner.results[0]] = known
            else:
                clone(inner, mapping)
        return mapping

    def _body(self, op: ir.Operation, elements: list[ir.Value], given: Sequence[ir.Value]) -> ir.Value:
        body = op.regions[0].blocks[0]
        result = body.operations[len(body.operations) - 1].operands[0]
        return self._mapped(op, elements, given).get(result, result)

    def _matrix(self, value: ir.Value) -> ir.Value:
        """The rows of the tiles of ``value``."""
        type_ = ir.RankedTensorType(value.type)
        rows, columns = (tiles(size) for size in type_.shape)
        into = tcm_tensor(rows_shape(rows, columns, False), type_.element_type)
        matrix = as_matrix(unpack(with_pairs(self._tiles[value]), into, False), False)
        if matrix.type == value.type:
            return matrix
        return tensor.ExtractSliceOp(ir.RankedTensorType.get(type_.shape, type_.element_type), matrix, [], [], [],
                                     [0, 0], list(type_.shape), [1, 1]).result


def _uncopied(made: ir.Value) -> ir.Value:
    """What the elementwise op that makes ``made`` copies: sums, which the engine has rounded; ``made`` of other ops."""
    op = made.owner.operation
    block = op.regions[0].blocks[0]
    *inputs, _ = block.arguments
    value = block.operations[len(block.operations) - 1].operands[0]
    if value not in inputs or op.operands[inputs.index(value)].type != made.type:
        return made
    copied, into = op.operands[inputs.index(value)], op.operands[len(inputs)].owner.operation
    for unread in (op, into):
        erase_op(unread, _ORIGIN)
    return copied


def _columns(value: ir.Value, first: int, count: int) -> ir.Value:
    """``count`` columns of the tiles ``value``."""
    return _slice(value, first, count, [ir.RankedTensorType(value.type).shape[0], count, PAIRS, LANES])


def _slice(value: ir.Value, first: int, count: int, shape: list[int]) -> ir.Value:
    type_ = ir.RankedTensorType(value.type)
    return tensor.ExtractSliceOp(ir.RankedTensorType.get(shape, type_.element_type), value, [], [], [],
                                 [0, first, 0, 0], [type_.shape[0], count, PAIRS, LANES], [1] * 4).result


def _widened(product: ir.Value, column: int, scale: float) -> ir.Value:
    """The f16 numbers in ``column`` of the tiles ``product``, which are equal in each row, over ``scale``, as f32: one
    number a row."""
    rows = ir.RankedTensorType(product.type).shape[0]
    f32, shape = ir.F32Type.get(), [rows, PAIRS, LANES]
    return generic([(_slice(product, column, 1, shape), ROWS)], (tcm_tensor(shape, f32), ROWS), (),
                   lambda elements: _over(cast("arith.extf", f32, elements[0]), scale))


def _over(value: ir.Value, scale: float) -> ir.Value:
    return value if scale == 1.0 else binary("arith.mulf", value, constant(ir.FloatAttr.get(value.type, 1 / scale)))

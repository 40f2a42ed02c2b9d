"""What a chain of products reads from outside, brought into TCM and into the layouts of tiles, each value once where it
is defined: before the loops in which it is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiled_shape, tiles
from hexagon_mlir.ir import ir, linalg, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import fill
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.engine_tiles import pack_activations, pack_weights, zeros
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy, tcm_tensor
from hexagon_mlir.passes.lib.tile_layouts import (
    COLUMNS,
    LANES,
    PAIRS,
    ROWS,
    SCALAR,
    TILES,
    copied,
    with_lanes,
)
from hexagon_mlir.passes.lib.vector_loop import dims_of

_LARGEST = 65504.0
"""Of f16."""


class Operands:
    """The packed forms of values, each made once."""

    def __init__(self, shared: dict[ir.Value, ir.Value]) -> None:
        """``shared``: the tiles of matrices of whose first columns several chains have their weights."""
        self._made: dict[tuple, ir.Value] = {}
        self._shared = shared

    def activations(self, value: ir.Value) -> ir.Value:
        """Tiles ``[M / 32][K / 32][16][32][2]`` of the left factor ``value`` of a first product."""
        return self._once(("activations", value), value, lambda: pack_activations(_whole(_left(value)), False))

    def weights(self, value: ir.Value, transposed: bool, with_ones: bool) -> ir.Value:
        """Tiles of weights; ``with_ones``: one more column of tiles, whose products are sums of rows."""
        if transposed and not with_ones and not _made_by_linalg(value):
            return self._once(("weights", value), value, lambda: self._columns(_first_rows_of(value) or value, value))

        def make() -> ir.Value:
            matrix = _whole(tcm_copy(value))
            if transposed:
                matrix = _transposed(matrix)
            return _with_ones(matrix) if with_ones else pack_weights(matrix, False)

        return self._once(("weights", value, transposed, with_ones), value, make)

    def _columns(self, source: ir.Value, part: ir.Value) -> ir.Value:
        """The tiles of ``part``, the first or all columns of ``source``, both given as rows."""
        if source not in self._shared:
            with _where_defined(source):
                self._shared[source] = pack_weights(_transposed(_whole(tcm_copy(source))), False)
        found = self._shared[source]
        if part == source:
            return found
        sizes = [ir.RankedTensorType(part.type).shape[0] // TILE, *ir.RankedTensorType(found.type).shape[1:]]
        type_ = ir.RankedTensorType.get(sizes, ir.RankedTensorType(found.type).element_type)
        return tensor.ExtractSliceOp(type_, found, [], [], [], [0] * len(sizes), sizes, [1] * len(sizes)).result

    def operand(self, value: ir.Value, dims: Sequence[int], row: int, columns: int) -> tuple[ir.Value, Sequence[int]]:
        """``value``, which loops ``dims`` of an elementwise op index, ``row`` among them the rows; and the loops of
        tiles that index it instead."""
        if not dims:
            return value, SCALAR
        type_ = ir.RankedTensorType(value.type)
        if len(dims) == 2:
            def make() -> ir.Value:
                return with_lanes(pack_activations(_whole(tcm_copy(value)), dims[0] != row))

            return self._once(("matrix", value, dims[0] == row), value, make), TILES
        if dims[0] == row:
            return self._once(("row", value), value, lambda: _spread(value)), ROWS
        return self._once(("column", value), value, lambda: _doubled(value, type_, columns)), COLUMNS

    def limits(self, columns: int) -> ir.Value:
        """One number a column of f16, the largest, but for columns that fill up the last tile the least."""
        numbers = [_LARGEST] * columns + [-_LARGEST] * (TILE * tiles(columns) - columns)
        element = ir.F16Type.get()
        type_ = ir.RankedTensorType.get([len(numbers) // TILE, LANES], element)
        values = [ir.FloatAttr.get(element, number) for number in numbers for _ in range(PAIR)]
        return tcm_copy(constant(ir.DenseElementsAttr.get(values, type_)))

    def _once(self, key: tuple, value: ir.Value, make: Callable[[], ir.Value]) -> ir.Value:
        if key not in self._made:
            with _where_defined(value):
                self._made[key] = make()
        return self._made[key]


@contextmanager
def _where_defined(value: ir.Value) -> Iterator[None]:
    """Insertion after the op that makes ``value``, or after the constants at the start of its block."""
    owner = value.owner
    point = ir.InsertionPoint(next(op for op in owner.operations if op.operation.name != "arith.constant")) \
        if isinstance(owner, ir.Block) else ir.InsertionPoint.after(owner.operation)
    with value.location, point:
        yield


def _made_by_linalg(value: ir.Value) -> bool:
    """Whether a linalg op makes ``value``: it may be rewritten with another chain."""
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name.startswith("linalg.")


def _first_rows_of(value: ir.Value) -> ir.Value | None:
    """The matrix whose first rows, whole tiles of them, are ``value``."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "tensor.extract_slice":
        return None
    op, type_ = owner.operation, ir.RankedTensorType(value.type)
    source = ir.RankedTensorType(op.operands[0].type)
    offsets, steps = (ir.DenseI64ArrayAttr(op.attributes[f"static_{name}"]) for name in ("offsets", "strides"))
    is_first = (len(op.operands) == 1 and not any(offsets) and all(step == 1 for step in steps)
                and source.rank == type_.rank == 2 and source.shape[1] == type_.shape[1] and type_.shape[0] % TILE == 0)
    return op.operands[0] if is_first else None


def _left(value: ir.Value) -> ir.Value:
    """``value`` in TCM: computed there if an elementwise op makes it for one product."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "linalg.generic" or len(list(value.uses)) != 1:
        return tcm_copy(value)
    op = owner.operation
    count, dims = input_count(op), dims_of(op)
    inputs = list(op.operands)[:count]
    elementwise = dims is not None and not any("reduction" in str(kind) for kind in op.attributes["iterator_types"])
    reads_out = any(True for _ in op.regions[0].blocks[0].arguments[count].uses)
    if not elementwise or reads_out or any(not isinstance(value.type, ir.RankedTensorType) for value in inputs):
        return tcm_copy(value)
    mapping = dict(zip(inputs, [tcm_copy(value) for value in inputs], strict=True))
    type_ = ir.RankedTensorType(value.type)
    mapping[op.operands[count]] = tcm_tensor(type_.shape, type_.element_type)
    return clone(op, mapping).results[0]


def _whole(matrix: ir.Value) -> ir.Value:
    """``matrix``, in TCM, filled up with zeros to whole tiles."""
    type_ = ir.RankedTensorType(matrix.type)
    padded = [TILE * tiles(count) for count in type_.shape]
    if padded == list(type_.shape):
        return matrix
    return _inserted(matrix, _filled(padded, type_.element_type), [0, 0])


def _transposed(matrix: ir.Value) -> ir.Value:
    """Columns as rows: whole vectors are transposed, and pairs of rows interleaved, in less time than words."""
    type_ = ir.RankedTensorType(matrix.type)
    out = tcm_tensor(list(type_.shape)[::-1], type_.element_type)
    return linalg.transpose(matrix, outs=[out], permutation=[1, 0]).results[0]


def _filled(shape: list[int], element: ir.Type) -> ir.Value:
    into = tcm_tensor(shape, element)
    if isinstance(element, ir.IntegerType):
        return fill(constant(ir.IntegerAttr.get(element, 0)), into).result
    return zeros(into)


def _with_ones(matrix: ir.Value) -> ir.Value:
    """The tiles of weights of ``matrix``, whole tiles, and one more column of tiles of ones. What rows that fill up the
    last tile are multiplied by is zero."""
    type_ = ir.RankedTensorType(matrix.type)
    depth, columns = (extent // TILE for extent in type_.shape)
    whole, packed, ones = (tiled_shape(count, depth) for count in (columns + 1, columns, 1))
    into = tcm_tensor(whole, type_.element_type)
    for first, shape in ((0, packed), (columns, ones)):
        place = [first, *[0] * (len(shape) - 1)]
        part = tensor.ExtractSliceOp(ir.RankedTensorType.get(shape, type_.element_type), into, [], [], [], place, shape,
                                     [1] * len(shape)).result
        made = (pack_weights(matrix, False, part) if first == 0 else
                fill(constant(ir.FloatAttr.get(type_.element_type, 1.0)), part).result)
        into = _inserted(made, into, place)
    return into


def _inserted(part: ir.Value, into: ir.Value, offsets: list[int]) -> ir.Value:
    sizes = list(ir.RankedTensorType(part.type).shape)
    return tensor.InsertSliceOp(part, into, [], [], [], offsets, sizes, [1] * len(sizes)).result


def _spread(value: ir.Value) -> ir.Value:
    """One number a row, 32 times each."""
    type_ = ir.RankedTensorType(value.type)
    count = TILE * tiles(type_.shape[0])
    rows = tcm_copy(value)
    if count != type_.shape[0]:
        rows = _inserted(rows, _filled([count], type_.element_type), [0])
    shape = [count // TILE, PAIRS, PAIR]
    pairs = tensor.expand_shape(ir.RankedTensorType.get(shape, type_.element_type), rows, [[0, 1, 2]], [], shape)
    return with_lanes(copied(pairs, (0, 1, 3), [*shape[:2], TILE, PAIR], (0, 1, 2, 3)))


def _doubled(value: ir.Value, type_: ir.RankedTensorType, columns: int) -> ir.Value:
    """One number a column, twice each: two equal rows as pairs."""
    count = TILE * tiles(columns)
    source = tcm_copy(value)
    if count != columns:
        source = _inserted(source, _filled([count], type_.element_type), [0])
    both = copied(source, (1,), [PAIR, count], (0, 1))
    shape = [PAIR, count // TILE, TILE]
    view = tensor.expand_shape(ir.RankedTensorType.get(shape, type_.element_type), both, [[0], [1, 2]], [], shape)
    out = tcm_tensor([count // TILE, TILE, PAIR], type_.element_type)
    return with_lanes(linalg.transpose(view, outs=[out], permutation=[1, 2, 0]).results[0])



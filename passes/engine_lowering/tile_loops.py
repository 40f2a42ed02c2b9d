"""A product as loops over the matrix engine's tiles, in a scope that holds the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hexagon_mlir.dialects.engine_tiles import COLUMN_TABLE, PIECES, PLANES, EngineProduct
from hexagon_mlir.dialects.engine_windows import Windows
from hexagon_mlir.ir import arith, ir, memref, scf
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.engine_operations import (
    ENGINE_CONVERT,
    ENGINE_MULTIPLY,
    ENGINE_SCOPE,
    ENGINE_STORE,
    RETAIN,
    SATURATE,
)

_Place: TypeAlias = ir.Value | int
"""An index: a number where it is known."""
_TABLE_WORDS = COLUMN_TABLE[0] * COLUMN_TABLE[1]


def multiply_tiles(product: EngineProduct) -> None:
    """A scope, at the insertion point, in which ``product`` is computed a tile of results at a time."""
    scope = ir.Operation.create(ENGINE_SCOPE, regions=1)
    with ir.InsertionPoint(scope.regions[0].blocks.append()):
        if product.windows is None:
            _rows(product)
        else:
            _windows(product, product.windows)


def _rows(product: EngineProduct) -> None:
    columns = ir.MemRefType(product.weights.type).shape[0]

    def row(place: _Place) -> None:
        activations = _part(product.activations, [place])
        _for_each(columns, lambda column: _column(product, activations, place, column))

    _for_each(ir.MemRefType(product.activations.type).shape[0], row)


def _windows(product: EngineProduct, windows: Windows) -> None:
    """For each result tile of an image and each group of channels the activations are a window, whose rows are runs of
    tiles."""
    channels = ir.MemRefType(product.activations.type).shape[2]
    columns, reduction, *_ = ir.MemRefType(product.weights.type).shape
    runs = reduction // (windows.taps_x * channels)
    of_group = windows.of_group or columns

    def one(y: _Place, x: _Place, group: _Place) -> None:
        activations = _part(product.activations, [_sum(_times(y, windows.row_step), group),
                                                  _times(x, windows.column_step)],
                            [runs, windows.taps_x], [windows.row_tap, 1])
        row, first = _sum(_times(y, windows.columns), x), _times(group, of_group)
        _for_each(of_group, lambda column: _column(product, activations, row, _sum(first, column)))

    rows = ir.MemRefType(product.results.type).shape[0] // windows.columns
    _for_each(rows, lambda y: _for_each(windows.columns, lambda x: _for_each(
        columns // of_group, lambda group: one(y, x, group))))


def _column(product: EngineProduct, activations: ir.Value, row: _Place, column: _Place) -> None:
    """The tile of results at ``row`` and ``column``: two of pieces, one for each plane."""
    _operation(ENGINE_MULTIPLY, activations, _part(product.weights, [column]))
    element = ir.MemRefType(product.results.type).element_type
    if product.in_pieces:
        first = _part(product.results, [row, column, 0])
        words = ir.MemRefType(product.columns.type).shape[0] - PIECES * _TABLE_WORDS
        tables = [memref.subview(product.columns, [words + number * _TABLE_WORDS], [_TABLE_WORDS], [1])
                  for number in range(PIECES)]
        _stored(tables[0], element, first, retain=True)
        _operation(ENGINE_MULTIPLY, first, memref.subview(product.columns, [0], [words], [1]))
        _stored(tables[1], element, _part(product.results, [row, column, 1]))
    elif isinstance(element, ir.F16Type):
        _stored(_part(product.columns, [column]), element, _part(product.results, [row, column]))
    elif not product.in_planes:
        _stored(_part(product.columns, [column]), element, _part(product.results, [row, column]), saturate=True)
    else:
        for plane in range(PLANES):
            _stored(_part(product.columns, [plane]), element, _part(product.results, [row, column, plane]),
                    retain=plane < PLANES - 1)


def _stored(table: ir.Value, element: ir.Type, tile: ir.Value, retain: bool = False,
            saturate: bool = False) -> None:
    flags = [name for name, given in ((RETAIN, retain), (SATURATE, saturate)) if given]
    attributes = {"to": ir.TypeAttr.get(element), **dict.fromkeys(flags, ir.UnitAttr.get())}
    _operation(ENGINE_CONVERT, table, attributes=attributes)
    _operation(ENGINE_STORE, tile)


def _operation(name: str, *operands: ir.Value, attributes: dict[str, ir.Attribute] | None = None) -> None:
    ir.Operation.create(name, operands=list(operands), attributes=attributes or {})


def _part(buffer: ir.Value, places: Sequence[_Place], sizes: Sequence[int] = (), steps: Sequence[int] = ()) -> ir.Value:
    """What is at ``places`` of the first dimensions of ``buffer``: one, or ``sizes`` of them, ``steps`` apart."""
    shape = list(ir.MemRefType(buffer.type).shape)
    count, rest = len(places), shape[len(places):]
    zeros, ones = [0] * len(rest), [1] * len(rest)
    return memref.subview(buffer, [*places, *zeros], [*(sizes or [1] * count), *rest], [*(steps or [1] * count), *ones])


def _for_each(count: int, emit: Callable[[_Place], None]) -> None:
    """``emit`` for each of ``count`` places; a loop where there are several."""
    if count == 1:
        emit(0)
        return
    loop = scf.ForOp(index(0), index(count), index(1))
    with ir.InsertionPoint(loop.body):
        emit(loop.induction_variable)
        scf.YieldOp([])


def _times(place: _Place, factor: int) -> _Place:
    if isinstance(place, int) or factor == 1:
        return place * factor if isinstance(place, int) else place
    return arith.muli(place, index(factor))


def _sum(left: _Place, right: _Place) -> _Place:
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    if left == 0 or right == 0:
        return right if left == 0 else left
    return arith.addi(*(index(one) if isinstance(one, int) else one for one in (left, right)))

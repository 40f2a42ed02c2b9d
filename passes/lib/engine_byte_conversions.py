"""Sums of byte tiles that the matrix engine converts to bytes, as linalg: found in epilogues, written, recognized."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hexagon_mlir.dialects.byte_conversions import BIAS, SUM, WORD, convert, read_conversion
from hexagon_mlir.dialects.engine_tiles import COLUMN_TABLE, TILE, byte_tiled_shape
from hexagon_mlir.dialects.engine_windows import Windows
from hexagon_mlir.ir import erase_op, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import addi, fill
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.engine_byte_generics import byte_type, elementwise, has_maps, word_type
from hexagon_mlir.passes.lib.engine_byte_products import product_of_byte_tiles
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.static_slices import insert
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

_CONVERSION = ("(rt, ct, r, c)", "(rt, ct, r, c)", "(ct, 0, c)", "(ct, 1, c)", "(rt, ct, r, c)")
_INPUTS = 3


class Conversion(NamedTuple):
    """``op`` converts sums of columns to bytes and does nothing else: i32 ``words`` and ``biases`` of the columns."""

    op: ir.Operation
    words: ir.Value
    biases: ir.Value


def find_conversion(op: ir.Operation | None, sums: ir.Value) -> Conversion | None:
    """The op that converts the i32 ``sums`` in the elementwise linalg.generic ``op``, which becomes two ops if it does
    more; None where there is none. Words and biases are indexed by the last loop, that of the columns.
    """
    if op is None or op.name != "linalg.generic":
        return None
    body, places = op.regions[0].blocks[0], list(op.operands)
    number = places.index(sums)
    for view in body.operations:
        found = read_conversion(view.operation.results[0]) if len(view.operation.results) == 1 else None
        if found is not None and found[SUM] == body.arguments[number]:
            numbers = [ir.BlockArgument(found[name]).arg_number if isinstance(found[name].owner, ir.Block) else -1
                       for name in (WORD, BIAS)]
            if -1 in numbers or not all(_of_last_loop(op, each) for each in numbers):
                return None
            words, biases = (places[each] for each in numbers)
            return Conversion(_split(op, view.operation, sums, words, biases), words, biases)
    return None


def _of_last_loop(op: ir.Operation, number: int) -> bool:
    map_ = ir.AffineMapAttr(list(indexing_maps(op) or ())[number]).value
    return number < input_count(op) and list(map_.results) == [ir.AffineDimExpr.get(map_.n_dims - 1)]


def _split(op: ir.Operation, last: ir.Operation, sums: ir.Value, words: ir.Value, biases: ir.Value) -> ir.Operation:
    """The conversion in ``op``, whose byte is the result of ``last``, as an op of its own before it."""
    old = op.regions[0].blocks[0]
    *inner, end = [view.operation for view in old.operations]
    if inner[-1] == last and end.operands[0] == last.results[0] and input_count(op) == _INPUTS:
        return op
    type_ = ir.RankedTensorType(sums.type)
    whole = ir.AffineMap.get_identity(type_.rank)
    column = ir.AffineMap.get(type_.rank, 0, [ir.AffineDimExpr.get(type_.rank - 1)])
    parallel = ["parallel"] * type_.rank
    with op.location, ir.InsertionPoint(op):
        converted = generic([sums, words, biases], tensor.empty(type_.shape, byte_type()),
                            [whole, column, column, whole], parallel,
                            lambda given: convert(dict(zip((SUM, WORD, BIAS), given, strict=False))))
        kept = [number for number, argument in enumerate(list(old.arguments)[:-1])
                if op.operands[number] != sums and _is_needed(argument, last)]
        maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(op) or ()]

        def rest(elements: Sequence[ir.Value]) -> ir.Value:
            mapping = {last.results[0]: elements[0],
                       **{old.arguments[number]: value for number, value in zip(kept, elements[1:], strict=False)}}
            for each in _after(inner, last):
                clone(each, mapping)
            return mapping.get(end.operands[0], end.operands[0])

        result = generic([converted, *(op.operands[number] for number in kept)], op.operands[-1],
                         [whole, *(maps[number] for number in kept), whole], parallel, rest)
    op.results[0].replace_all_uses_with(result)
    erase_op(op, "hexagon-matrix-engine")
    return converted.owner.operation


def _after(inner: Sequence[ir.Operation], last: ir.Operation) -> list[ir.Operation]:
    """The operations of a body that the byte of ``last`` does not need."""
    needed, pending = {last}, list(last.operands)
    while pending:
        owner = pending.pop().owner
        if not isinstance(owner, ir.Block) and owner.operation in inner and owner.operation not in needed:
            needed.add(owner.operation)
            pending += owner.operation.operands
    return [op for op in inner if op not in needed]


def _is_needed(argument: ir.Value, last: ir.Operation) -> bool:
    """Whether operations besides the conversion read ``argument``."""
    inner = [view.operation for view in last.block.operations]
    return any(use.owner.operation in _after(inner, last) for use in argument.uses)


def byte_tables(words: ir.Value, biases: ir.Value) -> ir.Value:
    """Column tables [N / 32][2][32] of i32 ``words`` and ``biases``, both [N / 32][32]."""
    columns = ir.RankedTensorType(words.type).shape[0]
    table = tcm_tensor([columns, *COLUMN_TABLE], word_type())
    for half, part in enumerate((words, biases)):
        shape = [columns, 1, TILE]
        each = tensor.expand_shape(ir.RankedTensorType.get(shape, word_type()), part, [[0, 1], [2]], [], shape)
        table = insert(each, table, (0, half, 0))
    return table


def sum_of_columns(first: ir.Value, second: ir.Value) -> ir.Value:
    """The sums of two i32 [N / 32][32]."""
    shape = ir.RankedTensorType(first.type).shape
    return elementwise([first, second], tcm_tensor(list(shape), word_type()), "(ct, c)", ["(ct, c)"] * 3, addi).result


def multiply_to_bytes(activations: ir.Value, weights: ir.Value, tables: ir.Value, rows: int = 0,
                      windows: Windows | None = None) -> ir.Value:
    """Bytes [M / 64][N / 32][64][32] of the sums of products of tiles, by the column ``tables``; otherwise as
    `hexagon_mlir.passes.lib.engine_byte_products.multiply_bytes`."""
    known, columns = (ir.RankedTensorType(value.type).shape[0] for value in (activations, weights))
    shape = byte_tiled_shape(rows or known, columns)
    sums = fill(constant(ir.IntegerAttr.get(word_type(), 0)), tcm_tensor(shape, word_type())).result
    product = product_of_byte_tiles(activations, weights, sums, windows).result
    return converting(product, tables, tcm_tensor(shape, byte_type())).result


def converting(sums: ir.Value, tables: ir.Value, into: ir.Value) -> ir.Operation:
    """The bytes of ``sums`` by the column ``tables``, written to ``into``: three tensors or three buffers."""
    return elementwise([sums, tables, tables], into, _CONVERSION[0], _CONVERSION[1:],
                       lambda total, word, bias: convert({SUM: total, WORD: word, BIAS: bias}))


def converts(op: ir.Operation) -> bool:
    """True for what `converting` writes, on tensors or on buffers."""
    if not has_maps(op, _CONVERSION, _INPUTS + 1) or op.operands[1] != op.operands[2]:
        return False
    body = op.regions[0].blocks[0]
    found = read_conversion(body.operations[len(list(body.operations)) - 1].operation.operands[0])
    return found is not None and [found[name] for name in (SUM, WORD, BIAS)] == list(body.arguments)[:_INPUTS]

"""Results of kernels that can be tiles of the matrix engine, and what reads them, read into plain records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from operator import mul

from hexagon_mlir.dialects.engine_tiles import TILE, tiles
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.matrix_engine.read import LEFT, RESULT, Matmul, read_matmul

RESHAPES = frozenset({"tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"})
_INSERT = "tensor.parallel_insert_slice"
_MOST_FILLED = 1.5
"""Times its rows that a matrix may have when they are filled up to whole tiles."""

Calls = Mapping[ir.Operation, ir.Operation]
"""The calls of a model, each with its kernel, which has no other call."""


@dataclass(frozen=True)
class Activation:
    """Result ``number`` of ``kernel``, which ``call`` returns: a matrix of ``shape``, of which ``forall`` makes the
    columns where they are those of heads. ``readers`` are the arguments of other kernels that it becomes."""

    call: ir.Operation
    kernel: ir.Operation
    number: int
    shape: tuple[int, int]
    readers: tuple[ir.BlockArgument, ...]
    forall: ir.Operation | None = None

    @property
    def returned(self) -> ir.Value:
        """The value that ``kernel`` returns."""
        *_, end = self.kernel.regions[0].blocks[0].operations
        return end.operation.operands[self.number]


def read_activation(call: ir.Operation, number: int, calls: Calls) -> Activation | str | None:
    """Result ``number`` of ``call``, if it can be tiles; why it cannot; None where other kernels do not multiply it."""
    readers = _readers(call.results[number], calls)
    shapes = {_multiplied(reader) for reader in readers or ()}
    shape = next(iter(shapes), None)
    if not readers or shape is None or len(shapes) > 1:
        return None
    rows, columns = shape
    if tiles(rows) * TILE > _MOST_FILLED * rows:
        return f"{rows} rows would be filled up to {tiles(rows) * TILE}"
    found = Activation(call, calls[call], number, shape, tuple(readers))
    if split(ir.RankedTensorType(found.returned.type).shape, shape) is None:
        return "its dimensions are not those of the matrix"
    made = without_reshapes(found.returned)
    if isinstance(made.owner, ir.Block):
        return "the kernel returns an argument"
    if made.owner.operation.name == "scf.forall":
        forall = made.owner.operation
        heads = _makes_heads(forall, shape)
        return replace(found, forall=forall) if heads else "its columns are not whole tiles of heads"
    if columns % TILE:
        return f"{columns} columns are not whole tiles"
    if _product_of(found.returned, shape) is None:
        return "it is not computed element by element from a product of the matrix engine"
    return found


def split(shape: list[int], matrix: tuple[int, int]) -> int | None:
    """How many dimensions of ``shape`` are the rows of ``matrix``; None where it has other elements."""
    rows, columns = matrix
    if len(shape) < 2 or prod(shape) != rows * columns:
        return None
    sizes = list(accumulate(shape, mul))
    return sizes.index(rows) + 1 if rows in sizes[:-1] else None


def without_reshapes(value: ir.Value) -> ir.Value:
    """What ``value`` is a view of."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in RESHAPES:
        value = value.owner.operation.operands[0]
    return value


def uses_of(value: ir.Value) -> Iterator[ir.OpOperand]:
    """The uses of ``value`` and of its views by other ops."""
    for use in value.uses:
        op = use.owner.operation
        if op.name in RESHAPES:
            yield from uses_of(op.results[0])
        else:
            yield use


def _readers(result: ir.Value, calls: Calls) -> list[ir.BlockArgument] | None:
    """The arguments of kernels that ``result`` becomes; None where something else reads it."""
    found = []
    for use in uses_of(result):
        kernel = calls.get(use.owner.operation)
        if kernel is None:
            return None
        found.append(ir.BlockArgument(kernel.regions[0].blocks[0].arguments[use.operand_number]))
    return found


def _multiplied(argument: ir.BlockArgument) -> tuple[int, int] | None:
    """The shape of the matrix of f16 that ``argument`` is, where it is nothing but the left factor of products with
    tiles of weights."""
    shapes = set()
    for use in uses_of(argument):
        op = use.owner.operation
        found = read_matmul(op) if use.operand_number == LEFT else None
        if not isinstance(found, Matmul) or not _is_packed(found) or found.transposed(LEFT):
            return None
        rows, _, depth = found.sizes
        shapes.add((rows, depth))
    return shapes.pop() if len(shapes) == 1 else None


def _is_packed(matmul: Matmul) -> bool:
    """Whether the engine computes ``matmul``, one product, whose weights it has as tiles."""
    return matmul.packed is not None and matmul.codes is None and not matmul.batches


def _product_of(value: ir.Value, shape: tuple[int, int]) -> ir.Operation | None:
    """The product of ``shape`` of which elementwise ops alone make ``value``, and of nothing else of this size."""
    value = without_reshapes(value)
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    found = read_matmul(op)
    if isinstance(found, Matmul):
        rows, columns, _ = found.sizes
        return op if _is_packed(found) and (rows, columns) == shape and not found.transposed(RESULT) else None
    if op.name != "linalg.generic" or any("parallel" not in str(kind) for kind in op.attributes["iterator_types"]):
        return None
    sources = set()
    for operand, map_ in zip(list(op.operands)[:input_count(op)], op.attributes["indexing_maps"], strict=False):
        if isinstance(operand.type, ir.RankedTensorType) and prod(ir.RankedTensorType(operand.type).shape) == prod(
                shape):
            rank = ir.RankedTensorType(operand.type).rank
            plain = ir.AffineMapAttr(map_).value == ir.AffineMap.get_identity(rank, op.context)
            sources.add(_product_of(operand, shape) if plain else None)
    return sources.pop() if len(sources) == 1 else None


def _makes_heads(forall: ir.Operation, shape: tuple[int, int]) -> bool:
    """Whether each iteration of ``forall``, whose only result is a matrix of ``shape``, makes all rows of the columns
    of one head, in whole tiles, in the order of heads."""
    body = forall.regions[0].blocks[0]
    *_, end = body.operations
    inserts = [op.operation for op in end.operation.regions[0].blocks[0].operations]
    if len(forall.results) != 1 or len(inserts) != 1 or inserts[0].name != _INSERT or len(body.arguments) != 2:
        return False
    insert, (rows, columns) = inserts[0], shape
    type_ = ir.RankedTensorType(insert.operands[0].type)
    source, whole = list(type_.shape), list(ir.RankedTensorType(forall.results[0].type).shape)
    offsets, sizes = (list(ir.DenseI64ArrayAttr(insert.attributes[f"static_{name}"])) for name in ("offsets", "sizes"))
    dynamic = ir.ShapedType.get_dynamic_size()
    if len(source) != 2 or source[0] != rows or source[1] % TILE or offsets.count(dynamic) != 1:
        return False
    head = offsets.index(dynamic)
    return (isinstance(type_.element_type, ir.F16Type) and insert.operands[2] == body.arguments[0]
            and whole[head] * source[1] == columns and whole[head + 1:] == source[1:] and sizes[head] == 1
            and prod(whole[:head]) == rows and prod(sizes[:head]) == rows)

"""Products of matrices that the engine can compute, read into plain records."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hexagon_mlir.dialects.packed_weights import sums_of, tiles_of
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import element_bytes, input_count
from hexagon_mlir.passes.lib.block_weights import BlockWeights, weights_for_engine
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.engine_tiles import fills_zero, is_zero, only_rounds
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.matrix_engine.folding import Folding, read_folding

Dims = tuple[int, ...]
_FACTORS = 2
LEFT, RIGHT, RESULT = range(3)
"""Operands of a product."""
_SECOND_HALF_BYTES = 4


@dataclass(frozen=True)
class Matmul:
    """``result[b.., m, n] = sum over k of left[b.., m, k] * right[b.., k, n]`` of f16, from zero, in any order of
    dimensions.

    ``reads`` has the loops that index each dimension of left, right and result. ``row``, ``column`` and ``reduction``
    are loops, the others are batches; ``extents`` are iterations. ``epilogue`` is the only op that reads the result,
    element by element; None where the result is of f16 itself, where all that read it round it to f16 (`round_once`),
    or where others read it. ``in_f32``: the result is of f32, and not only read to be rounded to f16. ``folding``: what
    is done of the epilogue while the result is read out. ``converted`` is an op between product and epilogue that the
    engine computes as a whole: the epilogue reads its result.
    """

    op: ir.Operation
    epilogue: ir.Operation | None
    reads: tuple[Dims, Dims, Dims]
    extents: Dims
    row: int
    column: int
    reduction: int
    in_f32: bool = False
    folding: Folding | None = None
    converted: ir.Operation | None = None

    @property
    def last(self) -> ir.Operation:
        """The op whose result the blocks make."""
        return self.epilogue or self.converted or self.op

    @property
    def read_out(self) -> ir.Value:
        """What the engine gives, and the epilogue reads."""
        return (self.converted or self.op).results[0]

    @property
    def packed(self) -> ir.Value | None:
        """The tiles, or the codes, that the right factor is made of; None for one that is a matrix."""
        codes = self.codes
        return tiles_of(self.op.operands[1]) if codes is None else codes.codes

    @property
    def codes(self) -> BlockWeights | None:
        """The right factor, if its tiles are made of codes."""
        return weights_for_engine(self.op.operands[1])

    @property
    def column_sums(self) -> ir.Value | None:
        """What signed bytes of the left factor add to the sum of each column, where tiles came with it."""
        return sums_of(self.op.operands[1])

    @property
    def element(self) -> ir.Type:
        """Of the result of the product itself."""
        return ir.RankedTensorType(self.op.results[0].type).element_type

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Rows, columns and steps of the reduction of one product."""
        return self.extents[self.row], self.extents[self.column], self.extents[self.reduction]

    @property
    def batches(self) -> list[int]:
        """The loops over products."""
        return [loop for loop in range(len(self.extents)) if loop not in (self.row, self.column, self.reduction)]

    @property
    def only_converts(self) -> bool:
        """True for an epilogue of which nothing is left when the result is read out."""
        if self.epilogue is None or self.folding is None:
            return self.epilogue is not None and only_rounds(self.epilogue)
        *_, end = self.epilogue.regions[0].blocks[0].operations
        return end.operation.operands[0] == self.folding.value

    @property
    def epilogue_bytes(self) -> int:
        """Of what the epilogue reads, besides the result, and writes for each element of it; and what a result of f32
        takes more than one of f16, as tiles and as rows."""
        wide = _SECOND_HALF_BYTES if self.in_f32 else 0
        if self.epilogue is None or self.only_converts:
            return wide
        types = [ir.RankedTensorType(value.type) for value in self.epilogue.operands if value != self.read_out]
        return wide + sum(element_bytes(type_.element_type) for type_ in types if type_.rank == len(self.reads[2]))

    def transposed(self, operand: int) -> bool:
        """True for an operand (left, right, result) whose rows are its later dimension."""
        first, second = [(self.row, self.reduction), (self.reduction, self.column), (self.row, self.column)][operand]
        return self.reads[operand].index(first) > self.reads[operand].index(second)


def read_matmul(op: ir.Operation, folds: bool = True) -> Matmul | str | None:
    """What linalg op ``op`` on tensors multiplies; why the engine cannot; None for what is no product of two tensors
    with reductions. Without ``folds`` the engine does nothing of the epilogue."""
    found = read_product(op)
    if not isinstance(found, Matmul):
        return found
    types = [ir.RankedTensorType(value.type) for value in op.operands]
    if not all(isinstance(type_.element_type, ir.F16Type) for type_ in types[:2]):
        return f"factors of {types[0].element_type} and {types[1].element_type}, not f16"
    if not starts_from_zero(op.operands[2]):
        return "its sums do not start from zero"
    if not isinstance(types[2].element_type, ir.F16Type | ir.F32Type):
        return f"sums of {types[2].element_type}, not f16 or f32"
    epilogue, in_f32 = _epilogue(op)
    reader = elementwise_user(op) if folds else None
    if reader is not None:
        place = list(reader.operands).index(op.results[0])
        folding = read_folding(reader, place, found.reads[2].index(found.column))
        if folding is not None:
            return replace(found, epilogue=reader, in_f32=folding.in_f32, folding=folding)
    return replace(found, epilogue=epilogue, in_f32=in_f32)


def read_product(op: ir.Operation) -> Matmul | str | None:
    """`read_matmul` for elements of any type, without epilogue, and sums that start from anything."""
    maps = indexing_maps(op) if op.name.startswith("linalg.") and len(op.results) == 1 else None
    if maps is None or len(maps) != 3 or input_count(op) != 2 or not multiplies_and_adds(op):
        return None
    types = [ir.RankedTensorType(value.type) for value in op.operands]
    left, right, result = (_dims(ir.AffineMapAttr(map_).value) for map_ in maps)
    if left is None or right is None or result is None:
        return "not a product of matrices: an index is not a loop"
    if not all(type_.has_static_shape for type_ in types) or any(0 in type_.shape for type_ in types):
        return "its sizes are not known, or it is empty"
    sides = [set(left) & set(result) - set(right), set(right) & set(result) - set(left),
             set(left) & set(right) - set(result)]
    batches = set(left) & set(right) & set(result)
    if [len(dims) for dims in sides] != [1, 1, 1] or len(batches) + 3 != ir.AffineMapAttr(maps[0]).value.n_dims:
        return "not a product of matrices: there are several loops of rows, of columns or of the reduction, or none"
    extents = {dim: size for dims, type_ in zip((left, right, result), types, strict=True)
               for dim, size in zip(dims, type_.shape, strict=True)}
    row, column, reduction = (min(dims) for dims in sides)
    return Matmul(op, None, (left, right, result), tuple(extents[dim] for dim in range(len(extents))),
                  row, column, reduction)


def _dims(map_: ir.AffineMap) -> Dims | None:
    """The loops that index each dimension, each once; None for other maps."""
    dims = tuple(result.position if isinstance(result, ir.AffineDimExpr) else -1 for result in map_.results)
    return None if -1 in dims or len(set(dims)) < len(dims) else dims


def _epilogue(op: ir.Operation) -> tuple[ir.Operation | None, bool]:
    """The only user of the f32 sums of ``op``, if it is an elementwise op; whether the sums are read as f32."""
    if isinstance(ir.RankedTensorType(op.results[0].type).element_type, ir.F16Type):
        return None, False
    if _is_rounded_by_all(op.results[0]):
        return elementwise_user(op), False
    return elementwise_user(op), True


def elementwise_user(op: ir.Operation) -> ir.Operation | None:
    """The only op that reads the sums of ``op``, element by element.

    None where it reads the f32 sums of another product too: the last of these products gets it as its epilogue.
    """
    type_ = ir.RankedTensorType(op.results[0].type)
    uses = list(op.results[0].uses)
    if len(uses) != 1:
        return None
    user, place = uses[0].owner.operation, uses[0].operand_number
    if user.name != "linalg.generic" or len(user.results) != 1 or place >= input_count(user) or user.block != op.block:
        return None
    if any("parallel" not in str(kind) for kind in user.attributes["iterator_types"]):
        return None
    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(user) or ()]
    identity = ir.AffineMap.get_identity(type_.rank)
    if maps[place] != identity or maps[-1] != identity or any(_dims(map_) is None for map_ in maps):
        return None
    body = user.regions[0].blocks[0]
    if any(inner.operation.name == "linalg.index" for inner in body.operations):
        return None
    unread = not any(True for _ in body.arguments[len(maps) - 1].uses)
    tensors = all(isinstance(value.type, ir.RankedTensorType) for value in user.operands)
    others = [value for number, value in enumerate(user.operands) if number != place]
    return user if tensors and unread and not any(map(_are_sums, others)) else None


def _are_sums(value: ir.Value) -> bool:
    """True for the f32 sums of another product."""
    if isinstance(value.owner, ir.Block) or not isinstance(ir.RankedTensorType(value.type).element_type, ir.F32Type):
        return False
    op = value.owner.operation
    return op.name.startswith("linalg.") and len(op.operands) == _FACTORS + 1 and multiplies_and_adds(op)


def _is_rounded_by_all(sums: ir.Value) -> bool:
    """True where linalg.generic ops alone read ``sums``, of f32, and round each element to f16 before all else."""
    uses = [(use.owner.operation, use.operand_number) for use in sums.uses]
    return bool(uses) and all(user.name == "linalg.generic" and number < input_count(user)
                              and _rounds_first(user, number) for user, number in uses)


def _rounds_first(op: ir.Operation, number: int) -> bool:
    """True where linalg.generic ``op`` reads its input ``number`` only to round it to f16."""
    readers = [use.owner.operation for use in op.regions[0].blocks[0].arguments[number].uses]
    return bool(readers) and all(reader.name == "arith.truncf" and isinstance(reader.results[0].type, ir.F16Type)
                                 for reader in readers)


def starts_from_zero(value: ir.Value) -> bool:
    """True for a tensor of zeros."""
    if isinstance(value.owner, ir.Block):
        return False
    owner = value.owner.operation
    if owner.name != "arith.constant":
        return fills_zero(owner)
    attribute = owner.attributes["value"]
    dense = isinstance(attribute, ir.DenseFPElementsAttr | ir.DenseIntElementsAttr)
    return dense and attribute.is_splat and is_zero(attribute.get_splat_value())

"""Products of matrices of bytes with sums of 32 bits, read into plain records."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.engine_byte_conversions import Conversion, find_conversion
from hexagon_mlir.passes.lib.engine_byte_tiles import unflipped
from hexagon_mlir.passes.lib.engine_nibbles import NibblePairs, nibble_pairs
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.matrix_engine.read import (
    RESULT,
    Dims,
    Matmul,
    elementwise_user,
    read_product,
    starts_from_zero,
)

_RIGHT = 1


@dataclass(frozen=True)
class ByteMatmul:
    """``result[b.., m, n] = start[b.., n] + sum over k of left[b.., m, k] * right[b.., k, n]`` of bytes, modulo 2**32.

    ``matmul.epilogue`` is any op that is the only one to read the result, element by element. Bytes of the left factor
    are ``signed`` or not, those of the right one are. ``flipped``: the left factor is 128 more, as the engine reads it.
    ``start_loops`` index ``start``, which is None for zeros. With ``conversion`` the result is bytes.
    """

    matmul: Matmul
    signed: bool
    start: ir.Value | None
    start_loops: Dims = ()
    conversion: Conversion | None = None
    flipped: bool = False

    @property
    def nibble_pairs(self) -> NibblePairs | None:
        """The bytes that the right factor has the nibbles of; None for any other factor."""
        matmul = self.matmul
        return None if matmul.batches or matmul.transposed(_RIGHT) else nibble_pairs(matmul.op.operands[_RIGHT])

    def without_signs(self) -> ByteMatmul:
        """The same with the bytes, 128 more, that its left factor is computed from, if it is: its op reads them now."""
        source = unflipped(self.matmul.op.operands[0]) if self.signed else None
        if source is None:
            return self
        self.matmul.op.operands[0] = source
        return replace(self, flipped=True)

    def to_bytes(self) -> ByteMatmul:
        """The same, converted to bytes by the engine where that is how its epilogue begins."""
        matmul = self.matmul
        found = None if matmul.reads[RESULT][-1] != matmul.column else find_conversion(
            matmul.epilogue, matmul.op.results[0])
        if found is None:
            return self
        return replace(self, conversion=found, matmul=replace(
            matmul, converted=found.op, epilogue=elementwise_user(found.op)))


def read_byte_matmul(op: ir.Operation) -> ByteMatmul | str | None:
    """What linalg op ``op`` on tensors multiplies; why the engine cannot; None for what is no product of bytes."""
    found = read_product(op)
    if found is None or not all(is_byte(value) for value in list(op.operands)[:2]):
        return None
    if isinstance(found, str):
        return found
    if str(ir.RankedTensorType(op.operands[2].type).element_type) != "i32":
        return "its sums have not 32 bits"
    if found.transposed(2):
        return "its result is transposed"
    signs = [sign(argument) for argument in list(op.regions[0].blocks[0].arguments)[:2]]
    if signs[0] is None or not signs[1]:
        return "its weights have no sign"
    found = replace(found, epilogue=elementwise_user(op))
    if starts_from_zero(op.operands[2]):
        return ByteMatmul(found, signs[0], None)
    start = _of_columns(op.operands[2], found)
    if start is None:
        return "its sums start from a matrix"
    return ByteMatmul(found, signs[0], *start)


def is_byte(value: ir.Value) -> bool:
    """Whether the elements of ``value`` are bytes."""
    element = ir.ShapedType(value.type).element_type
    return isinstance(element, ir.IntegerType) and element.width == 8


def sign(argument: ir.Value) -> bool | None:
    """Whether ``argument`` is widened with its sign; None if it is both, or neither."""
    names = {use.owner.operation.name for use in argument.uses}
    return {("arith.extsi",): True, ("arith.extui",): False}.get(tuple(names))


def _of_columns(value: ir.Value, matmul: Matmul) -> tuple[ir.Value, Dims] | None:
    """A tensor with one element for each column, which is the same in all rows of ``value``; the loops that index it.
    """
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    if op.name not in ("linalg.broadcast", "linalg.generic") or len(op.operands) != 2 or input_count(op) != 1:
        return None
    body, maps = op.regions[0].blocks[0], [ir.AffineMapAttr(map_).value for map_ in indexing_maps(op) or ()]
    if body.operations[0].operation.name != "linalg.yield" or body.operations[0].operands[0] != body.arguments[0]:
        return None
    if maps[1] != ir.AffineMap.get_identity(maps[1].n_dims) or not all(
            isinstance(result, ir.AffineDimExpr) for result in maps[0].results):
        return None
    loops = tuple(matmul.reads[2][ir.AffineDimExpr(result).position] for result in maps[0].results)
    fits = loops and loops[-1] == matmul.column and matmul.row not in loops and len(set(loops)) == len(loops)
    return (op.operands[0], loops) if fits else None

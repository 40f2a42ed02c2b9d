"""What is done of an epilogue while results are read out: a bias for each column, a maximum with zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import TILE, tiles
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.make import cast
from hexagon_mlir.passes.lib.engine_conversions import is_greater, is_zero
from hexagon_mlir.passes.lib.engine_tiles import zeros
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy, tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps


@dataclass(frozen=True)
class Folding:
    """What the engine computes of an epilogue: ``f16(max(sum + bias, 0))``, the maximum only where ``positive``; or
    ``sum + bias`` of f32, where HVX adds the bias to the pieces of the sum.

    ``value`` is the value of the epilogue's body that this is; ``ops`` are those that compute it there; ``bias`` is
    the number of the input with a bias for each column, of f16 if the engine adds it, None where there is none.
    """

    value: ir.Value
    ops: tuple[ir.Operation, ...]
    bias: int | None
    positive: bool

    @property
    def in_f32(self) -> bool:
        """Whether the result is not rounded."""
        return isinstance(self.value.type, ir.F32Type)


def read_folding(epilogue: ir.Operation, place: int, column: int) -> Folding | None:
    """What can be folded of ``epilogue``, which reads sums as its input ``place``, and whose loop ``column`` is along
    the columns; None where that is nothing.

    Sums of f32 that the epilogue does not round before the bias is added must be rounded after the maximum. A bias of
    f16 is exact in the engine, which rounds once: the result is closer than that of rounding before and after. A bias
    is added to sums of f32 where that is all that can be done.
    """
    body = epilogue.regions[0].blocks[0]
    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(epilogue) or ()]
    value, ops = body.arguments[place], list[ir.Operation]()
    best: Folding | None = None
    bias, positive = None, False
    wide = _wide(value, body, maps, column)
    while True:
        users = list(dict.fromkeys(use.owner.operation for use in value.uses))
        maximum = None if positive else _maximum(value, users)
        if maximum is not None:
            positive = True
            ops += maximum
        elif len(users) != 1:
            return best or wide
        elif users[0].name == "arith.truncf" and isinstance(users[0].results[0].type, ir.F16Type):
            ops.append(users[0])
        elif users[0].name == "arith.addf" and bias is None and not positive:
            bias, widening = _bias(users[0], value, body, maps, column)
            if bias is None:
                return best or wide
            ops += [*widening, users[0]]
        else:
            return best or wide
        value = ops[-1].results[0]
        if isinstance(value.type, ir.F16Type) and (bias is not None or positive):
            best = Folding(value, tuple(ops), bias, positive)


def _wide(sums: ir.Value, body: ir.Block, maps: Sequence[ir.AffineMap], column: int) -> Folding | None:
    """The bias that is added to ``sums`` of f32 before all else."""
    users = [use.owner.operation for use in sums.uses]
    if len(users) != 1 or users[0].name != "arith.addf" or not isinstance(sums.type, ir.F32Type):
        return None
    bias, widening = _bias(users[0], sums, body, maps, column, (ir.F16Type, ir.F32Type))
    return None if bias is None else Folding(users[0].results[0], (*widening, users[0]), bias, False)


def _maximum(value: ir.Value, users: Sequence[ir.Operation]) -> list[ir.Operation] | None:
    """The ``users`` of ``value`` where they are the maximum with zero, in order."""
    if len(users) == 1 and users[0].name == "arith.maximumf" and any(map(is_zero, users[0].operands)):
        return list(users)
    names = {user.name: user for user in users}
    if len(users) != 2 or set(names) != {"arith.cmpf", "arith.select"}:
        return None
    compare, select = names["arith.cmpf"], names["arith.select"]
    alone = len(list(compare.results[0].uses)) == 1 and select.operands[0] == compare.results[0]
    operands = [compare.operands[0], select.operands[1]]
    if is_greater(compare) and alone and operands == [value, value] and is_zero(compare.operands[1]) \
            and is_zero(select.operands[2]):
        return [compare, select]
    return None


def _bias(add: ir.Operation, value: ir.Value, body: ir.Block, maps: Sequence[ir.AffineMap], column: int,
          kinds: tuple[type[ir.Type], ...] = (ir.F16Type,)) -> tuple[int | None, list[ir.Operation]]:
    """The number of the input, one of ``kinds`` for each column, that ``add`` adds to ``value``, and the op that
    extends it.
    """
    other = next((operand for operand in add.operands if operand != value), value)
    widening = []
    if not isinstance(other.owner, ir.Block) and other.owner.operation.name == "arith.extf" \
            and len(list(other.uses)) == 1:
        widening = [other.owner.operation]
        other = widening[0].operands[0]
    if other not in list(body.arguments)[:len(maps) - 1] or not isinstance(other.type, kinds):
        return None, []
    number = list(body.arguments).index(other)
    along = maps[number].results
    one = len(along) == 1 and isinstance(along[0], ir.AffineDimExpr) and along[0].position == column
    return (number, widening) if one else (None, [])


def bias_bytes(columns: int) -> int:
    """Of TCM for a bias of so many columns, as f16 and as f32, and for the tables that are made of it."""
    return _BIAS_BYTES * columns


_BIAS_BYTES = 14


def bias_tiles(bias: ir.Value) -> ir.Value:
    """``bias``, f16 or f32, as f32 in TCM: [columns of tiles, columns of a tile], filled up with zeros."""
    type_, f32 = ir.RankedTensorType(bias.type), ir.F32Type.get()
    count, = type_.shape
    whole = TILE * tiles(count)
    wide = tcm_copy(bias)
    if count != whole:
        wide = tensor.InsertSliceOp(wide, zeros(tcm_tensor([whole], type_.element_type)), [], [], [], [0], [count],
                                    [1]).result
    if type_.element_type != f32:
        same = ir.AffineMap.get_identity(1)
        wide = generic([wide], tcm_tensor([whole], f32), [same, same], ["parallel"],
                       lambda elements: cast("arith.extf", f32, elements[0]))
    shape = [whole // TILE, TILE]
    return tensor.expand_shape(ir.RankedTensorType.get(shape, f32), wide, [[0, 1]], [], shape)


def of_columns(bias: ir.Value, first: ir.Value, offset: int, count: int) -> ir.Value:
    """The part of `bias_tiles` for ``count`` tiles from column ``first`` + ``offset`` on, both multiples of a tile."""
    type_ = ir.RankedTensorType(bias.type)
    if type_.shape[0] == count:
        return bias
    start = arith.addi(arith.divui(first, index(TILE)), index(offset // TILE))
    dynamic = ir.ShapedType.get_dynamic_size()
    return tensor.ExtractSliceOp(ir.RankedTensorType.get([count, TILE], type_.element_type), bias, [start], [], [],
                                 [dynamic, 0], [count, TILE], [1, 1]).result

"""Matrices whose elements are halves of the bytes of another: which halves, computed in any way."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hexagon_mlir.dialects.nibble_weights import NIBBLE_BITS, NIBBLES_PER_BYTE
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.engine_byte_generics import byte_type
from hexagon_mlir.passes.lib.engine_byte_tiles import is_plain_copy
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.nibbles.evaluate import ALL_BYTES, Numbers, evaluated

_MASK = (1 << NIBBLE_BITS) - 1
_SIGN = 1 << NIBBLE_BITS - 1
_NOT_OF_BYTES = "it is not computed from bytes alone"


@dataclass(frozen=True)
class Unpacking:
    """The two halves of each of ``packed``, bytes, next to each other along ``axis``; the lower one comes first.

    Halves are ``signed``, or with 8 subtracted where they are ``offset``.
    """

    packed: ir.Value
    axis: int
    signed: bool
    offset: bool = False


def read_unpacking(matrix: ir.Value) -> Unpacking | str | None:
    """What ``matrix`` has the halves of; why it is not known to have, and None for one that is not joined of two."""
    collapse = maker(matrix, "tensor.collapse_shape")
    axis = None if collapse is None else _joined_axis(collapse)
    if collapse is None or axis is None:
        return None
    wide = maker(collapse.operands[0], "linalg.generic")
    if wide is not None and _repeats(wide, axis):
        return _of_repeated(wide, axis)
    parts = _parts(collapse.operands[0], axis)
    if parts is None:
        return None
    low, high = (_of_bytes(part) for part in parts)
    if isinstance(low, str):
        return low
    if isinstance(high, str):
        return high
    (packed, of_low), (other, of_high) = low, high
    return _unpacking(packed, axis, of_low, of_high) if packed == other else "its halves are of different tensors"


def _unpacking(packed: ir.Value, axis: int, low: Numbers, high: Numbers) -> Unpacking | str:
    """The unpacking that gives ``low`` and ``high`` of all bytes."""
    halves = ALL_BYTES & _MASK, ALL_BYTES >> NIBBLE_BITS & _MASK
    for signed, offset, flip, less in ((True, False, _SIGN, _SIGN), (False, False, 0, 0), (True, True, 0, _SIGN)):
        if all(np.array_equal(given, (half ^ flip) - less) for given, half in zip((low, high), halves, strict=True)):
            return Unpacking(packed, axis, signed, offset)
    return "it has no halves of bytes, the lower one first"


def _joined_axis(collapse: ir.Operation) -> int | None:
    """The dimension of the result that ``collapse`` makes of two, the second of which has both halves of a byte."""
    groups = [[ir.IntegerAttr(dim).value for dim in ir.ArrayAttr(group)]
              for group in ir.ArrayAttr(collapse.attributes["reassociation"])]
    joined = [axis for axis, group in enumerate(groups) if len(group) > 1]
    if len(joined) != 1 or len(groups[joined[0]]) != 2:
        return None
    size = ir.RankedTensorType(collapse.operands[0].type).shape[groups[joined[0]][1]]
    return joined[0] if size == NIBBLES_PER_BYTE else None


def _repeats(wide: ir.Operation, axis: int) -> bool:
    """Whether ``wide`` computes both elements next to each other along the dimension after ``axis`` of one."""
    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(wide) or ()]
    if len(wide.operands) != 2 or input_count(wide) != 1 or len(maps) != 2:
        return False
    loops = [ir.AffineDimExpr.get(loop) for loop in range(maps[0].n_dims)]
    return maps == [ir.AffineMap.get(len(loops), 0, [*loops[:axis + 1], *loops[axis + 2:]]),
                    ir.AffineMap.get_identity(len(loops))]


def _of_repeated(wide: ir.Operation, axis: int) -> Unpacking | str:
    """What `_repeats` computes of each byte, which must be the same for all bytes along ``axis``."""
    of_bytes = _of_bytes(wide.operands[0])
    if isinstance(of_bytes, str):
        return of_bytes
    packed, numbers = of_bytes
    places = np.arange(ir.RankedTensorType(packed.type).shape[axis], dtype=np.int64)
    halves = []
    for half in range(NIBBLES_PER_BYTE):
        found = evaluated(wide, [numbers[:, None]], {axis: places, axis + 1: np.asarray(half, np.int64)})
        if found is None:
            return _NOT_OF_BYTES
        found = np.broadcast_to(found, (len(numbers), len(places)))
        if not np.array_equal(found, np.broadcast_to(found[:, :1], found.shape)):
            return "its bytes are unpacked in different ways"
        halves.append(found[:, 0])
    return _unpacking(packed, axis, *halves)


def _parts(wide: ir.Value, axis: int) -> list[ir.Value] | None:
    """The two tensors that ``wide`` has next to each other along the dimension after ``axis``."""
    copy = maker(wide, "linalg.generic")
    if copy is None or len(copy.operands) != 2 or not is_plain_copy(copy):
        return None
    rank = ir.RankedTensorType(wide.type).rank
    source, target = (ir.AffineMapAttr(map_).value for map_ in indexing_maps(copy) or ())
    loops = list(range(rank))
    moved = [axis + 1, *loops[:axis + 1], *loops[axis + 2:]]
    expected = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(loop) for loop in moved])
    if target != ir.AffineMap.get_identity(rank) or source != expected:
        return None
    parts: list[ir.Value] = []
    value = copy.operands[0]
    for number in reversed(range(NIBBLES_PER_BYTE)):
        insert = maker(value, "tensor.insert_slice")
        if insert is None or not _inserts(insert, number):
            return None
        parts.insert(0, insert.operands[0])
        value = insert.operands[1]
    return parts


def _inserts(insert: ir.Operation, number: int) -> bool:
    """Whether ``insert`` writes all of the first dimension's index ``number``."""
    shape = list(ir.RankedTensorType(insert.results[0].type).shape)
    offsets, sizes, strides = (list(ir.DenseI64ArrayAttr(insert.attributes[f"static_{name}"]))
                               for name in ("offsets", "sizes", "strides"))
    return (offsets == [number, *[0] * (len(shape) - 1)] and sizes == [1, *shape[1:]] and set(strides) == {1}
            and list(ir.RankedTensorType(insert.operands[0].type).shape) == shape[1:])


def _of_bytes(value: ir.Value) -> tuple[ir.Value, Numbers] | str:
    """The bytes that ``value`` is computed from, element by element, and what it is of each byte; why that is not
    known."""
    ops: list[ir.Operation] = []
    while (op := maker(value, "linalg.generic")) is not None and _is_elementwise(op):
        ops.insert(0, op)
        value = op.operands[0]
    if ir.RankedTensorType(value.type).element_type != byte_type():
        return "it is not computed from bytes"
    numbers: Numbers | None = ALL_BYTES
    for op in ops:
        numbers = None if numbers is None else evaluated(op, [numbers])
    return _NOT_OF_BYTES if numbers is None else (value, numbers)


def _is_elementwise(op: ir.Operation) -> bool:
    """Whether linalg.generic ``op`` computes each element from that of one other tensor."""
    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(op) or ()]
    return len(op.operands) == 2 and input_count(op) == 1 and all(
        isinstance(value.type, ir.RankedTensorType) for value in op.operands) and all(
        one == other == ir.AffineMap.get_identity(one.n_dims) for one, other in pairwise(maps))


def maker(value: ir.Value, name: str) -> ir.Operation | None:
    """The op called ``name`` that makes ``value``, if one does."""
    return None if isinstance(value.owner, ir.Block) or value.owner.operation.name != name else value.owner.operation

"""Loops that unpack bytes block by block, and collect the blocks."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.nibble_weights import NIBBLES_PER_BYTE
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.bounds import multiple_of
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.make import binary
from hexagon_mlir.passes.lib.engine_byte_generics import byte_type
from hexagon_mlir.passes.nibbles.read import Unpacking, maker, read_unpacking

_BOUNDS = 3
"""Operands of scf.for before the values that it carries."""


@dataclass(frozen=True)
class Collected:
    """A tensor that a loop carries: ``insert`` writes a block to it, at ``offset`` along ``axis``, which the loop has
    unpacked."""

    insert: ir.Operation
    unpacking: Unpacking
    axis: int
    offset: ir.Value


def read_collected(loop: ir.Operation, place: int) -> Collected | str | None:
    """How scf.for ``loop`` collects its result ``place``; why its blocks stay as they are, and None where it unpacks
    none."""
    body = loop.regions[0].blocks[0]
    insert = maker(list(body.operations)[-1].operation.operands[place], "tensor.insert_slice")
    unpacking = None if insert is None else read_unpacking(insert.operands[0])
    if insert is None or not isinstance(unpacking, Unpacking):
        return unpacking
    whole, (_, _, *moved) = body.arguments[place + 1], insert.operands
    if insert.operands[1] != whole or len(list(whole.uses)) != 1 or len(list(insert.results[0].uses)) != 1 or maker(
            loop.operands[_BOUNDS + place], "tensor.empty") is None:
        return "the loop reads what it has collected, or starts from more than a new tensor"
    offsets = list(ir.DenseI64ArrayAttr(insert.attributes["static_offsets"]))
    axes = [axis for axis, offset in enumerate(offsets) if offset]
    if len(moved) != 1 or len(axes) != 1 or set(ir.DenseI64ArrayAttr(insert.attributes["static_strides"])) != {1}:
        return "blocks are not next to each other along one dimension"
    if axes[0] == unpacking.axis and multiple_of(moved[0]) % NIBBLES_PER_BYTE:
        return "blocks may start within a byte"
    return Collected(insert, unpacking, axes[0], moved[0])


def collect_bytes(collected: Collected, loop: ir.Operation, place: int) -> None:
    """Let ``loop`` collect the bytes that it has unpacked, as its result ``place``."""
    insert, packed, axis = collected.insert, collected.unpacking.packed, collected.unpacking.axis
    shape = list(ir.RankedTensorType(loop.results[place].type).shape)
    shape[axis] //= NIBBLES_PER_BYTE
    with ir.InsertionPoint(loop):
        loop.operands[_BOUNDS + place] = tensor.empty(shape, byte_type())
    whole = loop.regions[0].blocks[0].arguments[place + 1]
    for value in (whole, loop.results[place]):
        value.set_type(ir.RankedTensorType.get(shape, byte_type()))
    with ir.InsertionPoint(insert):
        offset = collected.offset if collected.axis != axis else binary(
            "arith.divui", collected.offset, index(NIBBLES_PER_BYTE))
        offsets = [ir.ShapedType.get_dynamic_size() if dim == collected.axis else 0 for dim in range(len(shape))]
        sizes = list(ir.RankedTensorType(packed.type).shape)
        insert.results[0].replace_all_uses_with(tensor.InsertSliceOp(
            packed, whole, [offset], [], [], offsets, sizes, [1] * len(shape)).result)

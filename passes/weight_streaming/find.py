"""Finds the fetches of a kernel's first tiles, the work on such a tile, and where fetches end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects import tcm_slots
from hexagon_mlir.dialects.double_buffering import PREFETCH
from hexagon_mlir.dialects.kernel_memory import Tile
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.buffers import VIEWS, root_buffer, uses_of_buffer
from hexagon_mlir.ir.order import ancestor_in, nested_ops
from hexagon_mlir.ir.query import element_bytes, in_tcm, ops_named, static_bytes

_FETCHES = ("memref.copy", "memref.dma_start")
_NAMES = VIEWS | {"memref.alloc", "memref.dealloc", "arith.constant"}
"""Operations that move nothing."""


@dataclass(frozen=True)
class FirstTile:
    """``fetch`` brings all of ``tile`` into ``slot``, a part of the arena from ``offset`` on."""

    fetch: ir.Operation
    slot: ir.Operation
    offset: int
    tile: Tile


def find_first_tiles(block: ir.Block, arena: ir.Operation, given: Collection[int]) -> list[FirstTile]:
    """The transfers, in order, that ``block``, the kernel's body, always makes, each the first into a slot of
    ``arena``.

    The source is an argument whose number is among ``given``; no other view of the arena begins within the slot.
    """
    return [one for view in block.operations if view.operation.name in _FETCHES
            and (one := _read(view.operation, arena)) is not None and one.tile.argument in given
            and _is_separable(one, arena) and not _used_before(one, block)]


def count_started_first(found: Sequence[FirstTile], block: ir.Block, least_bytes: int) -> int:
    """How many of ``found``, which are in order, can be started where ``block`` begins: those before which nothing else
    moves ``least_bytes`` to TCM, which these transfers would delay."""
    own = {one.fetch for one in found}
    count = 0
    for view in block.operations:
        op = view.operation
        if op in own:
            count += 1
        elif fetches(op, least_bytes):
            break
    return count


def find_work(first: FirstTile, block: ir.Block) -> ir.Operation | None:
    """The last operation of ``block`` that reads the slot of ``first``."""
    users = [ancestor_in(use.owner.operation, block) for use in uses_of_buffer(first.slot.results[0])]
    work = [op for op in users if op is not None and op.name not in VIEWS and op != first.fetch]
    places = {op: number for number, op in enumerate(view.operation for view in block.operations)}
    return max(work, key=lambda op: places[op], default=None)


def find_starts(work: ir.Operation) -> list[ir.Operation] | str:
    """Places where the last fetch of ``work`` has been started, or why there are none.

    ``work`` itself means before it: it has no fetches inside. Otherwise the places are the guarded prefetches of the
    loop ``work``; where a guard is false, no fetch is left.
    """
    guards = [op for op in nested_ops(work) if op.name == "scf.if" and PREFETCH in op.attributes]
    for op in nested_ops(work):
        if op.name in _FETCHES and [in_tcm(ir.MemRefType(end.type)) for end in _ends(op)] == [False, True]:
            inside = [guard for guard in guards if _holds(guard, op)]
            if not inside or _loop_around(inside[0]) != work:
                return "the loop fetches in more than one way"
    return guards or [work]


def find_starts_after_fetches(block: ir.Block, least_bytes: int,
                              besides: Collection[ir.Operation] = ()) -> list[ir.Operation]:
    """Places in ``block``, the kernel's body, where its last transfer to TCM has been started, those of ``besides``
    apart.

    They are the guarded prefetches of the loop that fetches last, if there are no others in it; else the operation
    after the last one that fetches. The core copies fewer than ``least_bytes`` itself.
    """
    operations = [view.operation for view in block.operations]
    last = next((number for number in reversed(range(len(operations)))
                 if operations[number] not in besides and fetches(operations[number], least_bytes)), -1)
    guards = find_starts(operations[last]) if last >= 0 else []
    if not isinstance(guards, str) and guards[:1] not in ([], [operations[last]]):
        return guards
    return next([op] for op in operations[last + 1:] if op.name not in _NAMES and op not in besides)


def last_fetching(block: ir.Block, least_bytes: int) -> ir.Operation | None:
    """The last operation of ``block`` that moves ``least_bytes`` to TCM."""
    operations = [view.operation for view in block.operations]
    return next((op for op in reversed(operations) if fetches(op, least_bytes)), None)


def fetches(op: ir.Operation, least_bytes: int) -> bool:
    """True where ``op``, or one inside it, moves ``least_bytes`` to TCM."""
    inside = ops_named(op, *_FETCHES) if len(op.regions) else [op] if op.name in _FETCHES else []
    for one in inside:
        if [in_tcm(ir.MemRefType(end.type)) for end in _ends(one)] == [False, True]:
            size = static_bytes(_ends(one)[1].type)
            if size is None or size >= least_bytes or one.name == "memref.dma_start":
                return True
    return False


def views_of(arena: ir.Operation) -> list[ir.Operation]:
    """The views of ``arena`` itself."""
    return [use.owner.operation for use in arena.results[0].uses if use.owner.operation.name == "memref.view"]


def _read(op: ir.Operation, arena: ir.Operation) -> FirstTile | None:
    source, target = _ends(op)
    length = pitch = None
    if op.name != "memref.copy":
        operands = list(op.operands)
        first = 1 + ir.MemRefType(source.type).rank
        second = first + 1 + ir.MemRefType(target.type).rank
        if any(constant_value(index) != 0 for index in (*operands[1:first], *operands[first + 1:second])):
            return None
        if len(operands) > second + 3:  # elements, tag and its index come first
            pitch, length = (constant_value(value) for value in operands[-2:])
            if pitch is None or length is None:
                return None
    place, slot = _argument(source), _slot(target, arena)
    if place is None or slot is None:
        return None
    block = _block(ir.MemRefType(source.type), pitch, length)
    size = ir.MemRefType(slot[0].results[0].type).shape[0]
    if block is None or size < block[0] * block[1]:
        return None
    return FirstTile(op, slot[0], slot[1], Tile(*place, *block, size))


def _ends(op: ir.Operation) -> tuple[ir.Value, ir.Value]:
    """Source and target of a transfer."""
    source = op.operands[0]
    return source, op.operands[1 if op.name == "memref.copy" else 1 + ir.MemRefType(source.type).rank]


def _argument(source: ir.Value) -> tuple[int, int] | None:
    """Number of the argument that ``source`` is part of, and its byte offset in that argument."""
    root = root_buffer(source)
    if not isinstance(root.owner, ir.Block) or not _is_entry(root.owner):
        return None
    type_, dynamic = ir.MemRefType(source.type), ir.ShapedType.get_dynamic_stride_or_offset()
    offset = type_.get_strides_and_offset()[1]
    if offset == dynamic:
        return None
    return ir.BlockArgument(root).arg_number, offset * element_bytes(type_.element_type)


def _is_entry(block: ir.Block) -> bool:
    return block.owner is not None and block.owner.operation.name == "func.func"


def _slot(target: ir.Value, arena: ir.Operation) -> tuple[ir.Operation, int] | None:
    """The slot at whose start the contiguous ``target`` is, and the slot's offset in the arena."""
    slot = None if isinstance(target.owner, ir.Block) else target.owner.operation
    while slot is not None and slot.name == "memref.view" and not tcm_slots.is_slot(slot):
        if constant_value(slot.operands[1]) != 0:
            return None
        owner = slot.operands[0].owner
        slot = None if isinstance(owner, ir.Block) else owner.operation
    if slot is None or not tcm_slots.is_slot(slot) or slot.operands[0] != arena.results[0]:
        return None
    offset = constant_value(slot.operands[1])
    return None if offset is None else (slot, offset)


def _block(type_: ir.MemRefType, pitch: int | None, length: int | None) -> tuple[int, int, int] | None:
    """(bytes per row, rows, row stride) of the fetch, where its source is one block."""
    total, width = static_bytes(type_), element_bytes(type_.element_type)
    if not total:
        return None
    if pitch is not None and length is not None:
        return length * width, total // (length * width), pitch * width
    strides, dynamic = type_.get_strides_and_offset()[0], ir.ShapedType.get_dynamic_stride_or_offset()
    run = 1
    for size, stride in zip(reversed(list(type_.shape)), reversed(strides), strict=True):
        if size > 1 and (stride == dynamic or stride != run):
            return None
        run *= size
    return total, 1, total


def _is_separable(first: FirstTile, arena: ir.Operation) -> bool:
    """True when no other view of the arena begins within the slot."""
    end = first.offset + ir.MemRefType(first.slot.results[0].type).shape[0]
    return all(view == first.slot or not first.offset <= base_of(view.operands[1]) < end for view in views_of(arena))


def base_of(value: ir.Value) -> int:
    """A lower bound of a view's offset in the arena: its constant term, less the gaps that were closed before it."""
    known = constant_value(value)
    if known is not None:
        return known
    op = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if op is not None and op.name == "arith.subi":
        return base_of(op.operands[0]) - (constant_value(op.operands[1]) or 0)
    return sum(map(base_of, op.operands)) if op is not None and op.name == "arith.addi" else 0


def _used_before(one: FirstTile, block: ir.Block) -> bool:
    """True when an operation before the fetch uses the slot."""
    places = {op: number for number, op in enumerate(view.operation for view in block.operations)}
    users = [ancestor_in(use.owner.operation, block) for use in uses_of_buffer(one.slot.results[0])]
    return any(op is not None and op.name not in VIEWS and places[op] < places[one.fetch] for op in users)


def _holds(guard: ir.Operation, op: ir.Operation) -> bool:
    """Whether ``op`` is executed where ``guard`` is true; where it is false, a later loop's first tile may be fetched.
    """
    return ancestor_in(op, guard.regions[0].blocks[0]) is not None


def _loop_around(op: ir.Operation) -> ir.Operation:
    op = op.parent.operation
    while op.name not in ("scf.for", "scf.forall", "scf.while", "func.func"):
        op = op.parent.operation
    return op

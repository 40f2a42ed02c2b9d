"""Which transfers of a tile loop can overlap with its work: analysis only, nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.bounds import upper_bound
from hexagon_mlir.ir.buffers import VIEWS, allocation_bytes, root_buffer, uses_of_buffer
from hexagon_mlir.ir.query import in_tcm
from hexagon_mlir.passes.double_buffering.loop_carried import LoopCarried, loop_carried
from hexagon_mlir.passes.lib.buffer_accesses import BufferAccess, UnknownEffect, accesses, may_alias
from hexagon_mlir.passes.lib.pure_slices import outside_operands, pure_slice

_NAMED = frozenset({*VIEWS, "memref.dim", "memref.dealloc"})
"""Operations permitted on a buffer besides its accesses."""


class Refused(Exception):
    """Why a loop stays as it is; the text of the remark."""


@dataclass
class TileBuffer:
    """A TCM buffer made anew in every iteration.

    ``producers`` fill it from memory the loop does not write (copies, and fills of padding); ``stores`` copy it to
    DDR. ``invariant`` means that the producers do the same in every iteration.
    """

    alloc: ir.Operation
    nbytes: int
    producers: list[ir.Operation] = field(default_factory=list)
    stores: list[ir.Operation] = field(default_factory=list)
    invariant: bool = False


@dataclass
class TileLoop:
    """``buffers`` are those with transfers; ``carried`` the numbers of the loop's values that fetches depend on."""

    loop: ir.Operation
    buffers: list[TileBuffer]
    carried: list[int]
    loop_carried: list[LoopCarried]

    @property
    def body(self) -> ir.Block:
        return self.loop.regions[0].blocks[0]


def read_loop(loop: ir.Operation) -> TileLoop:
    """What can overlap in ``loop``; raises `Refused` when nothing can."""
    body = loop.regions[0].blocks[0]
    operations = [op.operation for op in body.operations][:-1]
    try:
        touched = {op: accesses(op) for op in operations}
    except UnknownEffect as effect:
        raise Refused(str(effect)) from None
    reader = _Reader(loop, body, operations, touched)
    buffers = [b for op in operations if op.name == "memref.alloc" if (b := reader.buffer(op)) is not None]
    if not buffers:
        raise Refused(reader.reason or "no copies between DDR and a TCM buffer of the loop")
    carried = loop_carried(loop)
    if carried is None or any(b.alloc == one.alloc for b in buffers for one in carried):
        raise Refused("a later iteration reads a buffer that this one writes")
    return TileLoop(loop, buffers, sorted(reader.carried), carried)


class _Reader:
    """Looks at one loop; remembers why a transfer could not move."""

    def __init__(self, loop: ir.Operation, body: ir.Block, operations: list[ir.Operation],
                 touched: dict[ir.Operation, list[BufferAccess]]) -> None:
        self.loop, self.body, self.operations, self.touched = loop, body, operations, touched
        self.inside = set(operations)
        self.known = {access.op for found in touched.values() for access in found}
        self.buffers = [op.results[0] for op in operations if op.name == "memref.alloc"]
        self.needed: dict[ir.Operation, list[ir.Value] | None] = {}
        self.carried: set[int] = set()
        self.reason = ""

    def buffer(self, alloc: ir.Operation) -> TileBuffer | None:
        """The transfers of the buffer ``alloc`` makes, or None when it has none that can move."""
        nbytes, made = allocation_bytes(alloc), alloc.results[0]
        if not in_tcm(ir.MemRefType(made.type)) or nbytes is None:
            return None
        users = [op for op, touched in self.touched.items() if any(access.root == made for access in touched)]
        if not users or not self._in_sight(made):
            return None
        found = TileBuffer(alloc, nbytes)
        found.producers = self._producers(made, users)
        found.stores = self._stores(made, users[len(found.producers):])
        found.invariant = bool(found.producers) and not any(map(self._depends, found.producers)) and not any(
            a.writes for op in users[len(found.producers):] for a in self.touched[op] if a.root == made)
        return found if found.producers or found.stores else None

    def _in_sight(self, buffer: ir.Value) -> bool:
        users = [use.owner.operation for use in uses_of_buffer(buffer)]
        return all(user.name in _NAMED or user in self.known for user in users)

    def _producers(self, buffer: ir.Value, users: list[ir.Operation]) -> list[ir.Operation]:
        """The leading operations that fill ``buffer``, if there is a copy from DDR among them."""
        found: list[ir.Operation] = []
        for op in users:
            if not self._produces(op, buffer):
                break
            found.append(op)
        while found and not _is_copy(found[-1]):
            found.pop()  # what follows the last copy is work
        return found

    def _produces(self, op: ir.Operation, buffer: ir.Value) -> bool:
        for access in self.touched[op]:
            if access.writes:
                if access.root != buffer:
                    return False
            elif in_tcm(ir.MemRefType(access.value.type)) or not self._untouched(op, access):
                return False
        if _is_copy(op) and not unit_stride(op):
            self.reason = self.reason or "the innermost dimension of a copy is strided"
            return False
        return self._computable(op)

    def _computable(self, op: ir.Operation) -> bool:
        """True when the operands of ``op`` can be computed for a later iteration too."""
        seen: set[int] = set()
        values = self._inputs_of(op)
        while values:
            *values, value = values
            number = self._carried_number(value)
            if number is None or number in seen:
                continue
            seen.add(number)
            later = self._inputs([self.body.operations[len(self.operations)].operands[number]])
            values = None if later is None else values + later
        if values is None:
            self.reason = self.reason or "where a copy reads depends on what the loop computes"
            return False
        self.carried |= seen
        return True

    def _inputs_of(self, op: ir.Operation) -> list[ir.Value] | None:
        """All values in the backward slice of the operands of ``op``; None when the slice is not pure."""
        if op not in self.needed:
            self.needed[op] = self._inputs(outside_operands(op))
        return self.needed[op]

    def _inputs(self, values: list[ir.Value]) -> list[ir.Value] | None:
        """The same for these ``values``."""
        needed = pure_slice(values, self.body, self.buffers)
        return None if needed is None else list(dict.fromkeys([*values, *(v for op in needed for v in op.operands)]))

    def _carried_number(self, value: ir.Value) -> int | None:
        if isinstance(owner := value.owner, ir.Block) and owner == self.body:
            number = ir.BlockArgument(value).arg_number
            return number - 1 if number else None
        return None

    def _depends(self, op: ir.Operation) -> bool:
        """True when ``op`` depends on arguments of the loop's body."""
        return any(isinstance(owner := value.owner, ir.Block) and owner == self.body
                   for value in self._inputs_of(op) or ())

    def _untouched(self, op: ir.Operation, access: BufferAccess) -> bool:
        """True when no iteration writes what ``access`` reads, except tiles of other iterations."""
        if access.root.owner in self.inside:
            return False
        for other in self.operations:
            for write in self.touched[other]:
                if write.writes and may_alias(write.root, access.root) and not (
                        _is_copy(other) and self._own_tile(write.value, access.value)):
                    self.reason = self.reason or "the loop writes memory that a copy reads"
                    return False
        return True

    def _stores(self, buffer: ir.Value, users: list[ir.Operation]) -> list[ir.Operation]:
        """The copies of ``buffer`` to DDR, if no other use follows them."""
        found: list[ir.Operation] = []
        for op in users:
            if found and not self._stores_buffer(op, buffer):
                self.reason = self.reason or "work follows a store of the same buffer"
                return []
            if self._stores_buffer(op, buffer):
                found.append(op)
        return found

    def _stores_buffer(self, op: ir.Operation, buffer: ir.Value) -> bool:
        if not _is_copy(op) or root_buffer(op.operands[0]) != buffer or not unit_stride(op):
            return False
        target = op.operands[1]
        if in_tcm(ir.MemRefType(target.type)) or root_buffer(target).owner in self.inside:
            return False
        for other in self.operations:
            for access in self.touched[other]:
                if (access.op, access.value) != (op, target) and may_alias(access.root, root_buffer(target)) \
                        and not (_is_copy(other) and self._own_tile(target, access.value)):
                    self.reason = self.reason or "the loop uses memory that it stores to"
                    return False
        if not self._own_tile(target, target):
            self.reason = self.reason or "two iterations may store to the same place"
            return False
        return True

    def _own_tile(self, one: ir.Value, other: ir.Value) -> bool:
        """True when ``one`` and ``other`` are the same tile of a buffer, and tiles of different iterations are
        disjoint."""
        if isinstance(one.owner, ir.Block) or isinstance(other.owner, ir.Block):
            return False
        first, second = one.owner.operation, other.owner.operation
        if first.name != "memref.subview" or second.name != "memref.subview":
            return False
        if list(first.operands) != list(second.operands) or any(
                first.attributes[name] != second.attributes[name]
                for name in ("static_offsets", "static_sizes", "static_strides")):
            return False
        step = upper_bound(self.loop.operands[2])
        variable = self.body.arguments[0]
        dynamic = ir.ShapedType.get_dynamic_size()
        offsets = list(ir.DenseI64ArrayAttr(first.attributes["static_offsets"]))
        sizes = list(ir.DenseI64ArrayAttr(first.attributes["static_sizes"]))
        operands = list(first.operands)[1:]
        values = iter(operands)
        offset_values = [next(values) if o < -1 and o == dynamic else None for o in offsets]
        size_bounds = [upper_bound(next(values)) if s == dynamic else s for s in sizes]
        return any(offset is not None and offset == variable and size is not None and step is not None and size <= step
                   for offset, size in zip(offset_values, size_bounds, strict=True))


def unit_stride(copy: ir.Operation) -> bool:
    """True when neighbours of the innermost dimension are neighbours in memory on both sides."""
    for value in copy.operands:
        type_ = ir.MemRefType(value.type)
        if type_.rank and type_.get_strides_and_offset()[0][-1] != 1:
            return False
    return True


def _is_copy(op: ir.Operation) -> bool:
    return op.name == "memref.copy"


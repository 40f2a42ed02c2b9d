"""When the TCM buffers of a function (or of one iteration of an scf.forall) hold data."""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.dialects.engine_tiles import waits
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import VIEWS, allocation_bytes, uses_of_buffer
from hexagon_mlir.ir.cost import trip_count
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import in_tcm, ops_named
from hexagon_mlir.passes.lib.dma_transfers import wait_of_transfer
from hexagon_mlir.passes.tcm_allocation.plan import ArenaPlan, Lifetime

FORALL = "scf.forall"
_ACCESSES = ("memref.", "linalg.", "vector.", "hexagon.")
"""Dialects whose operations do not capture a buffer. Others may capture or return it."""


@dataclass
class Scope:
    """The buffers of one execution of ``owner``'s region, and the foralls inside. `plan` and ``offsets`` follow."""

    owner: ir.Operation
    allocations: list[ir.Operation] = field(default_factory=list)
    inner: list[Scope] = field(default_factory=list)
    plan: ArenaPlan = field(default_factory=lambda: ArenaPlan((), (), 0, 0, 0))
    offsets: dict[ir.Operation, int] = field(default_factory=dict)


class Clock:
    """Numbers the operations of a function: an operation with regions lasts from its begin to its end."""

    def __init__(self, function: ir.Operation) -> None:
        self.begins = {op: number for number, op in enumerate(_timed(function))}
        self._ends: dict[ir.Operation, int] = {}
        self._finished: dict[ir.Block, tuple[dict[ir.Operation, ir.Operation], ir.Operation]] = {}

    def end(self, op: ir.Operation) -> int:
        """The number of the last operation in ``op``."""
        if op not in self._ends:
            self._ends[op] = self.begins[op] + (len(_timed(op)) - 1 if len(op.regions) else 0)
        return self._ends[op]

    def lifetime(self, allocation: ir.Operation, size: int) -> Lifetime:
        """From the first to the last use of ``allocation``; a use inside a loop lasts as long as the loop."""
        block = allocation.block
        begin = end = None
        for use in uses_of_buffer(allocation.results[0]):
            user = use.owner.operation
            if user.name == "memref.dealloc" or user.name in VIEWS:
                continue
            first, last = (_in_block(op, block) for op in (user, self._last_access(user)))
            begin = self.begins[first] if begin is None else min(begin, self.begins[first])
            finish = max(map(self.end, (first, last)))
            end = finish if end is None else max(end, finish)
        born = self.begins[allocation]
        return Lifetime(size, begin or born, end or born)

    def _last_access(self, user: ir.Operation) -> ir.Operation:
        """The operation until which ``user`` may access its buffers: the wait for a product or for a transfer."""
        if user.name == ENGINE_PRODUCT:
            if user.block not in self._finished:
                self._finished[user.block] = waits(user.block), list(user.block.operations)[-1].operation
            found, last = self._finished[user.block]
            return found.get(user, last)
        if user.name == "memref.dma_start":
            return wait_of_transfer(user) or user
        return user


def _in_block(op: ir.Operation, block: ir.Block) -> ir.Operation:
    """``op``, or what it is inside of, in ``block``."""
    while op.block != block:
        op = op.parent.operation
    return op


def _timed(root: ir.Operation) -> list[ir.Operation]:
    """``root`` and all nested operations in order, except the regions of linalg ops."""
    found: list[ir.Operation] = []
    advance, skip = ir.WalkResult.ADVANCE, ir.WalkResult.SKIP

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return skip if op.name.startswith("linalg.") else advance

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def scopes(function: ir.Operation) -> Scope:
    """The arenas of ``function``: its own, and one per iteration of each forall."""
    root = Scope(function)
    known = {function: root}

    def scope_of(op: ir.Operation) -> Scope:
        parent = op.parent.operation
        while parent.name not in (FORALL, "func.func"):
            parent = parent.parent.operation
        if parent not in known:
            known[parent] = Scope(parent)
            scope_of(parent).inner.append(known[parent])
        return known[parent]

    for op in tcm_allocations(function):
        scope_of(op).allocations.append(op)
    return root


def tcm_allocations(function: ir.Operation) -> list[ir.Operation]:
    """The allocations in TCM of ``function``."""
    return [op for op in ops_named(function, "memref.alloc") if in_tcm(ir.MemRefType(op.results[0].type))]


def stays_in_block(allocation: ir.Operation) -> bool:
    """Whether all that uses the buffer is in the block of its allocation, or nested there."""
    return all(ancestor_in(use.owner.operation, allocation.block) is not None
               for use in uses_of_buffer(allocation.results[0]))


def escapes(allocation: ir.Operation) -> str | None:
    """The operation through which the buffer escapes the analysis, or None."""
    for use in uses_of_buffer(allocation.results[0]):
        name = use.owner.operation.name
        if name == "memref.extract_aligned_pointer_as_index" or not name.startswith(_ACCESSES):
            return name
    return None


def read_by_element(allocation: ir.Operation) -> bool:
    """True when loops load scalars from the buffer and no copy from DDR fills it.

    Every scalar load from TCM stalls; one from DDR hits the caches.
    """
    users = [use.owner.operation for use in uses_of_buffer(allocation.results[0])]
    return any(user.name == "memref.load" and _around(user).name == "scf.for" for user in users) and not any(
        user.name == "memref.copy" and not in_tcm(ir.MemRefType(user.operands[0].type)) for user in users)


def _around(op: ir.Operation) -> ir.Operation:
    """The enclosing operation of ``op``, conditionals skipped."""
    parent = op.parent
    while parent.name == "scf.if":
        parent = parent.parent
    return parent


def bounds(forall: ir.Operation) -> list[tuple[int, int, int]]:
    """Lower bound, upper bound and step of each dimension."""
    sides = [list(ir.DenseI64ArrayAttr(forall.attributes[f"static{side}"])) for side in
             ("LowerBound", "UpperBound", "Step")]
    return list(zip(*sides, strict=True))


def taken_over(allocation: ir.Operation, others: list[ir.Operation]) -> int:
    """Number of a buffer in ``others`` in which the elementwise op that first writes ``allocation`` could compute in
    place.

    -1 when there is none. `plan` checks that the lifetime of that buffer ends there.
    """
    writer = _first_user(allocation)
    if writer is None or writer.name != "linalg.generic" or writer.block != allocation.block:
        return -1
    if any("parallel" not in str(kind) for kind in writer.attributes["iterator_types"]):
        return -1
    maps = [ir.AffineMapAttr(a).value for a in writer.attributes["indexing_maps"]]
    values = list(writer.operands)
    if allocation.results[0] not in values:
        return -1
    place = values.index(allocation.results[0])
    for number, other in enumerate(others):
        if other == allocation or other.name == FORALL:
            continue
        value = other.results[0]
        if value.type != allocation.results[0].type or other.block != allocation.block:
            continue
        if len(allocation.operands) or not all(maps[i] == maps[place] for i, v in enumerate(values) if v == value):
            continue
        reads_views = any(u.owner.operation == writer and values[u.operand_number] != value
                          for u in uses_of_buffer(value))
        if value in values and not reads_views and maps[place].is_permutation:
            return number
    return -1


def _first_user(allocation: ir.Operation) -> ir.Operation | None:
    block = allocation.block
    first: ir.Operation | None = None
    for use in uses_of_buffer(allocation.results[0]):
        user = use.owner.operation
        while user.block != block:
            user = user.parent.operation
        if first is None or user.is_before_in_block(first):
            first = user
    return first


def held_bytes(scope: Scope, alignment: int) -> int:
    """Bytes that one iteration of a loop with dynamic bounds allocates, as far as they are known."""
    own = sum(-(-(allocation_bytes(op) or 0) // alignment) * alignment for op in scope.allocations)
    return own + sum(held_bytes(child, alignment) * (trip_count(child.owner) or 1) for child in scope.inner)

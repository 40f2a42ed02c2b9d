"""TCM buffers to static offsets in one arena."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from hexagon_mlir.dialects import tcm_slots
from hexagon_mlir.ir import arith, erase_op, ir, memref
from hexagon_mlir.ir.buffers import allocation_bytes, set_space, uses_of_buffer
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.cost import trip_count
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT
from hexagon_mlir.ir.query import DDR_SPACE, TCM_SPACE, functions, memory_space, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext, TilesOutsideTcm
from hexagon_mlir.passes.lib.dma_transfers import is_strided
from hexagon_mlir.passes.tcm_allocation.concurrency import limit_tasks
from hexagon_mlir.passes.tcm_allocation.liveness import (
    FORALL,
    Clock,
    Scope,
    bounds,
    escapes,
    held_bytes,
    read_by_element,
    scopes,
    stays_in_block,
    taken_over,
    tcm_allocations,
)
from hexagon_mlir.passes.tcm_allocation.plan import ArenaPlan, Lifetime, plan


class Reuse(StrEnum):
    """When buffers share memory."""

    NEEDED = "needed"
    ALWAYS = "always"


@dataclass(frozen=True)
class HexagonTcmAllocationPass(Pass):
    """Gives every TCM buffer of a function an offset in one arena.

    Buffers whose live ranges do not overlap share memory where TCM is short; otherwise each buffer has its own memory,
    because LLVM schedules accesses better if it knows that they do not alias. Parts of the arena that share nothing are
    views with the attribute ``hexagon.tcm_slot``, which `hexagon-memory-lowering` turns into pointers that do not
    alias. One vector of TCM stays free after the arena, since the last elements of a buffer are loaded as a whole
    vector. The live range of a buffer is from its first to its last use; if it is used in a loop, it is the whole loop.
    An elementwise op may compute its result in the memory of an operand whose live range ends there. Buffers allocated
    inside an scf.forall get a part per iteration, of a slot of their own where nothing else shares its bytes: what is
    outlined around such loops gets the slot, not its place. A remark per function has the bytes of all buffers, the
    size of the arena and the lower bound. Of a function that branches, all that uses a buffer has to be in one block.
    An scf.forall that calls such functions is limited (``hexagon.most_tasks``)
    to as many iterations at a time as have room together.

    Before:
        func.func @f() {
          %c = arith.constant 1.0 : f32
          %a = memref.alloc() : memref<64xf32, 1>
          linalg.fill ins(%c : f32) outs(%a : memref<64xf32, 1>)
          %b = memref.alloc() : memref<32xf32, 1>
          linalg.fill ins(%c : f32) outs(%b : memref<32xf32, 1>)
          memref.dealloc %a : memref<64xf32, 1>
          memref.dealloc %b : memref<32xf32, 1>
          return
        }

    After:
        func.func @f() {
          %arena = memref.alloc() {alignment = 128 : i64} : memref<384xi8, 1>
          %c0 = arith.constant 0 : index
          %s = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<384xi8, 1> to memref<256xi8, 1>
          %c256 = arith.constant 256 : index
          %t = memref.view %arena[%c256][] {hexagon.tcm_slot} : memref<384xi8, 1> to memref<128xi8, 1>
          %c = arith.constant 1.0 : f32
          %c0_0 = arith.constant 0 : index
          %a = memref.view %s[%c0_0][] : memref<256xi8, 1> to memref<64xf32, 1>
          linalg.fill ins(%c : f32) outs(%a : memref<64xf32, 1>)
          %c0_1 = arith.constant 0 : index
          %b = memref.view %t[%c0_1][] : memref<128xi8, 1> to memref<32xf32, 1>
          linalg.fill ins(%c : f32) outs(%b : memref<32xf32, 1>)
          memref.dealloc %arena : memref<384xi8, 1>
          return
        }

    Options:
        tcm-bytes: size the arena may have; 0 takes the target's whole TCM.
        reuse: needed shares memory only when the buffers do not fit otherwise; always makes the arena small.
        threads: how many may run programs of a Triton kernel; 0 takes the target's HVX contexts.

    Refuses (an error): tiles of the matrix engine that do not fit, since it reads and writes TCM only, and what rows
    with gaps are transferred to or from beside its products, since one side of such a transfer is TCM. With a remark:
    any other buffer that does not fit is moved to DDR. So is one that loops read element by element, since scalar loads
    from DDR are cached and those from TCM are not. A buffer keeps its own allocation if its size has no bound, if it
    leaves the function, or if it is allocated in an scf.forall with dynamic bounds; all do where one is used in several
    blocks of a function.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-tcm-allocation"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    tcm_bytes: int = 0
    reuse: Reuse = Reuse.NEEDED
    threads: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Plan and rewrite each function; then limit the programs that run at the same time."""
        arenas: dict[str, int] = {}
        for op in functions(module):
            if len(op.regions[0].blocks) == 1 or all(map(stays_in_block, tcm_allocations(op))):
                arenas[ir.StringAttr(op.attributes["sym_name"]).value] = self._allocate(op, context)
            else:
                self.remark(context, op, "buffers of several blocks: they keep their own allocations")
        budget = self.tcm_bytes or context.target.tcm_budget_bytes
        threads = self.threads or int(context.target.hvx_contexts.value)
        for op, most, arena in limit_tasks(module, arenas, budget, threads):
            self.remark(context, op, f"at most {most} of {threads} threads run programs at the same time: each takes "
                                     f"{arena} bytes of {budget} bytes of TCM")

    def _allocate(self, function: ir.Operation, context: PassContext) -> int:
        """Plan and rewrite ``function``; gives the bytes of its arena with what stays free after it."""
        engine = bool(ops_named(function, ENGINE_PRODUCT))  # its tiles are aligned like blocks of TCM
        alignment = int((context.target.tcm_alignment if engine else context.target.vector_bytes).value)
        root = scopes(function)
        if not root.allocations and not root.inner:
            return 0
        budget = (self.tcm_bytes or context.target.tcm_budget_bytes) - alignment
        self._plan(root, Clock(function), budget, alignment, context)
        if not root.offsets:
            return 0
        block = function.regions[0].blocks[0]
        with function.location, ir.InsertionPoint.at_block_begin(block):
            arena = memref.alloc(_bytes(root.plan.peak), [], [], alignment=alignment)
        _rewrite(root, arena, None, True, self.name)
        for returned in ops_named(function, "func.return"):
            with returned.location, ir.InsertionPoint(returned):
                memref.dealloc(arena)
        return root.plan.peak + alignment

    def _plan(self, scope: Scope, clock: Clock, budget: int, alignment: int, context: PassContext) -> None:
        """Set ``scope.plan`` and ``scope.offsets``: of every allocation, and of the first iteration of every forall."""
        asked: list[ir.Operation] = []
        lifetimes: list[Lifetime] = []
        for child in scope.inner:
            count = trip_count(child.owner)
            if count is None:
                self.remark(context, child.owner, "dynamic bounds: each iteration allocates its own buffers")
                budget -= min(held_bytes(child, alignment) * (self.threads or int(context.target.hvx_contexts.value)),
                              budget // 2)
                continue
            self._plan(child, clock, budget // max(count, 1), alignment, context)
            asked.append(child.owner)
            lifetimes.append(Lifetime(child.plan.peak * count, clock.begins[child.owner], clock.end(child.owner)))
        for op in scope.allocations:
            size, way_out = allocation_bytes(op), escapes(op)
            if size is None or way_out is not None:
                self.remark(context, op, "keeps its own allocation: " + (
                    f"{way_out} lets the buffer escape" if way_out else "a dynamic size without a bound"))
                continue
            if read_by_element(op):
                self._move(op, "loops read it element by element, scalar loads from TCM are slow", context)
                continue
            asked.append(op)
            lifetimes.append(clock.lifetime(op, size))
        lifetimes = [replace(lifetime, takes_over=taken_over(op, asked)) if op.name != FORALL else lifetime
                     for op, lifetime in zip(asked, lifetimes, strict=True)]
        scope.plan = plan(lifetimes, budget, alignment, reuse=self.reuse is Reuse.ALWAYS)
        if None in scope.plan.offsets:
            scope.plan = plan(lifetimes, budget, alignment)
        for op, lifetime, offset in zip(asked, lifetimes, scope.plan.offsets, strict=True):
            if offset is not None:
                scope.offsets[op] = offset
            elif op.name != FORALL:
                self._move(op, f"{lifetime.size} bytes do not fit together with the live buffers into {budget} bytes "
                               "of TCM", context)
        if scope.offsets and scope.owner.name != FORALL:
            self.remark(context, scope.owner, f"TCM: buffers need {scope.plan.asked} bytes, the arena has "
                                              f"{scope.plan.peak}, the lower bound is {scope.plan.lower_bound}")

    def _move(self, allocation: ir.Operation, reason: str, context: PassContext) -> None:
        """Move ``allocation`` to DDR; raises `TilesOutsideTcm` if it holds tiles of the matrix engine, or rows of such
        a block that are transferred."""
        users = [use.owner.operation for use in uses_of_buffer(allocation.results[0])]
        what = next(("tiles" if op.name == ENGINE_PRODUCT else "rows that are transferred" for op in users
                     if op.name == ENGINE_PRODUCT or _beside_products(op)), None)
        if what is not None:
            error = self.refuse(allocation, f"{what} of the matrix engine outside TCM: {reason}",
                                "compile without the matrix engine, or give the function more TCM")
            raise TilesOutsideTcm(*error.diagnostics)
        self.remark(context, allocation, f"moved to DDR: {reason}")
        set_space(allocation.results[0], DDR_SPACE)


def _beside_products(op: ir.Operation) -> bool:
    """Whether ``op`` transfers rows in a block of products."""
    return op.name == "memref.dma_start" and is_strided(op) and any(
        view.operation.name == ENGINE_PRODUCT for view in op.block.operations)


def _rewrite(scope: Scope, arena: ir.Value, base: ir.Value | None, apart: bool, origin: str) -> None:
    """Make each allocation a view of ``arena`` at its offset from ``base`` (0 when None).

    ``apart`` tells that nothing else shares the bytes of this scope: its slots are marked then.
    """
    for child in scope.inner:
        if child.owner in scope.offsets:
            offset, size = scope.offsets[child.owner], child.plan.peak * (trip_count(child.owner) or 0)
            own = apart and (offset, size) in scope.plan.slots
            if own and base is None:
                with scope.owner.location, ir.InsertionPoint(_after(arena)):
                    slot_of_all = memref.view(_bytes(size), arena, index(offset), [])
                    tcm_slots.mark(slot_of_all.owner)
                _rewrite(child, slot_of_all, _part(child, 0, None), own, origin)
            else:
                _rewrite(child, arena, _part(child, offset, base), own, origin)
    placed = [op for op in scope.allocations if op in scope.offsets]
    slot_of = {op: _slot(scope.plan, scope.offsets[op]) for op in placed}
    slots: dict[tuple[int, int], ir.Value] = {}
    with scope.owner.location, ir.InsertionPoint(_after(arena if base is None else base)):
        for slot in sorted(set(slot_of.values())):
            slots[slot] = memref.view(_bytes(slot[1]), arena, _sum(base, slot[0]), [])
            if apart:
                tcm_slots.mark(slots[slot].owner)
    for op in placed:
        for use in uses_of_buffer(op.results[0]):
            if use.owner.operation.name == "memref.dealloc":
                erase_op(use.owner.operation, origin)
        slot = slot_of[op]
        with op.location, ir.InsertionPoint(op):
            view = memref.view(op.results[0].type, slots[slot], index(scope.offsets[op] - slot[0]), list(op.operands))
        op.results[0].replace_all_uses_with(view)
        erase_op(op, origin)


def _slot(found: ArenaPlan, offset: int) -> tuple[int, int]:
    """The slot that ``offset`` is in; a buffer without bytes may be in none."""
    return next((slot for slot in found.slots if slot[0] <= offset < sum(slot)), (0, 0))


def _part(child: Scope, offset: int, base: ir.Value | None) -> ir.Value:
    """Where the current iteration of forall ``child`` has its part of the arena."""
    with child.owner.location, ir.InsertionPoint.at_block_begin(child.owner.regions[0].blocks[0]):
        number = index(0)
        for variable, (low, high, step) in zip(child.owner.regions[0].blocks[0].arguments, bounds(child.owner),
                                               strict=False):
            one = arith.divui(arith.subi(variable, index(low)), index(step))
            number = arith.addi(arith.muli(number, index(-(-(high - low) // step))), one)
        return arith.addi(arith.muli(number, index(child.plan.peak)), _sum(base, offset))


def _after(value: ir.Value) -> ir.Operation:
    """The operation after the one that makes ``value``."""
    operations = list(value.owner.operation.block.operations)
    return operations[operations.index(value.owner) + 1]


def _bytes(size: int) -> ir.MemRefType:
    return ir.MemRefType.get([size], ir.IntegerType.get_signless(8), memory_space=memory_space(TCM_SPACE))


def _sum(base: ir.Value | None, offset: int) -> ir.Value:
    return index(offset) if base is None else arith.addi(base, index(offset))

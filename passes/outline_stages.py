"""What the stages of a double-buffered loop do with their tiles moves into functions."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import ClassVar

from hexagon_mlir.dialects.double_buffering import STAGES
from hexagon_mlir.ir import func, ir
from hexagon_mlir.ir.buffers import VIEWS
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.fork_permission import hand_down
from hexagon_mlir.passes.lib.outlining import Outlined, rename, trace, values_from_outside
from hexagon_mlir.passes.lib.pure_slices import is_pure
from hexagon_mlir.passes.outlining.nests import passable

_PRODUCT = 100
"""Operations that a product becomes: about 80 for blocks of two rows by two vectors, others more."""
_ADDRESSES = VIEWS - {"memref.assume_alignment"} | {"arith.constant"}
_TRANSFERS = frozenset({"memref.dma_start", "memref.dma_wait"})


@dataclass(frozen=True)
class OutlineStagesPass(Pass):
    """Moves the work of each stage of a double-buffered loop into a function, which `merge-functions` then makes one.

    The stages compute the same with different buffers. If that is hundreds of operations, compilation would spend most
    of its time on one copy for each set of buffers. The transfers stay in place: the pass outlines the longest sequence
    of operations without transfers. Its constants and views of outer buffers are moved before the stage, so that
    functions of equal stages do not differ in what an earlier stage has computed for all. A function with parallel
    loops gets an argument that says whether it may fork, if its caller has one.

    Before:
        func.func @f(%a: memref<64xf32>, %b: memref<64xf32>, %v: f32, %p: i1, %q: i1) {
          %c0 = arith.constant 0 : index
          scf.if %p {
            memref.store %v, %a[%c0] : memref<64xf32>
          } {hexagon.db_ping_stage = 0 : i64}
          scf.if %q {
            memref.store %v, %b[%c0] : memref<64xf32>
          } {hexagon.db_pong_stage = 1 : i64}
          return
        }

    After (operations=1):
        func.func private @f_stage(%v: f32, %a: memref<64xf32>) attributes {llvm.passthrough = ["noinline"]} {
          %c0 = arith.constant 0 : index
          memref.store %v, %a[%c0] : memref<64xf32>
          return
        }
        func.func private @f_stage_0(%v: f32, %b: memref<64xf32>) attributes {llvm.passthrough = ["noinline"]} {
          %c0 = arith.constant 0 : index
          memref.store %v, %b[%c0] : memref<64xf32>
          return
        }
        func.func @f(%a: memref<64xf32>, %b: memref<64xf32>, %v: f32, %p: i1, %q: i1) {
          %c0 = arith.constant 0 : index
          scf.if %p {
            func.call @f_stage(%v, %a) : (f32, memref<64xf32>) -> ()
          } {hexagon.db_ping_stage = 0 : i64}
          scf.if %q {
            func.call @f_stage_0(%v, %b) : (f32, memref<64xf32>) -> ()
          } {hexagon.db_pong_stage = 1 : i64}
          return
        }

    Options:
        operations: work of fewer operations stays in place, because the overhead of a call would be large in
            comparison. Products count as the operations into which they are lowered.

    Refuses: work that defines values for the loop, or uses outer values other than buffers, words and floats.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "outline-stages"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    operations: int = 100

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Move the work of every stage that has enough of it."""
        symbols = ir.SymbolTable(module.operation)
        moved = False
        for stage in [op for op in ops_named(module, "scf.if") if any(n in op.attributes for n in STAGES)]:
            work = _without_addresses(_work(stage.regions[0].blocks[0], self.operations), stage)
            used = _used_by(work)
            staying = _staying(work) if work and _passable(used) else None
            if staying is not None:
                _outline(work, used, staying, symbols)
                moved = True
        if moved:
            try:
                hand_down(module)
            except ValueError as error:
                raise self.refuse(module.operation, str(error), "i1: may the function fork?") from None


def _work(block: ir.Block, operations: int) -> list[ir.Operation]:
    """The longest run in ``block`` without transfers and the block's end; empty below so many ``operations``."""
    runs: list[tuple[int, list[ir.Operation]]] = [(0, [])]
    for op in [view.operation for view in block.operations][:-1]:
        inside = nested_ops(op)
        if _TRANSFERS.isdisjoint(inner.name for inner in inside):
            count, run = runs[-1]
            runs[-1] = count + len(inside) + _PRODUCT * sum(map(_is_product, inside)), [*run, op]
        else:
            runs.append((0, []))
    count, longest = max(runs, key=itemgetter(0))
    return longest if count >= operations else []


def _without_addresses(work: list[ir.Operation], stage: ir.Operation) -> list[ir.Operation]:
    """``work`` without its constants and views of buffers from outside of ``stage``, which are moved before it.

    Stages differ in what of it stands outside: where it does, one of them computes it for an earlier stage, too. The
    functions of all stages then take and recompute it in the order of its uses.
    """
    left = []
    for op in work:
        outside = all(_is_outside(operand, stage) for operand in op.operands)
        if op.name in _ADDRESSES and outside:
            op.move_before(stage)
        else:
            left.append(op)
    return left


def _is_outside(value: ir.Value, stage: ir.Operation) -> bool:
    block = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
    return block != stage.regions[0].blocks[0]


def _is_product(op: ir.Operation) -> bool:
    """True for a product on buffers, yet to be vectorized."""
    return op.name == "linalg.generic" and len(op.operands) > 2 and any(
        "reduction" in str(kind) for kind in op.attributes["iterator_types"])


def _passable(used: list[ir.Value]) -> bool:
    """True when a function can be given all that is ``used``."""
    return all(passable(value.type) for value in trace(used)[0])


def _staying(work: list[ir.Operation]) -> list[ir.Operation] | None:
    """Operations of ``work`` that are needed after it too, and those they need; None if it is more than addresses."""
    staying: list[ir.Operation] = []
    needed: set[ir.Value] = set()
    inside = frozenset(work)
    for op in reversed(work):
        if _used_after(op, inside) or not needed.isdisjoint(op.results):
            if not is_pure(op):
                return None
            staying.append(op)
            needed.update(op.operands, values_from_outside(op))
    return staying


def _used_by(work: list[ir.Operation]) -> list[ir.Value]:
    """What ``work`` uses from outside, each once."""
    made = {result for op in work for result in op.results}
    used = [value for op in work for value in (*op.operands, *values_from_outside(op))]
    return list(dict.fromkeys(value for value in used if value not in made))


def _used_after(op: ir.Operation, work: frozenset[ir.Operation]) -> bool:
    """True when something after ``work`` uses a result of ``op``."""
    for use in (use for result in op.results for use in result.uses):
        user = use.owner.operation
        while user is not None and user.block != op.block:
            user = user.parent.operation
        if user not in work:
            return True
    return False


def _outline(work: list[ir.Operation], used: list[ir.Value], staying: list[ir.Operation],
             symbols: ir.SymbolTable) -> None:
    """Put ``work`` into a function of its own, and a call in its place; those ``staying`` are copied."""
    with work[0].location:
        holder = work[0]
        while holder.name != "func.func":
            holder = holder.parent.operation
        outlined = Outlined(f"{ir.StringAttr(holder.attributes['sym_name']).value}_stage", used, 0, work[0],
                            aligned=True)
        symbols.insert(outlined.function.operation)  # makes the name unique
        with ir.InsertionPoint(work[0]):
            outlined.call([])
        with outlined.body():
            end = func.ReturnOp([])
        for op in work:
            if op in staying:
                with ir.InsertionPoint(end):
                    copy = op.clone().operation
                outlined.inside.update(zip(op.results, copy.results, strict=True))
            else:
                op.move_before(end.operation)
                copy = op
            for inner in nested_ops(copy):
                rename(inner, outlined.inside)
        outlined.function.attributes["llvm.passthrough"] = ir.ArrayAttr.get([ir.StringAttr.get("noinline")])

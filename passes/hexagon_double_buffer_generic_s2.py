"""The copies of double-buffered loops become DMA transfers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.double_buffering import FETCH, IN_PLACE, LOOP, STAGES, STORE
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.double_buffering.marked import Key, MarkedLoop
from hexagon_mlir.passes.double_buffering.waits import finish, wait_in
from hexagon_mlir.passes.double_buffering.work import large_ops_in_transfer_loops, outline
from hexagon_mlir.passes.lib.dma_transfers import Shape, Transfers, make_transfers, plan_transfers

_MARKS = (LOOP, *STAGES, FETCH, STORE)
_MARKABLE = ("scf.for", "scf.if", "memref.copy", "func.func")


@dataclass(frozen=True)
class HexagonDoubleBufferGenericS2Pass(Pass):
    """Turns the copies that `hexagon-double-buffer-generic-s1` marked into DMA transfers that run in parallel with the
    computation.

    A fetch starts in place of its copy. The wait for it is at the start of the stage that uses it, after the next fetch
    has started, so the engine never waits for the core. A store starts in place of its copy too; the wait for it is
    where its buffer is needed again, or after the loop. Every transfer has its own tag. Copies of more than two
    dimensions, and rows that no 2-D descriptor of the target can hold, become loops of transfers. Larger ops in a loop
    with transfers become functions, because calls of the runtime clobber the vector registers.

    Before:
        func.func @f(%x: memref<8x64xf32>, %y: memref<64xf32, 1>, %p: i1, %q: i1) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c8 = arith.constant 8 : index
          scf.for %i = %c0 to %c8 step %c1 {
            scf.if %p {
              %v = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<64xf32, strided<[1], offset: ?>>
              memref.copy %y, %v {hexagon.db_store = array<i64: 0, 0, 0>}
                : memref<64xf32, 1> to memref<64xf32, strided<[1], offset: ?>>
            } {hexagon.db_ping_stage = 0 : i64}
            scf.if %q {
              func.call @g() : () -> ()
            } {hexagon.db_pong_stage = 1 : i64}
          } {hexagon.db_loop = 0 : i64}
          return
        }
        func.func private @g()

    After, folded:
        func.func @f(%arg0: memref<8x64xf32>, %arg1: memref<64xf32, 1>, %arg2: i1, %arg3: i1) {
          %c64 = arith.constant 64 : index
          %c2 = arith.constant 2 : index
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c8 = arith.constant 8 : index
          %alloc = memref.alloc() : memref<1xi32>
          scf.for %arg4 = %c0 to %c8 step %c1 {
            scf.if %arg2 {
              %0 = arith.cmpi sge, %arg4, %c2 : index
              scf.if %0 {
                memref.dma_wait %alloc[%c0], %c1 : memref<1xi32>
              }
              %subview = memref.subview %arg0[%arg4, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<64xf32,
              strided<[1], offset: ?>>
              memref.dma_start %arg1[%c0], %subview[%c0], %c64, %alloc[%c0] : memref<64xf32, 1>,
              memref<64xf32, strided<[1], offset: ?>>, memref<1xi32>
            } {hexagon.db_ping_stage = 0 : i64}
            scf.if %arg3 {
              func.call @g() : () -> ()
            } {hexagon.db_pong_stage = 1 : i64}
          } {hexagon.db_loop = 0 : i64}
          memref.dma_wait %alloc[%c0], %c1 : memref<1xi32>
          memref.dealloc %alloc : memref<1xi32>
          return
        }
        func.func private @g()

    Options:
        none

    Refuses (with a remark; the copy stays where it is): strided elements, an unbounded number of transfers.
    Marks that do not belong together are an error.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-double-buffer-generic-s2"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite each marked loop."""
        marked = [op for op in ops_named(module, *_MARKABLE) if _is_marked(op)]
        self._check_numbers(marked)
        self._forget_simplified(marked, context)
        loops = self._read(marked)
        for found in loops:
            self._rewrite(found, context)
        work = large_ops_in_transfer_loops(module)
        for op in work:
            outline(op)

    def _check_numbers(self, marked: list[ir.Operation]) -> None:
        """Loops and their parts are marked with numbers."""
        marks = (LOOP, *STAGES)
        for op in marked:
            for name in (name for name in marks if name in op.attributes):
                if not isinstance(op.attributes[name], ir.IntegerAttr):
                    raise self.refuse(op, f"{name} is {op.attributes[name]}, not a number",
                                      "run hexagon-double-buffer-generic-s1")
                if name == LOOP and op.name != "scf.for":
                    raise self.refuse(op, f"{name} on an operation that is no scf.for",
                                      "run hexagon-double-buffer-generic-s1")

    def _forget_simplified(self, marked: list[ir.Operation], context: PassContext) -> None:
        """Canonicalization may rebuild a part without its mark: the copies of such a loop stay where they are."""
        copies = [op for op in marked if FETCH in op.attributes or STORE in op.attributes]
        for loop in [op for op in marked if LOOP in op.attributes]:
            number = ir.IntegerAttr(loop.attributes[LOOP]).value
            own = [(op, name) for op in copies for name in (FETCH, STORE) if name in op.attributes
                   and isinstance(op.attributes[name], ir.DenseI64ArrayAttr) and op.attributes[name][0] == number]
            parts = [inner for inner in loop.regions[0].blocks[0].operations
                     if any(name in inner.operation.attributes for name in STAGES)]
            if own and len(parts) < 2:
                self.remark(context, loop, "its copies stay: a stage of the loop has lost its mark")
                del loop.attributes[LOOP]
                for op, name in own:
                    del op.attributes[name]

    def _read(self, marked: list[ir.Operation]) -> list[MarkedLoop]:
        loops = {}
        for op in [op for op in marked if LOOP in op.attributes]:
            found, number = MarkedLoop(op), ir.IntegerAttr(op.attributes[LOOP]).value
            if number in loops:
                raise self.refuse(op, f"two loops are {LOOP} {number}", "run hexagon-double-buffer-generic-s1")
            loops[number] = found
            for inner in op.regions[0].blocks[0].operations:
                for name in STAGES:
                    if name in inner.operation.attributes:
                        found.parts[ir.IntegerAttr(inner.operation.attributes[name]).value] = inner.operation
            if len(found.parts) < 2 or sorted(found.parts) != list(range(len(found.parts))):
                raise self.refuse(op, f"{LOOP} without a {STAGES[0]} and a {STAGES[1]} part in the loop",
                                  "run hexagon-double-buffer-generic-s1")
        for op in [op for op in marked if FETCH in op.attributes or STORE in op.attributes]:
            name = FETCH if FETCH in op.attributes else STORE
            attribute = op.attributes[name]
            numbers = list(attribute) if isinstance(attribute, ir.DenseI64ArrayAttr) else []
            if op.name != "memref.copy" or len(numbers) != 3 or numbers[0] not in loops \
                    or numbers[1] not in loops[numbers[0]].parts:
                raise self.refuse(op, f"{name} does not name a double-buffered loop, its set of buffers and a number",
                                  f"{name} = array<i64: loop, set, number>")
            if ancestor_in(op, loops[numbers[0]].loop.block) is None:
                raise self.refuse(op, f"{name} names a double-buffered loop of another block",
                                  "a loop and its copies stay together")
            loops[numbers[0]].copies[name, numbers[1], numbers[2]].append(op)
        return list(loops.values())

    def _rewrite(self, found: MarkedLoop, context: PassContext) -> None:
        field_bits = int(context.target.dma_block_field_bits.value)
        transfers: dict[Key, Transfers] = {}
        shapes: dict[Key, list[Shape]] = {}
        with found.loop.location, ir.InsertionPoint(_first(found)):
            for key, copies in sorted(found.copies.items()):
                plan = plan_transfers(copies, field_bits)
                if isinstance(plan, str):
                    self.remark(context, copies[0], f"stays a copy: {plan}")
                else:
                    shapes[key] = plan[0]
                    transfers[key] = make_transfers(plan[0][0].loops, plan[1])
        in_place = {key for key in transfers if any(IN_PLACE in op.attributes for op in found.copies[key])}
        for number, part in found.parts.items():
            wait_in(found, number, part, transfers, in_place)
        for key, one in transfers.items():
            for op, shape in zip(found.copies[key], shapes[key], strict=True):
                with op.location, ir.InsertionPoint(op):
                    one.start(op, shape)
                erase_op(op, self.name)
        finish(found, transfers)


def _is_marked(op: ir.Operation) -> bool:
    attributes = op.attributes
    return any(name in attributes for name in _MARKS)


def _first(found: MarkedLoop) -> ir.Operation:
    """The first operation of the loop's block that holds some of its copies."""
    holders = {found.loop}
    for copies in found.copies.values():
        holders.update(ancestor_in(op, found.loop.block) for op in copies)
    return next(op.operation for op in found.loop.block.operations if op.operation in holders)

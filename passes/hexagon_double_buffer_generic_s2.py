"""The copies of double-buffered loops become DMA transfers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import ClassVar

from hexagon_mlir.dialects.double_buffering import FETCH, IN_PLACE, KERNELS, LOOP, PREFETCH, STORE
from hexagon_mlir.ir import arith, erase_op, func, ir, scf
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext
from hexagon_mlir.passes.double_buffering.slices import clone, outside_operands
from hexagon_mlir.passes.double_buffering.transfers import Transfers, make_transfers, plan_transfers
from hexagon_mlir.passes.outlining.functions import Outlined

_MARKS = (LOOP, *KERNELS, FETCH, STORE)
_MARKABLE = ("scf.for", "scf.if", "memref.copy", "func.func")
_LINALG = ("linalg.generic", "linalg.map", "linalg.reduce")  # those whose regions are written out
_TRANSFERS = frozenset({"memref.copy", "memref.dma_start", "memref.dma_wait"})
_MUCH = 16  # operations: fewer leave registers for the constants of both parts

Key = tuple[str, int, int]
"""A buffer's transfers: ``db_fetch`` or ``db_store``, the set of buffers, the number of the copy in it."""



@dataclass
class _Loop:
    """A double-buffered loop: its parts by set of buffers, and its copies."""

    loop: ir.Operation
    parts: dict[int, ir.Operation] = field(default_factory=dict)
    copies: dict[Key, list[ir.Operation]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class HexagonDoubleBufferGenericS2Pass(Pass):
    """Turns the copies that `hexagon-double-buffer-generic-s1` marked into DMA transfers that run beside the work.

    A fetch starts where its copy stood and is waited for when its part of the loop begins, after the next fetch was
    started: the engine never waits for the core. A store starts where its copy stood and is waited for when its buffer
    is needed again, or after the loop. Every transfer has its own tag. Copies of more than two dimensions, and
    rows that no 2-D descriptor of the target can hold, become loops of transfers. Larger ops in a loop with transfers
    become functions: the calls of the runtime would cost them their registers.

    Before:
        func.func @f(%x: memref<8x64xf32>, %y: memref<64xf32, 1>, %p: i1, %q: i1) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c8 = arith.constant 8 : index
          scf.for %i = %c0 to %c8 step %c1 {
            scf.if %p {
              %v = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<64xf32, strided<[1], offset: ?>>
              memref.copy %y, %v {db_store = array<i64: 0, 0, 0>}
                : memref<64xf32, 1> to memref<64xf32, strided<[1], offset: ?>>
            } {db_ping_kernel = 0 : i64}
            scf.if %q {
              func.call @g() : () -> ()
            } {db_pong_kernel = 1 : i64}
          } {db_generic = 0 : i64}
          return
        }
        func.func private @g()

    After:
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
            } {db_ping_kernel = 0 : i64}
            scf.if %arg3 {
              func.call @g() : () -> ()
            } {db_pong_kernel = 1 : i64}
          } {db_generic = 0 : i64}
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
        work = [op for op in ops_named(module, *_LINALG) if _is_much(op) and _beside_transfers(op)]
        for op in work:
            _outline(op)
        if loops or work:
            CLEAN.run(module, context)  # guards with constant bounds fold

    def _check_numbers(self, marked: list[ir.Operation]) -> None:
        """Loops and their parts are marked with numbers."""
        marks = (LOOP, *KERNELS)
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
                     if any(name in inner.operation.attributes for name in KERNELS)]
            if own and len(parts) < 2:
                self.remark(context, loop, "its copies stay: a part of the loop has lost its mark")
                del loop.attributes[LOOP]
                for op, name in own:
                    del op.attributes[name]

    def _read(self, marked: list[ir.Operation]) -> list[_Loop]:
        loops = {}
        for op in [op for op in marked if LOOP in op.attributes]:
            found, number = _Loop(op), ir.IntegerAttr(op.attributes[LOOP]).value
            if number in loops:
                raise self.refuse(op, f"two loops are {LOOP} {number}", "run hexagon-double-buffer-generic-s1")
            loops[number] = found
            for inner in op.regions[0].blocks[0].operations:
                for name in KERNELS:
                    if name in inner.operation.attributes:
                        found.parts[ir.IntegerAttr(inner.operation.attributes[name]).value] = inner.operation
            if len(found.parts) < 2 or sorted(found.parts) != list(range(len(found.parts))):
                raise self.refuse(op, f"{LOOP} without a {KERNELS[0]} and a {KERNELS[1]} part in the loop",
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

    def _rewrite(self, found: _Loop, context: PassContext) -> None:
        field_bits = int(context.target.dma_block_field_bits.value)
        transfers: dict[Key, Transfers] = {}
        with found.loop.location, ir.InsertionPoint(_first(found)):
            for key, copies in sorted(found.copies.items()):
                shape = plan_transfers(copies, field_bits)
                if isinstance(shape, str):
                    self.remark(context, copies[0], f"stays a copy: {shape}")
                else:
                    transfers[key] = make_transfers(*shape)
        in_place = {key for key in transfers if any(IN_PLACE in op.attributes for op in found.copies[key])}
        for number, part in found.parts.items():
            _wait_in(found, number, part, transfers, in_place)
        for key, one in transfers.items():
            for op in found.copies[key]:
                with op.location, ir.InsertionPoint(op):
                    one.start(op)
                erase_op(op, self.name)
        _finish(found, transfers)


def _is_marked(op: ir.Operation) -> bool:
    attributes = op.attributes
    return any(name in attributes for name in _MARKS)


def _is_much(op: ir.Operation) -> bool:
    """True for an op with enough arithmetic to fill the vector registers."""
    return (not len(op.results)
            and len(op.regions[0].blocks[0].operations) > _MUCH)


def _beside_transfers(op: ir.Operation) -> bool:
    """True in a loop with transfers."""
    holder, transfers = op.parent.operation, False
    while holder.name != "func.func":
        if holder.name == "scf.forall":
            return False  # becomes a function anyway
        transfers = transfers or (holder.name == "scf.for" and bool(ops_named(holder, *_TRANSFERS)))
        holder = holder.parent.operation
    return transfers


def _outline(op: ir.Operation) -> None:
    """Put ``op`` into a function of its own.

    The parts of a loop call the runtime. Constants of their vector loops, moved in front of the tile loop by LLVM,
    would be spilled around those calls, and a spilled qfloat constant makes the code of the whole function worse.
    """
    with op.location:
        function = op
        while function.name != "func.func":
            function = function.parent.operation
        symbols = ir.SymbolTable(function.parent.operation)
        outlined = Outlined(f"{ir.StringAttr(function.attributes['sym_name']).value}_tile",
                            [*op.operands, *(v for v in outside_operands(op) if v not in op.operands)], 0, op)
        symbols.insert(outlined.function.operation)  # makes the name unique
        with ir.InsertionPoint(op):
            outlined.call([])
        with outlined.body():
            end = func.ReturnOp([])
        clone_at(op, end.operation, dict(outlined.inside))
        outlined.function.attributes["llvm.no_inline"] = ir.UnitAttr.get()
        op.erase()


def clone_at(op: ir.Operation, place: ir.Operation, mapping: dict[ir.Value, ir.Value]) -> None:
    """A copy of ``op`` before ``place`` with the values of ``mapping``."""
    with ir.InsertionPoint(place):
        clone(op, mapping)


def _first(found: _Loop) -> ir.Operation:
    """The first operation of the loop's block that holds some of its copies."""
    holders = {found.loop}
    for copies in found.copies.values():
        holders.update(ancestor_in(op, found.loop.block) for op in copies)
    return next(op.operation for op in found.loop.block.operations if op.operation in holders)


def _wait_in(found: _Loop, number: int, part: ir.Operation, transfers: dict[Key, Transfers],
             in_place: set[Key]) -> None:
    """Waits of the part that works on set ``number``: for its fetches, and for the stores that used its buffers."""
    block = part.regions[0].blocks[0]
    prefetch = next((op.operation for op in block.operations if PREFETCH in op.operation.attributes), None)
    low, _, step = list(found.loop.operands)[:3]
    variable = found.loop.regions[0].blocks[0].arguments[0]
    operations = [op.operation for op in block.operations]
    anchor = operations[0] if prefetch is None else operations[operations.index(prefetch) + 1]
    with part.location, ir.InsertionPoint(anchor):
        for key, one in transfers.items():
            if key[:2] == (FETCH, number):
                one.wait()
        stores = [one for key, one in transfers.items() if key[:2] == (STORE, number) and key not in in_place]
        if stores:
            reuse = arith.addi(low, arith.muli(step, _index(len(found.parts))))
            _wait_if(arith.cmpi(arith.CmpIPredicate.sge, variable, reuse), stores)
    following = (number - 1) % len(found.parts)  # the set that the prefetch of this part fills
    stores = [one for key, one in transfers.items() if key[:2] == (STORE, following) and key in in_place]
    if prefetch is not None and stores:
        with part.location, ir.InsertionPoint.at_block_begin(prefetch.regions[0].blocks[0]):
            _wait_if(arith.cmpi(arith.CmpIPredicate.sgt, variable, low), stores)


def _finish(found: _Loop, transfers: dict[Key, Transfers]) -> None:
    """After the loop: wait for the last store of each set, free the tags."""
    operations = [op.operation for op in found.loop.block.operations]
    with found.loop.location, ir.InsertionPoint(operations[operations.index(found.loop) + 1]):
        low, high, step = list(found.loop.operands)[:3]
        for number in found.parts:
            stores = [one for key, one in transfers.items() if key[:2] == (STORE, number)]
            if stores:
                begin = arith.addi(low, arith.muli(step, _index(number)))
                _wait_if(arith.cmpi(arith.CmpIPredicate.slt, begin, high), stores)
        for one in transfers.values():
            one.free()


def _wait_if(condition: ir.Value, transfers: list[Transfers]) -> None:
    branch = scf.IfOp(condition)
    with ir.InsertionPoint(branch.then_block):
        for one in transfers:
            one.wait()
        scf.yield_([])


def _index(value: int) -> ir.Value:
    return arith.constant(ir.IndexType.get(), value)

"""Operations on the matrix engine's tiles to calls of the routines that drive it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.engine_windows import UPPER_BIT
from hexagon_mlir.ir import erase_op, func, ir, memref
from hexagon_mlir.ir.address import element_address
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.engine_operations import ENGINE_SCOPE, IN_SCOPE
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import element_bytes, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.engine_lowering.columns import Columns, all_of_loop, columns_of
from hexagon_mlir.passes.lib.pure_slices import is_pure

ACQUIRE, RELEASE = "hexmlir_rt_engine_acquire", "hexmlir_rt_engine_release"


@dataclass(frozen=True)
class LowerEngineTilesPass(Pass):
    """Turns each scope that holds the matrix engine into calls: of the runtime, which acquires and releases the engine,
    and of a routine for each row of tiles.

    ``hexmlir_engine_hf(activations, weights, results, reduction, columns, tables)`` multiplies one row of activation
    tiles with ``columns`` columns of ``reduction`` weight tiles, ``hexmlir_engine_hf_pieces`` those whose sums become
    two pieces, ``hexmlir_engine_ub_b_planes`` bytes, ``hexmlir_engine_ub_n_planes`` bytes with weights of 4 bits.
    ``hexmlir_engine_hf_runs`` and ``hexmlir_engine_ub_b_runs_planes`` do the same for activations in several runs of
    tiles, which stand apart: the upper halves of the two numbers are the runs, and the tiles from one to the next.

    The pass knows of each routine which operations it does for a column (`passes.engine_lowering.routines`). A loop
    over columns becomes one call, if their weights, results and tables follow each other; else a call is for one
    column. The engine is released when its results are in TCM.

    Before:
        func.func @f(%a: memref<1x3x16x32x2xf16, 1>, %w: memref<2x3x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
            %out: memref<1x2x16x32x2xf16, 1>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          "hexagon.engine_scope"() ({
            scf.for %i = %c0 to %c2 step %c1 {
              %column = memref.subview %w[%i, 0, 0, 0, 0] [1, 3, 16, 32, 2] [1, 1, 1, 1, 1] : memref<2x3x16x32x2xf16, 1>
                  to memref<1x3x16x32x2xf16, strided<[3072, 1024, 64, 2, 1], offset: ?>, 1>
              %table = memref.subview %t[%i, 0, 0] [1, 2, 32] [1, 1, 1] : memref<2x2x32xi32, 1>
                  to memref<1x2x32xi32, strided<[64, 32, 1], offset: ?>, 1>
              %tile = memref.subview %out[0, %i, 0, 0, 0] [1, 1, 16, 32, 2] [1, 1, 1, 1, 1]
                  : memref<1x2x16x32x2xf16, 1>
                  to memref<1x1x16x32x2xf16, strided<[2048, 1024, 64, 2, 1], offset: ?>, 1>
              "hexagon.engine_multiply"(%a, %column) : (memref<1x3x16x32x2xf16, 1>,
                  memref<1x3x16x32x2xf16, strided<[3072, 1024, 64, 2, 1], offset: ?>, 1>) -> ()
              "hexagon.engine_convert"(%table) {to = f16} :
                  (memref<1x2x32xi32, strided<[64, 32, 1], offset: ?>, 1>) -> ()
              "hexagon.engine_store"(%tile) :
                  (memref<1x1x16x32x2xf16, strided<[2048, 1024, 64, 2, 1], offset: ?>, 1>) -> ()
            }
          }) : () -> ()
          return
        }

    After, folded:
        func.func private @hexmlir_rt_engine_release()
        func.func private @hexmlir_rt_engine_acquire()
        func.func private @hexmlir_engine_hf(index, index, index, i32, i32, index)
        func.func @f(%arg0: memref<1x3x16x32x2xf16, 1>, %arg1: memref<2x3x16x32x2xf16, 1>, %arg2: memref<2x2x32xi32,
            1>, %arg3: memref<1x2x16x32x2xf16, 1>) {
          %c2_i32 = arith.constant 2 : i32
          %c3_i32 = arith.constant 3 : i32
          %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<1x3x16x32x2xf16, 1> -> index
          %intptr_0 = memref.extract_aligned_pointer_as_index %arg1 : memref<2x3x16x32x2xf16, 1> -> index
          %intptr_1 = memref.extract_aligned_pointer_as_index %arg3 : memref<1x2x16x32x2xf16, 1> -> index
          %intptr_2 = memref.extract_aligned_pointer_as_index %arg2 : memref<2x2x32xi32, 1> -> index
          call @hexmlir_rt_engine_acquire() : () -> ()
          call @hexmlir_engine_hf(%intptr, %intptr_0, %intptr_1, %c3_i32, %c2_i32, %intptr_2) : (index, index, index,
              i32, i32, index) -> ()
          call @hexmlir_rt_engine_release() : () -> ()
          return
        }

    Options: none.

    Refuses: operations on tiles that no routine does in this order, or whose tiles are not where a routine looks for
    them (errors).

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "lower-engine-tiles"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower every scope."""
        for scope in ops_named(module, ENGINE_SCOPE):
            self._lower(module, scope)

    def _lower(self, module: ir.Module, scope: ir.Operation) -> None:
        tiles = [op for op in nested_ops(scope) if op.name in IN_SCOPE]
        starts: dict[ir.Value, ir.Value] = {}
        for block in dict.fromkeys(op.block for op in tiles):
            columns, other = columns_of(block)
            if other is not None:
                raise self.refuse(other, "no routine does this with the operations that follow it",
                                  "see passes/engine_lowering/routines.py for what the routines do")
            whole = all_of_loop(columns[0], block) if len(columns) == 1 else None
            if whole is not None:
                self._call(module, whole, block.owner.operation, scope, starts)
                erase_op(block.owner.operation, self.name)
                continue
            for one in columns:
                self._call(module, one, one.operations[0], scope, starts)
                for op in one.operations:
                    erase_op(op, self.name)
        for op in reversed(nested_ops(scope)):
            if is_pure(op) and not any(True for result in op.results for _ in result.uses):
                erase_op(op, self.name)
        with scope.location, ir.InsertionPoint(scope):
            _call(module, ACQUIRE, [])
            for view in [view for block in scope.regions[0].blocks for view in block.operations]:
                view.operation.move_before(scope)
            _call(module, RELEASE, [])
        erase_op(scope, self.name)

    @staticmethod
    def _call(module: ir.Module, columns: Columns, before: ir.Operation, scope: ir.Operation,
              starts: dict[ir.Value, ir.Value]) -> None:
        """The routine's call, ``before`` an operation; ``starts``, addresses of buffers, are made before ``scope``."""

        def start(buffer: ir.Value) -> ir.Value:
            if buffer not in starts:
                with ir.InsertionPoint(scope):
                    starts[buffer] = _start(buffer)
            return starts[buffer]

        with before.location, ir.InsertionPoint(before):
            addresses = [address.emit(start) for address in columns.addresses]
            upper = (columns.runs << UPPER_BIT, columns.distance << UPPER_BIT) if columns.routine.runs else (0, 0)
            numbers = [_number(columns.reduction // columns.runs + upper[0]), _number(columns.number + upper[1])]
            _call(module, columns.routine.symbol, [*addresses[:3], *numbers, addresses[3]])


def _start(buffer: ir.Value) -> ir.Value:
    type_ = ir.MemRefType(buffer.type)
    if type_.get_strides_and_offset()[1] == 0:
        return memref.extract_aligned_pointer_as_index(buffer)
    return element_address(buffer, [index(0)] * type_.rank, element_bytes(type_.element_type))


def _number(value: int) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    return ir.Operation.create("arith.constant", results=[i32],
                               attributes={"value": ir.IntegerAttr.get(i32, value)}).result


def _call(module: ir.Module, symbol: str, arguments: list[ir.Value]) -> None:
    if not any(op.operation.name == "func.func" and op.sym_name.value == symbol for op in module.body.operations):
        with ir.InsertionPoint.at_block_begin(module.body):
            func.FuncOp(symbol, ([value.type for value in arguments], []), visibility="private")
    func.CallOp([], ir.FlatSymbolRefAttr.get(symbol), arguments)

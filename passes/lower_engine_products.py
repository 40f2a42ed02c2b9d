"""Operations of the matrix engine to calls of the routines that drive it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import ClassVar, TypeVar

from hexagon_mlir.dialects import permissions
from hexagon_mlir.dialects.engine_tiles import EngineProduct, pending_products
from hexagon_mlir.dialects.engine_windows import UPPER_BIT, Windows
from hexagon_mlir.ir import arith, erase_op, func, ir, scf
from hexagon_mlir.ir.address import element_address
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.hexagon_dialect import ENGINE_PRODUCT, ENGINE_WAIT
from hexagon_mlir.ir.query import element_bytes, in_tcm, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.fork_permission import holder_of
from hexagon_mlir.passes.lib.pure_slices import is_pure

MULTIPLY, MULTIPLY_IN_PIECES = "hexmlir_engine_hf", "hexmlir_engine_hf_pieces"
MULTIPLY_BYTES, MULTIPLY_RUNS = "hexmlir_engine_ub_b_planes", "hexmlir_engine_hf_runs"
MULTIPLY_BYTE_RUNS = "hexmlir_engine_ub_b_runs_planes"
ACQUIRE, RELEASE = "hexmlir_rt_engine_acquire", "hexmlir_rt_engine_release"


@dataclass(frozen=True)
class LowerEngineProductsPass(Pass):
    """Turns each product of tiles into a task that holds the matrix engine and calls a routine for each row of tiles.

    ``hexmlir_engine_hf(activations, weights, results, reduction, columns, tables)`` multiplies one row of activation
    tiles with ``columns`` columns of ``reduction`` weight tiles, ``hexmlir_engine_hf_pieces`` those whose sums become
    two pieces, ``hexmlir_engine_ub_b_planes`` bytes, ``hexmlir_engine_hf_runs`` those of a convolution whose windows
    share tiles, one result tile at a time, ``hexmlir_engine_ub_b_runs_planes`` the same of bytes
    (`hexagon_mlir.codegen.matrix_engine` has their packets). The engine's queue is short, so the thread that issues the
    packets waits for it most of the time: the task has a hardware thread of its own, and needs no HVX context.
    ``hexagon.engine_wait`` waits for the task, which has released the engine when its results are in TCM; with
    ``pending``, for all tasks but the last ones. A task that starts while another holds the engine gets it next. A
    product that is waited for at once is no task.

    Before:
        func.func @f(%a: memref<4x3x16x32x2xf16, 1>, %w: memref<2x3x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
            %out: memref<4x2x16x32x2xf16, 1>, %x: memref<64xf32>) {
          "hexagon.engine_product"(%a, %w, %t, %out) : (memref<4x3x16x32x2xf16, 1>,
              memref<2x3x16x32x2xf16, 1>, memref<2x2x32xi32, 1>, memref<4x2x16x32x2xf16, 1>) -> ()
          linalg.exp ins(%x : memref<64xf32>) outs(%x : memref<64xf32>)
          "hexagon.engine_wait"() : () -> ()
          return
        }

    After, folded:
        func.func private @hexmlir_rt_engine_release()
        func.func private @hexmlir_engine_hf(index, index, index, i32, i32, index)
        func.func private @hexmlir_rt_engine_acquire()
        func.func @f(%arg0: memref<4x3x16x32x2xf16, 1>, %arg1: memref<2x3x16x32x2xf16, 1>, %arg2: memref<2x2x32xi32,
            1>, %arg3: memref<4x2x16x32x2xf16, 1>, %arg4: memref<64xf32>) {
          %c4096 = arith.constant 4096 : index
          %c6144 = arith.constant 6144 : index
          %c1 = arith.constant 1 : index
          %c2_i32 = arith.constant 2 : i32
          %c3_i32 = arith.constant 3 : i32
          %c4 = arith.constant 4 : index
          %c0 = arith.constant 0 : index
          %token = async.execute {
            %intptr = memref.extract_aligned_pointer_as_index %arg0 : memref<4x3x16x32x2xf16, 1> -> index
            %intptr_0 = memref.extract_aligned_pointer_as_index %arg1 : memref<2x3x16x32x2xf16, 1> -> index
            %intptr_1 = memref.extract_aligned_pointer_as_index %arg3 : memref<4x2x16x32x2xf16, 1> -> index
            %intptr_2 = memref.extract_aligned_pointer_as_index %arg2 : memref<2x2x32xi32, 1> -> index
            func.call @hexmlir_rt_engine_acquire() : () -> ()
            scf.for %arg5 = %c0 to %c4 step %c1 {
              %0 = arith.muli %arg5, %c6144 : index
              %1 = arith.addi %intptr, %0 : index
              %2 = arith.muli %arg5, %c4096 : index
              %3 = arith.addi %intptr_1, %2 : index
              func.call @hexmlir_engine_hf(%1, %intptr_0, %3, %c3_i32, %c2_i32, %intptr_2) : (index, index, index,
                  i32, i32, index) -> ()
            }
            func.call @hexmlir_rt_engine_release() : () -> ()
            async.yield
          }
          linalg.exp ins(%arg4 : memref<64xf32>) outs(%arg4 : memref<64xf32>)
          async.await %token : !async.token
          return
        }

    Options:
        threads: 1 makes no tasks; 0 and other numbers do.

    Refuses: tiles outside TCM, and products without a wait after them in their block (errors). In functions that may
    not fork (``hexagon.may_fork``) products are no tasks.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "lower-engine-products"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    threads: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower every operation of the engine."""
        blocks = dict.fromkeys(op.block for op in ops_named(module, ENGINE_PRODUCT, ENGINE_WAIT))
        for block in blocks:
            self._lower(module, block)

    def _lower(self, module: ir.Module, block: ir.Block) -> None:
        operations = [view.operation for view in block.operations]
        self._check(operations)
        tokens: list[ir.Value | None] = []  # of products that nothing has waited for; None: is no task
        for number, op in enumerate(operations):
            if op.name not in (ENGINE_PRODUCT, ENGINE_WAIT):
                continue
            with op.location, ir.InsertionPoint(op):
                if op.name == ENGINE_WAIT:
                    done = _done(tokens, op)
                    for token in done:
                        if token is not None:
                            ir.Operation.create("async.await", operands=[token])
                    del tokens[:len(done)]
                elif self.threads == 1 or _waits(operations[number + 1:]) or permissions.of(holder_of(op)) is not None:
                    _multiply(module, EngineProduct.of(op))
                    tokens.append(None)
                else:
                    tokens.append(_task(module, EngineProduct.of(op)))
            erase_op(op, self.name)

    def _check(self, operations: list[ir.Operation]) -> None:
        """Tiles are in TCM, and something waits for every product."""
        running: list[ir.Operation] = []
        for op in operations:
            if op.name == ENGINE_WAIT:
                del running[:len(_done(running, op))]
            elif op.name == ENGINE_PRODUCT:
                running.append(op)
                if not all(in_tcm(ir.MemRefType(value.type)) for value in op.operands):
                    raise self.refuse(op, "tiles outside TCM", "the matrix engine reads and writes TCM only")
        if running:
            raise self.refuse(running[0], "a product that nothing waits for in its block",
                              "write a hexagon.engine_wait after it")


Running = TypeVar("Running")


def _done(running: list[Running], wait: ir.Operation) -> list[Running]:
    """Those of the ``running`` products that ``wait`` waits for."""
    return running[:max(len(running) - pending_products(wait), 0)]


def _waits(following: list[ir.Operation]) -> bool:
    """True where the first of the ``following`` operations that does anything waits for all products."""
    first = next((op for op in following if not is_pure(op)), None)
    return first is not None and first.name == ENGINE_WAIT and not pending_products(first)


def _task(module: ir.Module, product: EngineProduct) -> ir.Value:
    """A task that multiplies; the token to wait for."""
    none = ir.DenseI32ArrayAttr.get([0, 0])
    task = ir.Operation.create("async.execute", results=[ir.Type.parse("!async.token")],
                               attributes={"operandSegmentSizes": none}, regions=1)
    with ir.InsertionPoint(task.regions[0].blocks.append()):
        _multiply(module, product)
        ir.Operation.create("async.yield")
    return task.result


def _multiply(module: ir.Module, product: EngineProduct) -> None:
    """Acquire the engine, call the routine for each row of tiles, release the engine."""
    if product.windows is not None:
        _multiply_windows(module, product, product.windows)
        return
    rows, reduction, *_ = ir.MemRefType(product.activations.type).shape
    columns = ir.MemRefType(product.weights.type).shape[0]
    routine = MULTIPLY_IN_PIECES if product.in_pieces else MULTIPLY if _of_halves(product) else MULTIPLY_BYTES
    steps = [_row_bytes(tiles) for tiles in (product.activations, product.results)]

    def emit(activations: ir.Value, weights: ir.Value, results: ir.Value, tables: ir.Value) -> None:
        numbers = _numbers(reduction, columns)

        def row(activations: ir.Value, results: ir.Value) -> None:
            _call(module, routine, [activations, weights, results, *numbers, tables])

        _for_each(rows, [activations, results], steps, row)

    _holding(module, product, emit)


def _multiply_windows(module: ir.Module, product: EngineProduct, windows: Windows) -> None:
    """The same for a product whose ``windows`` share activations: a call for each result tile, and group of channels.
    """
    _, across, channels, *_ = ir.MemRefType(product.activations.type).shape
    columns, reduction, *_ = ir.MemRefType(product.weights.type).shape
    rows = ir.MemRefType(product.results.type).shape[0] // windows.columns
    run, result = windows.taps_x * channels, _row_bytes(product.results)
    tile = _row_bytes(product.activations) // (across * channels)
    distance = windows.row_tap * across * channels
    routine = MULTIPLY_RUNS if _of_halves(product) else MULTIPLY_BYTE_RUNS
    of_group = windows.of_group or columns
    groups = [tile * across * channels, *(of_group * size for size in (
        _row_bytes(product.weights), result // columns, _row_bytes(product.columns)))]

    def emit(activations: ir.Value, weights: ir.Value, results: ir.Value, tables: ir.Value) -> None:
        numbers = _numbers(run + (reduction // run << UPPER_BIT), of_group + (distance << UPPER_BIT))

        def group(activations: ir.Value, weights: ir.Value, results: ir.Value, tables: ir.Value) -> None:
            _call(module, routine, [activations, weights, results, *numbers, tables])

        def one(activations: ir.Value, results: ir.Value) -> None:
            _for_each(columns // of_group, [activations, weights, results, tables], groups, group)

        def row(activations: ir.Value, results: ir.Value) -> None:
            _for_each(windows.columns, [activations, results], [tile * channels * windows.column_step, result], one)

        _for_each(rows, [activations, results],
                  [tile * channels * across * windows.row_step, result * windows.columns], row)

    _holding(module, product, emit)


def _of_halves(product: EngineProduct) -> bool:
    return isinstance(ir.MemRefType(product.activations.type).element_type, ir.F16Type)


def _holding(module: ir.Module, product: EngineProduct, emit: Callable[..., None]) -> None:
    """``emit``, for the addresses of activations, weights, results and tables, while the engine is held."""
    addresses = [_address(value)
                 for value in (product.activations, product.weights, product.results, product.columns)]
    _call(module, ACQUIRE, [])
    emit(*addresses)
    _call(module, RELEASE, [])


def _for_each(count: int, addresses: list[ir.Value], steps: list[int], emit: Callable[..., None]) -> None:
    """``emit`` for ``addresses``, ``count`` times: ``steps`` bytes further each time."""
    if count == 1:
        emit(*addresses)
        return
    loop = scf.ForOp(index(0), index(count), index(1))
    with ir.InsertionPoint(loop.body):
        emit(*(arith.addi(address, arith.muli(loop.induction_variable, index(step)))
               for address, step in zip(addresses, steps, strict=True)))
        scf.YieldOp([])


def _numbers(*numbers: int) -> list[ir.Value]:
    return [arith.constant(ir.IntegerType.get_signless(32), number) for number in numbers]


def _row_bytes(tiles: ir.Value) -> int:
    """Of a row of ``tiles``."""
    type_ = ir.MemRefType(tiles.type)
    return prod(type_.shape[1:]) * element_bytes(type_.element_type)


def _address(buffer: ir.Value) -> ir.Value:
    type_ = ir.MemRefType(buffer.type)
    return element_address(buffer, [index(0)] * type_.rank, element_bytes(type_.element_type))


def _call(module: ir.Module, symbol: str, arguments: list[ir.Value]) -> None:
    if not any(op.operation.name == "func.func" and op.sym_name.value == symbol for op in module.body.operations):
        with ir.InsertionPoint.at_block_begin(module.body):
            func.FuncOp(symbol, ([value.type for value in arguments], []), visibility="private")
    func.CallOp([], ir.FlatSymbolRefAttr.get(symbol), arguments)

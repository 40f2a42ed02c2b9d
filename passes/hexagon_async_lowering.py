"""The async dialect to forks, coroutines and runtime calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import arith, func, ir, memref
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.async_lowering.fork_calls import call_runtime
from hexagon_mlir.passes.async_lowering.forks import Fork, fork_of

_UPSTREAM = UpstreamStep("async-to-async-runtime,async-runtime-ref-counting,async-runtime-ref-counting-opt,"
                         "convert-async-to-llvm", label="hexagon-async-lowering")
_TASKS = ("async.execute", "async.func", "async.call", "async.create_group", "async.add_to_group", "async.await",
          "async.await_all")
_ALLOC, _FREE = "aligned_alloc", "free"
_ASIDE = "hexmlir_kept_"
_RUNTIME = "mlirAsyncRuntim"


@dataclass(frozen=True)
class HexagonAsyncLoweringPass(Pass):
    """Turns tasks, tokens and groups of the async dialect into forks, LLVM coroutines and calls of the runtime.

    A loop that starts a task for each of its numbers, as `form-async-threads` makes them, is a fork: one call of the
    runtime queues all tasks. What they read is written to a frame on the stack, whose first bytes are the runtime's;
    the call that waits for the group becomes the join.

    Other tasks are coroutines, which code generation splits. Upstream's passes lower them for a 64-bit machine: they
    allocate frames with 64-bit sizes, which a 32-bit ``aligned_alloc`` reads from the wrong registers, and cast an
    index to i64 in a way that cannot be lowered. This pass corrects both.

    Before:
        func.func private @f_thread(index, f32)
        func.func @f(%n: index, %v: f32) {
          %c1 = arith.constant 1 : index
          %g = async.create_group %n : !async.group
          scf.for %i = %c1 to %n step %c1 {
            %t = async.execute {
              func.call @f_thread(%i, %v) : (index, f32) -> ()
              async.yield
            }
            %r = async.add_to_group %t, %g : !async.token
          }
          async.await_all %g
          return
        }

    After:
        func.func private @f_thread_task(%arg0: memref<1xi8>, %arg1: i32) attributes {llvm.passthrough = ["noinline"]} {
          %s = memref.reinterpret_cast %arg0 to offset: [0], sizes: [68], strides: [1] : memref<1xi8> to memref<68xi8>
          %c64 = arith.constant 64 : index
          %w = memref.view %s[%c64][] : memref<68xi8> to memref<1xf32>
          %c0 = arith.constant 0 : index
          %0 = memref.load %w[%c0] : memref<1xf32>
          %1 = arith.index_cast %arg1 : i32 to index
          call @f_thread(%1, %0) : (index, f32) -> ()
          return
        }
        func.func private @hexmlir_rt_join(memref<1xi8>)
        func.func private @hexmlir_rt_fork(memref<1xi8>, (memref<1xi8>, i32) -> (), i32, i32)
        func.func private @f_thread(index, f32)
        func.func @f(%arg0: index, %arg1: f32) {
          %frame = memref.alloca() {alignment = 8 : i64} : memref<68xi8>
          %s = memref.reinterpret_cast %frame to offset: [0], sizes: [1], strides: [1] : memref<68xi8> to memref<1xi8>
          %c1 = arith.constant 1 : index
          %c64 = arith.constant 64 : index
          %w = memref.view %frame[%c64][] : memref<68xi8> to memref<1xf32>
          %c0 = arith.constant 0 : index
          memref.store %arg1, %w[%c0] : memref<1xf32>
          %0 = arith.index_cast %c1 : index to i32
          %1 = arith.index_cast %arg0 : index to i32
          %f = constant @f_thread_task : (memref<1xi8>, i32) -> ()
          call @hexmlir_rt_fork(%s, %f, %0, %1) : (memref<1xi8>, (memref<1xi8>, i32) -> (), i32, i32) -> ()
          call @hexmlir_rt_join(%s) : (memref<1xi8>) -> ()
          return
        }

    Options:
        none

    Refuses: nothing; a module without the async dialect stays as it is, and a remark says why tasks are no fork.

    Needs: buffer.
    Leaves: runtime.
    """

    name: ClassVar[str] = "hexagon-async-lowering"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "runtime"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (_UPSTREAM,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower, then correct what upstream's lowering assumes."""
        found = [(group, fork_of(group)) for group in ops_named(module, "async.create_group")]
        for group, fork in found:
            if not isinstance(fork, Fork):
                self.remark(context, group, f"its tasks are coroutines, queued one by one: {fork}")
        call_runtime(module, [fork for _, fork in found if isinstance(fork, Fork)])
        if not ops_named(module, *_TASKS):
            return
        with _set_aside(module, (_ALLOC, _FREE)):
            _UPSTREAM.run(module, context)
            for op in ops_named(module, "llvm.call"):
                with op.location, ir.InsertionPoint(op):
                    _call_runtime(module, op)
            for view in list(module.body.operations):
                if _symbol(view.operation) in (_ALLOC, _FREE):
                    view.operation.erase()
        for op in ops_named(module, "builtin.unrealized_conversion_cast"):
            if isinstance(op.operands[0].type, ir.IndexType):
                with op.location, ir.InsertionPoint(op):
                    op.results[0].replace_all_uses_with(arith.index_cast(op.results[0].type, op.operands[0]))
                op.erase()
        _drop_unused(module)


@contextmanager
def _set_aside(module: ir.Module, names: tuple[str, ...]) -> Iterator[None]:
    """Give our own functions of these names other ones meanwhile: upstream declares them with other types."""
    _rename(module, {name: _ASIDE + name for name in names})
    yield
    _rename(module, {_ASIDE + name: name for name in names})


def _rename(module: ir.Module, names: Mapping[str, str]) -> None:
    renamed = [view.operation for view in module.body.operations if _symbol(view.operation) in names]
    for op in renamed:
        op.attributes["sym_name"] = ir.StringAttr.get(names[_symbol(op)])
    for call in ops_named(module, "func.call") if renamed else ():  # nothing else names them
        if (new := names.get(ir.FlatSymbolRefAttr(call.attributes["callee"]).value)) is not None:
            call.attributes["callee"] = ir.FlatSymbolRefAttr.get(new)


def _call_runtime(module: ir.Module, op: ir.Operation) -> None:
    """A frame's allocation or release, as `hexagon-memory-lowering` writes them."""
    callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value if "callee" in op.attributes else ""
    i32, index = ir.IntegerType.get_signless(32), ir.IndexType.get()
    if callee == _ALLOC:
        raw = ir.MemRefType.get([1], ir.IntegerType.get_signless(8))
        _declare(module, _ASIDE + _ALLOC, [i32, i32], [raw])
        numbers = [arith.trunci(i32, number) for number in op.operands]
        buffer = func.CallOp([raw], ir.FlatSymbolRefAttr.get(_ASIDE + _ALLOC), numbers).result
        address = arith.index_cast(i32, memref.extract_aligned_pointer_as_index(buffer))
        pointer = ir.Operation.create("llvm.inttoptr", results=[op.results[0].type], operands=[address])
        op.results[0].replace_all_uses_with(pointer.result)
    elif callee == _FREE:
        _declare(module, _ASIDE + _FREE, [index], [])
        address = ir.Operation.create("llvm.ptrtoint", results=[i32], operands=[op.operands[0]]).result
        func.CallOp([], ir.FlatSymbolRefAttr.get(_ASIDE + _FREE), [arith.index_cast(index, address)])
    else:
        return
    op.erase()


def _declare(module: ir.Module, symbol: str, inputs: list[ir.Type], results: list[ir.Type]) -> None:
    if not any(_symbol(view.operation) == symbol for view in module.body.operations):
        with ir.InsertionPoint.at_block_begin(module.body):
            func.FuncOp(symbol, (inputs, results), visibility="private")


def _symbol(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""


def _drop_unused(module: ir.Module) -> None:
    """Erase what upstream declares of the runtime and nobody calls."""
    called = {ir.FlatSymbolRefAttr(op.attributes["callee"]).value
              for op in ops_named(module, "func.call")}
    for view in list(module.body.operations):
        if _symbol(view.operation).startswith(_RUNTIME) and _symbol(view.operation) not in called:
            view.operation.erase()

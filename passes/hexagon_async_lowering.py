"""The async dialect to coroutines and runtime calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import arith, func, ir, memref
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext, UpstreamStep

_UPSTREAM = UpstreamStep("async-to-async-runtime,async-runtime-ref-counting,async-runtime-ref-counting-opt,"
                         "convert-async-to-llvm", label="hexagon-async-lowering")
_TASKS = ("async.execute", "async.func", "async.call", "async.create_group", "async.add_to_group", "async.await",
          "async.await_all")
_ALLOC, _FREE = "aligned_alloc", "free"
_ASIDE = "hexmlir_kept_"
_RUNTIME = "mlirAsyncRuntim"


@dataclass(frozen=True)
class HexagonAsyncLoweringPass(Pass):
    """Turns tasks, tokens and groups of the async dialect into LLVM coroutines and calls of the runtime.

    Upstream's passes lower the dialect for a 64-bit machine: they allocate frames with 64-bit sizes, which a 32-bit
    ``aligned_alloc`` reads from the wrong registers, and cast an index to i64 in a way that cannot be lowered. This
    pass corrects both. Code generation splits the coroutines.

    Before:
        func.func @f(%n: index) {
          %g = async.create_group %n : !async.group
          async.await_all %g
          return
        }

    After:
        func.func @f(%n: index) {
          %0 = arith.index_cast %n : index to i64
          %g = call @mlirAsyncRuntimeCreateGroup(%0) : (i64) -> !llvm.ptr
          call @mlirAsyncRuntimeAwaitAllInGroup(%g) : (!llvm.ptr) -> ()
          %error = call @mlirAsyncRuntimeIsGroupError(%g) : (!llvm.ptr) -> i1
          %c1 = arith.constant 1 : i64
          call @mlirAsyncRuntimeDropRef(%g, %c1) : (!llvm.ptr, i64) -> ()
          %true = arith.constant true
          %good = arith.xori %error, %true : i1
          cf.assert %good, "Awaited async operand is in error state"
          return
        }
        func.func private @mlirAsyncRuntimeDropRef(!llvm.ptr, i64)
        func.func private @mlirAsyncRuntimeCreateGroup(i64) -> !llvm.ptr
        func.func private @mlirAsyncRuntimeIsGroupError(!llvm.ptr) -> i1
        func.func private @mlirAsyncRuntimeAwaitAllInGroup(!llvm.ptr)

    Options:
        none

    Refuses: nothing; a module without the async dialect stays as it is.

    Needs: buffer.
    Leaves: runtime.
    """

    name: ClassVar[str] = "hexagon-async-lowering"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "runtime"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (_UPSTREAM,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower, then correct what upstream's lowering assumes."""
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

"""Private functions of equal code become one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.query import find_ops
from hexagon_mlir.pass_infra import Pass, PassContext

_CALLEE = "callee"


@dataclass(frozen=True)
class MergeFunctionsPass(Pass):
    """Keeps one of several private functions whose code is the same, and lets every caller call that.

    The parts of a double-buffered loop do the same with other buffers, and so do its tasks: their functions differ in
    their names alone. Code generation takes most of a compilation, and what is generated once also fits a cache better.

    Before:
        func.func private @f_tile(%x: memref<32xf32>, %v: f32) {
          %c0 = arith.constant 0 : index
          memref.store %v, %x[%c0] : memref<32xf32>
          return
        }
        func.func private @f_tile_0(%y: memref<32xf32>, %w: f32) {
          %c0 = arith.constant 0 : index
          memref.store %w, %y[%c0] : memref<32xf32>
          return
        }
        func.func @f(%x: memref<32xf32>, %y: memref<32xf32>, %v: f32) {
          call @f_tile(%x, %v) : (memref<32xf32>, f32) -> ()
          call @f_tile_0(%y, %v) : (memref<32xf32>, f32) -> ()
          return
        }

    After:
        func.func private @f_tile(%x: memref<32xf32>, %v: f32) {
          %c0 = arith.constant 0 : index
          memref.store %v, %x[%c0] : memref<32xf32>
          return
        }
        func.func @f(%x: memref<32xf32>, %y: memref<32xf32>, %v: f32) {
          call @f_tile(%x, %v) : (memref<32xf32>, f32) -> ()
          call @f_tile(%y, %v) : (memref<32xf32>, f32) -> ()
          return
        }

    Options: none.

    Refuses: nothing. A function whose address is taken stays as it is.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "merge-functions"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Merge until nothing is equal: callers of merged functions may have become so."""
        named = {_name_in(op.attributes["value"]) for op in find_ops(module, lambda op: op.name == "func.constant")}
        while same := _equal([op for op in _private(module) if _name(op) not in named]):
            for call in find_ops(module, lambda op: op.name == "func.call"):
                name = _name_in(call.attributes[_CALLEE])
                call.attributes[_CALLEE] = ir.FlatSymbolRefAttr.get(same.get(name, name), context=module.context)
            for function in _private(module):
                if _name(function) in same:
                    erase_op(function, self.name)


def _private(module: ir.Module) -> list[ir.Operation]:
    """The private functions of ``module`` that have a body."""
    functions = [view.operation for view in module.body.operations if view.operation.name == "func.func"]
    return [op for op in functions if len(op.regions[0].blocks) and "sym_visibility" in op.attributes
            and ir.StringAttr(op.attributes["sym_visibility"]).value == "private"]


def _equal(functions: list[ir.Operation]) -> dict[str, str]:
    """Name of a function -> that of an earlier one with the same code."""
    sizes: dict[tuple, list[ir.Operation]] = defaultdict(list)
    for function in functions:
        count = len(find_ops(function, lambda op: True))
        sizes[function.attributes["function_type"], count].append(function)
    found: dict[str, str] = {}
    for group in sizes.values():
        first: dict[str, str] = {}
        for function in group if len(group) > 1 else ():
            name = _name(function)
            text = function.get_asm(assume_verified=True, use_local_scope=True).replace(f"@{name}(", "@(", 1)
            kept = first.setdefault(text, name)
            if kept != name:
                found[name] = kept
    return found


def _name(function: ir.Operation) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value


def _name_in(reference: ir.Attribute) -> str:
    return ir.FlatSymbolRefAttr(reference).value

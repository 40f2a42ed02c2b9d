"""Private functions of equal code become one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext


@dataclass(frozen=True)
class MergeFunctionsPass(Pass):
    """Keeps one of several private functions with the same code, and makes every caller call it.

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
        alike = [group for group in _alike(_private(module)) if len(group) > 1]
        if not alike:
            return
        named = {_name_in(op.attributes["value"]) for op in ops_named(module, "func.constant")}
        texts = [{_name(op): _text(op) for op in group if _name(op) not in named} for group in alike]
        symbols = ir.SymbolTable(module.operation)
        while same := _equal(texts):
            for call in ops_named(module, "func.call"):  # nothing else names them
                if (kept := same.get(_name_in(call.attributes["callee"]))) is not None:
                    call.attributes["callee"] = ir.FlatSymbolRefAttr.get(kept)
            for name in same:
                erase_op(symbols[name].operation, self.name)
            renamed = re.compile(rf"@({'|'.join(map(re.escape, same))})(?=\()")
            texts = [{name: renamed.sub(lambda found: f"@{same[found[1]]}", text) for name, text in group.items()
                      if name not in same} for group in texts]


def _private(module: ir.Module) -> list[ir.Operation]:
    """The private functions of ``module`` that have a body."""
    functions = [view.operation for view in module.body.operations if view.operation.name == "func.func"]
    return [op for op in functions if len(op.regions[0].blocks) and "sym_visibility" in op.attributes
            and ir.StringAttr(op.attributes["sym_visibility"]).value == "private"]


def _alike(functions: list[ir.Operation]) -> Iterable[list[ir.Operation]]:
    """``functions`` by their types and the names of their operations, which cost less than their texts."""
    types: dict[ir.Attribute, list[ir.Operation]] = defaultdict(list)
    for function in functions:
        types[function.attributes["function_type"]].append(function)
    named: dict[tuple, list[ir.Operation]] = defaultdict(list)
    for type_, group in types.items():
        for function in group if len(group) > 1 else ():
            named[type_, *(op.name for op in nested_ops(function))].append(function)
    return named.values()


def _text(function: ir.Operation) -> str:
    """The code of ``function`` without its name."""
    text = function.get_asm(assume_verified=True, use_local_scope=True)
    return text.replace(f"@{_name(function)}(", "@(", 1)


def _equal(groups: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Name of a function -> that of an earlier one with the same code; ``groups`` have texts by name."""
    found: dict[str, str] = {}
    for texts in groups:
        first: dict[str, str] = {}
        for name, text in texts.items():
            kept = first.setdefault(text, name)
            if kept != name:
                found[name] = kept
    return found


def _name(function: ir.Operation) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value


def _name_in(reference: ir.Attribute) -> str:
    return ir.FlatSymbolRefAttr(reference).value

"""Every buffer is freed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir, memref
from hexagon_mlir.ir.buffers import VIEWS, uses_of_buffer
from hexagon_mlir.ir.query import functions, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext, UpstreamStep

_UPSTREAM = UpstreamStep(
    "ownership-based-buffer-deallocation,canonicalize{region-simplify=disabled},buffer-deallocation-simplification,"
    "bufferization-lower-deallocations,inline{default-pipeline=},symbol-dce,cse,canonicalize{region-simplify=disabled}")
_CLEAN = UpstreamStep("symbol-dce,canonicalize{region-simplify=disabled},cse")
_ALIASING = frozenset({"scf.yield", "scf.condition", "scf.for", "scf.while", "cf.br", "cf.cond_br", "cf.switch",
                        "func.return"})
"""What makes a buffer known under another name, or to somebody else."""


@dataclass(frozen=True)
class HexagonDeallocationPass(Pass):
    """Frees buffers at the end of the block that allocates them.

    If loops carry buffers, or functions return them, ownership is only known at run time. Then upstream's
    ``ownership-based-buffer-deallocation`` processes the whole module, and inlines functions. For other modules its
    output folds to the same result, but that takes twice as long.

    Before:
        func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
          %a = memref.alloc() : memref<4xf32>
          linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
          linalg.add ins(%x, %a : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
          return
        }

    After:
        func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
          %a = memref.alloc() : memref<4xf32>
          linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
          linalg.add ins(%x, %a : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
          memref.dealloc %a : memref<4xf32>
          return
        }

    Options:
        none

    Refuses: nothing.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-deallocation"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (_UPSTREAM, _CLEAN)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Free the buffers, or let upstream do it."""
        allocations = ops_named(module, "memref.alloc")
        if not _stand_alone(module) or not all(map(_is_own, allocations)):
            _UPSTREAM.run(module, context)
            return
        for allocation in allocations:
            end = ir.InsertionPoint.at_block_terminator(allocation.block)
            with end.ref_operation.location, end:
                memref.dealloc(allocation.results[0])
        _CLEAN.run(module, context)


def _stand_alone(module: ir.Module) -> bool:
    """True when functions give no buffers, free none themselves and are not to be inlined."""
    kept = {ir.StringAttr(op.attributes["sym_name"]).value for op in functions(module) if "no_inline" in op.attributes}
    calls = ops_named(module, "func.call")
    types = [ir.FunctionType(op.attributes["function_type"].value) for op in functions(module)]
    return (not any(isinstance(result, ir.MemRefType) for type_ in types for result in type_.results)
            and all(ir.FlatSymbolRefAttr(call.attributes["callee"]).value in kept for call in calls)
            and not ops_named(module, "memref.dealloc"))


def _is_own(allocation: ir.Operation) -> bool:
    """True when the buffer is known to its block alone, which is left at its end."""
    if len(allocation.block.region.blocks) > 1:
        return False
    users = [use.owner.operation for use in uses_of_buffer(allocation.results[0])]
    return not any(user.name not in VIEWS and (
        user.name in _ALIASING or user.name.startswith("bufferization.")
        or any(isinstance(result.type, ir.MemRefType) for result in user.results)) for user in users)

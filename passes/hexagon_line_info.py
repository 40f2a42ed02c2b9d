"""Source lines for the assembly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import Place, ir, place_of
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext, UpstreamStep

_SCOPES = UpstreamStep("ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly}")


@dataclass(frozen=True)
class HexagonLineInfoPass(Pass):
    """Gives functions debug scopes, from which LLVM writes the source line of each instruction into the assembly.

    Upstream's pass makes the scopes. LLVM rejects calls without a location in a function with a scope; these get line 0
    of the function's file, which LLVM uses for code that belongs to no line. The generated code is the same with and
    without line information.

    Before:
        llvm.func @f() {
          llvm.call @f() : () -> () loc(unknown)
          llvm.return loc("k.py":3:5)
        } loc("k.py":1:1)

    After:
        #unit = #llvm.di_file<"-" in "">
        #file = #llvm.di_file<"k.py" in "">
        #type = #llvm.di_subroutine_type<callingConvention = DW_CC_normal>
        #compiled = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = #unit,
            producer = "MLIR", isOptimized = true, emissionKind = LineTablesOnly>
        #scope = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #compiled, scope = #file, name = "f",
            linkageName = "f", file = #file, line = 1, scopeLine = 1, subprogramFlags = "Definition|Optimized",
            type = #type>
        module {
          llvm.func @f() {
            llvm.call @f() : () -> () loc("k.py":0:0)
            llvm.return loc("k.py":3:5)
          } loc(fused<#scope>["k.py":1:1])
        } loc("-":0:0)

    Options: none.

    Refuses: nothing.

    Needs: llvm.
    Leaves: llvm.
    """

    name: ClassVar[str] = "hexagon-line-info"
    needs: ClassVar[str] = "llvm"
    leaves: ClassVar[str] = "llvm"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (_SCOPES,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Places for calls that have none, then upstream's scopes."""
        for function in ops_named(module, "llvm.func"):
            file = place_of(function.location).file
            for call in [op for op in ops_named(function, "llvm.call") if place_of(op.location) == Place()]:
                call.location = ir.Location.file(file, 0, 0)
        _SCOPES.run(module, context)

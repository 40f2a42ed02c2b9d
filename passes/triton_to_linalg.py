"""The pass ``triton-to-linalg``; `hexagon_mlir.passes.triton_import` holds the translation of each operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.passes.triton_import.translate import Translator

from hexagon_mlir.ir import HexError, PassManager, ir
from hexagon_mlir.ir.diagnostics import from_mlir_error
from hexagon_mlir.pass_infra import Pass, PassContext


@dataclass(frozen=True)
class TritonToLinalgPass(Pass):
    """Turns Triton kernels (generic-form TTIR) into functions over linalg on tensors."""

    name: ClassVar[str] = "triton-to-linalg"
    needs: ClassVar[str] = "source"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Build every function aside, clean up, then swap: an error leaves ``module`` as it was."""
        kernels = [view.operation for view in module.body.operations if view.operation.name == "tt.func"]
        result = ir.Module.create(ir.Location.unknown())
        for kernel in kernels:
            with ir.InsertionPoint(result.body):
                translator = Translator(self.name, lambda op, text: self.remark(context, op, text))
                translator.function(kernel)
                del translator
        self._clean(result)
        for kernel in kernels:
            kernel.erase()
        for view in list(result.body.operations):
            module.body.append(view)

    def _clean(self, module: ir.Module) -> None:
        try:
            module.operation.verify()
            PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
        except ir.MLIRError as error:
            raise HexError(*from_mlir_error(
                error, self.name, hint="the translation produced invalid IR; please report it").diagnostics) from None

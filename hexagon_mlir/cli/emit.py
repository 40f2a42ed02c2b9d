"""``--emit=llvm|asm|obj``: from a module at the llvm level to code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexagon_mlir.ir import ir, untranslatable_ops
from hexagon_mlir.ir.diagnostics import error_at
from hexagon_mlir.settings import Settings
from hexagon_mlir.targets import Target

if TYPE_CHECKING:
    from hexagon_mlir.codegen.trace import Trace


def is_llvm_level(module: ir.Module) -> bool:
    """True when the module is ready for translation to LLVM IR."""
    return not untranslatable_ops(module)


def emit(module: ir.Module, target: Target, kind: str, pipeline: str, settings: Settings,
         trace: Trace | None = None) -> str | bytes:
    """``module``, lowered by ``pipeline``, as LLVM IR, assembly or an object; ``kind`` is "llvm", "asm" or "obj".

    ``trace`` gets what the steps from LLVM IR to assembly did, where that is asked for.
    """
    left = untranslatable_ops(module)
    if left:
        raise error_at(left[0], f"emit-{kind}", f"{len(left)} operations are not at the llvm level",
                       hint="run a whole pipeline, such as --pipeline=default")
    from hexagon_mlir import codegen
    from hexagon_mlir.codegen.symbols import check_symbols

    check_symbols(module)
    llvm_ir = codegen.translate_to_llvm_ir(module)
    if kind == "llvm":
        return llvm_ir
    if kind == "asm" and trace is not None:
        from hexagon_mlir.codegen.emission import traced

        asm, made = traced(llvm_ir, target, pipeline, settings)
        trace += made
        return asm
    return codegen.emit(llvm_ir, target, kind, pipeline, settings)

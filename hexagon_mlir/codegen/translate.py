"""LLVM dialect to LLVM IR text that LLVM 22 reads."""

from __future__ import annotations

from hexagon_mlir.codegen.llvm_ir.fp_literals import rewrite_fp_literals
from hexagon_mlir.ir import error_at, ir, translate_module_to_llvmir, untranslatable_ops

ORIGIN = "translate-to-llvm-ir"


def translate_to_llvm_ir(module: ir.Module) -> str:
    """``module`` (level ``llvm``) as LLVM IR text, without target triple and data layout.

    Raises `HexError` at the first operation that has no LLVM form.
    """
    left = untranslatable_ops(module)
    if left:
        raise error_at(left[0], ORIGIN, f"'{left[0].name}' has no LLVM form; {len(left)} such operations remain",
                       hint="lower the module to the llvm level first, for example with --pipeline=default")
    return rewrite_fp_literals(translate_module_to_llvmir(module.operation))

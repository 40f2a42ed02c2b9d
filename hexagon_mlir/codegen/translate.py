"""LLVM dialect to LLVM IR text that LLVM 22 reads."""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.fp_literals import rewrite_fp_literals
from hexagon_mlir.codegen.llvm_ir.names import END
from hexagon_mlir.ir import error_at, ir, translate_module_to_llvmir, untranslatable_ops

ORIGIN = "translate-to-llvm-ir"
_MESSAGE = re.compile(r"\n@(assert_msg(?:_\d+)?) = private")  # the start of any line takes ten times as long


def translate_to_llvm_ir(module: ir.Module) -> str:
    """``module`` (level ``llvm``) as LLVM IR text, without target triple and data layout.

    Raises `HexError` at the first operation that has no LLVM form.
    """
    left = untranslatable_ops(module)
    if left:
        raise error_at(left[0], ORIGIN, f"'{left[0].name}' has no LLVM form; {len(left)} such operations remain",
                       hint="lower the module to the llvm level first, for example with --pipeline=default")
    return _number_messages(rewrite_fp_literals(translate_module_to_llvmir(module.operation)))


def _number_messages(text: str) -> str:
    """``text`` with messages of assertions counted from 0: upstream counts those of all modules, and what is cached for
    a kernel would not be found when another one was compiled before it."""
    if "@assert_msg" not in text:
        return text
    names = {name: f"assert_msg.{number}" for number, name in enumerate(_MESSAGE.findall(text))}
    return re.sub(rf"@(assert_msg(?:_\d+)?){END}", lambda found: f"@{names.get(found[1], found[1])}", text)

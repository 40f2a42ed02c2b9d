"""LLVM dialect to LLVM IR text that LLVM 22 reads."""

from __future__ import annotations

from hexagon_mlir.ir import error_at, ir, translate_module_to_llvmir, untranslatable_ops
from hexagon_mlir.llvmir import Module
from hexagon_mlir.llvmir.literals import rewrite_fp_literals
from hexagon_mlir.llvmir.names import with_globals_renamed

ORIGIN = "translate-to-llvm-ir"
_MESSAGE = "assert_msg"


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
    """``text`` with messages of assertions counted from 0: upstream numbers those of all modules, and a cached kernel
    would not be found after another one was compiled."""
    if f"@{_MESSAGE}" not in text:
        return text
    found = (name.removeprefix("@") for name in Module.parse(text).variables)
    messages = (name for name in found if name == _MESSAGE or name.startswith(f"{_MESSAGE}_"))
    return with_globals_renamed(text, {name: f"{_MESSAGE}.{number}" for number, name in enumerate(messages)})

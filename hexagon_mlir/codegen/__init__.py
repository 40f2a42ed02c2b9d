"""From the LLVM dialect to Hexagon assembly and objects."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexagon_mlir.codegen.compile import Compiled, compile_module
    from hexagon_mlir.codegen.emission import emit
    from hexagon_mlir.codegen.translate import translate_to_llvm_ir

_HOME = {"Compiled": "compile", "compile_module": "compile", "emit": "emission", "translate_to_llvm_ir": "translate"}

__all__ = ["Compiled", "compile_module", "emit", "translate_to_llvm_ir"]


def __getattr__(name: str):
    """Import on first use: the worker process loads this package without the MLIR bindings."""
    if name in _HOME:
        return getattr(importlib.import_module(f"hexagon_mlir.codegen.{_HOME[name]}"), name)
    raise AttributeError(name)

"""The one place that imports the MLIR bindings; everything else writes ``from hexagon_mlir.ir import ...``.

``ir`` is the bindings' own module (types, attributes, operations); the dialect builders stand beside it.
What we add: `context` (32-bit index), `parse`, `to_text`, `diagnostics` with places, and `guards`
against the ways the bindings are known to crash the process.
"""

import importlib
from typing import TYPE_CHECKING, Any

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from hexagon_mlir.ir.context import INDEX_BITS, make_context, set_index_bits
from hexagon_mlir.ir.diagnostics import Diagnostic, HexError, Place, error_at, place_of
from hexagon_mlir.ir.guards import captured_stderr, erase_op, untranslatable_ops
from hexagon_mlir.ir.text import parse, to_text

if TYPE_CHECKING:
    from torch_mlir.dialects import (
        arith,
        bufferization,
        func,
        linalg,
        math,
        memref,
        scf,
        tensor,
        transform,
        vector,
    )
    from torch_mlir.dialects.llvm import translate_module_to_llvmir
    from torch_mlir.dialects.transform import interpreter

__all__ = [
    "INDEX_BITS",
    "Diagnostic",
    "HexError",
    "PassManager",
    "Place",
    "arith",
    "bufferization",
    "captured_stderr",
    "erase_op",
    "error_at",
    "func",
    "interpreter",
    "ir",
    "linalg",
    "make_context",
    "math",
    "memref",
    "parse",
    "place_of",
    "scf",
    "set_index_bits",
    "tensor",
    "to_text",
    "transform",
    "translate_module_to_llvmir",
    "untranslatable_ops",
    "vector",
]

_DIALECTS = ("arith", "bufferization", "func", "linalg", "math", "memref", "scf", "tensor", "transform",
             "vector")


class _Linalg:
    """The builders of linalg, imported with the first one: they alone are a tenth of the start-up time."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("torch_mlir.dialects.linalg"), name)


_LINALG = _Linalg()


def __getattr__(name: str) -> Any:
    """Import a dialect's builders on first use: all of them take a third of the start-up time."""
    if name == "linalg":
        return _LINALG
    if name in _DIALECTS:
        return importlib.import_module(f"torch_mlir.dialects.{name}")
    if name == "interpreter":
        return importlib.import_module("torch_mlir.dialects.transform.interpreter")
    if name == "translate_module_to_llvmir":
        return importlib.import_module("torch_mlir.dialects.llvm").translate_module_to_llvmir
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

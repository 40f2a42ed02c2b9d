"""The one place that imports the MLIR bindings; everything else writes ``from hexagon_mlir.ir import ...``.

``ir`` is the bindings' own module (types, attributes, operations); the dialect builders stand beside it.
What we add: `context` (32-bit index), `parse`, `to_text`, `diagnostics` with places, and `guards`
against the ways the bindings are known to crash the process.
"""

import importlib
from typing import TYPE_CHECKING, Any

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from hexagon_mlir.interrupts import deferred
from hexagon_mlir.ir.context import INDEX_BITS, make_context, set_index_bits
from hexagon_mlir.ir.diagnostics import Diagnostic, HexError, Place, error_at, place_of
from hexagon_mlir.ir.guards import captured_stderr, erase_op, untranslatable_ops
from hexagon_mlir.ir.text import decode, name_locations, parse, read_all, to_text

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
    from torch_mlir.dialects.linalg import get_indexing_maps
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
    "decode",
    "erase_op",
    "error_at",
    "func",
    "get_indexing_maps",
    "interpreter",
    "ir",
    "linalg",
    "make_context",
    "math",
    "memref",
    "name_locations",
    "parse",
    "place_of",
    "read_all",
    "scf",
    "set_index_bits",
    "tensor",
    "to_text",
    "transform",
    "translate_module_to_llvmir",
    "untranslatable_ops",
    "vector",
]

_bindings = importlib.import_module("torch_mlir._mlir_libs._mlir").globals  # has stubs: mypy would want all others'
_bindings.dialect_search_modules = ["hexagon_mlir.ir.op_classes", *_bindings.dialect_search_modules]
_DIALECTS = ("arith", "bufferization", "func", "linalg", "math", "memref", "scf", "tensor", "transform",
             "vector")


class _Dialect:
    """The builders of one dialect, imported with the first one used: all of them take a third of the start-up time."""

    def __init__(self, name: str) -> None:
        self.__name__ = f"torch_mlir.dialects.{name}"

    def __getattr__(self, name: str) -> Any:
        with deferred():
            found = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, found)
        return found


_FUNCTIONS = {"get_indexing_maps": "torch_mlir._mlir_libs._mlirDialectsLinalg",
              "translate_module_to_llvmir": "torch_mlir._mlir_libs._mlirDialectsLLVM"}
"""Of the bindings themselves: the dialects' builders, which have them too, take 110 ms to import."""
_BUILDERS = {name: _Dialect(name) for name in _DIALECTS}


def __getattr__(name: str) -> Any:
    """What imports more when it is used."""
    if name in _BUILDERS:
        return _BUILDERS[name]
    with deferred():
        if name == "interpreter":
            return importlib.import_module("torch_mlir.dialects.transform.interpreter")
        if name in _FUNCTIONS:
            return getattr(importlib.import_module(_FUNCTIONS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

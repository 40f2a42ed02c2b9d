"""Names of a kernel's functions, so that objects of several kernels can be linked into one program."""

from __future__ import annotations

from hexagon_mlir.llvmir import Module
from hexagon_mlir.llvmir.names import prefixed, with_globals_renamed


def own_names(llvm_ir: str, entry: str, name: str = "") -> str:
    """``llvm_ir`` with its ``entry`` called ``name`` ("" keeps its own) and every other function ``name.OLD``.

    The code stays the same: other linkage (internal functions) would let LLVM inline what is simulated as a call.
    """
    name = name or entry
    defined = (function.name.removeprefix("@") for function in Module.parse(llvm_ir).functions)
    return with_globals_renamed(llvm_ir, {old: name if old == entry else prefixed(name, old) for old in defined})

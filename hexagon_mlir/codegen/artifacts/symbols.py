"""Names of a kernel's functions, so that objects of several kernels can be linked into one program."""

from __future__ import annotations

from hexagon_mlir.llvmir import Module
from hexagon_mlir.llvmir.names import prefixed, with_globals_renamed


def own_names(llvm_ir: str, entry: str, name: str = "") -> str:
    """``llvm_ir`` with its ``entry`` called ``name`` ("" keeps its own) and every other function ``name.OLD``.

    Linkage is unchanged and so is the code: LLVM would inline internal functions that are simulated as calls.
    """
    name = name or entry
    defined = (function.name.removeprefix("@") for function in Module.parse(llvm_ir).functions)
    return with_globals_renamed(llvm_ir, {old: name if old == entry else prefixed(name, old) for old in defined})

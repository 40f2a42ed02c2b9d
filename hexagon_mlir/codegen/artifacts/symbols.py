"""Names of a kernel's functions, so that objects of several kernels can be linked into one program."""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import WORD, prefixed

_DEFINED = re.compile(rf"^define [^@\n]*@({WORD})\(", re.MULTILINE)
_USED_OR_TEXT = re.compile(rf'@({WORD})|"[^"]*"')


def own_names(llvm_ir: str, entry: str, name: str = "") -> str:
    """``llvm_ir`` with its ``entry`` called ``name`` ("" keeps its own) and every other function ``name.OLD``.

    The code stays the same: other linkage (internal functions) would let LLVM inline what is simulated as a call.
    """
    name = name or entry
    names = {old: name if old == entry else prefixed(name, old) for old in _DEFINED.findall(llvm_ir)}
    return _USED_OR_TEXT.sub(lambda found: f"@{names[found[1]]}" if found[1] in names else found[0], llvm_ir)

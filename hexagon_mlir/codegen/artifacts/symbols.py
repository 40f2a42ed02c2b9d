"""Names of a kernel's functions, so that objects of several kernels can be linked into one program."""

from __future__ import annotations

import re

_DEFINED = re.compile(r"^define [^@\n]*@([\w.$-]+)\(", re.MULTILINE)
_USED = re.compile(r"@([\w.$-]+)")


def own_names(llvm_ir: str, entry: str, name: str = "") -> str:
    """``llvm_ir`` with its ``entry`` called ``name`` ("" keeps its own) and every other function ``name.OLD``.

    The code stays the same: other linkage (internal functions) would let LLVM inline what is simulated as a call.
    """
    name = name or entry
    names = {old: name if old == entry else f"{name}.{old}" for old in _DEFINED.findall(llvm_ir)}
    return _USED.sub(lambda found: f"@{names.get(found[1], found[1])}", llvm_ir)

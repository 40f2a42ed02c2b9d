"""Pointers to parts of the TCM arena that share no byte, in LLVM IR text.

The pipeline plans all buffers in one allocation, so LLVM would see one object and schedule every load behind every
store. ``hexmlir_tcm_slot(address)`` gives a pointer that aliases nothing; here it becomes empty inline assembly, which
keeps that promise (a result that is ``noalias``) and costs nothing.

It stays a rewrite of LLVM IR: the ``llvm.inline_asm`` of MLIR has no attributes of results.
"""

from __future__ import annotations

import re

from hexagon_mlir.llvmir.names import VALUE

_CALL = re.compile(rf"call (?:noalias )?ptr @hexmlir_tcm_slot\((i\d+ {VALUE})\)")
_DECLARATION = re.compile(r"^declare .*@hexmlir_tcm_slot\(.*\n", re.MULTILINE)


def separate_slots(text: str) -> str:
    """``text`` with each call of ``hexmlir_tcm_slot`` as inline assembly that hands its operand through."""
    if "@hexmlir_tcm_slot(" not in text:
        return text
    return _DECLARATION.sub("", _CALL.sub(r'call noalias ptr asm "", "=r,0"(\1)', text))

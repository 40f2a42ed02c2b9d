"""Kernels of a model that are one program by several names: LLVM generates its code once.

Reshaped arguments make kernels of a model differ until they are LLVM IR.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLACEHOLDER = "\0"
"""In no text."""


def without_name(modules: Sequence[str], name: str) -> str:
    """The text of the ``modules`` of the kernel ``name``, the same for kernels whose symbols differ in this name only:
    it begins the names of the functions that passes have made."""
    return _PLACEHOLDER.join(_symbols(name).sub(_PLACEHOLDER, text) for text in modules)


def under_name(asm: str, old: str, new: str) -> str | None:
    """``asm`` of the kernel ``old`` as that of the kernel ``new``; None where a name would be left."""
    renamed = _symbols(old).sub(_PLACEHOLDER, asm)
    return None if old in renamed or new in renamed else renamed.replace(_PLACEHOLDER, new)


def _symbols(name: str) -> re.Pattern[str]:
    """The ``name`` at the start of a symbol, up to its end, an underscore or a dot."""
    return re.compile(rf"(?<![\w.$]){re.escape(name)}(?![^\W_]|\$)")

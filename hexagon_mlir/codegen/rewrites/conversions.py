"""Between floats and integers in one instruction, ``v.w = v.sf`` and ``v.sf = v.w``, from v73 on.

The first truncates (XNNPACK's HVX kernels rely on it). LLVM's default is a sequence of 12 packets; an option selects
the instruction, but on v68 too.
"""

from __future__ import annotations

import re

from hexagon_mlir.targets.base import FIRST_CONVERSION, FIRST_EXTENDED


def converts(chip: str) -> bool:
    """Whether the HVX of ``chip``, a CPU (hexagonv75) or its features (+hvxv75), has both."""
    return _version(chip) >= FIRST_CONVERSION


def hidden_bits(chip: str) -> bool:
    """Whether a qfloat register of ``chip`` holds more than its 1024 bits, which a store to the stack loses."""
    return _version(chip) >= FIRST_EXTENDED


def _version(chip: str) -> int:
    match = re.search(r"v(\d+)", chip)
    return int(match[1]) if match is not None else 0


def conversion_option(cpu: str) -> str:
    """LLVM's option, set for ``cpu``; it is global to the process."""
    return f"-hexagon-fp-fast-convert={'true' if converts(cpu) else 'false'}"

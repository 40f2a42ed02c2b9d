"""Absolute values of f16 vectors as a bit operation, in LLVM IR text.

LLVM's optimiser turns "clear the sign bit" into ``llvm.fabs``, for which the Hexagon backend of LLVM 22 has no f16
vector form: next to masked accesses it aborts with "Unexpected illegal type".
"""

from __future__ import annotations

import re

_CALL = re.compile(r"^ *%([\w.]+) = (?:tail )?call (?:[a-z]+ )*<(\d+) x half> @llvm\.fabs\.v\d+f16"
                   r"\(<\d+ x half> (%[\w.]+)\).*$", re.MULTILINE)


def half_fabs_as_bits(text: str) -> str:
    """``text`` with each ``llvm.fabs`` of an f16 vector as an ``and`` of its bits."""
    if "@llvm.fabs.v" not in text:
        return text
    return _CALL.sub(
        r"  %fabs\1.bits = bitcast <\2 x half> \3 to <\2 x i16>" "\n"
        r"  %fabs\1.clear = and <\2 x i16> %fabs\1.bits, splat (i16 32767)" "\n"
        r"  %\1 = bitcast <\2 x i16> %fabs\1.clear to <\2 x half>", text)

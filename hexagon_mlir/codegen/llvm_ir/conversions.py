"""Float to integer in one instruction, ``v.w = v.sf``: LLVM's own sequence of 12 packets is older than it.

From v73 on. It truncates (XNNPACK's HVX kernels rely on it); LLVM keeps it behind a switch and would use it on v68 too.
"""

from __future__ import annotations

import re

FIRST = 73


def conversion_option(cpu: str) -> str:
    """LLVM's switch, set for ``cpu`` (hexagonv75): it is global to the process."""
    match = re.search(r"v(\d+)", cpu)
    converts = match is not None and int(match[1]) >= FIRST
    return f"-hexagon-fp-fast-convert={'true' if converts else 'false'}"

"""The line of the user's kernel from which an operation comes."""

from __future__ import annotations

import re

from hexagon_mlir.ir import Place, ir, place_of

_FILE_POSITION = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


def place_in_kernel(location: ir.Location) -> Place:
    """The outermost caller's position: the kernel's own line, not that of a helper of Triton's library it calls."""
    positions = _FILE_POSITION.findall(str(location))
    if not positions:
        return place_of(location)
    file, line, column = positions[-1]
    return Place(file, int(line), int(column))

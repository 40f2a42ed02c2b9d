"""``hexmlir disassemble FILE``: bytecode as text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hexagon_mlir.bytecode.contents import read
from hexagon_mlir.bytecode.disassemble import disassemble
from hexagon_mlir.cli.arguments import UsageError
from hexagon_mlir.cli.inputs import read_bytes

USAGE = """usage: hexmlir disassemble FILE

Prints a bytecode program (docs/bytecode.md): what its tiles are, its buffers, slots and instructions.
"""


def disassemble_file(words: Sequence[str]) -> int:
    """Print the program in the file that ``words`` name; raises `HexError` for one that is no bytecode."""
    if list(words) in (["--help"], ["-h"]):
        sys.stdout.write(USAGE)
        return 0
    if len(words) != 1 or words[0].startswith("-"):
        raise UsageError("one file of bytecode" if len(words) != 1 else f"unknown option {words[0]}",
                         "hexmlir disassemble --help")
    sys.stdout.write(disassemble(read(read_bytes(words[0]), words[0])))
    return 0

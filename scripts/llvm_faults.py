"""Writes docs/llvm_faults.md from the records of what LLVM does wrong.

Usage: python scripts/llvm_faults.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hexagon_mlir.codegen.faults import table
from hexagon_mlir.whole_files import write_files

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "llvm_faults.md"
BEFORE = """# Faults of LLVM that are worked around

Each is a record of `hexagon_mlir/codegen/faults.py` with the smallest IR that shows it. Two tests are made of each: the
fault is still there without the workaround (when that test fails, LLVM is right and the workaround can go), and it is
gone with it. `hexmlir-opt --print-pipeline --pipeline=default` shows where the steps stand.

Made by `python scripts/llvm_faults.py`.
"""
AFTER = """Without a record, since no small IR shows them: `loop-entries`, `gathers`, and an abort of the search for
windows (tried again without it, see `backend.optimize_and_emit`). Their tests are whole kernels. `float-splats`,
`half-fabs`, `copy-loops`, `loop-order`, `unaligned-rows` and `half-narrowings` work around no fault: they are for
speed, or for what the target says.
"""


def page() -> str:
    """The text of the page."""
    return "\n".join([BEFORE, *table(), "", AFTER])


if __name__ == "__main__":
    write_files({DOCUMENT: page().encode()})

"""Writes docs/llvm_faults.md from the records of what LLVM does wrong.

Usage: python scripts/llvm_faults.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hexagon_mlir.codegen.faults.table import table
from hexagon_mlir.whole_files import write_files

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "llvm_faults.md"
BEFORE = """# Faults of LLVM that are worked around

Each fault is a record of `hexagon_mlir/codegen/faults/` with the smallest IR that shows it, and has two tests:
without the workaround the fault still occurs (when this test fails, LLVM is fixed and the workaround can be removed),
with the workaround it does not. `hexmlir-opt --print-pipeline --pipeline=default` shows where the steps run.

Made by `python scripts/llvm_faults.py`.
"""
AFTER = """`cautious` generates code again without the passes that abort (`backend.optimize_and_emit`).
`gathers` cures by its place: the instruction is in the IR after -O3 only. The other steps do not work around a fault:
they make code faster, or follow the definition of the target.
"""


def page() -> str:
    """The text of the page."""
    return "\n".join([BEFORE, *table(), "", AFTER])


if __name__ == "__main__":
    write_files({DOCUMENT: page().encode()})

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

Each fault is a record of `hexagon_mlir/codegen/faults.py` with the smallest IR that shows it, and has two tests:
without the workaround the fault still occurs (when this test fails, LLVM is fixed and the workaround can be removed),
with the workaround it does not. `hexmlir-opt --print-pipeline --pipeline=default` shows where the steps run.

Made by `python scripts/llvm_faults.py`.
"""
AFTER = """These have no record, because no small IR shows them: `loop-entries`, `gathers`, and an abort of the window
scheduler (code is generated again without it, see `backend.optimize_and_emit`). Their tests are whole kernels.
`float-splats`, `half-fabs`, `copy-loops`, `loop-order`, `unaligned-rows` and `half-narrowings` do not work around a
fault: they make code faster, or follow the definition of the target.
"""


def page() -> str:
    """The text of the page."""
    return "\n".join([BEFORE, *table(), "", AFTER])


if __name__ == "__main__":
    write_files({DOCUMENT: page().encode()})

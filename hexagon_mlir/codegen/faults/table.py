"""What LLVM does wrong for Hexagon: what goes wrong, the step or option that works around it, the smallest IR.

Two tests are made of each record: the fault is still there without the workaround, and gone with it. The first fails
when an LLVM is right: its record and its step can go then. ``docs/llvm_faults.md`` is made from the records.
"""

from __future__ import annotations

from hexagon_mlir.codegen.faults.aborts import ABORTS
from hexagon_mlir.codegen.faults.memory import MEMORY
from hexagon_mlir.codegen.faults.record import Aborts, Contains, Found, Gives, Reports
from hexagon_mlir.codegen.faults.values import VALUES

FAULTS = (*VALUES, *MEMORY, *ABORTS)


def table() -> list[str]:
    """The faults as lines of a Markdown table."""
    rows = [f"| {fault.wrong} | {_shown(fault.symptom)} | `{fault.workaround}` | {fault.seen} | {fault.issue} |"
            for fault in FAULTS]
    return ["| what LLVM does | what is seen | worked around by | LLVM | issue |", "|---|---|---|---|---|", *rows]


def _shown(symptom: Aborts | Gives | Reports | Found | Contains) -> str:
    if isinstance(symptom, Aborts):
        return f"aborts: {symptom.message.removeprefix('LLVM ERROR: ') or symptom.contains}"
    if isinstance(symptom, Contains):
        return f"`{symptom.text}` in the assembly"
    if isinstance(symptom, Found):
        return f"the check `{symptom.check}` finds it in the assembly"
    return f"`--check` reports {symptom.rule}" if isinstance(symptom, Reports) else "wrong numbers"

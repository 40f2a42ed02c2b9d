"""The tables of ``--timing`` and ``--stats``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hexagon_mlir.pass_infra.runner import StepRecord


def timing(records: Sequence[StepRecord], other: Sequence[tuple[str, float]]) -> str:
    """Time of each pass with its share of the total and the operations it added or removed.

    ``other``: name and seconds of what is no pass: steps from LLVM IR to assembly, reading, printing.
    """
    total = sum(record.seconds for record in records) + sum(seconds for _, seconds in other)
    rows = [(r.seconds, f"{r.ops_after:7d} {r.ops_after - r.ops_before:+7d}", r.title) for r in records]
    rows += [(seconds, " " * 15, name) for name, seconds in other]
    lines = ["===-- Execution time --===", "       ms   share     ops   delta  pass"]
    lines += [_row(seconds, total, ops, name) for seconds, ops, name in rows]
    lines.append(_row(total, total, " " * 15, "total"))
    return "\n".join(lines) + "\n"


def _row(seconds: float, total: float, ops: str, name: str) -> str:
    share = seconds / total if total else 0.0
    return f"{seconds * 1e3:9.2f}  {share:6.1%} {ops}  {name}"


def stats(before: Counter[str], after: Counter[str]) -> str:
    """How often each operation occurred in the input and occurs in the output."""
    lines = ["===-- Operations --===", "  before    after  operation"]
    lines += [f"{before[name]:8d} {after[name]:8d}  {name}" for name in sorted({*before, *after})]
    lines.append(f"{before.total():8d} {after.total():8d}  total")
    return "\n".join(lines) + "\n"

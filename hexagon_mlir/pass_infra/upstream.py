"""Runs upstream passes, with one pass manager for each pipeline of a context.

A new manager collects the canonicalization patterns of all dialects, which takes as long as a small kernel's
canonicalization.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from hexagon_mlir.ir import PassManager, ir

_managers: WeakKeyDictionary[ir.Context, dict[str, PassManager]] = WeakKeyDictionary()
"""Managers by the text of their pipelines. They refer to their context, so they end before it."""


def run_upstream(pipeline: str, op: ir.Operation) -> None:
    """Run ``pipeline`` on ``op`` without verification, in its context; raises `ValueError` for a text that is no
    pipeline, and `ir.MLIRError` where a pass fails."""
    managers = _managers.setdefault(op.context, {})
    text = f"{op.name}({pipeline})"
    if text not in managers:
        managers[text] = PassManager.parse(text, op.context)
        managers[text].enable_verifier(False)
    managers[text].run(op)

"""Slots of the TCM arena: views whose bytes no other slot shares, from which pointers without aliases are made."""

from __future__ import annotations

from hexagon_mlir.ir import ir

SLOT = "hexagon.tcm_slot"


def mark(view: ir.Operation) -> None:
    """Make the memref.view ``view`` a slot."""
    view.attributes[SLOT] = ir.UnitAttr.get()


def is_slot(op: ir.Operation) -> bool:
    """True for an operation that `mark` marked, or that a file marks."""
    return SLOT in op.attributes

"""How long an iteration of an scf.forall takes: what shares of its tasks are chosen by."""

from __future__ import annotations

from math import ceil

from hexagon_mlir.ir import ir

ITERATION_CYCLES = "hexagon.iteration_cycles"


def note(forall: ir.Operation, cycles: float) -> None:
    """Note that an iteration of ``forall`` is estimated to take ``cycles``."""
    forall.attributes[ITERATION_CYCLES] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), max(ceil(cycles), 1))


def estimate_on(forall: ir.Operation) -> int | None:
    """The estimate on ``forall``; None where there is none.

    Raises ValueError for a mark that is no number of cycles.
    """
    if ITERATION_CYCLES not in forall.attributes:
        return None
    found = forall.attributes[ITERATION_CYCLES]
    if not isinstance(found, ir.IntegerAttr) or found.value < 1:
        raise ValueError(f"{ITERATION_CYCLES} is {found}")
    return int(found.value)

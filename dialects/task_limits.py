"""How many iterations of an scf.forall may run at the same time: each takes TCM of its own when it starts."""

from __future__ import annotations

from hexagon_mlir.ir import ir

MOST_TASKS = "hexagon.most_tasks"


def limit(forall: ir.Operation, most: int) -> None:
    """Let at most ``most`` iterations of ``forall`` run at the same time, 1 or more."""
    forall.attributes[MOST_TASKS] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), most)


def limit_on(forall: ir.Operation, most: int) -> int:
    """The limit on ``forall``; ``most`` where that is less, or where there is none.

    Raises ValueError for a mark that is no limit.
    """
    if MOST_TASKS not in forall.attributes:
        return most
    found = forall.attributes[MOST_TASKS]
    if not isinstance(found, ir.IntegerAttr) or found.value < 1:
        raise ValueError(f"{MOST_TASKS} is {found}")
    return min(most, found.value)

"""How many functions with an arena may run at the same time: together their arenas have to fit the TCM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hexagon_mlir.dialects import task_limits
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import GRID_SUFFIX, ops_named
from hexagon_mlir.passes.tcm_allocation.liveness import FORALL


def most_at_once(arena: int, budget: int, threads: int) -> int:
    """Arenas of ``arena`` bytes that fit ``budget`` bytes together, from 1 to ``threads``."""
    return max(min(budget // arena, threads), 1) if arena else threads


def limit_tasks(module: ir.Module, arenas: Mapping[str, int], budget: int,
                threads: int) -> Iterator[tuple[ir.Operation, int, int]]:
    """Limit each scf.forall of ``module`` whose iterations call functions with ``arenas`` (bytes, by name).

    Gives the limited loops with their limit and the bytes of an arena; ``threads`` as many may run where all fit. In
    the function of a whole grid (`GRID_SUFFIX`), which also has a loop of programs in order that may fork, that loop
    takes the place of one whose iterations may not run at the same time; its function is given then.
    """
    for forall in ops_named(module, FORALL):
        names = {ir.FlatSymbolRefAttr(call.attributes["callee"]).value for call in ops_named(forall, "func.call")}
        arena = max((arenas.get(name, 0) for name in names), default=0)
        most = most_at_once(arena, budget, threads)
        if most == threads:
            continue
        if most == 1 and _has_other(branch := forall.parent.operation):
            yield _take_other(branch), most, arena
        else:
            task_limits.limit(forall, most)
            yield forall, most, arena


def _has_other(branch: ir.Operation) -> bool:
    """True for the scf.if in the function of a grid that chooses between programs in parallel and in order."""
    if branch.name != "scf.if" or len(branch.results) or not len(branch.regions[1].blocks):
        return False
    around = branch.parent.operation
    return around.name == "func.func" and ir.StringAttr(around.attributes["sym_name"]).value.endswith(GRID_SUFFIX)


def _take_other(branch: ir.Operation) -> ir.Operation:
    """Put the second branch of ``branch`` in its place; gives the operation around it."""
    around = branch.parent.operation
    for op in list(branch.regions[1].blocks[0].operations)[:-1]:
        op.operation.move_before(branch)
    branch.erase()
    return around

"""Numbers of async groups: MLIR takes async.create_group for pure and would merge two groups of equal size."""

from __future__ import annotations

from hexagon_mlir.ir import ir

GROUP = "hexagon.group"


def numbered(number: int) -> dict[str, ir.Attribute]:
    """The attributes of group ``number`` of a module."""
    return {GROUP: ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)}

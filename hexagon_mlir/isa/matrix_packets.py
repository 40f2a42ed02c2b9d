"""What may stand in one packet with the matrix engine's instructions.

Slots after the SDK's hmx_hexagon_protos.h: an activation takes slot 0 or 1, all others take slot 0. Activation and
weight are the two halves of one product and share a packet, and a load or store finds no slot beside them; the rest
stand without other accesses of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hexagon_mlir.isa.matrix import OPERATIONS, Kind
from hexagon_mlir.isa.unit import Unit

if TYPE_CHECKING:
    from hexagon_mlir.isa.decode import Insn

SLOTS = 4
_LOW_SLOTS = (Unit.LOAD, Unit.STORE, Unit.V_LOAD, Unit.V_STORE, Unit.V_EXTRACT, Unit.V_HISTOGRAM, Unit.SYSTEM)
"""Units whose instructions take slot 0 or 1, or a packet of their own; ``nop`` is none of them, whatever its unit."""


def conflict(insns: Sequence[Insn]) -> tuple[Insn, str] | None:
    """The first instruction of a packet that cannot stand there beside a matrix instruction, and why; None if all can.

    A packet without matrix instructions has no such conflict.
    """
    engine = [insn for insn in insns if insn.kind == "matrix"]
    if not engine:
        return None
    kinds = [OPERATIONS[insn.key].kind for insn in engine]
    first = engine[0]
    if Kind.ACTIVATION in kinds or Kind.WEIGHT in kinds:
        if Kind.WEIGHT not in kinds:
            return first, "an activation needs a weight in its packet"
        if Kind.ACTIVATION not in kinds:
            return first, "a weight needs an activation in its packet"
        if len(engine) > 2:
            return engine[2], "a packet has one activation and one weight"
    elif len(engine) > 1:
        return engine[1], f"slot 0 is taken by '{first.text}'"
    for insn in insns:
        if (insn.unit in _LOW_SLOTS and insn.key != "nop") or insn.key.startswith("newjump"):
            return insn, f"no slot beside '{first.text}'"
    return (insns[SLOTS], f"more than {SLOTS} instructions in a packet") if len(insns) > SLOTS else None

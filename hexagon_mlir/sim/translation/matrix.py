"""Packets of the matrix engine: a call of the host function that has the engine run them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexagon_mlir.isa.decode import Insn
from hexagon_mlir.isa.matrix import OPERATIONS, Kind
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.semantics.sticky import USR
from hexagon_mlir.sim.semantics.value import I32

if TYPE_CHECKING:
    from hexagon_mlir.sim.translation.packet import PacketLowering

FIRST_FLOAT = 73
"""The first version whose float accumulators are modelled; older ones sum in fixed point."""


def not_modelled(insn: Insn, version: int) -> str:
    """Why the simulator has no semantics of a matrix instruction; "" if it has."""
    operation = OPERATIONS[insn.key]
    if operation.element == "f8":
        return "numbers of 8 bits are not modelled"
    if operation.floating and version < FIRST_FLOAT:
        return f"the float accumulators of v{version} are not modelled"
    return ""


def issue(packet: PacketLowering, insn: Insn) -> None:
    """Both halves of a product are one operation, called for the weight."""
    if OPERATIONS[insn.key].kind is Kind.ACTIVATION:
        return
    insns = sorted((i for i in packet.packet.insns if i.kind == "matrix"), key=_weight_last)
    keys = [i.key for i in insns]
    known = packet.image.matrix
    if keys not in known:
        known.append(keys)
    registers = [source for i in insns for source in i.sources if source.cls == "R"]
    code = packet.code
    words = [code.const(known.index(keys), I32), packet.old_value(USR), *(packet.value(r) for r in registers)]
    for number, word in enumerate(words):
        code.store(word, packet.function.state_pointer(layout.MATRIX + 4 * number))
    packet.function.call(layout.MATRIX_FUNCTION)


def _weight_last(insn: Insn) -> bool:
    return OPERATIONS[insn.key].kind is Kind.WEIGHT

"""Stores of vector registers, whole, by a vector predicate, or of what the packet has gathered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexagon_mlir.isa.decode import GATHERED, Insn
from hexagon_mlir.sim.memory_system.cache_model import vector_store
from hexagon_mlir.sim.semantics.lanes import VECTOR, VECTOR_BYTES, blend
from hexagon_mlir.sim.semantics.value import Val
from hexagon_mlir.sim.translation import form_functions
from hexagon_mlir.sim.translation.vectors import Stored

if TYPE_CHECKING:
    from hexagon_mlir.sim.translation.packet import PacketLowering


def store(packet: PacketLowering, insn: Insn, address: Val, value: Val, condition: Val | None) -> None:
    """Store ``value``, later in the packet."""
    mask = None
    checked = packet.image.sites is not None
    vectors = None if checked else packet.vectors
    lanes = insn.condition if insn.condition is not None and insn.condition.operand.cls == "Q" else None
    if lanes is not None and vectors is None:
        mask = packet.mask_of(lanes)
    if insn.sources[0] == GATHERED:
        mask = packet.merged((GATHERED.cls, 1))
    aligned = insn.access == "vmem"
    origin = packet.origin(packet.reads(insn)) if packet.follows else None
    access = vector_store(VECTOR_BYTES, aligned, mask is not None or lanes is not None)

    def action() -> None:
        pointer = packet.touch(access, address, mask)
        if vectors is not None:
            place = Stored(packet.code, pointer)
            if lanes is not None:
                packet.blended(lanes, value, place, [place])
            elif mask is not None:
                form_functions.apply(form_functions.BLEND, vectors, [mask, value, place], [place])
            else:
                vectors.copy(value, place)
            return
        align = VECTOR_BYTES if aligned else 1
        data = value
        if mask is not None:
            old = packet.code.load(pointer, VECTOR, align)
            data = blend(mask, value, old)
        packet.code.store(data, pointer, align)

        def new() -> Val:
            again = packet.value(insn.sources[0])
            return again if lanes is None else blend(packet.mask_of(lanes), again, old)

        if origin is not None:
            packet.stored(address & -VECTOR_BYTES if aligned else address, origin, data, new)

    packet.later(lambda: packet.when(condition, action))

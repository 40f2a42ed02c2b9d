"""Guest addresses of memory instructions, with post-increment by immediate or modifier, circular and bit-reversed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexagon_mlir.isa.decode import CIRCULAR_START, Address, Operand
from hexagon_mlir.sim.semantics.value import I32, Val

if TYPE_CHECKING:
    from hexagon_mlir.sim.translation.packet import PacketLowering

LENGTH_BITS, EXPONENT_BIT, EXPONENT_BITS = 17, 24, 4
"""M register of a circular buffer: length in bits 16:0, log2 of the region minus 2 in bits 27:24."""


def address_of(packet: PacketLowering, address: Address, size: int, condition: Val | None) -> Val:
    """The address (i32) of an access of ``size`` bytes; also writes the base or set register."""
    total: Val | None = None
    packet.must_be_defined((address.base, address.index))
    if address.base is not None:
        total = packet.value(address.base)
    if address.index is not None:
        scaled = packet.value(address.index) << address.shift
        total = scaled if total is None else total + scaled
    if address.offset is not None:
        offset = packet.immediate(address.offset) * address.scale
        if total is None:
            total = packet.code.const(offset, I32)
        elif offset:
            total = total + offset
    assert total is not None
    if address.base is not None and address.written is not None:
        packet.write(address.base, _stepped(packet, address, total, size), condition)
    if address.set_base is not None:
        packet.write(address.set_base, total, condition)
    if address.mode == "brev":
        reversed_half = total.trunc(16).one("bitreverse").zext(32)
        total = (total & 0xFFFF0000) | reversed_half
    return total


def _stepped(packet: PacketLowering, address: Address, base: Val, size: int) -> Val:
    """The base register after the access."""
    modifier = packet.value(address.modifier) if address.modifier else None
    if address.mode == "circ":
        assert address.modifier is not None and modifier is not None
        if address.step is not None:
            step: Val | int = packet.immediate(address.step)
        else:
            step = modifier_increment(modifier) << (size.bit_length() - 1)
        start = packet.value(Operand("C", address.modifier.number + CIRCULAR_START))
        return _wrapped(base, step, modifier, start)
    if modifier is not None:
        return base + modifier
    assert address.step is not None
    return base + packet.immediate(address.step) * address.scale


def modifier_increment(modifier: Val) -> Val:
    """The signed 11-bit increment field: bits 31:28 above bits 23:17."""
    joined = ((modifier.lshr(28) & 0xF) << 7) | (modifier.lshr(17) & 0x7F)
    return (joined << 21) >> 21


def _wrapped(base: Val, step: Val | int, modifier: Val, start: Val) -> Val:
    """``base + step`` kept inside a circular buffer.

    With a zero exponent field and a length of at least 4 the buffer starts at CS; otherwise at the base
    with its low exponent + 2 bits cleared.
    """
    length = modifier & ((1 << LENGTH_BITS) - 1)
    exponent = modifier.lshr(EXPONENT_BIT) & ((1 << EXPONENT_BITS) - 1)
    by_start = exponent.icmp("eq", 0) & length.icmp("uge", 4)
    mask = (length.lift(4) << exponent) - 1
    low = by_start.select(start, base & ~mask)
    high = by_start.select(start + length, low | length)
    moved = base + step
    over, under = moved.icmp("uge", high), moved.icmp("ult", low)
    return over.select(moved - length, under.select(moved + length, moved))

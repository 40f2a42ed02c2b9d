"""The operands and results of a packet's instructions: `PacketOperands`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexagon_mlir.isa.decode import Condition, Operand
from hexagon_mlir.sim.semantics.float_model import DEFAULT_EXTENSION
from hexagon_mlir.sim.semantics.lanes import VECTOR
from hexagon_mlir.sim.semantics.qfloat_forms import Extended
from hexagon_mlir.sim.semantics.scalar import pair
from hexagon_mlir.sim.semantics.value import I32, I64, Code, Val
from hexagon_mlir.sim.translation.image import OPERAND_TYPES, ORIGIN, SECOND, Image, Unit

if TYPE_CHECKING:
    from hexagon_mlir.sim.translation.lower import FunctionLowering


class PacketOperands:
    """The part of `PacketLowering` for the values of registers before, in and after the packet."""

    function: FunctionLowering
    code: Code
    image: Image
    old: dict[Unit, Val]
    writes: dict[Unit, list[tuple[Val, Val | None]]]
    forwarded: dict[Unit, Val]
    second = False
    """Whether vector registers are read for their second values."""

    # -- reading -------------------------------------------------------------------------------------------
    def old_value(self, unit: Unit) -> Val:
        if self.second and unit not in self.old:
            return self.function.peek(unit)
        if unit not in self.old:
            self.old[unit] = self.function.held_value(unit)
        return self.old[unit]

    def unit_value(self, unit: Unit, new: bool = False) -> Val:
        if self.second and self.follows_unit(unit):
            return self.second_value(unit, new)
        if new:
            return self.merged(unit)
        return self.forwarded[unit] if unit in self.forwarded else self.old_value(unit)

    def second_value(self, unit: Unit, new: bool) -> Val:
        """The value of ``unit`` with other bytes in memory: its second value where it has an origin."""
        origin = self.origin_of(unit, new)
        plain = self.merged(unit) if new else self.forwarded.get(unit) or self.old_value(unit)
        other = SECOND[unit[0]], unit[1]
        if new:
            second = self.merged(other) if other in self.writes else self.old_value(other)
        else:
            second = self.forwarded.get(other, plain) if unit in self.forwarded else self.old_value(other)
        if second.ty == VECTOR:
            arguments = f"i32 {origin.name}, {VECTOR} {second.name}, {VECTOR} {plain.name}"
            return self.code.op(f"call {VECTOR} @ck_second({arguments})", VECTOR)
        return origin.icmp("ne", 0).select(second, plain)

    def origin_of(self, unit: Unit, new: bool) -> Val:
        """The origin of the second value of ``unit``, or 0."""
        other = ORIGIN[unit[0]], unit[1]
        none = self.code.const(0, I32)
        if new:
            return self.merged(other) if other in self.writes else self.old_value(other)
        return self.forwarded.get(other, none) if unit in self.forwarded else self.old_value(other)

    def follows_unit(self, unit: Unit) -> bool:
        """Whether the register has a second value."""
        return self.image.sites is not None and (unit[0] in ("V", "Q") or unit in self.function.followed)

    def merged(self, unit: Unit) -> Val:
        """The value of ``unit`` after the writes so far."""
        entries = self.writes[unit]
        always = [value for value, condition in entries if condition is None]
        if unit[0] in ("P", "P2") and len(always) > 1:
            result = always[0]
            for value in always[1:]:
                result = result & value
        else:
            result = always[-1] if always else self.old_value(unit)
        for value, condition in entries:
            if condition is not None:
                result = self.function.chosen(condition, value, result)
        return result

    def value(self, operand: Operand):
        """The argument of an emit function for ``operand``."""
        if operand.cls == "I":
            return self.immediate(operand)
        units = operand.units()
        if operand.cls in ("RR", "CC"):
            return pair(self.unit_value(units[1], operand.new), self.unit_value(units[0], operand.new))
        if operand.cls == "VV":
            return self.unit_value(units[0], operand.new), self.unit_value(units[1], operand.new)
        return self.unit_value(units[0], operand.new)

    def extended_value(self, operand: Operand):
        """The same with the extension bits of each register."""
        registers = []
        for unit in operand.units():
            bits: Unit = ("X", unit[1])
            loaded = unit in self.forwarded and not operand.new
            plain = self.code.const(DEFAULT_EXTENSION, VECTOR)
            found = plain if loaded else self.merged(bits) if operand.new else self.old_value(bits)
            registers.append(Extended(self.unit_value(unit, operand.new), found))
        return registers[0] if len(registers) == 1 else tuple(registers)

    def immediate(self, operand: Operand) -> int:
        if operand.symbol is None:
            return operand.number
        if operand.symbol not in self.image.symbols:
            raise KeyError(operand.symbol)
        return self.image.symbols[operand.symbol] + operand.number

    def condition(self, condition: Condition | None) -> Val | None:
        """A scalar condition as i1."""
        if condition is None or condition.operand.cls != "P":
            return None
        bit = self.unit_value(("P", condition.operand.number), condition.operand.new).trunc(1)
        return ~bit if condition.negated else bit

    # -- writing -------------------------------------------------------------------------------------------
    def write(self, operand: Operand, value, condition: Val | None) -> None:
        units = operand.units()
        bits: dict[Unit, Val] = {}
        if self.image.extended and operand.cls in ("V", "VV"):
            registers = value if operand.cls == "VV" else (value,)
            bits = {u: r.bits for u, r in zip(units, registers, strict=True) if isinstance(r, Extended)}
        for unit, part in zip(units, self.registers(operand, value), strict=True):
            self.writes.setdefault(unit, []).append((part, condition))
            if unit[0] == "V" and self.image.extended:
                found = bits.get(unit, self.code.const(DEFAULT_EXTENSION, VECTOR))
                self.writes.setdefault(("X", unit[1]), []).append((found, condition))
            if self.follows_unit(unit):
                origins = self.writes.setdefault((ORIGIN[unit[0]], unit[1]), [])
                if len(origins) < len(self.writes[unit]):  # no second value was set
                    origins.append((self.code.const(0, I32), condition))

    def registers(self, operand: Operand, value) -> list[Val]:
        """``value`` as that of each register of ``operand``, without extension bits."""
        if operand.cls == "RR":
            wide = self.code.const(value, I64) if isinstance(value, int) else value.as_(I64)
            return [wide.trunc(32), wide.lshr(32).trunc(32)]
        if operand.cls == "CC":
            return [value.trunc(32), value.lshr(32).trunc(32)]
        ty = OPERAND_TYPES[operand.cls[0]]
        values = value if operand.cls == "VV" else (value,)
        return [
            self.code.const(each, ty) if isinstance(each, int)
            else (each.register if isinstance(each, Extended) else each).as_(ty) for each in values
        ]  # fmt: skip

"""Tracks registers that depend on undefined bytes of memory: the *second values* of a checked build.

A vector load of undefined bytes gives its register a second value, in which those bytes are inverted, and an origin: 1
+ the number of the load's packet. An instruction that reads a register with an origin is computed twice. Where both
results are equal, the bytes did not matter; where they differ, the destination gets both. A store of both makes the
bytes that differ undefined. The load is reported when an address or a branch differs, or bytes that the caller of the
program sees. Scalar registers are tracked within a function, and dropped at calls (`followed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hexagon_mlir.isa.decode import Insn, Operand
from hexagon_mlir.sim.semantics.lanes import VECTOR
from hexagon_mlir.sim.semantics.value import I1, I32, I64, Type, Val
from hexagon_mlir.sim.translation.image import ORIGIN, SECOND, TYPES, Unit
from hexagon_mlir.sim.translation.operands import PacketOperands

if TYPE_CHECKING:
    from hexagon_mlir.sim.translation.lower import FunctionLowering

Lowered = Any
"""What an emit function gives: a value, a value with its extension bits, or a tuple of these."""


class SecondValues(PacketOperands):
    """The part of `PacketLowering` that tracks second values; without effect in an unchecked build."""

    function: FunctionLowering
    places: dict[Type, int]
    """How many of the function's places the packet has taken."""
    undefined: Val | None = None
    """Whether the last load met bytes without a value (i1)."""

    @property
    def follows(self) -> bool:
        return self.image.sites is not None

    # -- origins -------------------------------------------------------------------------------------------
    def origin(self, operands: Iterable[Operand]) -> Val | None:
        """The latest origin of the registers of ``operands``, 0 for none; None when none of them is followed."""
        units = [(unit, operand.new) for operand in operands for unit in operand.units() if self.follows_unit(unit)]
        found: Val | None = None
        for unit, new in dict.fromkeys(units):
            one = self.origin_of(unit, new)
            found = one if found is None else found.two("umax", one)
        return found

    def reads(self, insn: Insn) -> list[Operand]:
        """All operands on which an instruction's result may depend."""
        kept = insn.condition is not None or (insn.form is not None and insn.form.reads_dest)
        conditions = [] if insn.condition is None else [insn.condition.operand]
        return [*insn.sources, *(insn.dests if kept else ()), *conditions]

    # -- instructions --------------------------------------------------------------------------------------
    def compute(self, insn: Insn, emit: Callable[[], Lowered], condition: Val | None) -> Lowered:
        """The result of ``emit``; its second value is written to the instruction's destinations."""
        result = emit()
        origin = self.origin(self.reads(insn)) if self.follows else None
        if origin is None:
            return result
        first = self.parts(insn, result)
        slots = {unit: (self.place(value.ty), self.place(I32)) for unit, value in first}
        for _, source in slots.values():
            self.code.store(self.code.const(0, I32), source)
        either = "" if condition is None else self.place(I1)
        if condition is not None:
            self.code.store(condition, either)

        def again() -> None:
            with self.seconds():
                second = self.parts(insn, emit())
                other_condition = self.condition(insn.condition)
                kept = [self.kept(unit) for unit, _ in first] if condition is not None else []
            for index, ((unit, one), (_, other)) in enumerate(zip(first, second, strict=True)):
                if condition is not None and other_condition is not None:
                    one = condition.select(one, self.old_before(unit))
                    other = other_condition.select(other, kept[index])
                    self.code.store(condition | other_condition, either)
                self.code.store(other, slots[unit][0])
                self.code.store(differs(one, other).select(origin, 0), slots[unit][1])

        self.in_branch(origin.icmp("ne", 0), again)
        when = None if condition is None else self.code.load(either, I1)
        for unit, (value, source) in slots.items():
            if self.follows_unit(unit):
                second = self.code.load(value, TYPES[unit[0]])
                self.set_second(unit, second, self.code.load(source, I32), when, insn.mode)
        return result

    def parts(self, insn: Insn, result: Lowered) -> list[tuple[Unit, Val]]:
        """The registers that ``result`` goes to, each with its value."""
        results = (result,) if len(insn.dests) == 1 else result
        return [(unit, value) for dest, each in zip(insn.dests, results, strict=True)
                for unit, value in zip(dest.units(), self.registers(dest, each), strict=True)]

    def old_before(self, unit: Unit) -> Val:
        """The value of ``unit`` before an instruction of the packet, after the earlier ones; not cached."""
        with self.seconds():
            self.second = False
            return self.merged(unit) if unit in self.writes else self.function.peek(unit)

    def kept(self, unit: Unit) -> Val:
        """The second value of the same."""
        return self.second_value(unit, unit in self.writes)

    @contextmanager
    def seconds(self) -> Iterator[None]:
        """Registers are read for their second values in a branch, so values read there are not cached."""
        old, self.old = self.old, dict(self.old)
        self.second = True
        try:
            yield
        finally:
            self.old, self.second = old, False

    def place(self, ty: Type) -> str:
        """Pointer to a stack slot of the packet for ``ty``."""
        number = self.places.get(ty, 0)
        self.places[ty] = number + 1
        known = self.function.places.setdefault(ty, [])
        if number == len(known):
            known.append(self.code.alloca(ty))
        return known[number]

    def set_second(self, unit: Unit, value: Val, origin: Val, condition: Val | None, mode: str) -> None:
        """Write the second value and the origin of ``unit``, as the first is written."""
        for kind, other in ((SECOND, value), (ORIGIN, origin)):
            name = kind[unit[0]], unit[1]
            if mode:
                self.forwarded[name] = other
            if mode != "tmp":
                self.writes.setdefault(name, []).append((other, condition))

    def load_slots(self, ty: Type) -> tuple[str, str]:
        """Slots for the second value and the origin of a load, for `loaded`, which may not be called."""
        value, origin = self.place(ty), self.place(I32)
        self.code.store(self.code.const(0, I32), origin)
        return value, origin

    def loaded(self, slots: tuple[str, str], address: Val, value: Val) -> None:
        """A load has given ``value``, and its check ``undefined``."""
        def invert() -> None:
            code, site = self.code, self.function.site
            if value.ty == VECTOR:
                mask = code.op(f"call {VECTOR} @ck_undefined(ptr %st, i32 {address.name}, i32 {site})", VECTOR)
            else:
                call = f"call i64 @ck_undefined_scalar(ptr %st, i32 {address.name}, i32 {site})"
                mask = code.op(call, I64).trunc(value.ty.bits)
            code.store(value ^ mask, slots[0])
            code.store(code.const(site + 1, I32), slots[1])

        assert self.undefined is not None
        self.in_branch(self.undefined, invert)

    def stored(self, address: Val, origin: Val, first: Val, new: Callable[[], Val]) -> None:
        """After a store of ``first``, with the second value of ``new``: mark undefined bytes."""
        def compare() -> None:
            with self.seconds():
                mask = first ^ new()
            suffix = "" if mask.ty == VECTOR else "_scalar"
            mask = mask.zext(64) if suffix else mask
            self.code.put(f"call void @ck_store_undefined{suffix}(ptr %st, i32 {address.name}, "
                          f"i32 {self.function.site}, {mask.ty} {mask.name}, i32 {origin.name})")

        self.in_branch(origin.icmp("ne", 0), compare)

    def must_be_defined(self, operands: Iterable[Operand | None], mask: Val | None = None) -> None:
        """Addresses, conditions of branches, scattered data; of vectors only bytes in ``mask`` count."""
        chosen = [o for o in operands if o is not None and any(self.follows_unit(unit) for unit in o.units())]
        origin = self.origin(chosen)
        if origin is None:
            return

        def read() -> list[Val]:
            return [part for operand in chosen for part in self.registers(operand, self.value(operand))]

        first = read()

        def compare() -> None:
            with self.seconds():
                second = read()
            for one, other in zip(first, second, strict=True):
                differ = one ^ other
                self.undefined_when(differs(differ if mask is None else differ & mask, None), origin)

        self.in_branch(origin.icmp("ne", 0), compare)

    def undefined_when(self, bad: Val, origin: Val) -> None:
        """Report the load at ``origin`` when ``bad`` (i1)."""
        self.in_branch(bad, lambda: self.code.put(
            f"call void @ck_used(ptr %st, i32 {origin.name}, i32 {self.function.site})"))

    def in_branch(self, condition: Val, action: Callable[[], None]) -> None:
        do, done = self.code.name("do"), self.code.name("done")
        self.code.put(f"br i1 {condition.name}, label %{do}, label %{done}")
        self.code.label(do)
        action()
        self.code.put(f"br label %{done}")
        self.code.label(done)


def differs(one: Val, other: Val | None) -> Val:
    """Whether two values of one type have different bits (i1); without ``other`` whether ``one`` has a bit set."""
    bits = one if other is None else one ^ other
    if bits.ty.lanes > 1:
        return bits.code.op(f"call i1 @ck_some({bits.ty} {bits.name})", I1)
    return bits.icmp("ne", 0)

"""Which vector registers hang on bytes of memory without a value: the *second values* of a checked build.

A vector load that meets such bytes gives its register a second value, in which those bytes are inverted, and an origin:
1 + the number of the load's packet. What reads such a register computes twice. Where both results are equal, the bytes
did not matter and the origin ends; where they differ, the register written has both, and where it is a scalar register
or an address, the load is reported. A store of both values makes the bytes that differ such bytes again, or reports the
load where the caller of the program owns the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from hexagon_mlir.sim.assembly.decode import Insn, Operand
from hexagon_mlir.sim.isa.lanes import VECTOR
from hexagon_mlir.sim.isa.value import I32, Val
from hexagon_mlir.sim.translation.image import ORIGIN, SECOND, Unit
from hexagon_mlir.sim.translation.operands import PacketOperands

if TYPE_CHECKING:
    from hexagon_mlir.sim.translation.lower import FunctionLowering

Lowered = Any
"""What an emit function gives: a value, a value with its extension bits, or a tuple of these."""


class SecondValues(PacketOperands):
    """The part of `PacketLowering` that follows second values; nothing in an unchecked build."""

    function: FunctionLowering
    undefined: Val | None = None
    """Whether the last vector load met bytes without a value (i1)."""

    @property
    def follows(self) -> bool:
        return self.image.sites is not None

    # -- origins -------------------------------------------------------------------------------------------
    def origin(self, operands: Iterable[Operand]) -> Val | None:
        """The latest origin of the vector registers among ``operands``, 0 for none; None when none is a vector's."""
        units = [(unit, operand.new) for operand in operands for unit in operand.units() if unit[0] in ORIGIN]
        found: Val | None = None
        for unit, new in dict.fromkeys(units):
            one = self.origin_of(unit, new)
            found = one if found is None else found.two("umax", one)
        return found

    def reads(self, insn: Insn) -> list[Operand]:
        """All that an instruction's result may hang on."""
        own = insn.spec is not None and insn.spec.reads_dest
        by_lanes = insn.condition is not None and insn.condition.operand.cls == "Q"
        return [
            *insn.sources, *(insn.dests if own or by_lanes else ()),
            *([insn.condition.operand] if insn.condition is not None and by_lanes else ()),
        ]

    # -- instructions --------------------------------------------------------------------------------------
    def compute(self, insn: Insn, emit: Callable[[], Lowered], condition: Val | None) -> Lowered:
        """What ``emit`` gives; its second value goes to the instruction's vector registers."""
        result = emit()
        origin = self.origin(self.reads(insn)) if self.follows else None
        if origin is None:
            return result
        first = parts(result)
        units = [unit for dest in insn.dests for unit in dest.units()]
        slots = {unit: (self.code.alloca(VECTOR), self.code.alloca(I32)) for unit in units if unit[0] in SECOND}
        for _, source in slots.values():
            self.code.store(self.code.const(0, I32), source)

        def again() -> None:
            for index, (one, other) in enumerate(zip(first, self.seconds(emit), strict=True)):
                differ = differs(one, other)
                if units[index] in slots:
                    value, source = slots[units[index]]
                    self.code.store(other.as_(VECTOR), value)
                    self.code.store(differ.select(origin, 0), source)
                else:
                    self.undefined_when(differ, origin)

        self.in_branch(origin.icmp("ne", 0), again)
        for unit, (value, source) in slots.items():
            self.set_second(unit, self.code.load(value, VECTOR), self.code.load(source, I32), condition, insn.mode)
        return result

    def seconds(self, emit: Callable[[], Lowered]) -> list[Val]:
        """What ``emit`` gives for second values."""
        self.second = True
        result = parts(emit())
        self.second = False
        return result

    def set_second(self, unit: Unit, value: Val, origin: Val, condition: Val | None, mode: str) -> None:
        """Write the second value and the origin of ``unit``, as the first is written."""
        for kind, other in ((SECOND, value), (ORIGIN, origin)):
            name = kind[unit[0]], unit[1]
            if mode:
                self.forwarded[name] = other
            if mode != "tmp":
                self.writes.setdefault(name, []).append((other, condition))

    def load_slots(self) -> tuple[str, str]:
        """Places for the second value and the origin of a vector load, for `loaded`; it may not come to that."""
        value, origin = self.code.alloca(VECTOR), self.code.alloca(I32)
        self.code.store(self.code.const(0, I32), origin)
        return value, origin

    def loaded(self, slots: tuple[str, str], address: Val, value: Val) -> None:
        """A vector load has given ``value``, and its check ``undefined``."""
        def invert() -> None:
            code, site = self.code, self.function.site
            mask = code.op(f"call {VECTOR} @ck_undefined(ptr %st, i32 {address.name}, i32 {site})", VECTOR)
            code.store(value ^ mask, slots[0])
            code.store(code.const(site + 1, I32), slots[1])

        assert self.undefined is not None
        self.in_branch(self.undefined, invert)

    def stored(self, address: Val, origin: Val, first: Val, new: Callable[[], Val]) -> None:
        """After a vector store of ``first``, what ``new`` gives: which bytes have no value."""
        def compare() -> None:
            (second,) = self.seconds(new)
            mask = first ^ second
            self.code.put(f"call void @ck_store_undefined(ptr %st, i32 {address.name}, i32 {self.function.site}, "
                          f"{VECTOR} {mask.name}, i32 {origin.name})")

        self.in_branch(origin.icmp("ne", 0), compare)

    def must_be_defined(self, operands: list[Operand], mask: Val | None = None) -> None:
        """What is no vector's value: offsets of a gather, scattered data; only bytes in ``mask`` count."""
        vectors = [operand for operand in operands if operand.units() and operand.units()[0][0] in SECOND]
        origin = self.origin(vectors) if self.follows else None
        if origin is None:
            return

        def read() -> tuple[Lowered, ...]:
            return tuple(self.value(operand) for operand in vectors)

        first = parts(read())

        def compare() -> None:
            for one, other in zip(first, self.seconds(read), strict=True):
                differ = one ^ other
                self.undefined_when(any_bit(differ if mask is None else differ & mask), origin)

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


def parts(result: Lowered) -> list[Val]:
    """The registers of a result, without extension bits."""
    if isinstance(result, tuple) and not hasattr(result, "register"):
        return [part for each in result for part in parts(each)]
    return [getattr(result, "register", result)]


def differs(one: Val, other: Val) -> Val:
    """Whether two values of one type have different bits."""
    if one.ty.lanes == 1:
        bits = one.ty._replace(kind="i")
        return one.as_(bits).icmp("ne", other.as_(bits))
    return any_bit(one.as_(VECTOR) ^ other.as_(VECTOR))


def any_bit(vector: Val) -> Val:
    """Whether a vector has a bit set (i1)."""
    return vector.code.call(f"llvm.vector.reduce.or.v{VECTOR.lanes}i32", I32, vector).icmp("ne", 0)


"""Vector registers of quick code: values in memory, which functions take and give by pointer.

LLVM's fast instruction selection has no vectors of this length: an instruction with one takes as long as thirty with
numbers, and so do all before it in its block.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from hexagon_mlir.isa.blocks import DecodedPacket
from hexagon_mlir.isa.decode import Insn
from hexagon_mlir.sim.semantics.lanes import VECTOR, VECTOR_BYTES
from hexagon_mlir.sim.semantics.value import Code, Type, Val
from hexagon_mlir.sim.translation import host
from hexagon_mlir.sim.translation.image import Image, Unit

CLASSES = frozenset("VQX")
"""Classes of registers that are held in memory."""
_ALIGN = 64
PREFIX = "form_"
"""Of names of functions that programs share."""


class Stored(Val):
    """A vector in memory; each use as an SSA value loads it.

    ``registers`` are those whose slots it may be in: it changes when they are written. With ``register`` it is in the
    slot of that one.
    """

    __slots__ = ("pointer", "register", "registers")

    def __init__(self, code: Code, pointer: str, registers: frozenset[Unit] = frozenset(),
                 register: Unit | None = None) -> None:
        self.code = code
        self.ty = VECTOR
        self.pointer = pointer
        self.registers = registers
        self.register = register

    def __getattr__(self, attribute: str) -> str:
        """``name``, which is not set."""
        if attribute != "name":
            raise AttributeError(attribute)
        return self._loaded().name

    def _loaded(self) -> Val:
        return self.code.load(self.pointer, VECTOR, 1)

    def as_(self, ty: Type) -> Val:
        return self if ty == VECTOR else self._loaded().as_(ty)


class Vectors:
    """The vectors of one function; ``slot`` gives the pointer to a register's slot."""

    def __init__(self, code: Code, image: Image, slot: Callable[[Unit], str]) -> None:
        self.code = code
        self.forms = image.forms
        self._at_once = image.sites is None and not image.extended
        """Whether results may be written to registers before the packet ends."""
        self._slot = slot
        self._places: list[str] = []
        self._taken = 0
        self._insns: list[Insn] = []
        self._uses: Counter[Unit] | None = None
        """Of the packet in progress: by how many instructions a register is written, or read as it was before."""

    def begin_packet(self, packet: DecodedPacket) -> None:
        """The places of the packet before can be used again."""
        self._taken, self._insns, self._uses = 0, packet.insns, None

    def targets(self, insn: Insn) -> list[Stored]:
        """The registers that ``insn`` may write at once: nothing else in the packet writes them or reads what was
        there."""
        if not self._at_once or insn.condition is not None or insn.mode == "tmp":
            return []
        if self._uses is None:
            self._uses = _uses(self._insns)
        units = [unit for dest in insn.dests for unit in dest.units() if unit[0] in CLASSES]
        return [self.register(unit) for unit in units] if all(self._uses[unit] == 1 for unit in units) else []

    def place(self) -> Stored:
        """Memory for a vector until the packet ends."""
        if self._taken == len(self._places):
            name = "%" + self.code.name("a")
            self.code.allocas.append(f"  {name} = alloca [{VECTOR_BYTES} x i8], align {_ALIGN}")
            self._places.append(name)
        self._taken += 1
        return Stored(self.code, self._places[self._taken - 1])

    def room(self, insn: Insn) -> Stored:
        """Where a load of one vector may write."""
        return next(iter(self.targets(insn)), None) or self.place()

    def register(self, unit: Unit) -> Stored:
        """What the slot of ``unit`` holds."""
        return Stored(self.code, self._slot(unit), frozenset((unit,)), unit)

    def in_memory(self, value: Val) -> Stored:
        """``value`` in memory."""
        if isinstance(value, Stored):
            return value
        if value.name.startswith("splat"):
            name = "@" + re.sub(r"\W+", "_", value.name.replace("-", "minus"))
            self.code.declarations.add(f"{name} = internal constant {value.ty} {value.name}, align {_ALIGN}")
            return Stored(self.code, self.code.address(name))
        made = self.place()
        self.code.store(value, made.pointer, 1)
        return made

    def copy(self, source: Val, target: Stored) -> Stored:
        """Write ``source`` to memory; returns ``target``."""
        pointer = self.in_memory(source).pointer
        name, text = _copy(host.cpu())
        self.forms[name] = text
        self.code.declarations.add(f"declare void @{name}(ptr, ptr)")
        self.code.put(f"call void {self.code.address('@' + name)}(ptr {target.pointer}, ptr {pointer})")
        return target

    def chosen(self, condition: Val, yes: Val, no: Val) -> Stored:
        """``yes`` or ``no``, by a scalar condition."""
        one, other = self.in_memory(yes), self.in_memory(no)
        name = "%" + self.code.name("p")
        self.code.put(f"{name} = select i1 {condition.name}, ptr {one.pointer}, ptr {other.pointer}")
        return Stored(self.code, name, one.registers | other.registers)

    def commit(self, values: Mapping[Unit, Val]) -> None:
        """Write registers, all at once: what is in the slot of one that is written is copied before."""
        sources = {}
        for unit, value in values.items():
            if isinstance(value, Stored) and not value.registers.isdisjoint(values.keys() - {unit}):
                value = self.copy(value, self.place())
            sources[unit] = value
        for unit, value in sources.items():
            if not (isinstance(value, Stored) and value.register == unit):
                self.copy(value, self.register(unit))


@functools.cache
def _copy(cpu: tuple[str, str]) -> tuple[str, str]:
    """Name and IR of a function that copies a vector."""
    text = f"""(ptr %to, ptr %from) nounwind {{
  %vector = load {VECTOR}, ptr %from, align 1
  store {VECTOR} %vector, ptr %to, align 1
  ret void
}}"""
    name = PREFIX + hashlib.sha256("\0".join((text, *cpu)).encode()).hexdigest()
    return name, f"define void @{name}{text}"


def _uses(insns: Sequence[Insn]) -> Counter[Unit]:
    """By how many of ``insns``, of one packet, a register is written, or read as it was before; a histogram reads and
    writes all."""
    uses: Counter[Unit] = Counter()
    forwarded = {unit for insn in insns if insn.mode for dest in insn.dests for unit in dest.units()}
    for insn in insns:
        units = {unit for operand in insn.sources if not operand.new for unit in operand.units()}
        if insn.condition is not None:
            units.update(insn.condition.operand.units())
        if not insn.mode:
            units -= forwarded
        for dest in insn.dests:
            units.update(dest.units())
        uses.update(units)
    return uses

"""Finds qf32 and qf16 values that the register allocator put on the stack.

LLVM stores a spilled vector register with a plain vmem, which keeps none of what a qfloat value carries beyond its
IEEE bits (llvm issue #204825): such code must not be used. Which registers may hold a qfloat value is followed along
the branches of a function (a forward data-flow analysis over its blocks). An IEEE value plus or less zero carries
nothing more than its IEEE bits: the constants of loops may be spilled. That zero may come back from the stack itself;
slots far from the stack pointer are reached through registers that hold an address.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from hexagon_mlir import targets
from hexagon_mlir.codegen.hvx.split_plan import VECTOR_BITS
from hexagon_mlir.isa.packets import packets_of

_STORE = re.compile(r"(if \([^)]*\) )?vmemu?\(r(\d+)(?:\+#(-?\d+))?\)\s*=\s*v(\d+)(\.new)?\s*$")
_STORED = re.compile(r"vmemu?\(r(\d+)(?:\+#-?\d+)?\)\s*=\s*v\d")
_LOAD = re.compile(r"vmemu?\(r(\d+)(?:\+#(-?\d+))?\)$")
_FRAME = ("29", "30")
_SCALAR = re.compile(r"(?:^|; )(if \([^)]*\) )?r(\d+)(?::(\d+))? = ([^;]*)")
_FRAME_POINTER = re.compile(r" = add\(r(?:29|30),#-?\d+\)")
_ADDRESS = re.compile(r"add\(r(29|30),#(-?\d+)\)")
_ZERO = re.compile(r"vxor\(v(\d+),v\1\)$")
_LIFT = re.compile(r"v(?:add|sub)\(v\d+\.(?:sf|hf),v(\d+)\.(?:sf|hf)\)$")
_DEFINITION = re.compile(r"(if \([^)]*\) )?v(\d+)(?::(\d+))?(?:\.(\w+))?\s*[-+|&^]?=\s*(.*)")
_MOVE = re.compile(r"(?:vcombine\()?v(\d+)(?:,\s*v(\d+)\))?$")
_QFLOAT = frozenset({"qf32", "qf16"})
_TARGET = re.compile(r"\bjump(?::n?t)?\s+(?:##)?(\.\w+)")
_LOOP_START = re.compile(r"(?:\b|sp\d)loop([01])\((?:##)?(\.\w+)")
_LOOP_END = re.compile(r":endloop([01]+)")
_LEAVES = re.compile(r"(?:^|; )(?:jump|jumpr|dealloc_return|r31:30 = dealloc_return)\b")  # no condition before it
_TABLE = re.compile(r"\bjumpr(?::n?t)? r(?!31\b)\d+")

VECTORS = int(targets.get().vector_registers.value)
VECTOR_BYTES = VECTOR_BITS // 8
Packet = list[str]


@dataclass
class _Block:
    """Packets that run one after the other, the ``last`` of them; ``next`` holds the positions of the blocks that may
    follow. ``steps`` are what matters of the packets, ``loops`` the hardware loops (number and label) that they set.
    """

    label: str
    last: Packet = field(default_factory=list)
    next: set[int] = field(default_factory=set)
    steps: list[_Step] = field(default_factory=list)
    loops: list[tuple[str, str]] = field(default_factory=list)

    def add(self, packet: Packet, text: str, scalars: bool) -> None:
        """Append ``packet``, which is this ``text``; its scalar registers matter only where ``scalars`` says so."""
        self.last = packet
        if "loop" in text:
            self.loops += _LOOP_START.findall(text)
        step = _Step(_scalars(packet) if scalars else [], [], [])
        for line in packet:
            part = _part(line) if line.startswith(("v", "if")) else None
            if isinstance(part, _Definition):
                step.definitions.append(part)
            elif part is not None:
                step.stores.append(part)
        if any(step):
            self.steps.append(step)


@dataclass
class _State:
    """What may be so at one place of a function. ``held`` are the numbers of the registers that may hold qfloat values
    (beyond IEEE's), ``filled`` those and slots that may not be 0. ``places``: the addresses, as base and bytes, that a
    scalar register may hold.
    """

    held: set[str] = field(default_factory=set)
    filled: set[str] = field(default_factory=set)
    places: dict[str, frozenset[tuple[str, int]]] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(set(self.held), set(self.filled), dict(self.places))

    def absorb(self, other: _State) -> bool:
        """Whether ``other`` adds anything; it is added."""
        if other.held <= self.held and other.filled <= self.filled and \
                all(new <= self.places.get(r, frozenset()) for r, new in other.places.items()):
            return False
        self.held |= other.held
        self.filled |= other.filled
        for register, new in other.places.items():
            self.places[register] = self.places.get(register, frozenset()) | new
        return True


def qfloat_spills(asm: str) -> list[str]:
    """The instructions of ``asm`` that store a register that may hold a qfloat value to the stack, as text."""
    pointers = {asm[asm.rfind("r", 0, found.start()) + 1:found.start()] for found in _FRAME_POINTER.finditer(asm)}
    if ".qf" not in asm or pointers.union(_FRAME).isdisjoint(_STORED.findall(asm)):
        return []
    blocks = _blocks(asm, pointers)
    if not _keep_relevant(blocks):
        return []
    entry: list[_State | None] = [None] * len(blocks)  # None: not reached yet
    pending = [at for at, block in enumerate(blocks) if not block.label.startswith(".L")]
    anything = {*map(str, range(VECTORS)), *_all_slots(asm)}
    for at in pending:
        entry[at] = _State(filled=set(anything))
    while pending:
        at = pending.pop()
        state = (entry[at] or _State()).copy()
        for step in blocks[at].steps:
            _run(step, state)
        for following in blocks[at].next:
            known = entry[following]
            if known is None:
                entry[following] = state.copy()
                pending.append(following)
            elif known.absorb(state):
                pending.append(following)
    found = []
    for block, start in zip(blocks, entry, strict=True):
        if any(step.stores for step in block.steps):
            state = (start or _State()).copy()
            found += [text for step in block.steps for text in _run(step, state)]
    return found


def _blocks(asm: str, pointers: set[str]) -> list[_Block]:
    """Every block of every function, with what may follow it. The stack is reached through ``pointers`` as well."""
    ways = [way for register in pointers for way in (f"r{register} = ", f"r{register}:", f":{register} = ")]
    packets, labels = packets_of(asm)
    at = dict[str, int]()  # label -> block
    blocks = [_Block("")]
    endings: dict[int, str] = {}  # what ends the hardware loop of a block
    waiting = [*labels.items(), ("", len(packets))]
    waiting.reverse()
    for number, (*packet, end) in enumerate(packets):
        while waiting[-1][1] <= number:
            at[waiting[-1][0]] = len(blocks)
            blocks.append(_Block(waiting.pop()[0]))
        text = "\n".join(packet)
        blocks[-1].add(packet, text, any(way in text for way in ways))
        if end != "}" and (match := _LOOP_END.search(end)):
            endings[len(blocks) - 1] = match[1]
            blocks.append(_Block(".L"))
        elif "jump" in text:  # what follows a branch is not on its way
            blocks.append(_Block(".L"))
    for number, block in enumerate(blocks):
        leaving = [text for text in block.last if "jump" in text or "return" in text]
        block.next = {at[label] for text in leaving for label in _TARGET.findall(text) if label in at}
        if not any(map(_LEAVES.search, leaving)) and number + 1 < len(blocks):
            block.next.add(number + 1)
        if any(map(_TABLE.search, leaving)):  # a table of labels: any
            block.next |= {other for other, b in enumerate(blocks) if b.label.startswith(".LBB")}
    _close_loops(blocks, endings, at)
    return blocks


def _close_loops(blocks: list[_Block], endings: dict[int, str], at: dict[str, int]) -> None:
    """Let hardware loops go back to their starts: those that were set on some way to their end.

    ``endings``: block -> the loops, of "0" and "1", that it ends. ``at``: label -> block.
    """
    starts: list[set[tuple[str, str]]] = [set() for _ in blocks]  # (loop, label) at a block's begin
    pending = [number for number, block in enumerate(blocks) if block.label and not block.label.startswith(".L")]
    reached = set(pending)
    while pending:
        number = pending.pop()
        now = set(starts[number])
        for loop, label in blocks[number].loops:
            now = {start for start in now if start[0] != loop} | {(loop, label)}
        blocks[number].next |= {at[label] for loop, label in now if loop in endings.get(number, "") and label in at}
        for following in blocks[number].next:
            if following not in reached or not now <= starts[following]:
                reached.add(following)
                starts[following] |= now
                pending.append(following)


def _keep_relevant(blocks: list[_Block]) -> bool:
    """Leave of the steps only what tells about registers that are stored to the stack; False when none is."""
    steps = [step for block in blocks for step in block.steps]
    pointers = {r for step in steps for _, registers, places in step.scalars if places for r in registers}
    bases = {*_FRAME, *pointers}
    registers = {store.register for step in steps for store in step.stores if store.base in bases}
    definitions = [definition for step in steps for definition in step.definitions]
    known = 0
    while known < len(registers):
        known = len(registers)
        for definition in definitions:
            if not registers.isdisjoint(definition.registers):
                registers.update(definition.moved, definition.lift)
    for block in blocks:
        kept = [_Step([scalar for scalar in step.scalars if not pointers.isdisjoint(scalar[1])],
                      [d for d in step.definitions if not registers.isdisjoint(d.registers)],
                      [store for store in step.stores if store.base in bases]) for step in block.steps]
        block.steps = [step for step in kept if any(step)]
    return bool(registers)


def _all_slots(asm: str) -> set[str]:
    """Every slot of the stack that some instruction may name."""
    bases = {(base, 0) for base in _FRAME} | {(base, int(number)) for base, number in _ADDRESS.findall(asm)}
    numbers = {int(number) for number in re.findall(r"vmemu?\(r\d+\+#(-?\d+)\)", asm)} | {0}
    return {_slot(base, start, number) for base, start in bases for number in numbers}


def _slot(base: str, start: int, number: int) -> str:
    return f"r{base}+{start + number * VECTOR_BYTES}"


def _slots(register: str, number: str, state: _State) -> list[str]:
    """The slots that address ``register`` plus ``number`` vectors may be; none when it is no address of the stack."""
    if register in _FRAME:
        return [_slot(register, 0, int(number or 0))]
    return [_slot(base, start, int(number or 0)) for base, start in state.places.get(register, ())]


def _run(step: _Step, state: _State) -> list[str]:
    """The spills of one packet; ``state`` is brought up to date when all of the packet has read it."""
    seen = state
    loaded = [definition for definition in step.definitions if definition.format == "cur"]
    if loaded:  # the packet itself sees what it loads
        seen = _State(set(state.held), set(state.filled), state.places)
        for definition in loaded:
            register = definition.registers[0]
            seen.held.discard(register)
            (set.discard if _reloads_zero(definition, state) else set.add)(seen.filled, register)
    kept = [(store, slots) for store in step.stores if (slots := _slots(store.base, store.number, state))]
    old = [(store.register in seen.held, store.register in seen.filled) for store, _ in kept]
    for register, conditional, may_hold, may_be_filled in [
            change for definition in step.definitions for change in _changes(definition, seen)]:
        if may_hold:
            state.held.add(register)
        elif not conditional:
            state.held.discard(register)
        if may_be_filled:
            state.filled.add(register)
        elif not conditional:
            state.filled.discard(register)
    spills = []
    for (store, slots), (was_held, was_filled) in zip(kept, old, strict=True):
        if store.register in state.held if store.new else was_held:  # without .new a packet stores the old value
            spills.append(store.text)
        if store.register in state.filled if store.new else was_filled:
            state.filled.update(slots)
        elif len(slots) == 1 and not store.conditional:
            state.filled.discard(slots[0])
    for condition, registers, places in step.scalars:
        for register in registers if places else [r for r in registers if r in state.places]:
            before = state.places.get(register, frozenset()) if condition else frozenset()
            state.places[register] = before | places
    return spills


def _changes(definition: _Definition, before: _State) -> list[tuple[str, bool, bool, bool]]:
    """(register, whether it may keep what it has, may hold qfloat, may not be 0) for each result of ``definition``."""
    exact = definition.lift != () and before.filled.isdisjoint(definition.lift)
    made = definition.format in _QFLOAT and not exact
    zero = definition.zero or _reloads_zero(definition, before)
    found = []
    for position, register in enumerate(definition.registers):
        source = definition.moved[min(position, len(definition.moved) - 1)] if definition.moved else None
        moves_zero = source is not None and source not in before.filled
        found.append((register, definition.conditional, made or source in before.held, not (moves_zero or zero)))
    return found


def _reloads_zero(definition: _Definition, state: _State) -> bool:
    slots = _slots(*definition.load, state) if definition.load else []
    return bool(slots) and state.filled.isdisjoint(slots)


class _Definition(NamedTuple):
    """A vector instruction with a result; ``moved`` are the registers that it only copies, ``lift`` that to which it
    adds an IEEE value, ``load`` the register and offset of an address. ``zero``: it makes 0.
    """

    conditional: bool
    registers: tuple[str, ...]
    format: str | None
    moved: tuple[str, ...]
    lift: tuple[str, ...]
    load: tuple[str, str] | None
    zero: bool


class _Store(NamedTuple):
    """A vector ``register`` that goes to address ``base`` plus ``number`` vectors; ``new``: made in the packet."""

    text: str
    conditional: bool
    base: str
    number: str
    register: str
    new: bool


_Scalar = tuple[bool, tuple[str, ...], frozenset[tuple[str, int]]]
"""Condition, scalar registers, the addresses they get."""


class _Step(NamedTuple):
    """What matters of one packet."""

    scalars: list[_Scalar]
    definitions: list[_Definition]
    stores: list[_Store]


def _scalars(packet: Packet) -> list[_Scalar]:
    """The definitions of scalar registers in ``packet``."""
    found: list[_Scalar] = []
    for condition, first, second, value in (match for line in packet for match in _SCALAR.findall(line)):
        address = _ADDRESS.match(value)
        places = frozenset({(address[1], int(address[2]))} if address else ())
        found.append((bool(condition), tuple(filter(None, (first, second))), places))
    return found


@lru_cache(1 << 14)
def _part(text: str) -> _Definition | _Store | None:
    """What matters of one line of a packet that is about vectors; None for nothing."""
    if match := _STORE.match(text):
        condition, base, number, register, new = match.groups("")
        return _Store(text, condition != "", base, number, register, new != "")
    match = _DEFINITION.match(text)
    return _definition(*match.groups()) if match else None


def _definition(condition: str | None, first: str, second: str | None, format_: str | None, value: str) -> _Definition:
    moved = _MOVE.match(value) if format_ is None else None
    lift, load = _LIFT.match(value), _LOAD.match(value)
    return _Definition(condition is not None, (first, second) if second else (first,), format_,
                       tuple(filter(None, moved.groups())) if moved else (), lift.groups() if lift else (),
                       (load[1], load[2] or "") if load else None, _ZERO.match(value) is not None)

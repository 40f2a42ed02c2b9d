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

_STORE = re.compile(r"\s*(if \([^)]*\) )?vmemu?\(r(\d+)(?:\+#(-?\d+))?\)\s*=\s*v(\d+)(?:\.new)?\s*$")
_LOAD = re.compile(r"vmemu?\(r(\d+)(?:\+#(-?\d+))?\)$")
_FRAME = ("29", "30")
_SCALAR = re.compile(r"(?:^|; )(if \([^)]*\) )?r(\d+)(?::(\d+))? = ([^;]*)")
_FRAME_POINTER = re.compile(r"\br(\d+) = add\(r(?:29|30),#-?\d+\)")
_ADDRESS = re.compile(r"add\(r(29|30),#(-?\d+)\)")
_ZERO = re.compile(r"vxor\(v(\d+),v\1\)$")
_LIFT = re.compile(r"v(?:add|sub)\(v\d+\.(?:sf|hf),v(\d+)\.(?:sf|hf)\)$")
_DEFINITION = re.compile(r"\s*(if \([^)]*\) )?v(\d+)(?::(\d+))?(?:\.(\w+))?\s*[-+|&^]?=\s*(.*)")
_MOVE = re.compile(r"(?:vcombine\()?v(\d+)(?:,\s*v(\d+)\))?$")
_QFLOAT = frozenset({"qf32", "qf16"})
_LABEL = re.compile(r"([.\w$]+):(?:\s|$)")
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
    """Packets that run one after the other; ``next`` holds the positions of the blocks that may follow."""

    label: str
    packets: list[Packet] = field(default_factory=list)
    next: set[int] = field(default_factory=set)


@dataclass
class _State:
    """What may be so at one place of a function. ``held``: numbers of the registers that may hold qfloat values (beyond
    IEEE's), and "... is not 0" of registers and slots. ``places``: the addresses, as base and bytes, that a scalar
    register may hold.
    """

    held: set[str] = field(default_factory=set)
    places: dict[str, frozenset[tuple[str, int]]] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(set(self.held), dict(self.places))

    def absorb(self, other: _State) -> bool:
        """Whether ``other`` adds anything; it is added."""
        if other.held <= self.held and all(new <= self.places.get(r, frozenset()) for r, new in other.places.items()):
            return False
        self.held |= other.held
        for register, new in other.places.items():
            self.places[register] = self.places.get(register, frozenset()) | new
        return True


def qfloat_spills(asm: str) -> list[str]:
    """The instructions of ``asm`` that store a register that may hold a qfloat value to the stack, as text."""
    stored = {match[2] for line in asm.split("\n") if "vmem" in line and (match := _STORE.match(line))}
    if stored.isdisjoint({*_FRAME, *_FRAME_POINTER.findall(asm)}):
        return []
    blocks = _blocks(asm)
    entry: list[_State | None] = [None] * len(blocks)  # None: not reached yet
    pending = [at for at, block in enumerate(blocks) if not block.label.startswith(".L")]
    anything = {f"{place} is not 0" for place in (*map(str, range(VECTORS)), *_all_slots(asm))}
    for at in pending:
        entry[at] = _State(set(anything))
    while pending:
        at = pending.pop()
        state = (entry[at] or _State()).copy()
        for packet in blocks[at].packets:
            _run(packet, state)
        for following in blocks[at].next:
            known = entry[following]
            if known is None:
                entry[following] = state.copy()
                pending.append(following)
            elif known.absorb(state):
                pending.append(following)
    found = []
    for block, start in zip(blocks, entry, strict=True):
        if not any(_STORE.match(text) for packet in block.packets for text in packet):
            continue
        state = (start or _State()).copy()
        for packet in block.packets:
            found += _run(packet, state)
    return found


def _blocks(asm: str) -> list[_Block]:
    """Every block of every function, with what may follow it."""
    blocks = [_Block("")]
    endings: dict[int, str] = {}  # what ends the hardware loop of a block
    packet: Packet = []
    for line in asm.split("\n"):
        text = line.strip()
        if text == "{":
            packet = []
        elif text.startswith("}"):
            blocks[-1].packets.append(packet)
            if match := _LOOP_END.search(text):
                endings[len(blocks) - 1] = match[1]
                blocks.append(_Block(".L"))
            elif any("jump" in part for part in packet):  # what follows a branch is not on its way
                blocks.append(_Block(".L"))
            packet = []
        elif match := _LABEL.match(text):
            blocks.append(_Block(match[1]))
        else:
            packet.append(text)
    at = {block.label: number for number, block in enumerate(blocks) if block.label}
    for number, block in enumerate(blocks):
        last = block.packets[-1] if block.packets else []
        block.next = {at[label] for text in last for label in _TARGET.findall(text) if label in at}
        if not any(_LEAVES.search(text) for text in last) and number + 1 < len(blocks):
            block.next.add(number + 1)
    for block in blocks:
        if block.packets and any(_TABLE.search(text) for text in block.packets[-1]):  # a table of labels: any
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
        for text in (text for packet in blocks[number].packets for text in packet):
            for loop, label in _LOOP_START.findall(text):
                now = {start for start in now if start[0] != loop} | {(loop, label)}
        blocks[number].next |= {at[label] for loop, label in now if loop in endings.get(number, "") and label in at}
        for following in blocks[number].next:
            if following not in reached or not now <= starts[following]:
                reached.add(following)
                starts[following] |= now
                pending.append(following)


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


def _run(packet: Packet, state: _State) -> list[str]:
    """The spills of one packet; ``state`` is brought up to date."""
    parts = [_part(text) for text in packet]
    vectors = any(definition or store for _, definition, store in parts)
    held, before = state.held, state.copy() if vectors else state
    for _, definition, _ in parts:
        if definition and definition.format == "cur":  # the packet itself sees what it loads
            register = definition.registers[0]
            before.held.discard(register)
            (set.discard if _reloads_zero(definition.value, state) else set.add)(before.held, f"{register} is not 0")
    for scalars, definition, _ in parts:
        for condition, registers, places in scalars:
            for register in registers if places else [r for r in registers if r in state.places]:
                kept = state.places.get(register, frozenset()) if condition else frozenset()
                state.places[register] = kept | places
        if definition:
            _define(definition, held, before)
    spills = []
    for text, (_, _, store) in zip(packet, parts, strict=True):
        slots = _slots(store[2], store[3], before) if store else []
        if not store or not slots:
            continue
        now = held if ".new" in text else before.held  # without .new a packet stores the old value
        if store[4] in now:
            spills.append(text)
        if f"{store[4]} is not 0" in now:
            held.update(f"{slot} is not 0" for slot in slots)
        elif len(slots) == 1 and not store[1]:
            held.discard(f"{slots[0]} is not 0")
    return spills


def _define(definition: _Definition, held: set[str], before: _State) -> None:
    """Note in ``held`` what ``definition`` leaves in its registers."""
    conditional, registers, format_, value, moved = definition
    lift = _LIFT.match(value)
    exact = lift is not None and f"{lift[1]} is not 0" not in before.held
    for position, register in enumerate(registers):
        source = moved[min(position, len(moved) - 1)] if moved else None
        if (format_ in _QFLOAT and not exact) or source in before.held:
            held.add(register)
        elif not conditional:
            held.discard(register)
        moves_zero = source is not None and f"{source} is not 0" not in before.held
        if not (moves_zero or _ZERO.match(value) or _reloads_zero(value, before)):
            held.add(f"{register} is not 0")
        elif not conditional:
            held.discard(f"{register} is not 0")


class _Definition(NamedTuple):
    """A vector instruction with a result; ``moved`` are the registers that it only copies."""

    conditional: bool
    registers: tuple[str, ...]
    format: str | None
    value: str
    moved: tuple[str, ...]


_Scalar = tuple[bool, tuple[str, ...], frozenset[tuple[str, int]]]


@lru_cache(1 << 14)
def _part(text: str) -> tuple[tuple[_Scalar, ...], _Definition | None, re.Match[str] | None]:
    """One line of a packet: (condition, scalar registers, the address they get) each, a definition, a store."""
    scalars = []
    for condition, first, second, value in _SCALAR.findall(text):
        address = _ADDRESS.match(value)
        places = frozenset({(address[1], int(address[2]))} if address else ())
        scalars.append((bool(condition), tuple(filter(None, (first, second))), places))
    definition = None
    if match := _DEFINITION.match(text):
        moved = _MOVE.match(match[5]) if match[4] is None else None
        definition = _Definition(match[1] is not None, tuple(filter(None, match.group(2, 3))), match[4], match[5],
                                 tuple(filter(None, moved.groups())) if moved else ())
    return tuple(scalars), definition, _STORE.match(text)


def _reloads_zero(value: str, state: _State) -> bool:
    match = _LOAD.match(value)
    slots = _slots(match[1], match[2], state) if match else []
    return bool(slots) and not any(f"{slot} is not 0" in state.held for slot in slots)

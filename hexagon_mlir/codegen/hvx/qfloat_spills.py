"""Finds qf32 and qf16 values that the register allocator put on the stack.

LLVM stores a spilled vector register with a plain vmem, which loses the hidden bits of a qfloat value (llvm issue
#204825): such code must not be used. A forward data-flow analysis over a function's blocks determines which registers
may hold a qfloat value. An IEEE value plus or minus zero has no hidden bits: constants of loops may be spilled. That
zero may itself be reloaded from the stack; slots far from the stack pointer are addressed through registers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from hexagon_mlir import targets
from hexagon_mlir.isa.blocks import Block, DecodedPacket, Graph, build
from hexagon_mlir.isa.decode import FRAME, FormError, Insn
from hexagon_mlir.isa.reader import AsmError, Function, parse

VECTORS = range(int(targets.get().vector_registers.value))
VECTOR_BYTES = int(targets.get().vector_bytes.value)
_QFLOAT = ("qf32", "qf16")
_LIFTS = frozenset(f"V.{qfloat}=v{op}(V.{ieee},V.{ieee})"
                   for qfloat, op, ieee in product(_QFLOAT, ("add", "sub"), ("sf", "hf")))
Slot = tuple[int, int]
"""Base register and bytes."""


@dataclass
class State:
    """The abstract state at one point of a function: the vector registers that may hold qfloat values with hidden bits,
    the registers and slots that may be ``filled`` with anything but 0, and the addresses in scalar registers.
    """

    held: set[int | Slot] = field(default_factory=set)
    filled: set[int | Slot] = field(default_factory=set)
    places: dict[int, frozenset[Slot]] = field(default_factory=dict)

    def copy(self) -> State:
        return State(set(self.held), set(self.filled), dict(self.places))

    def absorb(self, other: State) -> bool:
        """Merge ``other`` into this state; whether that changed it."""
        before = len(self.held), len(self.filled), dict(self.places)
        self.held |= other.held
        self.filled |= other.filled
        for register, new in other.places.items():
            self.places[register] = self.places.get(register, frozenset()) | new
        return before != (len(self.held), len(self.filled), self.places)

    def slots(self, insn: Insn) -> set[Slot]:
        """The slots that the access ``insn`` may address; none where its address is not in the stack."""
        assert insn.address is not None
        base, offset = insn.address.base, insn.address.offset
        if base is None:
            return set()
        at = offset.number * VECTOR_BYTES if offset else 0
        starts = {(base.number, 0)} if base.number in FRAME else self.places.get(base.number, frozenset())
        return {(register, start + at) for register, start in starts}


def qfloat_spills(asm: str) -> list[str]:
    """The instructions of ``asm``, as text, that may store a qfloat value to the stack; unknown text counts as one.
    """
    if ".qf" not in asm:
        return []
    try:
        return [text for function in parse(asm).functions.values() for text in _in_function(function)]
    except (AsmError, FormError) as error:
        return [str(error)]


def _in_function(function: Function) -> list[str]:
    graph = build(function, {label for label in function.labels if label.startswith(".L")})  # of tables of jumps
    if not any(_is_vector_store(insn) for block in graph.blocks for insn in _insns(block)):
        return []
    return [text for number, state in sorted(_entry_states(graph).items())
            for text in _transfer(graph.blocks[number], state)]


def _entry_states(graph: Graph) -> dict[int, State]:
    """The fixed point: the state at the entry of each reachable block."""
    following = _following(graph)
    entry: dict[int, State] = {0: State(filled={*VECTORS, *_all_slots(graph)})}
    worklist = [0]
    while worklist:
        number = worklist.pop()
        state = entry[number].copy()
        _transfer(graph.blocks[number], state)
        for after in following[number]:
            if after not in entry:
                entry[after] = state.copy()
                worklist.append(after)
            elif entry[after].absorb(state):
                worklist.append(after)
    return entry


def _insns(block: Block) -> Iterator[Insn]:
    return (insn for packet in block.packets for insn in packet.insns)


def _following(graph: Graph) -> list[list[int]]:
    """The successors of each block."""
    found: list[list[int]] = [[] for _ in graph.blocks]
    for number, block in enumerate(graph.blocks):
        for before in block.predecessors:
            found[before].append(number)
    for number, block in enumerate(graph.blocks[:-1]):  # a call returns
        if any(insn.kind in ("call", "callr") for insn in block.packets[-1].insns):
            found[number].append(number + 1)
    return found


def _is_vector_store(insn: Insn) -> bool:
    return insn.kind == "store" and insn.accesses_vector


def _all_slots(graph: Graph) -> set[Slot]:
    """Every slot of the stack that some instruction may address."""
    insns = [insn for block in graph.blocks for insn in _insns(block)]
    starts = {(base, 0) for base in FRAME}.union(*(_stack_address(insn) for insn in insns))
    offsets = {insn.address.offset.number for insn in insns
               if insn.accesses_vector and insn.address and insn.address.offset} | {0}
    return {(base, start + offset * VECTOR_BYTES) for base, start in starts for offset in offsets}


def _stack_address(insn: Insn) -> frozenset[Slot]:
    """The stack address that ``insn`` computes."""
    if insn.key == "R=add(R,I)" and insn.sources[0].number in FRAME:
        return frozenset({(insn.sources[0].number, insn.sources[1].number)})
    return frozenset()


def _transfer(block: Block, state: State) -> list[str]:
    """The transfer function of ``block``: updates ``state`` to the one at its end and returns its spills."""
    return [text for packet in block.packets for text in _transfer_packet(packet, state)]


def _transfer_packet(packet: DecodedPacket, state: State) -> list[str]:
    """The same for a packet, whose instructions read the state before it, except ``.cur`` and ``.new``."""
    before = state.copy()
    for insn in packet.insns:
        if insn.mode == "cur":  # the packet itself reads the loaded value
            _define(insn, before, before)
    for insn in packet.insns:
        if insn.mode != "tmp":
            _define(insn, before, state)
    spills = [insn.text for insn in filter(_is_vector_store, packet.insns) if _store(insn, before, state)]
    for insn in packet.insns:
        _define_addresses(insn, before, state)
    return spills


def _store(insn: Insn, before: State, state: State) -> bool:
    """Update the slots in ``state`` for a vector store; returns whether it spills a qfloat value."""
    slots, register = before.slots(insn), insn.sources[0]
    seen = state if register.new else before
    if register.number in seen.filled:
        state.filled |= slots
    elif len(slots) == 1 and insn.condition is None:
        state.filled -= slots
    return bool(slots) and register.number in seen.held


def _define_addresses(insn: Insn, before: State, state: State) -> None:
    """Update ``state`` for the scalar registers that ``insn`` writes."""
    for number in {unit[1] for dest in insn.dests for unit in dest.units() if unit[0] == "R"}:
        kept = before.places.get(number, frozenset()) if insn.condition else frozenset()
        state.places[number] = kept | _stack_address(insn)


def _define(insn: Insn, before: State, state: State) -> None:
    """Update ``state`` for the vector registers that ``insn`` writes; it reads those of ``before``."""
    is_qfloat, is_zero = _makes_qfloat(insn, before), _makes_zero(insn, before)
    for register, source in _written(insn):
        is_held = is_qfloat or source in before.held
        is_filled = not is_zero and (source is None or source in before.filled)
        _update(state.held, register, is_held, insn)
        _update(state.filled, register, is_filled, insn)


def _update(known: set[int | Slot], register: int, may: bool, insn: Insn) -> None:
    """Add the ``register`` that ``insn`` writes to ``known`` or remove it; a conditional write does not remove it.
    """
    if may:
        known.add(register)
    elif insn.condition is None:
        known.discard(register)


def _makes_qfloat(insn: Insn, before: State) -> bool:
    """Whether ``insn`` makes a qfloat value with hidden bits: an IEEE value plus or minus zero has none."""
    lift = insn.sources[1].number if insn.key in _LIFTS else None
    return insn.result_type in _QFLOAT and (lift is None or lift in before.filled)


def _makes_zero(insn: Insn, before: State) -> bool:
    """Whether ``insn`` makes a vector of zeros, or loads one from the stack."""
    if insn.kind == "load" and insn.accesses_vector:
        slots = before.slots(insn)
        return bool(slots) and before.filled.isdisjoint(slots)
    return insn.key == "V=vxor(V,V)" and insn.sources[0].number == insn.sources[1].number


def _written(insn: Insn) -> Iterator[tuple[int, int | None]]:
    """The vector registers that ``insn`` writes, each with the register that it copies."""
    copies = [source.number for source in reversed(insn.sources)] if insn.key in ("V=V", "VV=vcombine(V,V)") else []
    units = [unit[1] for dest in insn.dests for unit in dest.units() if unit[0] == "V"]  # low first
    for place, register in enumerate(units):
        yield register, copies[place] if copies else None

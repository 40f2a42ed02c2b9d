"""The order of instructions in vector loops: list scheduling on HVX pipes.

LLVM keeps the given order and packetizes adjacent instructions, so interleaved copies of a body (all products, then all
sums) fill one pipe at a time. Here each copy runs ahead of the next as far as its latencies permit, the others fill the
free pipes, and a copy starts only when there are registers for it.

Works on optimised code: loops of one block, whose vector operations are native (see `native_vectors`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hexagon_mlir import targets
from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS
from hexagon_mlir.codegen.scheduling.constant_tables import (
    Constant,
    ConstantTable,
    constants_of,
    from_table,
    vectors_of,
)
from hexagon_mlir.codegen.scheduling.list_schedule import Node, Schedule, best_schedule, latency
from hexagon_mlir.codegen.scheduling.register_pressure import pressure_in_block, values_leaving
from hexagon_mlir.codegen.scheduling.selected import unit
from hexagon_mlir.isa.resources import OCCUPIES
from hexagon_mlir.isa.unit import Unit
from hexagon_mlir.llvmir import Block, Function, Instruction, Module

REGISTERS = int(targets.get().vector_registers.value) - 1  # one for instructions that selection adds
_LOAD = OCCUPIES[Unit.V_LOAD]
_FEWEST = 4
"""Least instructions of a loop that is reordered."""
_ALLOCATORS = "_alloc"
"""Suffix of the names of functions that allocate memory."""
_FRESH = "noalias ptr asm"
"""Inline assembly whose result aliases no other pointer (`tcm_slots`)."""


@dataclass(frozen=True)
class RegisterBudget:
    """Loops with more live vectors than ``registers`` take constants from a table (`constant_tables`), as many
    as it needs; with ``slots`` each use of such a constant reserves the resources of a load.
    """

    registers: int
    slots: bool = True


def order_loops(module: Module, budget: RegisterBudget | None = None) -> Module:
    """``module`` with the body of every single-block vector loop reordered."""
    return module.map(lambda function: _loops_of(function).ordered(budget) if "@llvm.hexagon." in function.text
                      else function)


class Addresses:
    """The addresses of one function's pointers: (root, pointers and indices added to it, bytes)."""

    def __init__(self, function: Function):
        self.definitions, self.arguments = function.definitions, set(function.records[0].mentioned)
        self.known: dict[str, tuple[str, tuple[str, ...], int]] = {}

    def of(self, pointer: str) -> tuple[str, tuple[str, ...], int]:
        """Root, indices and constant offset of ``pointer``."""
        if pointer not in self.known:
            self.known[pointer] = self._found(pointer)
        return self.known[pointer]

    def _found(self, pointer: str) -> tuple[str, tuple[str, ...], int]:
        indices: list[str] = []
        offset = 0
        while (i := self.definitions.get(pointer)) is not None and i.opcode == "getelementptr":
            if len(i.operands) != 3:
                break
            if i.operands[2].startswith("%"):
                indices.append(f"{i.operands[0]} {i.operands[2]}")
            else:
                offset += int(i.operands[2]) * BITS.get(i.operands[0], 8) // 8
            pointer = i.operands[1]
        return pointer, tuple(indices), offset

    def apart(self, load: str, store: str, nbytes: int) -> bool:
        """True when a loop over both may write ``store`` before it reads ``load``.

        Both have the same step, and the same start or different buffers. Two arguments may be the same buffer, but must
        not overlap otherwise (the calling convention of kernels).
        """
        (root, indices, offset), (other, others, at) = self.of(load), self.of(store)
        if indices != others:
            return False
        separate = root == other or all(self._is_buffer(r) for r in (root, other))
        return separate and abs(offset - at) >= nbytes

    def _is_buffer(self, root: str) -> bool:
        made = self.definitions.get(root)
        return root in self.arguments or (made is not None and made.opcode == "call" and (
            made.flags.endswith(_ALLOCATORS) or _FRESH in made.text))


class _Loop:
    """A loop of one block, to be ordered in several ways."""

    def __init__(self, block: Sequence[Instruction], start: int, end: int, addresses: Addresses):
        self.head, self.body, self.tail = block[:start], block[start:end], block[end:]
        invariants = {o for i in self.body for o, t in zip(i.operands, i.types, strict=False) if vectors_of(t)}
        invariants &= {o for i in self.body for o in i.mentioned} - {i.result for i in block}
        self.uses = Counter(constant for i in self.body for constant in constants_of(i))
        self.taken = sum(map(registers, self.head)) + len(invariants) + len(self.uses)
        self.nodes = graph(self.body, addresses)
        self.own = [node.occupies for node in self.nodes]
        self.orders: dict[tuple[int, tuple[bool, ...]], list[Instruction]] = {}
        self.schedules: dict[tuple[bool, ...], dict[int, list[Schedule]]] = {}

    def with_table(self, budget: RegisterBudget | None, leaving: set[str], table: ConstantTable) -> list[Instruction]:
        """The reordered block, with loads of the constants moved to ``table``; other blocks read the values
        ``leaving``."""
        count = 0
        while True:
            chosen = from_table(self.uses, count)
            attempt = table.copy()
            ordered = attempt.loaded(self._order(chosen, budget is not None and budget.slots), chosen)
            done = [*self.head, *ordered, *self.tail]
            missing = pressure_in_block(done, leaving) - budget.registers if budget else 0
            if missing <= 0 or count > len(chosen):
                table.take(attempt)
                return done
            count += missing

    def _order(self, chosen: Sequence[Constant], slots: bool) -> list[Instruction]:
        """The order of the body without registers for ``chosen``; with ``slots`` their uses reserve those of loads."""
        loads = tuple(slots and not set(chosen).isdisjoint(constants_of(i)) for i in self.body)
        # the registers of constants that are not in the table
        key = max(REGISTERS - self.taken + len(chosen), 6), loads
        if key not in self.orders:
            for node, own, load in zip(self.nodes, self.own, loads, strict=True):
                node.occupies = own + (_LOAD if load else ())
            known = self.schedules.setdefault(loads, {})
            self.orders[key] = [self.body[n] for n in best_schedule(self.nodes, key[0], known)]
        return self.orders[key]


class _Loops:
    """A function with its vector loops."""

    def __init__(self, function: Function):
        addresses = Addresses(function)
        self.function, self.leaving = function, values_leaving(function.records)
        self.blocks = [(block, _loop(block, addresses)) for block in function.blocks]

    def ordered(self, budget: RegisterBudget | None) -> Function:
        """The function with every loop in order."""
        table = ConstantTable()
        entry, *others = [block.with_instructions(loop.with_table(budget, self.leaving, table)) if loop else block
                          for block, loop in self.blocks]
        return self.function.with_blocks([entry.after_phis(*table.setup()), *others])


@lru_cache(16)
def _loops_of(function: Function) -> _Loops:
    """The loops of a function: orders for different register budgets share them."""
    return _Loops(function)


def _loop(block: Block, addresses: Addresses) -> _Loop | None:
    """``block`` as a loop of vectors; None when it is none."""
    instructions, branch = block.instructions, len(block.instructions) - 1
    if not block.is_loop or instructions[branch].opcode != "br":
        return None
    start = next(n for n, i in enumerate(instructions) if i.opcode != "phi")
    if any(map(_does_more, instructions[start:branch])) or branch - start < _FEWEST:
        return None
    return _Loop(instructions, start, branch, addresses)


def _does_more(i: Instruction) -> bool:
    """True for a call that may have side effects: of a function, such as memcpy, or one without a result."""
    return i.opcode == "call" and (not i.result or (i.flags[:1] in ("@", "%") and not i.flags.startswith("@llvm.")))


def registers(i: Instruction) -> int:
    """Vector registers that the result of ``i`` takes."""
    return vectors_of(i.type)


def graph(body: Sequence[Instruction], addresses: Addresses) -> list[Node]:
    """Nodes in program order with their dependences; memory operations keep their order where one of them writes."""
    nodes: list[Node] = []
    where: dict[str, int] = {}
    accesses: list[int] = []
    for number, i in enumerate(body):
        selected = unit(i)
        occupies, early = (OCCUPIES[selected], selected.early) if selected else ((), False)
        node = Node(i, occupies, early, vector=registers(i) if i.result else 0)
        sources = {where[name] for name in i.mentioned if name in where}
        if _reads(i) or _writes(i):
            sources |= {n for n in accesses if _conflict(body[n], i, addresses)}
            accesses.append(number)
        node.before = sorted(sources)
        for source in sources:
            nodes[source].after.append(number)
        nodes.append(node)
        if i.result:
            where[i.result] = number
    for node in reversed(nodes):
        node.height = max((nodes[n].height + latency(node, nodes[n]) for n in node.after), default=0)
    _number_copies(nodes)
    return nodes


def _reads(i: Instruction) -> bool:
    return i.opcode == "load" or (i.opcode == "call" and ".load" in i.flags)


def _writes(i: Instruction) -> bool:
    return i.opcode == "store" or (i.opcode == "call" and ".store" in i.flags)


def _conflict(first: Instruction, second: Instruction, addresses: Addresses) -> bool:
    """True when the two accesses must stay in order."""
    if not (_writes(first) or _writes(second)):
        return False
    load, store = (second, first) if _writes(first) else (first, second)
    if load.opcode == "load" and store.opcode == "store":
        return not addresses.apart(load.operands[0], store.operands[1], VECTOR_BITS // 8 * max(registers(load), 1))
    if load.opcode == store.opcode == "store":
        return not addresses.apart(load.operands[1], store.operands[1], VECTOR_BITS // 8)
    return True


def _number_copies(nodes: list[Node]) -> None:
    """Independent parts of the graph, vector operations only, in order of appearance."""
    parent = list(range(len(nodes)))

    def find(n: int) -> int:
        while parent[n] != n:
            n = parent[n]
        return n

    for number, node in enumerate(nodes):
        for source in node.before:
            if nodes[source].vector and nodes[source].instruction.result in node.instruction.mentioned:
                a, b = sorted((find(source), find(number)))
                parent[b] = a
    copies: dict[int, int] = {}
    for number, node in enumerate(nodes):  # the root of a part is its first node
        node.copy = copies.setdefault(find(number), len(copies))

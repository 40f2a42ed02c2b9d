"""Packet rules on plain values: every read before every write.

Registers are read as they were before the packet, except ``.new`` operands (the value their producers write)
and readers of a ``.cur`` or ``.tmp`` load. Writes are collected and committed at the end; so are stores, unless
the packet is ``:mem_noshuf``, where loads and stores happen in text order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hexagon_mlir.isa.blocks import DecodedPacket
from hexagon_mlir.isa.decode import (
    ALL_VECTORS,
    CIRCULAR_START,
    FIFO,
    GATHERED,
    UNPACKING,
    Address,
    FormError,
    Insn,
    Operand,
)
from hexagon_mlir.isa.matrix import operation
from hexagon_mlir.sim.reference import special
from hexagon_mlir.sim.reference.addressing import around, increment, reversed_half
from hexagon_mlir.sim.reference.arithmetic import DEFAULT_EXTENSION, NEWEST, Model, Vector
from hexagon_mlir.sim.reference.matrix_engine import Issue, MatrixEngine, Unmodelled
from hexagon_mlir.sim.reference.rules import STICKY, as_bytes, depends, find, find_chip, pack, signed, unpack

Unit = tuple[str, int]
MASKS = {"R": 0xFFFFFFFF, "RR": (1 << 64) - 1, "CC": (1 << 64) - 1, "C": 0xFFFFFFFF, "M": 0xFFFFFFFF, "P": 0xFF}
SIZES = {"w": 4, "h": 2, "uh": 2, "b": 1, "ub": 1, "d": 8, "bh": 2, "ubh": 2, "b_fifo": 1, "h_fifo": 2}
"""Bytes of an access after ``mem``; packing loads of a pair take twice as many."""
USR: Unit = ("C", 8)
LINE_BYTES = 32
"""Bytes that ``dczeroa`` clears."""
VECTOR_BYTES = 128


class Registers:
    """One thread's registers; ``("X", n)`` holds the extension bits of vector n, one number for each word."""

    def __init__(self) -> None:
        self.values: dict[Unit, Any] = {("R", n): 0 for n in range(32)}
        self.values |= {("P", n): 0 for n in range(4)}
        self.values |= {("C", n): 0 for n in range(32)}
        self.values |= {("V", n): np.zeros(VECTOR_BYTES, np.uint8) for n in range(32)}
        self.values |= {("X", n): DEFAULT_EXTENSION for n in range(32)}
        self.values |= {("Q", n): np.zeros(VECTOR_BYTES, bool) for n in range(4)}

    def __getitem__(self, unit: Unit) -> Any:
        return self.values[unit]

    def __setitem__(self, unit: Unit, value: Any) -> None:
        self.values[unit] = value


@dataclass
class Transfer:
    """A change of flow: the instruction, and the address of an indirect one."""

    insn: Insn
    address: int = 0


@dataclass
class Outcome:
    """The effects of a packet beyond registers: transfers and loops."""

    transfers: list[Transfer] = field(default_factory=list)
    """Taken jumps, calls and returns in text order."""
    loops: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    """Loop number -> (start label, count, passes until p3 becomes true or 0)."""


def execute(
    packet: DecodedPacket, registers: Registers, memory: np.ndarray, symbols: dict[str, int], clock: int = 0,
    model: Model = NEWEST, engine: MatrixEngine | None = None,
) -> Outcome:  # fmt: skip
    """Run one packet; ``clock`` is what reading the cycle counter gives, ``engine`` the chip's matrix engine."""
    return _Execution(packet, registers, memory, symbols, clock, model, engine).run()


class _Execution:
    def __init__(
        self, packet: DecodedPacket, registers: Registers, memory: np.ndarray, symbols: dict[str, int], clock: int,
        model: Model, engine: MatrixEngine | None,
    ) -> None:  # fmt: skip
        self.insns = packet.insns
        self.in_order = packet.packet.mem_noshuf
        self.registers = registers
        self.memory = memory
        self.symbols = symbols
        self.clock = clock
        self.model = model
        self.engine = engine
        self.issues: list[Issue] = []
        self.outcome = Outcome()
        self.writes: dict[Unit, list[Any]] = {}
        self.forwarded: dict[Unit, Any] = {}
        self.sticky: set[int] = set()
        self.gathered: tuple[np.ndarray, np.ndarray] | None = None
        self.stores: list[Callable[[], None]] = []
        self.done: set[int] = set()
        self.writers: dict[Unit, list[int]] = {}
        self.forwarders: dict[Unit, int] = {}
        for index, insn in enumerate(self.insns):
            for dest in _destinations(insn):
                for unit in dest.units():
                    self.writers.setdefault(unit, []).append(index)
                    if insn.mode:
                        self.forwarders[unit] = index

    def run(self) -> Outcome:
        for index in range(len(self.insns)):
            self.evaluate(index)
        for store in self.stores:
            store()
        if self.issues:
            self.run_engine()
        for unit in self.writes:
            if unit[0] != GATHERED.cls:
                self.registers[unit] = self.written(unit)
        for bit in self.sticky:
            self.registers[USR] |= 1 << bit
        return self.outcome

    def evaluate(self, index: int) -> None:
        """Run an instruction once; one that another needs earlier runs on demand."""
        if index in self.done:
            return
        self.done.add(index)
        insn = self.insns[index]
        try:
            getattr(self, "do_" + insn.kind)(insn)
        except AttributeError as error:
            if "do_" + insn.kind not in str(error):
                raise
            raise FormError(insn.line, insn.text, "the reference interpreter has no rule for") from error

    # -- reading -------------------------------------------------------------------------------------------
    def unit(self, unit: Unit, new: bool, reader: Insn) -> Any:
        if new:
            if unit not in self.writers:
                raise FormError(reader.line, reader.text, "a .new value has no producer in the packet")
            for index in self.writers[unit]:
                self.evaluate(index)
            return self.written(unit)
        if unit in self.forwarders and not reader.mode:
            self.evaluate(self.forwarders[unit])
            return self.forwarded.get(unit, self.registers[unit])
        return self.registers[unit]

    def written(self, unit: Unit) -> Any:
        """The value after the writes so far; two writes of a scalar predicate are anded."""
        values = self.writes.get(unit)
        if not values:
            return self.registers[unit]
        if unit[0] == "P":
            result = 0xFF
            for value in values:
                result &= value
            return result
        return values[-1]

    def value(self, operand: Operand, reader: Insn, whole: bool = False) -> Any:
        """An operand's value; vectors are `Vector` when ``whole``, else their bytes."""
        if operand.cls == "I":
            return self.immediate(operand)
        parts = [self.unit(unit, operand.new, reader) for unit in operand.units()]
        if whole and operand.cls in ("V", "VV"):
            parts = [self.whole(*pair, operand.new, reader) for pair in zip(operand.units(), parts, strict=True)]
        if operand.cls in ("RR", "CC"):
            return parts[1] << 32 | parts[0]
        return tuple(parts) if operand.cls == "VV" else parts[0]

    def whole(self, unit: Unit, data: np.ndarray, new: bool, reader: Insn) -> Vector:
        """A vector that has been read, with its extension bits."""
        extension = ("X", unit[1])
        if new:
            return Vector(data, self.written(extension))
        if unit in self.forwarders and not reader.mode and unit in self.forwarded:
            return Vector(data, self.forwarded[extension])
        return Vector(data, self.registers[extension])

    def immediate(self, operand: Operand) -> int:
        return operand.number + (self.symbols[operand.symbol] if operand.symbol is not None else 0)

    def holds(self, insn: Insn) -> bool:
        """False when a scalar condition turns the instruction off."""
        condition = insn.condition
        if condition is None or condition.operand.cls != "P":
            return True
        return bool(self.value(condition.operand, insn) & 1) != condition.negated

    def byte_mask(self, insn: Insn) -> np.ndarray | None:
        """The bytes a vector condition lets through."""
        condition = insn.condition
        if condition is None or condition.operand.cls != "Q":
            return None
        return self.value(condition.operand, insn) ^ condition.negated

    # -- writing -------------------------------------------------------------------------------------------
    def write(self, operand: Operand, value: Any) -> None:
        parts: list[Any]
        if operand.cls in ("V", "VV"):
            self.keep(operand, value, self.write_unit)
            return
        if operand.cls == "Q":
            parts = [np.repeat(value, VECTOR_BYTES // value.size)]
        else:
            number = int(value) & MASKS[operand.cls]
            parts = [number & MASKS["R"], number >> 32] if len(operand.units()) == 2 else [number]
        for unit, part in zip(operand.units(), parts, strict=True):
            self.write_unit(unit, part)

    def write_unit(self, unit: Unit, value: Any) -> None:
        self.writes.setdefault(unit, []).append(value)

    def forward_unit(self, unit: Unit, value: Any) -> None:
        self.forwarded[unit] = value

    @staticmethod
    def keep(operand: Operand, value: Any, put: Callable[[Unit, Any], None]) -> None:
        """Pass the bytes and the extension bits of a vector or a pair to ``put``; plain arrays have the default
        bits."""
        for unit, part in zip(operand.units(), value if operand.cls == "VV" else (value,), strict=True):
            vector = part if isinstance(part, Vector) else Vector(part)
            put(unit, as_bytes(vector.data))
            put(("X", unit[1]), vector.extension)

    # -- arithmetic ----------------------------------------------------------------------------------------
    def do_alu(self, insn: Insn) -> None:
        assert insn.form is not None
        if not self.holds(insn):
            return
        whole = depends(insn.key, self.model)
        meaning = find_chip(insn.key, self.model) if whole else find(insn.key)
        if meaning is None:
            raise FormError(insn.line, insn.text, f"the reference interpreter has no rule for {insn.key!r}:")
        operands = [*insn.dests[:1], *insn.sources] if insn.form.reads_dest else insn.sources
        STICKY.clear()
        with np.errstate(all="ignore"):
            result = meaning(*(self.value(operand, insn, whole) for operand in operands))
        if not insn.hvx:
            self.sticky |= STICKY
        mask = self.byte_mask(insn)
        results = [result] if len(insn.dests) == 1 else list(result)
        for dest, new in zip(insn.dests, results, strict=True):
            if mask is not None:
                new = np.where(mask, as_bytes(new), self.value(dest, insn))
            if insn.mode:
                self.keep(dest, new, self.forward_unit)
            else:
                self.write(dest, new)

    # -- memory --------------------------------------------------------------------------------------------
    def address(self, insn: Insn) -> int:
        """The address; writes a post-incremented or set base."""
        a: Address | None = insn.address
        assert a is not None
        total = self.value(a.base, insn) if a.base else 0
        if a.index:
            total += self.value(a.index, insn) << a.shift
        if a.offset:
            total += self.immediate(a.offset) * a.scale
        total &= MASKS["R"]
        if a.base and a.written:
            self.write(a.base, self.stepped(insn, a, total))
        if a.set_base:
            self.write(a.set_base, total)
        return reversed_half(total) if a.mode == "brev" else total

    def stepped(self, insn: Insn, a: Address, base: int) -> int:
        """The base register after the access."""
        step = self.immediate(a.step) * a.scale if a.step else 0
        if a.modifier is None:
            return base + step
        modifier = self.value(a.modifier, insn)
        if a.mode != "circ":
            return base + modifier
        if a.step is None:
            step = increment(modifier) * self.size(insn)
        return around(base, step, modifier, self.unit(("C", a.modifier.number + CIRCULAR_START), False, insn))

    def size(self, insn: Insn) -> int:
        """Bytes of a scalar access."""
        size = SIZES[insn.access.removeprefix("mem")]
        return 2 * size if insn.access in UNPACKING and insn.dests[0].cls == "RR" else size

    def do_load(self, insn: Insn) -> None:
        if not self.holds(insn):
            return
        address = self.address(insn)
        vector = insn.accesses_vector
        value: Any = self.vector_at(insn, address).copy() if vector else self.load_to(insn, address)
        if insn.mode:
            self.keep(insn.dests[0], value, self.forward_unit)
        if insn.mode != "tmp":
            self.write(insn.dests[0], value)

    def load_to(self, insn: Insn, address: int) -> int:
        """The value that a scalar load writes to its register: ``bh`` widens bytes to halfwords, ``fifo`` shifts in
        from the top."""
        size = self.size(insn)
        if insn.access in UNPACKING:
            raw = int.from_bytes(self.memory[address : address + size].tobytes(), "little")
            return pack(unpack(raw, 8, 8 * size, "u" not in insn.access), 16)
        if insn.access in FIFO:
            new = int.from_bytes(self.memory[address : address + size].tobytes(), "little")
            return self.value(insn.dests[0], insn) >> 8 * size | new << 64 - 8 * size
        return self.load(address, insn.access)

    def load(self, address: int, access: str) -> int:
        size = SIZES[access.removeprefix("mem")]
        raw = int.from_bytes(self.memory[address : address + size].tobytes(), "little")
        return raw if "u" in access else signed(raw, 8 * size)

    def vector_at(self, insn: Insn, address: int) -> np.ndarray:
        if insn.access == "vmem":
            address &= -VECTOR_BYTES
        return self.memory[address : address + VECTOR_BYTES]

    def store(self, action: Callable[[], None]) -> None:
        if self.in_order:
            action()
        else:
            self.stores.append(action)

    def put(self, address: int, value: int, size: int) -> None:
        raw = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        self.memory[address : address + size] = np.frombuffer(raw, np.uint8)

    def do_store(self, insn: Insn) -> None:
        if not self.holds(insn):
            return
        address = self.address(insn)
        value = self.value(insn.sources[0], insn)
        if insn.accesses_vector:
            mask = self.byte_mask(insn)
            if insn.sources[0] == GATHERED and self.gathered is not None:
                mask = self.gathered[1]
            where: Any = slice(None) if mask is None else mask
            data = value[where].copy()

            def vector() -> None:
                self.vector_at(insn, address)[where] = data

            self.store(vector)
            return
        if insn.op == "high":
            value >>= 16
        self.store(lambda: self.put(address, value, SIZES[insn.access.removeprefix("mem")]))

    def do_memop(self, insn: Insn) -> None:
        if not self.holds(insn):
            return
        address = self.address(insn)
        operand = self.value(insn.sources[0], insn)
        size = SIZES[insn.access.removeprefix("mem")]

        def action() -> None:
            old = self.load(address, insn.access)
            new = {
                "+=": old + operand, "-=": old - operand, "&=": old & operand, "|=": old | operand,
                "=setbit": old | 1 << (operand & 31), "=clrbit": old & ~(1 << (operand & 31)),
            }[insn.op]  # fmt: skip
            self.put(address, new, size)

        self.store(action)

    def do_locked(self, insn: Insn) -> None:
        """A store-conditional succeeds: there is one thread."""
        address = self.address(insn)
        value = self.value(insn.sources[0], insn)
        self.store(lambda: self.put(address, value, SIZES[insn.access.removeprefix("mem")]))
        self.write(insn.dests[0], MASKS["P"])

    def do_zero(self, insn: Insn) -> None:
        """dczeroa: a line becomes zero."""
        start = self.address(insn) & -LINE_BYTES
        self.store(lambda: self.memory[start : start + LINE_BYTES].fill(0))

    def do_gather(self, insn: Insn) -> None:
        base, limit, source = (self.value(s, insn) for s in insn.sources)
        self.gathered = special.gather(insn.access, base, limit, source, self.byte_mask(insn), self.memory)
        self.writes[GATHERED.cls, 0] = [self.gathered[0]]

    def do_scatter(self, insn: Insn) -> None:
        base, limit, source, data = (self.value(s, insn) for s in insn.sources)
        action = special.scatter(insn.access, base, limit, source, data, insn.op == "+=", self.byte_mask(insn))
        self.store(lambda: action(self.memory))

    def do_histogram(self, insn: Insn) -> None:
        """Counts the ``.tmp`` load of the packet in all vector registers."""
        for index in self.forwarders.values():
            self.evaluate(index)
        if not self.forwarded:
            raise FormError(insn.line, insn.text, "a histogram needs a .tmp load in its packet")
        data = next(iter(self.forwarded.values()))
        mask, parity = np.ones(VECTOR_BYTES, bool), None
        for operand in insn.sources[len(ALL_VECTORS) :]:
            if operand.cls == "Q":
                mask = self.value(operand, insn)
            else:
                parity = operand.number
        vectors = [self.registers[v.units()[0]] for v in ALL_VECTORS]
        for dest, value in zip(
            ALL_VECTORS, special.histogram(insn.op, bool(insn.access), vectors, data, mask, parity), strict=True
        ):
            self.write(dest, value)

    def do_frame(self, insn: Insn) -> None:
        if not self.holds(insn):
            return
        stack, frame, link = (self.unit(("R", n), False, insn) for n in (29, 30, 31))
        if insn.op == "allocframe":
            top = (stack - 8) & MASKS["R"]
            self.store(lambda: self.put(top, link << 32 | frame, 8))
            self.write(Operand("R", 30), top)
            self.write(Operand("R", 29), top - insn.sources[0].number)
            return
        self.write(Operand("RR", 30), self.load(frame, "memd"))
        self.write(Operand("R", 29), frame + 8)
        if insn.op == "dealloc_return":
            self.outcome.transfers.append(Transfer(insn))

    def do_matrix(self, insn: Insn) -> None:
        registers = [self.value(operand, insn) for operand in insn.sources if operand.cls == "R"]
        self.issues.append(Issue(operation(insn.key), *registers))

    def run_engine(self) -> None:
        """The matrix engine's instructions, all of the packet at once."""
        insn = next(insn for insn in self.insns if insn.kind == "matrix")
        if self.engine is None:
            raise FormError(insn.line, insn.text, "no matrix engine for")
        try:
            self.engine.run(self.issues, self.registers[USR], self.memory)
        except Unmodelled as error:
            raise FormError(insn.line, insn.text, f"not modelled: {error}:") from error

    def do_system(self, insn: Insn) -> None:
        """No effect on values."""

    def do_clock(self, insn: Insn) -> None:
        """Counters show the packets run so far."""
        if self.holds(insn):
            upper = insn.dests[0].cls == "R" and int(insn.op) % 2
            self.write(insn.dests[0], self.clock >> 32 if upper else self.clock)

    # -- flow ----------------------------------------------------------------------------------------------
    def do_jump(self, insn: Insn) -> None:
        if self.holds(insn):
            self.outcome.transfers.append(Transfer(insn))

    do_call = do_jump

    def do_jumpr(self, insn: Insn) -> None:
        if self.holds(insn):
            self.outcome.transfers.append(Transfer(insn, self.value(insn.sources[0], insn)))

    do_callr = do_jumpr

    def do_newjump(self, insn: Insn) -> None:
        a, b = (self.value(operand, insn) for operand in insn.sources)
        x, y = signed(a, 32), signed(b, 32)
        taken = {
            "cmp.eq": x == y, "cmp.gt": x > y, "cmp.gtu": x & MASKS["R"] > y & MASKS["R"], "tstbit": a >> (b & 31) & 1,
            "==": x == y, "!=": x != y, ">=": x >= y, "<=": x <= y,
        }[insn.op]  # fmt: skip
        if bool(taken) != insn.negated:
            self.outcome.transfers.append(Transfer(insn))

    def do_loop(self, insn: Insn) -> None:
        if insn.dests:
            self.write(insn.dests[0], 0)
        count = self.value(insn.sources[0], insn) & MASKS["R"]
        self.outcome.loops[insn.op] = (str(insn.target), count, int(insn.access or 0))


def _destinations(insn: Insn) -> list[Operand]:
    """Registers an instruction may write."""
    found = list(insn.dests)
    if insn.address is not None:
        if insn.address.step is not None and insn.address.base is not None:
            found.append(insn.address.base)
        if insn.address.set_base is not None:
            found.append(insn.address.set_base)
        elif insn.address.modifier is not None and insn.address.base is not None:
            found.append(insn.address.base)
    if insn.kind == "frame":
        found += [Operand("R", n) for n in (29, 30, 31)]
    return found

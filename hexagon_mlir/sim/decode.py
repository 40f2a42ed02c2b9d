"""Packet text to instructions: form key, operands, condition, memory access and flow.

A compound (two instructions joined by ``;``) becomes two instructions of the same packet. ``#`` and ``##``
(constant extender) are the same here: the extender shows in code size, not in meaning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hexagon_mlir.sim.asm import Packet, unquote
from hexagon_mlir.sim.isa.spec import Spec, Unit
from hexagon_mlir.sim.isa.tables import FORMS


class FormError(Exception):
    """An instruction form the tables do not have."""

    def __init__(self, line: int, text: str, why: str = "unknown instruction form") -> None:
        super().__init__(f"asm line {line}: {why}: '{text}'")
        self.line = line
        self.text = text
        self.why = why


@dataclass(frozen=True)
class Operand:
    """A register (class and number; a pair is named by its low register) or an immediate (maybe symbolic)."""

    cls: str
    number: int = 0
    new: bool = False
    symbol: str | None = None

    def units(self) -> tuple[tuple[str, int], ...]:
        """The single registers this operand stands for, low first."""
        if self.cls in ("RR", "VV", "CC"):
            return ((self.cls[0], self.number), (self.cls[0], self.number + 1))
        return () if self.cls == "I" else ((self.cls, self.number),)


@dataclass(frozen=True)
class Condition:
    """``if (p0)``, ``if (!p0.new)``, ``if (q1)``."""

    operand: Operand
    negated: bool


@dataclass(frozen=True)
class Address:
    """base + (index << shift) + offset bytes; ``step`` is the post-increment in bytes."""

    base: Operand | None = None
    index: Operand | None = None
    shift: int = 0
    offset: Operand | None = None
    scale: int = 1
    """What the written offset is multiplied by (HVX immediates count vectors)."""
    step: Operand | None = None
    set_base: Operand | None = None
    """Absolute-set form: this register receives the address."""


@dataclass
class Insn:
    """One instruction, decoded."""

    line: int
    text: str
    kind: str
    """alu, load, store, memop, locked, jump, jumpr, call, callr, loop, newjump, frame, clock, system."""
    key: str
    unit: Unit
    spec: Spec | None = None
    dests: list[Operand] = field(default_factory=list)
    sources: list[Operand] = field(default_factory=list)
    condition: Condition | None = None
    address: Address | None = None
    access: str = ""
    """Memory mnemonic: memw, memub, vmem, vmemu, ..."""
    mode: str = ""
    """cur or tmp for such vector loads."""
    op: str = ""
    """Memop operator, new-value comparison, loop number, frame operation."""
    target: str | None = None
    taken_hint: bool | None = None
    negated: bool = False

    @property
    def hvx(self) -> bool:
        return self.unit.hvx


_REGISTER = re.compile(r"(?<![\w.$#@])([rvpqc])(\d+)(?::(\d+))?(\.new|\.cur|\.tmp)?(?!\w)")
_IMMEDIATE = re.compile(r'##?(-?\d\w*|"[^"]*"|[A-Za-z_.$][\w.$@]*)([+-]\d+)?')
_PREDICATED = re.compile(r"^if\s*\((!?)([pq]\d+)(\.new)?\)\s*(.*)$")
_SYMBOL = r'(?:##?)?("[^"]+"|[A-Za-z_.$][\w.$@]*)'
_JUMP = re.compile(rf"^(jump|call)(:t|:nt)?\s+{_SYMBOL}$")
_JUMPR = re.compile(r"^(jumpr|callr)(:t|:nt)?\s+r(\d+)$")
_NEWJUMP = re.compile(
    rf"^if\s*\((!?)(cmp\.\w+|tstbit)\(([^)]*)\)\)\s*jump(:t|:nt)?\s+{_SYMBOL}$"
)
_LOOP = re.compile(rf"^loop([01])\(\s*{_SYMBOL}\s*,\s*(r\d+|##?-?\w+)\s*\)$")
_ALLOCFRAME = re.compile(r"^allocframe\((?:r29,)?##?(\d+)\)(:raw)?$")
_DEALLOC = re.compile(r"^(?:r31:30=)?(dealloc_return|deallocframe)(?:\(r30\))?(:t|:nt)?(:raw)?$")
_SYSTEM = re.compile(r"^(nop|barrier|isync|syncht|brkpt|dcfetch\(.*\)|pause\(.*\)|l2fetch\(.*\))$")
_LOAD = re.compile(r"^(R|RR|V)=(mem(?:w|h|uh|b|ub|d)|vmemu?)\((.*)\)(:nt)?$")
_STORE = re.compile(r"^(mem(?:w|h|b|d)|vmemu?)\(([^()]*)\)(:nt)?=(R|RR|V|I|R\.h)$")
_MEMOP = re.compile(r"^(mem(?:w|h|b))\(([^()]*)\)(\+=|-=|&=|\|=|=setbit|=clrbit)\(?(R|I)\)?$")
_LOCKED_LOAD = re.compile(r"^(R|RR)=(mem[wd])_locked\(R\)$")
_LOCKED_STORE = re.compile(r"^(mem[wd])_locked\(R,P\)=(R|RR)$")
_DMA = re.compile(r"^(?:R=)?(dmstart|dmlink|dmpoll|dmwait|dmpause|dmresume)(\(R(,R)?\))?$")

CYCLE_COUNTER = 14
"""c15:14, UPCYCLE."""
_CLASSES = {"r": "R", "v": "V", "p": "P", "q": "Q", "c": "C"}


def tokenize(text: str) -> tuple[str, list[Operand], list[str]]:
    """The form key of ``text``, its operands in order, and the ``.cur``/``.tmp`` marks seen."""
    operands: list[tuple[int, Operand]] = []
    marks: list[str] = []
    squeezed = re.sub(r"\s+", "", text)
    pieces: list[str] = []
    position = 0
    for match in sorted(
        [*_REGISTER.finditer(squeezed), *_IMMEDIATE.finditer(squeezed)], key=lambda m: m.start()
    ):
        if match.start() < position:
            continue
        pieces.append(squeezed[position : match.start()])
        position = match.end()
        if match.re is _REGISTER:
            letter, high, low, suffix = match.groups()
            cls = _CLASSES[letter] * (2 if low is not None else 1)
            operand = Operand(cls, int(low if low is not None else high), suffix == ".new")
            if suffix in (".cur", ".tmp"):
                marks.append(suffix[1:])
        else:
            value, addend = match.groups()
            cls = "I"
            if value.lstrip("-")[:1].isdigit():
                operand = Operand("I", int(value, 0) + int(addend or 0))
            else:
                operand = Operand("I", int(addend or 0), symbol=unquote(value))
        operands.append((match.start(), operand))
        pieces.append(cls)
    pieces.append(squeezed[position:])
    return "".join(pieces), [operand for _, operand in operands], marks


def _address(text: str, operands: list[Operand], vector: bool) -> Address | None:
    """The address written as the template ``text`` over ``operands`` (all of which it must use)."""
    scale = 128 if vector else 1
    if text == "R":
        return Address(base=operands[0])
    if text == "R+I":
        return Address(base=operands[0], offset=operands[1], scale=scale)
    if text == "R++I":
        return Address(base=operands[0], step=operands[1], scale=scale)
    if vector:
        return None
    if text == "R+R<<I":
        return Address(base=operands[0], index=operands[1], shift=operands[2].number)
    if text == "R<<I+I":
        return Address(index=operands[0], shift=operands[1].number, offset=operands[2])
    if text in ("I", "gp+I"):
        return Address(offset=operands[0])
    if text == "R=I":
        return Address(offset=operands[1], set_base=operands[0])
    return None


def _memory(line: int, text: str, key: str, operands: list[Operand], marks: list[str]) -> Insn | None:
    if found := _LOAD.match(key):
        address = _address(found.group(3), operands[1:], found.group(2).startswith("v"))
        if address is None:
            return None
        vector = found.group(2).startswith("v")
        return Insn(
            line, text, "load", key, Unit.V_LOAD if vector else Unit.LOAD, dests=operands[:1],
            address=address, access=found.group(2), mode=marks[0] if marks else "",
        )  # fmt: skip
    if found := _STORE.match(key):
        address = _address(found.group(2), operands[:-1], found.group(1).startswith("v"))
        if address is None:
            return None
        vector = found.group(1).startswith("v")
        return Insn(
            line, text, "store", key, Unit.V_STORE if vector else Unit.STORE, sources=operands[-1:],
            address=address, access=found.group(1), op="high" if found.group(4) == "R.h" else "",
        )  # fmt: skip
    if found := _MEMOP.match(key):
        address = _address(found.group(2), operands[:-1], False)
        if address is None:
            return None
        return Insn(
            line, text, "memop", key, Unit.STORE, sources=operands[-1:], address=address,
            access=found.group(1), op=found.group(3),
        )  # fmt: skip
    if found := _LOCKED_LOAD.match(key):
        return Insn(
            line, text, "load", key, Unit.LOAD, dests=operands[:1],
            address=Address(base=operands[1]), access=found.group(2),
        )  # fmt: skip
    if found := _LOCKED_STORE.match(key):
        return Insn(
            line, text, "locked", key, Unit.STORE, dests=[operands[1]], sources=[operands[2]],
            address=Address(base=operands[0]), access=found.group(1),
        )  # fmt: skip
    return None


def _hint(mark: str | None) -> bool | None:
    return None if mark is None else mark == ":t"


def _flow(line: int, text: str, full: str) -> Insn | None:
    """Instructions whose operands include code labels, and frame and system instructions."""
    if found := _JUMP.match(text):
        kind, hint, target = found.groups()
        return Insn(line, full, kind, kind, Unit.FLOW, target=unquote(target), taken_hint=_hint(hint))
    if found := _JUMPR.match(text):
        kind, hint, number = found.groups()
        return Insn(
            line, full, kind, kind, Unit.FLOW, sources=[Operand("R", int(number))], taken_hint=_hint(hint)
        )
    if found := _LOOP.match(text):
        number, target, count = found.groups()
        _, operands, _ = tokenize(count)
        return Insn(
            line, full, "loop", "loop", Unit.FLOW, sources=operands, op=number, target=unquote(target)
        )
    squeezed = re.sub(r"\s+", "", text)
    if found := _ALLOCFRAME.match(squeezed):
        size = Operand("I", int(found.group(1)))
        return Insn(line, full, "frame", "allocframe", Unit.STORE, sources=[size], op="allocframe")
    if found := _DEALLOC.match(squeezed):
        name, hint, _ = found.groups()
        return Insn(line, full, "frame", name, Unit.LOAD, op=name, taken_hint=_hint(hint))
    if found := _SYSTEM.match(squeezed):
        return Insn(line, full, "system", found.group(1).split("(")[0], Unit.SYSTEM)
    return None


def decode_one(line: int, full: str) -> Insn:
    """One instruction (already split from its compound)."""
    if found := _NEWJUMP.match(full):
        negated, compare, arguments, hint, target = found.groups()
        _, operands, _ = tokenize(arguments)
        return Insn(
            line, full, "newjump", f"newjump {compare}", Unit.FLOW, sources=operands, op=compare,
            target=unquote(target), taken_hint=_hint(hint), negated=bool(negated),
        )  # fmt: skip
    condition = None
    text = full
    if found := _PREDICATED.match(full):
        negated, register, new, text = found.groups()
        operand = Operand(_CLASSES[register[0]], int(register[1:]), bool(new))
        condition = Condition(operand, bool(negated))
    insn = _flow(line, text, full)
    if insn is None:
        key, operands, marks = tokenize(text)
        insn = _memory(line, full, key, operands, marks)
        if insn is None and (dma := _DMA.match(key)):
            results = operands[:1] if key.startswith("R=") else []
            sources = operands[len(results) :]
            insn = Insn(
                line, full, "dma", key, Unit.SYSTEM, dests=results, sources=sources, op=dma.group(1)
            )
        if insn is None and key == "RR=CC" and operands[1].number == CYCLE_COUNTER:
            insn = Insn(line, full, "clock", key, Unit.SYSTEM, dests=operands[:1])
        if insn is None:
            spec = FORMS.get(key)
            if spec is None or marks:
                raise FormError(line, full, f"unknown instruction form {key!r}")
            dests = operands[: len(spec.dests)]
            insn = Insn(
                line, full, "alu", key, spec.unit, spec, dests=dests, sources=operands[len(spec.dests) :]
            )
    insn.condition = condition
    return insn


def decode(packet: Packet) -> list[Insn]:
    """Every instruction of ``packet`` in text order."""
    insns = []
    for line, text in packet.lines:
        for part in text.split(";"):
            if part.strip():
                insns.append(decode_one(line, part.strip()))
    for insn in insns:
        for operand in (*insn.dests, *insn.sources):
            if operand.cls in ("RR", "VV") and operand.number % 2:
                raise FormError(insn.line, insn.text, "odd register pair")
    return insns

"""Packet text to instructions: form key, operands, condition, memory access and flow.

A compound (two instructions joined by ``;``) becomes two instructions of the same packet. ``#`` and ``##``
(constant extender) are the same here: the extender shows in code size, not in meaning.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field

from hexagon_mlir.isa.form import FORMS, Form, suffixes
from hexagon_mlir.isa.literals import Refused, integer, shown
from hexagon_mlir.isa.matrix import OPERATIONS, SHIFT_BITS
from hexagon_mlir.isa.matrix_packets import conflict
from hexagon_mlir.isa.reader import Packet, unquote
from hexagon_mlir.isa.unit import Unit


class FormError(Exception):
    """An instruction form the tables do not have."""

    def __init__(self, line: int, text: str, why: str = "unknown instruction form", hint: str = "") -> None:
        self.reason = f"{why}: '{shown(text)}'"
        self.hint = hint
        super().__init__(f"asm line {line}: {self.reason}")
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
        """The single registers this operand stands for, low first (``v2:3`` has its low half in v3)."""
        return self._units

    @functools.cached_property
    def _units(self) -> tuple[tuple[str, int], ...]:
        if self.cls in ("RR", "VV", "CC"):
            return ((self.cls[0], self.number), (self.cls[0], self.number ^ 1))
        if self.cls == "I":
            return ()
        return (("C" if self.cls == "M" else self.cls, self.number),)


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
    """The factor of the written offset (HVX immediates count vectors)."""
    step: Operand | None = None
    set_base: Operand | None = None
    """Absolute-set form: this register receives the address."""
    modifier: Operand | None = None
    """M register: the step in bytes, or the description of a circular buffer."""
    mode: str = ""
    """circ or brev."""

    def registers(self) -> list[Operand]:
        """The registers from which the address is computed."""
        parts = [p for p in (self.base, self.index, self.modifier) if p]
        if self.mode == "circ" and self.modifier:
            parts.append(Operand("C", self.modifier.number + CIRCULAR_START))
        return parts

    @property
    def written(self) -> Operand | None:
        """The address register that is written."""
        return self.set_base or (self.base if self.step or self.modifier else None)


FRAME = (29, 30)
"""The scalar registers sp and fp, which the addresses of a frame are based on."""
VECTOR_ACCESSES = ("vmem", "vmemu")
UNPACKING = ("membh", "memubh")
"""Loads that widen each byte."""
FIFO = ("memb_fifo", "memh_fifo")
"""Loads that shift the old value of their destination."""


@dataclass
class Insn:
    """One instruction, decoded."""

    line: int
    text: str
    kind: str
    """alu, load, store, memop, locked, gather, scatter, histogram, zero, trap, jump, jumpr, call, callr, loop, newjump,
    frame, clock, dma, system, matrix."""
    key: str
    unit: Unit
    form: Form | None = None
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

    @property
    def result_type(self) -> str:
        """The type suffix of its first destination, such as ``qf32``; "" for none."""
        return next(iter(suffixes(self.key)), "") if self.dests else ""

    @property
    def accesses_vector(self) -> bool:
        """Whether it loads or stores a vector."""
        return self.access in VECTOR_ACCESSES

    @property
    def accesses_frame(self) -> bool:
        """Whether its address is based on sp or fp."""
        return self.address is not None and self.address.base is not None and self.address.base.number in FRAME

    @property
    def computes_frame_address(self) -> bool:
        """Whether it adds something to sp or fp."""
        return self.key.startswith("R=add(R,") and self.sources[0].number in FRAME


_REGISTER = r"(?<![\w.$#@])([rvpqcm])(\d+)(?::(\d+))?(\.new|\.cur|\.tmp)?(?!\w)"
_CONTROL = (
    r"(?<![\w.$#@])(sa0|lc0|sa1|lc1|usr|pc(?!,)|ugp|gp|cs0|cs1|upcyclelo|upcyclehi|framelimit|framekey|pktcountlo"
    r"|pktcounthi|utimerlo|utimerhi)(?![\w+])"
)
CONTROL_NUMBERS = {
    "sa0": 0, "lc0": 1, "sa1": 2, "lc1": 3, "usr": 8, "pc": 9, "ugp": 10, "gp": 11, "cs0": 12, "cs1": 13,
    "upcyclelo": 14, "upcyclehi": 15, "framelimit": 16, "framekey": 17, "pktcountlo": 18, "pktcounthi": 19,
    "utimerlo": 30, "utimerhi": 31,
}  # fmt: skip
PREDICATES, MODIFIER, CIRCULAR_START = 4, 6, 6
"""c4 is p3:0, c6 and c7 are m0 and m1; the circular start cs0 (c12) stands 6 above its modifier."""
PROGRAM_COUNTER = 9
"""Not modelled as a value: no code bytes stand in memory. ``add(pc,##symbol@PCREL)`` is the symbol."""
_IMMEDIATE = r'##?(-?\d\w*|"[^"]*"|[A-Za-z_.$][\w.$@]*)([+-]\d+)?'
_REGISTER_NAME = re.compile(_REGISTER)
_OPERAND = re.compile(f"{_REGISTER}|{_CONTROL}|{_IMMEDIATE}")
_PREDICATED = re.compile(r"^if\s*\((!?)([pq]\d+)(\.new)?\)\s*(.*)$")
_SYMBOL = r'(?:##?)?("[^"]+"|[A-Za-z_.$][\w.$@]*)'
_JUMP = re.compile(rf"^(jump|call)(:t|:nt)?\s+{_SYMBOL}$")
_JUMPR = re.compile(r"^(jumpr|callr)(:t|:nt)?\s+r(\d+)$")
_NEWJUMP = re.compile(
    rf"^if\s*\((!?)(cmp\.\w+|tstbit)\(([^)]*)\)\)\s*jump(:t|:nt)?\s+{_SYMBOL}$"
)
_REGJUMP = re.compile(rf"^if\s*\(r(\d+)(==|!=|>=|<=)##?0\)\s*jump(:t|:nt)?\s+{_SYMBOL}$")
_LOOP = re.compile(rf"^(?:p3\s*=\s*sp([123]))?loop([01])\(\s*{_SYMBOL}\s*,\s*(r\d+|##?-?\w+)\s*\)$")
_ALLOCFRAME = re.compile(r"^allocframe\((?:r29,)?##?(\d+)\)(:raw)?$")
_DEALLOC = re.compile(r"^(?:r31:30=)?(dealloc_return|deallocframe)(?:\(r30\))?(:t|:nt)?(:raw)?$")
_SYSTEM = re.compile(
    r"^(nop|barrier|isync|syncht|brkpt|(?:dcfetch|pause|l2fetch|dccleana|dccleaninva|dcinva|icinva|hintjr|trace)\(.*\)"
    r"|release\(r\d+\):[as]t|l2kill|vmem\([^()]*\):scatter_release)$"
)
_LOAD = re.compile(r"^(R|RR|V)=(mem(?:w|h|uh|b|ub|d|bh|ubh)|mem[bh]_fifo|mem[wd]_aq|vmemu?)\((.*)\)(:nt)?$")
_STORE = re.compile(
    r"^(mem(?:w|h|b|d)|mem[wd]_rl|vmemu?)\(((?:[^()]|\(M\))*)\)(?::nt|:at|:st)?=(R|RR|V|I|R\.h|vtmp\.new)$"
)
_GATHER = re.compile(r"^vtmp\.(w|h)=vgather\(R,M,(V|VV)\.(w|h)\)\.(?:w|h)$")
_SCATTER = re.compile(r"^vscatter\(R,M,(V|VV)\.(w|h)\)\.(w|h)(\+?=)V$")
_HISTOGRAM = re.compile(r"^(vhist|vwhist128|vwhist256)(?:\((Q)?,?(I)?\))?(:sat)?$")
_TRAP = re.compile(r"^(?:trap[01]|wait)\(.*\)$")
TEMPORARY = ("V=V", "VV=vcombine(V,V)")
"""Forms that may write a ``.tmp`` destination: seen by the rest of the packet, never committed."""
_ZERO = re.compile(r"^dczeroa\(R\)$")
_MEMOP = re.compile(r"^(mem(?:w|h|b))\(([^()]*)\)(\+=|-=|&=|\|=|=setbit|=clrbit)\(?(R|I)\)?$")
_LOCKED_LOAD = re.compile(r"^(R|RR)=(mem[wd])_locked\(R\)$")
_LOCKED_STORE = re.compile(r"^(mem[wd])_locked\(R,P\)=(R|RR)$")
_DMA = re.compile(r"^(?:R=)?(dmstart|dmlink|dmpoll|dmwait|dmpause|dmresume)(\(R(,R)?\))?$")

GATHERED = Operand("T", 0, new=True)
"""VTMP: the result of a vgather for the store of the same packet."""
ALL_VECTORS = [Operand("V", n) for n in range(32)]
COUNTERS = {14: "hexmlir_rt_cycles", 18: "hexmlir_rt_packets", 30: "hexmlir_rt_ticks"}
"""The lower register of the counter pairs c15:14 (upcycle), c19:18 (pktcount), c31:30 (utimer) and who knows them."""
_CLASSES = {"r": "R", "v": "V", "p": "P", "q": "Q", "c": "C", "m": "M"}
_LAST = {"r": 31, "v": 31, "p": 3, "q": 3, "c": 31, "m": 1}


def _numbered(letter: str, digits: str) -> int:
    """The number of a register; raises `Refused` if there is no such register."""
    number = integer(digits)
    if number > _LAST[letter]:
        raise Refused(f"no register {letter}{number}", f"the last one is {letter}{_LAST[letter]}")
    return number


def _register(letter: str, high: str, low: str | None, new: bool) -> Operand:
    paired = low is not None
    number = _numbered(letter, low if low is not None else high)
    if paired and (_numbered(letter, high) ^ 1 != number or (letter in "rc" and number % 2)):
        raise Refused(f"{letter}{high}:{low} is no pair", f"a pair is {letter}{number | 1}:{number & ~1}")
    if not paired and (letter == "m" or (letter == "c" and number in (MODIFIER, MODIFIER + 1))):
        return Operand("M", number + (MODIFIER if letter == "m" else 0))
    return Operand(_CLASSES[letter] * (2 if paired else 1), number, new)


@functools.lru_cache(4096)
def _operands(text: str) -> tuple[tuple[Operand, ...], str, str]:
    """A match of `_OPERAND`: its operands, their placeholder in the form key, and a ``.cur``/``.tmp`` mark."""
    if text in ("p3:0", "c4"):
        return tuple(Operand("P", n) for n in range(4)), "PPPP", ""
    match = _OPERAND.fullmatch(text)
    assert match
    letter, high, low, suffix, control, value, addend = match.groups()
    mark = ""
    if letter is not None:
        operand = _register(letter, high, low, suffix == ".new")
        if suffix in (".cur", ".tmp"):
            mark = suffix[1:]
    elif control is not None:
        operand = Operand("C", CONTROL_NUMBERS[control])
    elif value.lstrip("-")[:1].isdigit():
        operand = Operand("I", integer(value) + integer(addend or "0"))
    else:
        name = unquote(value).removesuffix("@PCREL")  # pc + (symbol - pc) is the symbol
        operand = Operand("I", integer(addend or "0"), symbol=name)
    return (operand,), operand.cls, mark


def registers_in(text: str) -> dict[str, tuple[Operand, ...]]:
    """The registers that ``text`` names, without ``.new`` and the like, in order: the name as written -> operands."""
    names = dict.fromkeys(found[0].removesuffix(found[4] or "") for found in _REGISTER_NAME.finditer(text))
    return {name: _operands(name)[0] for name in names}


def tokenize(text: str) -> tuple[str, list[Operand], list[str]]:
    """The form key of ``text``, its operands in order, and the ``.cur``/``.tmp`` marks seen."""
    operands: list[Operand] = []
    marks: list[str] = []
    squeezed = "".join(text.split())
    pieces: list[str] = []
    position = 0
    for match in _OPERAND.finditer(squeezed):
        found, cls, mark = _operands(match.group())
        operands += found
        pieces += squeezed[position : match.start()], cls
        position = match.end()
        if mark:
            marks.append(mark)
    pieces.append(squeezed[position:])
    return "".join(pieces), operands, marks


def _address(text: str, operands: list[Operand], vector: bool) -> Address | None:
    """The address written as the template ``text`` over ``operands`` (all of which it must use)."""
    scale = 128 if vector else 1
    if text == "R":
        return Address(base=operands[0])
    if text == "R+I":
        return Address(base=operands[0], offset=operands[1], scale=scale)
    if text == "R++I":
        return Address(base=operands[0], step=operands[1], scale=scale)
    if text == "R++M":
        return Address(base=operands[0], modifier=operands[1])
    if vector:
        return None
    if text == "R++M:brev":
        return Address(base=operands[0], modifier=operands[1], mode="brev")
    if text == "R++I:circ(M)":  # the step is an immediate, or the letter I: a field of the modifier register
        step = operands[1] if len(operands) == 3 else None
        return Address(base=operands[0], step=step, modifier=operands[-1], mode="circ")
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
        access = found.group(2)
        vector = access.startswith("v")
        return Insn(
            line, text, "load", key, Unit.V_LOAD if vector else Unit.LOAD, dests=operands[:1],
            sources=operands[:1] if access.endswith("_fifo") else [],
            address=address, access=access.removesuffix("_aq"), mode=marks[0] if marks else "",
        )  # fmt: skip
    if found := _STORE.match(key):
        if found.group(3) == "vtmp.new":
            operands = [*operands, GATHERED]
        address = _address(found.group(2), operands[:-1], found.group(1).startswith("v"))
        if address is None:
            return None
        vector = found.group(1).startswith("v")
        return Insn(
            line, text, "store", key, Unit.V_STORE if vector else Unit.STORE, sources=operands[-1:],
            address=address, access=found.group(1).removesuffix("_rl"),
            op="high" if found.group(3) == "R.h" else "",
        )  # fmt: skip
    if found := _GATHER.match(key):
        return Insn(
            line, text, "gather", key, Unit.V_LOAD, dests=[GATHERED], sources=operands, access=found.group(1),
        )  # fmt: skip
    if found := _SCATTER.match(key):
        return Insn(
            line, text, "scatter", key, Unit.V_STORE, sources=operands, access=found.group(3), op=found.group(4),
        )  # fmt: skip
    if found := _HISTOGRAM.match(key):
        return Insn(
            line, text, "histogram", key, Unit.V_HISTOGRAM, dests=ALL_VECTORS, sources=[*ALL_VECTORS, *operands],
            op=found.group(1), access=found.group(4) or "",
        )  # fmt: skip
    if _ZERO.match(key):
        return Insn(line, text, "zero", key, Unit.STORE, address=Address(base=operands[0]), access="dczeroa")
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


def _matrix(line: int, text: str, key: str, operands: list[Operand]) -> Insn:
    """An instruction of the matrix engine."""
    if any(operand.new for operand in operands):
        raise Refused("the matrix engine takes no .new operands")
    if any(operand.cls == "I" and operand != Operand("I", SHIFT_BITS) for operand in operands):
        raise Refused(f"accumulators are shifted by {SHIFT_BITS} bits only")
    form = OPERATIONS[key].form
    return Insn(line, text, "matrix", key, form.unit, form, sources=operands)


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
            line, full, kind, kind, Unit.FLOW, sources=[Operand("R", _numbered("r", number))], taken_hint=_hint(hint)
        )
    if found := _LOOP.match(text):
        stages, number, target, count = found.groups()
        _, operands, _ = tokenize(count)
        dests = [Operand("P", 3)] if stages else []
        return Insn(
            line, full, "loop", f"sp{stages}loop" if stages else "loop", Unit.FLOW, dests=dests, sources=operands,
            op=number, target=unquote(target), access=stages or "",
        )  # fmt: skip
    squeezed = "".join(text.split())
    if found := _ALLOCFRAME.match(squeezed):
        size = Operand("I", integer(found.group(1)))
        return Insn(line, full, "frame", "allocframe", Unit.STORE, sources=[size], op="allocframe")
    if found := _DEALLOC.match(squeezed):
        name, hint, _ = found.groups()
        return Insn(line, full, "frame", name, Unit.LOAD, op=name, taken_hint=_hint(hint))
    if _TRAP.match(squeezed):
        return Insn(line, full, "trap", squeezed.split("(")[0], Unit.SYSTEM)
    if found := _SYSTEM.match(squeezed):
        return Insn(line, full, "system", found.group(1).split("(")[0], Unit.SYSTEM)
    return None


def decode_one(line: int, full: str) -> Insn:
    """One instruction (already split from its compound)."""
    try:
        known = _known(full) if len(full) < _LONG else _decode(line, full)
    except Refused as error:
        raise FormError(line, full, str(error), error.hint) from error
    except FormError as error:
        raise FormError(line, error.text, error.why, error.hint) from error
    insn = object.__new__(Insn)
    insn.__dict__.update(known.__dict__, line=line)
    return insn


_LONG = 200
"""Characters of a text that is not kept."""


@functools.lru_cache(1 << 14)
def _known(full: str) -> Insn:
    """The instruction, on no line: most of a program's are in others too."""
    return _decode(0, full)


def _decode(line: int, full: str) -> Insn:
    if found := _NEWJUMP.match(full):
        negated, compare, arguments, hint, target = found.groups()
        _, operands, _ = tokenize(arguments)
        return Insn(
            line, full, "newjump", f"newjump {compare}", Unit.FLOW, sources=operands, op=compare,
            target=unquote(target), taken_hint=_hint(hint), negated=bool(negated),
        )  # fmt: skip
    if found := _REGJUMP.match(full):
        register, compare, hint, target = found.groups()
        return Insn(
            line, full, "newjump", f"jump r{compare}0", Unit.FLOW, op=compare, target=unquote(target),
            sources=[Operand("R", _numbered("r", register)), Operand("I", 0)], taken_hint=_hint(hint),
        )  # fmt: skip
    condition = None
    text = full
    if found := _PREDICATED.match(full):
        negated, register, new, text = found.groups()
        operand = Operand(_CLASSES[register[0]], _numbered(register[0], register[1:]), bool(new))
        condition = Condition(operand, bool(negated))
    insn = None
    if "=" not in text or "loop" in text or "dealloc" in text:
        insn = _flow(line, text, full)
    if insn is None:
        key, operands, marks = tokenize(text)
        if key in OPERATIONS and not marks:
            if condition is not None:
                raise Refused("instructions of the matrix engine have no condition")
            return _matrix(line, full, key, operands)
        if key not in FORMS:
            insn = _memory(line, full, key, operands, marks)
        if insn is None and key not in FORMS and (dma := _DMA.match(key)):
            results = operands[:1] if key.startswith("R=") else []
            sources = operands[len(results) :]
            insn = Insn(
                line, full, "dma", key, Unit.SYSTEM, dests=results, sources=sources, op=dma.group(1)
            )
        if insn is None and key in ("RR=CC", "R=C") and operands[1].number & ~1 in COUNTERS:
            insn = Insn(line, full, "clock", key, Unit.SYSTEM, dests=operands[:1], op=str(operands[1].number))
        if insn is None:
            form = FORMS.get(key)
            if form is None or (marks and key not in TEMPORARY):
                raise FormError(line, full, f"unknown instruction form {shown(key)!r}")
            dests, sources = operands[: len(form.dests)], operands[len(form.dests) :]
            dests = [*dests, *(sources[i] for i in form.updates), *(Operand(*register) for register in form.implicit)]
            mode = marks[0] if marks else ""
            insn = Insn(line, full, "alu", key, form.unit, form, dests=dests, sources=sources, mode=mode)
            for operand in operands:
                if operand.cls[0] == "C" and any(unit[1] == PROGRAM_COUNTER for unit in operand.units()):
                    raise FormError(line, full, "control register pc is not modelled")
    insn.condition = condition
    return insn


def decode(packet: Packet) -> list[Insn]:
    """Every instruction of ``packet`` in text order; raises `FormError` for what no packet may have."""
    insns = [insn for line, text in packet.lines for insn in decode_line(line, text)]
    if found := conflict(insns):
        insn, why = found
        raise FormError(insn.line, insn.text, why)
    return insns


def decode_line(line: int, text: str) -> list[Insn]:
    """The instruction of one line, or the two of a compound."""
    return [decode_one(line, part.strip()) for part in text.split(";") if part.strip()]

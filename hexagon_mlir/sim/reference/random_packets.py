"""Random legal packets built from the form tables, and random register states to run them on.

Legal here: a free slot and HVX resource for every instruction (V73 HVX PRM 80-N2040-54, tables 5-2 and 5-5),
one writer per register (two only under opposite predicates, or two compares into one predicate), at most one
jump. Registers have roles: r0..r19 data, r20..r23 buffer addresses (r23 unaligned), r24 and r25 small indices.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

import numpy as np

from hexagon_mlir.sim.isa.spec import Unit
from hexagon_mlir.sim.isa.tables import FORMS
from hexagon_mlir.sim.reference.rules import find

DATA = 20
BASES, UNALIGNED_BASE, INDICES = (20, 21, 22), 23, (24, 25)
BUFFER_BYTES = 4096
SYMBOL = "buffer"
TAKEN = "TAKEN"
"""The label a generated jump names."""

_TOKEN = re.compile(r"RR|R|VV|V|P|Q|I(?![A-Z])")
_SIZES = {"memw": 4, "memh": 2, "memuh": 2, "memb": 1, "memub": 1, "memd": 8}
_PREDICATED = (
    "R=add(R,R)", "R=add(R,I)", "R=sub(R,R)", "R=and(R,R)", "R=or(R,R)", "R=xor(R,R)", "R=R", "R=I",
    "RR=combine(R,R)", "R=aslh(R)", "R=asrh(R)", "R=sxtb(R)", "R=zxth(R)", "V=V", "VV=vcombine(V,V)",
)  # fmt: skip
_MASKED = ("V.b+=V.b", "V.h+=V.h", "V.w+=V.w", "V.b-=V.b", "V.h-=V.h", "V.w-=V.w")
_ANY_SLOT = re.compile(r"R=(add|sub|and|or|xor|neg|not|R|I|mux|sxtb|sxth|zxtb|zxth|aslh|asrh)\b|P=!?cmp\.\w+\(R,")
_RANGES = (
    (r"=v(asl|asr|lsr)h\(RR,I\)", (0, 15)), (r"=v(asl|asr|lsr)w\(RR,I\)", (0, 31)),
    (r"(extract|extractu|insert)\(R,", (0, 31)), (r"(extract|extractu|insert)\(RR,", (0, 63)),
    (r"RR.?=(asl|asr|lsr)\(RR,I\)", (0, 63)), (r"(asl|asr|lsr|setbit|clrbit|togglebit|tstbit|bitsplit)\(R,I", (0, 31)),
    (r"addasl|valign|vlalign", (0, 7)), (r"mask\(I,I\)|sfclass|dfclass", (0, 31)), (r"R\.[lh]=I", (0, 65535)),
    (r"cmp[bhw]\.gtu", (0, 127)), (r"cmpb\.eq", (0, 127)), (r"cmp[bhw]\.|lsl\(I", (-32, 31)),
)  # fmt: skip
_SLOTS: dict[Unit, tuple[int, ...]] = {
    Unit.LOAD: (0, 1), Unit.STORE: (0, 1), Unit.V_LOAD: (0, 1), Unit.V_STORE: (0,), Unit.VA: (0, 1, 2, 3),
    Unit.VA_DV: (0, 1, 2, 3), Unit.VS: (0, 1, 2, 3), Unit.VP: (0, 1, 2, 3), Unit.VP_VS: (0, 1, 2, 3),
}  # fmt: skip
_PIPES: dict[Unit, tuple[str, ...]] = {
    Unit.VX: ("m", "n"), Unit.VX_LATE: ("m", "n"), Unit.VX_DV: ("mn",), Unit.VS: ("s",), Unit.VP: ("p",),
    Unit.VP_VS: ("ps",), Unit.VA: ("m", "n", "s", "p"), Unit.VA_DV: ("mn", "ps"),
    Unit.V_LOAD: ("m", "n", "s", "p"), Unit.V_STORE: ("m", "n", "s", "p"),
}  # fmt: skip
"""Which of the two multiply, shift and permute resources a unit can take."""


@dataclass
class Piece:
    """One generated instruction."""

    text: str
    unit: Unit
    slots: tuple[int, ...]
    writes: set[str] = field(default_factory=set)
    kind: str = "alu"
    float_bits: int = 0
    """Width of the floating point lanes it writes; 16, 32, 64, or -16 for bfloat16."""
    produces: str = ""
    """A register whose .new value another instruction may take."""


class Generator:
    """Packets from a seed."""

    def __init__(self, seed: int, only: str | None = None) -> None:
        self.random = np.random.default_rng(seed)
        keys = [key for key in FORMS if usable(key) and (only is None or re.search(only, key))]
        self.keys = [key for key in keys if FORMS[key].unit is not Unit.V_EXTRACT]
        self.order: list[str] = []

    def pick(self, options):
        return options[int(self.random.integers(len(options)))]

    def chance(self, one_in: int) -> bool:
        return int(self.random.integers(one_in)) == 0

    def form_key(self) -> str:
        """Every form once in random order, then again: no form is left out."""
        if not self.order:
            self.order = [self.keys[i] for i in self.random.permutation(len(self.keys))]
        return self.order.pop()

    # -- operands ------------------------------------------------------------------------------------------
    def register(self, cls: str) -> str:
        n = int(self.random.integers({"R": DATA, "RR": DATA // 2, "V": 32, "VV": 16, "P": 4, "Q": 4}[cls]))
        if len(cls) == 2:
            return f"{cls[0].lower()}{2 * n + 1}:{2 * n}"
        return f"{cls.lower()}{n}"

    def immediate(self, key: str) -> str:
        for pattern, (low, high) in _RANGES:
            if re.search(pattern, key):
                return f"#{int(self.random.integers(low, high + 1))}"
        wide = self.chance(4)
        return f"##{int(self.random.integers(-(2**31), 2**31))}" if wide else f"#{int(self.random.integers(-16, 17))}"

    def form(self, key: str) -> Piece:
        """The form with random registers and numbers."""
        spec = FORMS[key]
        seen = -1
        writes: set[str] = set()

        def fill(found: re.Match[str]) -> str:
            nonlocal seen
            seen += 1
            if found.group() == "I":
                return self.immediate(key)
            name = self.register(found.group())
            if seen < len(spec.dests):
                writes.update(singles(name))
            return name

        text = _TOKEN.sub(fill, re.sub(r"CONST", "const", key)).replace("const", "CONST")
        slots = _SLOTS.get(spec.unit, (0, 1, 2, 3) if _ANY_SLOT.match(key) else (2, 3))
        produces = next(iter(writes)) if len(writes) == 1 and key[0] in "RVP" and spec.unit is not Unit.LOAD else ""
        return Piece(text, spec.unit, slots, writes, "alu", float_width(key), produces)

    # -- memory --------------------------------------------------------------------------------------------
    def place(self, size: int, writes: set[str], absolute_set: bool) -> str:
        """A scalar address; a base it changes goes to ``writes``."""
        kind = self.pick(("R", "R+I", "R++I", "R+R<<I", "R<<I+I", "I", *(("R=I",) if absolute_set else ())))
        base, index = f"r{self.pick(BASES)}", f"r{self.pick(INDICES)}"
        offset = size * int(self.random.integers(-8, 8))
        if kind == "R++I":
            writes.add(base)
            return f"{base}++#{offset}"
        if kind == "R=I":
            name = self.register("R")
            writes.add(name)
            return f"{name}=##{SYMBOL}+{abs(offset)}"
        return {
            "R": base, "R+I": f"{base}+#{offset}", "R+R<<I": f"{base}+{index}<<#3",
            "R<<I+I": f"{index}<<#3+##{SYMBOL}+{abs(offset)}", "I": f"##{SYMBOL}+{abs(offset)}",
        }[kind]  # fmt: skip

    def vector_place(self, unaligned: bool, writes: set[str]) -> str:
        base = f"r{UNALIGNED_BASE if unaligned else self.pick(BASES)}"
        n = int(self.random.integers(-3, 4))
        if self.chance(3):
            writes.add(base)
            return f"{base}++#{n}"
        return f"{base}+#{n}"

    def memory(self) -> Piece:
        writes: set[str] = set()
        kind = self.pick(("load", "store", "memop", "vload", "vstore"))
        if kind in ("vload", "vstore"):
            unaligned = self.chance(3)
            mnemonic = "vmemu" if unaligned else "vmem"
            place = self.vector_place(unaligned, writes)
            name = self.register("V")
            if kind == "vload":
                writes.add(name)
                text = f"{name} = {mnemonic}({place})"
            else:
                text = f"{mnemonic}({place}) = {name}"
            unit = Unit.V_LOAD if kind == "vload" else Unit.V_STORE
            return Piece(text, unit, (0,) if unaligned else _SLOTS[unit], writes, kind + "u" * unaligned)
        if kind == "load":
            mnemonic = self.pick(tuple(_SIZES))
            name = self.register("RR" if mnemonic == "memd" else "R")
            place = self.place(_SIZES[mnemonic], writes, True)
            if writes & set(singles(name)):
                return self.memory()
            writes.update(singles(name))
            return Piece(f"{name} = {mnemonic}({place})", Unit.LOAD, (0, 1), writes, kind)
        if kind == "store":
            mnemonic = self.pick(("memw", "memh", "memb", "memd"))
            place = self.place(_SIZES[mnemonic], writes, True)
            value = self.register("RR" if mnemonic == "memd" else "R")
            if mnemonic == "memh" and self.chance(3):
                value += ".h"
            elif mnemonic != "memd" and self.chance(4):
                value = self.immediate("")
            return Piece(f"{mnemonic}({place}) = {value}", Unit.STORE, (0, 1), writes, kind)
        mnemonic = self.pick(("memw", "memh", "memb"))
        place = f"r{self.pick(BASES)}+#{_SIZES[mnemonic] * int(self.random.integers(0, 8))}"
        op = self.pick(("+=", "-=", "&=", "|=", "=setbit", "=clrbit"))
        if op.startswith("="):
            value = f"(#{int(self.random.integers(8 * _SIZES[mnemonic]))})"
        else:
            immediate = op in ("+=", "-=") and self.chance(2)
            value = f"#{int(self.random.integers(32))}" if immediate else self.register("R")
        return Piece(f"{mnemonic}({place}) {op} {value}", Unit.STORE, (0,), writes, kind)

    # -- packets -------------------------------------------------------------------------------------------
    def packet(self) -> list[Piece]:
        """Up to four instructions that fit together; the first one shows the next form in turn."""
        pieces = [self.form(self.form_key())]
        for _ in range(int(self.random.integers(0, 6))):
            more = self.addition(pieces)
            if more and fits([*pieces, *more]):
                pieces = [*pieces, *more]
        order = self.random.permutation(len(pieces))
        shuffled = [pieces[i] for i in order]
        # .new consumers stand after their producers, as the assembler requires
        return sorted(shuffled, key=lambda piece: ".new" in piece.text)

    def addition(self, pieces: list[Piece]) -> list[Piece]:
        """One more instruction (or a pair that belongs together)."""
        choice = int(self.random.integers(10))
        producers = {piece.produces[:1]: piece for piece in pieces if piece.produces}
        if choice < 3:
            return [self.form(self.pick(self.keys))]
        if choice < 5:
            return [self.conditional(self.memory(), producers)]
        if choice == 5:
            return [self.conditional(self.form(self.pick(_PREDICATED)), producers)]
        if choice == 6:
            return self.opposite()
        if choice == 7:
            piece = self.form(self.pick(_MASKED))
            piece.text = f"if ({self.pick('! ').strip()}{self.register('Q')}) {piece.text}"
            return [piece]
        return self.forwarding(pieces, producers)

    def conditional(self, piece: Piece, producers: dict[str, Piece]) -> Piece:
        """Under a scalar (or, for vector stores, vector) predicate, sometimes a new one."""
        if piece.kind == "memop" or "=##" in piece.text:
            return piece
        if piece.kind == "vstore" and self.chance(2):
            piece.text = f"if ({self.pick('! ').strip()}{self.register('Q')}) {piece.text}"
        elif not self.chance(3):
            name = self.register("P")
            if "P" in {cls.upper() for cls in producers} and self.chance(2):
                name = producers["p"].produces + ".new"
            piece.text = f"if ({self.pick('! ').strip()}{name}) {piece.text}"
            piece.produces = ""
        return piece

    def opposite(self) -> list[Piece]:
        """Two writes of one register under opposite predicates."""
        name, p = self.register("R"), self.register("P")
        texts = (f"if ({p}) {name} = add({self.register('R')},#7)", f"if (!{p}) {name} = {self.register('R')}")
        first, second = (Piece(text, Unit.ALU, (0, 1, 2, 3), {name}) for text in texts)
        second.writes = set()
        return [first, second]

    def forwarding(self, pieces: list[Piece], producers: dict[str, Piece]) -> list[Piece]:
        """A .new store or jump, or a .cur or .tmp load that another instruction reads."""
        if "v" in producers and self.chance(2):
            writes: set[str] = set()
            source = producers["v"]
            text = f"vmem({self.vector_place(False, writes)}) = {source.produces}.new"
            return [Piece(text, Unit.V_STORE, (0,), writes, "vstore", source.float_bits)]
        if "r" in producers and self.chance(2):
            name = producers["r"].produces
            if self.chance(2):
                test = self.pick(("cmp.eq", "cmp.gt", "cmp.gtu"))
                text = f"if ({self.pick('! ').strip()}{test}({name}.new,{self.register('R')})) jump:nt {TAKEN}"
                return [] if producers["r"].float_bits else [Piece(text, Unit.FLOW, (0,), kind="jump")]
            text = f"memw(r{self.pick(BASES)}+#{4 * int(self.random.integers(8))}) = {name}.new"
            return [Piece(text, Unit.STORE, (0,), kind="store", float_bits=producers["r"].float_bits)]
        readers = [piece for piece in pieces if piece.unit.hvx and piece.kind == "alu"]
        if not readers:
            return []
        found = re.findall(r"(?<=[(,])v\d+(?!:)", readers[0].text)
        if not found:
            return []
        name, mode = found[0], self.pick(("cur", "tmp"))
        writes = {name}
        text = f"{name}.{mode} = vmem({self.vector_place(False, writes)})"
        return [Piece(text, Unit.V_LOAD, (0, 1), writes, "vload")]


def usable(key: str) -> bool:
    """A form the reference has a rule for and whose operands the generator can fill."""
    return find(key) is not None and re.search(r"(?<![A-Z])[CM]", key.replace("CONST", "")) is None


def float_width(key: str) -> int:
    """Lane width of the floating point result of a form, or 0."""
    dest = re.split(r"(?<![!<>])[+\-|&^]?=", key)[0]
    if found := re.search(r"\.(qf32|sf|qf16|hf|bf)$", dest):
        return {"qf32": 32, "sf": 32, "qf16": 16, "hf": 16, "bf": -16}[found.group(1)]
    if dest.startswith("P") or not re.search(r"=(sf|df|convert_\w+2[sd]f)", key):
        return 0
    return 64 if dest.startswith("RR") else 32


def singles(name: str) -> list[str]:
    """The registers of a name: a pair is two."""
    if ":" not in name:
        return [name]
    high, low = name[1:].split(":")
    return [name[0] + low, name[0] + high]


def fits(pieces: list[Piece]) -> bool:
    """True when the pieces may stand in one packet."""
    if len(pieces) > 4:
        return False
    written = [name for piece in pieces for name in piece.writes]
    if len(written) != len(set(written)) or sum(piece.kind == "jump" for piece in pieces) > 1:
        return False
    memory = [piece.kind for piece in pieces if piece.kind not in ("alu", "jump")]
    vector = [kind for kind in memory if kind.startswith("v")]
    if len(memory) > 2 or vector.count("vload") > 1 or vector.count("vstore") > 1:
        return False
    if any(kind.endswith("u") for kind in vector) and (len(memory) > 1 or len(pieces) > 3):
        return False
    stores = sum("store" in kind or kind == "memop" for kind in memory)
    if stores > 1 and ("vstore" in memory or "memop" in memory):
        return False
    if not any(len(set(choice)) == len(pieces) for choice in itertools.product(*(p.slots for p in pieces))):
        return False
    pipes = [_PIPES[piece.unit] for piece in pieces if piece.unit in _PIPES]
    taken = ("".join(choice) for choice in itertools.product(*pipes))
    return any(len(set(used)) == len(used) for used in taken)


# -- states ------------------------------------------------------------------------------------------------
_SINGLES = np.array(
    [0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F7FFFFF, 1, 0x80000001,
     0x007FFFFF, 0x00800000, 0x3F7FFFFF, 0x4F000000, 0xCF000000, 0x4B000001, 0x3F000000, 0x3FC00000, 0x33800000,
     0x477FE000, 0x477FF000, 0x477FEFFF, 0x38800000, 0x33000000, 0x3F808000, 0x3F818000], np.uint32)  # fmt: skip
"""Zeros, ones, infinities, NaNs, the extremes, denormals, halves (ties), and f16 and bf16 rounding borders."""
_HALVES = np.array(
    [0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7BFF, 1, 0x8001, 0x03FF, 0x0400, 0x3800, 0x3E00,
     0x5800, 0xD808, 0x77FF, 0x7800, 0xF800, 0x3BFF], np.uint16)  # fmt: skip


@dataclass
class State:
    """Register values before a packet; r20..r25 are set by whoever knows the buffer's address."""

    r: np.ndarray
    p: np.ndarray
    v: np.ndarray
    q: np.ndarray
    buffer: np.ndarray


def random_state(random: np.random.Generator) -> State:
    """Random bits, small numbers and floating point specials, in every register file."""
    r = random.integers(0, 1 << 32, 32, np.uint32)
    for index in range(DATA):
        kind = int(random.integers(6))
        if kind == 0:
            r[index] = _SINGLES[random.integers(_SINGLES.size)]
        elif kind == 1:
            r[index] = np.uint32(int(random.integers(-40, 40)) & 0xFFFFFFFF)
        elif kind == 2:
            r[index] = np.float32(random.standard_normal() * 100).view(np.uint32)
    if random.integers(2):
        for index in range(0, DATA, 4):
            value = np.float64(random.standard_normal() * 10.0 ** float(random.integers(-320, 300)))
            r[index : index + 2] = value.reshape(1).view(np.uint32)
    p = np.where(random.integers(0, 2, 4) == 1, random.choice([0, 255], 4), random.integers(0, 256, 4)).astype(np.uint8)
    v = random.integers(0, 256, (32, 128), np.uint8)
    for row in v:
        kind = int(random.integers(6))
        if kind == 0:
            row[:] = random.choice(_SINGLES, 32).view(np.uint8)
        elif kind == 1:
            row[:] = random.choice(_HALVES, 64).view(np.uint8)
        elif kind == 2:
            row[:] = (random.standard_normal(32) * 30).astype(np.float32).view(np.uint8)
        elif kind == 3:
            row[:] = (random.standard_normal(64) * 30).astype(np.float16).view(np.uint8)
        elif kind == 4:
            row[:] = random.integers(-70, 70, 32).astype(np.int32).view(np.uint8)
    q = random.integers(0, 2, (4, 128)).astype(bool)
    return State(r, p, v, q, random.integers(0, 256, BUFFER_BYTES, np.uint8))

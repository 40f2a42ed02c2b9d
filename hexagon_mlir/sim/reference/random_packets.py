"""Random legal packets built from the form tables.

Legal here: a free slot and HVX resource for every instruction (V73 HVX PRM 80-N2040-54, tables 5-2 and 5-5),
one writer per register (two only under opposite predicates, or two compares into one predicate), at most one
jump. `random_operands` gives the roles of the registers.
"""

from __future__ import annotations

import itertools
import re

from hexagon_mlir.isa.form import FORMS
from hexagon_mlir.isa.listing import MASKED
from hexagon_mlir.isa.unit import Unit
from hexagon_mlir.sim.reference.arithmetic import NEWEST, Model
from hexagon_mlir.sim.reference.random_memory import TEMPLATES, Memory, Piece
from hexagon_mlir.sim.reference.random_operands import BASES, TOKEN, singles
from hexagon_mlir.sim.reference.rules import depends, find, find_chip

TAKEN = "TAKEN"
"""The label a generated jump names."""
LATEST = max(form.since for form in FORMS.values())
"""The generation that has all forms."""

_PREDICATED = (
    "R=add(R,R)", "R=add(R,I)", "R=sub(R,R)", "R=and(R,R)", "R=or(R,R)", "R=xor(R,R)", "R=R", "R=I",
    "RR=combine(R,R)", "R=aslh(R)", "R=asrh(R)", "R=sxtb(R)", "R=zxth(R)", "V=V", "VV=vcombine(V,V)",
)  # fmt: skip
_ANY_SLOT = re.compile(r"R=(add|sub|and|or|xor|neg|not|R|I|mux|sxtb|sxth|zxtb|zxth|aslh|asrh)\b|P=!?cmp\.\w+\(R,")
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


class Generator(Memory):
    """Packets from a seed, of forms that generation ``version`` has and whose key ``only`` matches.

    ``full`` packets have as many of the next forms in turn as fit, so that few packets have all of them.
    """

    def __init__(
        self, seed: int, only: str | None = None, model: Model = NEWEST, version: int = LATEST, full: bool = False
    ) -> None:
        super().__init__(seed)
        self.full = full
        there = [key for key, form in FORMS.items() if form.since <= version]
        known = [key for key in (*there, *TEMPLATES) if usable(key, model)]
        keys = [key for key in known if only is None or re.search(only, key)]
        self.keys = keys
        self.plain = [key for key in keys if key in FORMS]
        self.order: list[str] = []

    def form_key(self) -> str:
        """Every form once in random order, then again: no form is left out."""
        if not self.order:
            self.order = [self.keys[i] for i in self.random.permutation(len(self.keys))]
        return self.order.pop()

    def form(self, key: str) -> Piece:
        """The form with random registers and numbers."""
        spec = FORMS[key]
        text = f"if ({self.sign()}{self.register('Q')}) {key}" if key in MASKED else key
        written = {*range(len(spec.dests)), *(len(spec.dests) + i for i in spec.updates)}
        seen = -1
        names: list[str] = []

        def fill(found: re.Match[str]) -> str:
            nonlocal seen
            seen += 1
            if found.group() == "I":
                return self.immediate(key)
            name = self.register(found.group())
            if seen in written:
                names.extend(singles(name))
            return name

        text = TOKEN.sub(fill, text.replace("CONST", "const")).replace("const", "CONST")
        names.extend(f"{cls.lower()}{number}" for cls, number in spec.implicit)
        writes = set(names)
        if len(writes) < len(names):
            return self.form(key)
        slots = _SLOTS.get(spec.unit, (0, 1, 2, 3) if _ANY_SLOT.match(key) else (2, 3))
        simple = len(writes) == 1 and key[0] in "RVP" and spec.unit not in (Unit.LOAD, Unit.SYSTEM)
        produces = names[0] if simple and len(spec.dests) == 1 else ""
        return Piece(text, spec.unit, slots, writes, "alu", float_width(key), produces)

    # -- packets -------------------------------------------------------------------------------------------
    def packet(self) -> list[Piece]:
        """Up to four instructions that fit together; the first one shows the next form in turn."""
        pieces = self.instructions(self.form_key())
        if self.full:
            pieces = self.filled(pieces)
        for _ in range(int(self.random.integers(0, 6))):
            more = self.addition(pieces)
            if more and fits([*pieces, *more]):
                pieces = [*pieces, *more]
        order = self.random.permutation(len(pieces))
        shuffled = [pieces[i] for i in order]
        # .new consumers stand after their producers, as the assembler requires
        return sorted(shuffled, key=lambda piece: ".new" in piece.text)

    def instructions(self, key: str) -> list[Piece]:
        """An instruction of the form, with those that belong to it."""
        return [self.form(key)] if key in FORMS else self.from_template(key)

    def filled(self, pieces: list[Piece]) -> list[Piece]:
        """``pieces`` and those of the next eight forms in turn that fit beside them."""
        for key in self.order[:-9:-1]:
            more = self.instructions(key)
            if fits([*pieces, *more]):
                pieces = [*pieces, *more]
                self.order.remove(key)
        return pieces

    def addition(self, pieces: list[Piece]) -> list[Piece]:
        """One more instruction (or a pair that belongs together)."""
        choice = int(self.random.integers(10))
        producers = {piece.produces[:1]: piece for piece in pieces if piece.produces}
        if choice < 3:
            return [self.form(self.pick(self.plain))] if self.plain else []
        if choice < 5:
            return [self.conditional(self.ordinary(), producers)]
        if choice == 5:
            return [self.conditional(self.form(self.pick(_PREDICATED)), producers)]
        if choice == 6:
            return self.opposite()
        if choice == 7:
            return [self.form(self.pick(MASKED))]
        return self.forwarding(pieces, producers)

    def conditional(self, piece: Piece, producers: dict[str, Piece]) -> Piece:
        """Under a scalar (or, for vector stores, vector) predicate, sometimes a new one."""
        if piece.kind == "memop" or "=##" in piece.text:
            return piece
        if piece.kind == "vstore" and self.chance(2):
            piece.text = f"if ({self.sign()}{self.register('Q')}) {piece.text}"
        elif not self.chance(3):
            name = self.register("P")
            if "P" in {cls.upper() for cls in producers} and self.chance(2):
                name = producers["p"].produces + ".new"
            piece.text = f"if ({self.sign()}{name}) {piece.text}"
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
            place = self.place(self.pick(("R+I", "R++I")), 1, writes)
            text = f"vmem({place}) = {source.produces}.new"
            return [Piece(text, Unit.V_STORE, (0,), writes, "vstore", source.float_bits)]
        if "r" in producers and self.chance(2):
            name = producers["r"].produces
            if self.chance(2):
                test = self.pick(("cmp.eq", "cmp.gt", "cmp.gtu", "tstbit"))
                other = "#0" if test == "tstbit" else self.register("R")
                text = f"if ({self.sign()}{test}({name}.new,{other})) jump:nt {TAKEN}"
                return [] if producers["r"].float_bits else [Piece(text, Unit.FLOW, (0,), kind="jump")]
            text = f"memw(r{self.pick(BASES)}+#{4 * self.number(0, 7)}) = {name}.new"
            return [Piece(text, Unit.STORE, (0,), kind="store", float_bits=producers["r"].float_bits)]
        readers = [piece for piece in pieces if piece.unit.hvx and piece.kind == "alu"]
        if not readers:
            return []
        found = re.findall(r"(?<=[(,])v\d+(?!:)", readers[0].text)
        if not found:
            return []
        name, mode = found[0], self.pick(("cur", "tmp", "copy"))
        writes = {name}
        if mode == "copy":
            return [Piece(f"{name}.tmp = {self.register('V')}", Unit.VA, (0, 1, 2, 3), writes)]
        place = self.place(self.pick(("R+I", "R++I")), 1, writes)
        text = f"{name}.{mode} = vmem({place})"
        return [Piece(text, Unit.V_LOAD, (0, 1), writes, "vload")]


def usable(key: str, model: Model = NEWEST) -> bool:
    """A form the reference has a rule for; a template has the interpreter's own."""
    return key not in FORMS or (find_chip(key, model) if depends(key, model) else find(key)) is not None


def float_width(key: str) -> int:
    """Lane width of the floating point result of a form, or 0."""
    dest = re.split(r"(?<![!<>])[+\-|&^]?=", key)[0]
    if found := re.search(r"\.(qf32|sf|qf16|hf|bf)$", dest):
        return {"qf32": 32, "sf": 32, "qf16": 16, "hf": 16, "bf": -16}[found.group(1)]
    if dest.startswith("P") or not re.search(r"=(sf|df|convert_\w+2[sd]f)", key):
        return 0
    return 64 if dest.startswith("RR") else 32


def fits(pieces: list[Piece]) -> bool:
    """True when the pieces may stand in one packet."""
    if len(pieces) > 4:
        return False
    written = [name for piece in pieces for name in piece.writes]
    if len(written) != len(set(written)) or sum(piece.kind == "jump" for piece in pieces) > 1:
        return False
    memory = [piece.kind for piece in pieces if piece.kind not in ("alu", "jump")]
    if "alone" in memory:
        return set(memory) == {"alone"} and _resources(pieces)
    vector = [kind for kind in memory if kind.startswith("v")]
    if len(memory) > 2 or vector.count("vload") > 1 or vector.count("vstore") > 1:
        return False
    if any(kind.endswith("u") for kind in vector) and (len(memory) > 1 or len(pieces) > 3):
        return False
    stores = sum("store" in kind or kind == "memop" for kind in memory)
    if stores > 1 and ("vstore" in memory or "memop" in memory):
        return False
    return _resources(pieces)


def _resources(pieces: list[Piece]) -> bool:
    """A slot and an HVX resource for each."""
    if not any(len(set(choice)) == len(pieces) for choice in itertools.product(*(p.slots for p in pieces))):
        return False
    pipes = [_PIPES[piece.unit] for piece in pieces if piece.unit in _PIPES]
    taken = ("".join(choice) for choice in itertools.product(*pipes))
    return any(len(set(used)) == len(used) for used in taken)

"""Random memory instructions, made from the templates that `isa.coverage` lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hexagon_mlir.isa.decode import decode_one
from hexagon_mlir.isa.listing import OTHER, concrete, memory_templates
from hexagon_mlir.isa.unit import Unit
from hexagon_mlir.sim.reference.random_operands import (
    BASES,
    INDICES,
    TCM_BASE,
    TOKEN,
    UNALIGNED_BASE,
    Operands,
    singles,
)

SYMBOL = "buffer"
KINDS = ("load", "store", "memop", "locked", "zero", "frame", "gather", "scatter", "histogram")
TEMPLATES = tuple(
    t for t in (*memory_templates(), *OTHER, "allocframe(I)", "deallocframe")
    if decode_one(0, concrete(t)).kind in KINDS and not re.search(r"\.(new|cur|tmp)\b", t)
)  # fmt: skip
"""What `Memory.from_template` fills in; gathers bring the store of their result with them."""
ORDINARY = tuple(t for t in memory_templates() if "locked" not in t)
_ALONE = ("locked", "zero", "frame", "gather", "scatter", "histogram")


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


class Memory(Operands):
    """Memory instructions from a seed."""

    def place(self, mode: str, size: int, writes: set[str], aligned: bool = True) -> str:
        """An address in one of the modes of `isa.coverage`; a base it changes goes to ``writes``."""
        base = f"r{self.pick(BASES) if aligned else UNALIGNED_BASE}"
        offset = size * self.number(-8, 7)
        if "++" in mode:
            writes.add(base)
        if mode == "R=I":
            base = self.register("R")
            writes.add(base)
        index, place = f"r{self.pick(INDICES)}", f"##{SYMBOL}+{abs(offset)}"
        modifier = self.register("M")
        return {
            "R": base, "R+I": f"{base}+#{offset}", "R++I": f"{base}++#{offset}", "R++M": f"{base}++{modifier}",
            "R++M:brev": f"{base}++{modifier}:brev", "R++I:circ(M)": f"{base}++#{offset}:circ({modifier})",
            "R+R<<I": f"{base}+{index}<<#3", "R<<I+I": f"{index}<<#3+{place}", "R=I": f"{base}={place}",
            "I": place, "gp+I": f"gp+#{SYMBOL}+{abs(offset)}",
        }[mode]  # fmt: skip

    def ordinary(self) -> Piece:
        """A load, store or memory operation."""
        return self.from_template(self.pick(ORDINARY))[0]

    def from_template(self, template: str) -> list[Piece]:
        """The instructions of a template, with random operands."""
        insn = decode_one(0, concrete(template))
        vector = insn.accesses_vector and insn.kind in ("load", "store")
        writes: set[str] = set()
        text = template
        if insn.kind in ("load", "store", "memop"):
            found = re.search(r"mem\w*\(((?:[^()]|\(M\))*)\)", template)
            assert found is not None
            mode, size = found.group(1), 1 if vector else {"d": 8, "w": 4, "h": 2}.get(insn.access[-1], 1)
            place = self.place(mode, size, writes, insn.access != "vmemu")
            text = template[: found.start(1)] + "@" + template[found.end(1) :]
        elif insn.kind in ("locked", "zero"):
            text = re.sub(r"\(R", f"(r{self.pick(BASES)}", template)
        elif insn.kind in ("gather", "scatter"):
            text = template.replace("(R,", f"(r{TCM_BASE},")
        named: list[str] = []

        def fill(found: re.Match[str]) -> str:
            if found.group() == "I":
                return self.field(insn.kind, template)
            named.append(self.register(found.group()))
            return named[-1]

        text = TOKEN.sub(fill, text)
        if insn.kind in ("load", "store", "memop"):
            text = text.replace("@", place)
        if insn.kind == "load":
            if writes & set(singles(named[0])):
                return self.from_template(template)
            writes.update(singles(named[0]))
        if insn.kind == "locked":
            writes.add(named[0])
        if insn.kind == "frame":
            writes.update(("r29", "r30", *(("r31",) if insn.op != "allocframe" else ())))
        return self.complete(insn.kind, insn.access, Piece(text, insn.unit, (0, 1), writes, insn.kind))

    def field(self, kind: str, template: str) -> str:
        """An immediate that is no address."""
        if kind == "frame":
            return f"#{8 * self.number(0, 8)}"
        if "bit(I)" in template:
            return f"#{self.number(0, 7)}"
        if kind == "memop":
            return f"#{self.number(0, 31)}"
        return f"#{self.number(0, 1)}" if kind == "histogram" else f"#{self.number(-16, 16)}"

    def complete(self, kind: str, access: str, piece: Piece) -> list[Piece]:
        """Kind and slots of a memory piece, and what must stand beside it."""
        if kind in ("load", "store") and access.startswith("v"):
            unaligned = access == "vmemu"
            piece.kind = "v" + kind + "u" * unaligned
            piece.slots = (0,) if unaligned or kind == "store" else (0, 1)
        elif kind == "memop":
            piece.slots = (0,)
        elif kind in _ALONE:
            piece.kind, piece.slots = "alone", (0,)
        if kind in ("gather", "scatter") and self.chance(2):
            piece.text = f"if ({self.register('Q')}) {piece.text}"
        if kind == "gather":
            piece.slots = (1,)
            store = f"vmem({self.place('R+I', 1, set())}) = vtmp.new"
            return [piece, Piece(store, Unit.V_STORE, (0,), kind="alone")]
        if kind == "histogram":
            piece.slots, piece.writes = (1, 2, 3), {f"v{n}" for n in range(32)}
            load = f"{self.register('V')}.tmp = vmem({self.place('R+I', 1, set())})"
            return [Piece(load, Unit.V_LOAD, (0, 1), kind="alone"), piece]
        return [piece]


__all__ = ["ORDINARY", "SYMBOL", "TEMPLATES", "Memory", "Piece"]

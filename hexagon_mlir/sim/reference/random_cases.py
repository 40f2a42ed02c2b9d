"""Random packets as functions of a module, for the translator and the reference interpreter alike."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.sim.reference.arithmetic import Model
from hexagon_mlir.sim.reference.random_extensions import MASK_REGISTER, around
from hexagon_mlir.sim.reference.random_memory import SYMBOL
from hexagon_mlir.sim.reference.random_packets import TAKEN, Generator, Piece
from hexagon_mlir.sim.reference.random_state import BUFFER_BYTES

USR_READER = "\t.type\treader,@function\nreader:\n\t{\n\t\tr0 = usr\n\t\tjumpr r31\n\t}\n"
"""Nobody calls it; a program that reads USR keeps its sticky bits."""
FLAG = MASK_REGISTER
"""Register that says whether the packet jumped."""


@dataclass
class Case:
    """A random packet with its surrounding packets."""

    pieces: list[Piece]
    text: str
    before: list[str]
    after: list[str]

    @property
    def packets(self) -> list[str]:
        return [*self.before, self.text, *self.after]

    @property
    def shown(self) -> str:
        return "".join(self.packets)

    @property
    def jumps(self) -> bool:
        return ".Ltaken" in self.text


def random_case(generator: Generator, number: int, arithmetic: Model) -> Case:
    pieces = generator.packet()
    text = packet_text(pieces, number)
    extended = arithmetic.arithmetic == "chip" and arithmetic.qfloat == "extended"
    before, after = around(text, generator) if extended else ([], [])
    return Case(pieces, text, before, after)


def packet_text(pieces: list[Piece], number: int) -> str:
    """A packet; a store that stands before a load is real order sometimes (:mem_noshuf)."""
    lines = [piece.text.replace(TAKEN, f".Ltaken{number}") for piece in pieces]
    kinds = [piece.kind for piece in pieces]
    ordered = "store" in kinds and "load" in kinds[kinds.index("store") :]
    mark = " :mem_noshuf" if ordered and number % 2 else ""
    return "\t{\n" + "\n".join(f"\t\t{line}" for line in lines) + f"\n\t}}{mark}\n"


def function_text(packets: list[str], number: int) -> str:
    """A function of the packets that returns; a jump to the label of ``number`` returns with another flag."""
    body = "".join(packets)
    name, label = f"f{number}", f".Ltaken{number}"
    end = "\t{\n\t\tjumpr r31\n\t}\n"
    if label in body:
        set_flag = "\t{{\n\t\tr{} = #{}\n\t\tjumpr r31\n\t}}\n"
        end = f"{set_flag.format(FLAG, 0)}{label}:\n{set_flag.format(FLAG, 1)}"
    return f"\t.type\t{name},@function\n{name}:\n{body}{end}"


def module_text(cases: list[Case]) -> str:
    """A module with function ``f<number>`` for each case."""
    functions = "".join(function_text(case.packets, number) for number, case in enumerate(cases))
    data = f"\t.data\n\t.p2align\t7\n{SYMBOL}:\n\t.space\t{BUFFER_BYTES}\n"
    return "\t.text\n" + functions + USR_READER + data

"""Shared data of the lowering of functions and packets: register types and the properties of the whole program."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace

from hexagon_mlir.isa.reader import Packet
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.semantics.float_model import FloatModel
from hexagon_mlir.sim.semantics.lanes import VECTOR
from hexagon_mlir.sim.semantics.value import I8, I32
from hexagon_mlir.sim.translation.accesses import AccessModel
from hexagon_mlir.sim.translation.program import Site

Unit = tuple[str, int]
SECOND = {"V": "V2", "Q": "Q2", "R": "R2", "P": "P2"}
ORIGIN = {"V": "VO", "Q": "QO", "R": "RO", "P": "PO"}
"""Classes of the second value and the origin of a register, see `second_values`."""
TYPES = {
    "R": I32, "P": I8, "V": VECTOR, "Q": VECTOR, "C": I32, "X": VECTOR,
    "V2": VECTOR, "Q2": VECTOR, "R2": I32, "P2": I8, **dict.fromkeys(ORIGIN.values(), I32),
}  # fmt: skip
"""``X`` is the extension bits of the vector register of its number."""
OPERAND_TYPES = {**TYPES, "M": I32}
"""An M register is the control register of its number."""
MAX_DEPTH = 20_000
"""Guest calls deep enough to be a runaway recursion; the host stack is sized for it."""


def site_of(function: str, packet: Packet) -> Site:
    text = "; ".join(line for _, line in packet.lines)
    source = f"{packet.loc[0]}:{packet.loc[1]}" if packet.loc else ""
    return Site(function, "{ " + text + " }", packet.lines[0][0], source)


@dataclass
class Image:
    """The properties of the whole program that the translation of a function needs."""

    symbols: dict[str, int]
    """Address of every data symbol, function and address-taken label."""
    guest_functions: dict[str, int]
    """Number of each function: host code is called by it, for a name may be any text."""
    address_taken: set[str]
    traps: list[str]
    """Messages of traps; the state record's trap word is 1 + index."""
    branches: list[tuple[str, str, bool]]
    """(function, label, hinted taken) of each conditional branch."""
    host_used: set[str]
    model: AccessModel | None
    """What accesses cost; None in a fast build."""
    floats: FloatModel
    matrix: list[list[str]]
    """See `Program.matrix`."""
    forms: dict[str, str]
    """See `Program.forms`."""
    sites: list[Site] | None = None
    """Packets by number in a checked build."""
    quick: bool = False
    """The code is wanted soon, see `host.QUICK`: little of it, whatever it costs when it runs."""
    sticky: bool = False
    """The program reads USR: its sticky bits are kept."""
    extended: bool = False
    """The program has forms that see extension bits: vector registers have them."""
    addresses: dict[str, int] = field(default_factory=dict)
    """Symbols in quick code's table of addresses: their places."""

    def trap(self, message: str) -> int:
        self.traps.append(message)
        return len(self.traps)

    def mark(self) -> tuple[int, int, int, int]:
        """How much there is of what functions number: traps, branches, packets, groups of accesses."""
        memos = self.model.memos if self.model else 0
        return len(self.traps), len(self.branches), len(self.sites or ()), memos

    def since(self, mark: tuple[int, int, int, int]) -> Image:
        """For the function after ``mark`` once more, with the same numbers."""
        traps, branches, sites, memos = mark
        return replace(
            self, traps=self.traps[:traps], branches=self.branches[:branches],
            sites=None if self.sites is None else self.sites[:sites],
            model=self.model and self.model.numbered_from(memos),
        )  # fmt: skip


@functools.cache
def state_offset(unit: Unit) -> int:
    """Byte offset of a register in the state record."""
    cls, number = unit
    return {
        "R": layout.REGISTERS + 4 * number,
        "P": layout.PREDICATES + number,
        "V": layout.VECTORS + 128 * number,
        "Q": layout.VECTOR_PREDICATES + 128 * number,
        "C": layout.CONTROLS + 4 * number,
        "X": layout.EXTENSIONS + 128 * number,
        "V2": layout.SECONDS + 128 * number,
        "Q2": layout.SECONDS + 128 * (32 + number),
        "VO": layout.ORIGINS + 4 * number,
        "QO": layout.ORIGINS + 4 * (32 + number),
        "RO": layout.ORIGINS + 4 * (36 + number),
        "PO": layout.ORIGINS + 4 * (68 + number),
        "R2": layout.SCALAR_SECONDS + 4 * number,
        "P2": layout.SCALAR_SECONDS + 4 * 32 + number,
    }[cls]

"""A translated program: host object code, initial data and the tables that explain the counters."""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.translation import host


class SimError(Exception):
    """The simulator cannot translate or run the program; ``asm_line`` of it is at fault, 0 if no line is."""

    def __init__(self, reason: str, asm_line: int = 0, hint: str = "") -> None:
        super().__init__(f"asm line {asm_line}: {reason}" if asm_line else reason)
        self.reason = reason
        self.asm_line = asm_line
        self.hint = hint


@dataclass(frozen=True)
class Global:
    """Data at ``address``: a variable, or what stands between symbols without a ``.size``."""

    address: int
    size: int
    name: str
    writable: bool


@dataclass(frozen=True)
class Site:
    """A packet, for reports."""

    function: str
    packet: str
    line: int
    """Of the assembly text."""
    source: str
    """'file:line', or ''."""


@dataclass
class BlockInfo:
    """Static facts of one basic block."""

    function: str
    label: str
    packets: int
    hvx_packets: int
    stalls: dict[str, int]
    source: str
    """'file:line' of the block's first packet, or ''."""


@dataclass
class Program:
    """A translated module."""

    code: bytes
    level: int = host.FAST
    """How ``code`` was generated: `host.QUICK` or `host.FAST`."""
    blocks: list[BlockInfo] = field(default_factory=list)
    branches: list[tuple[str, str, bool]] = field(default_factory=list)
    """Function, block label and static hint of each conditional branch."""
    traps: list[str] = field(default_factory=list)
    callbacks: list[str] = field(default_factory=list)
    data: list[tuple[int, str]] = field(default_factory=list)
    """(guest address, bytes as hex)."""
    symbols: dict[str, int] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    hvx_functions: list[str] = field(default_factory=list)
    """Those that can reach an HVX packet."""
    indirect_functions: list[str] = field(default_factory=list)
    """Those among them that only reach one by a call through a register."""
    data_end: int = layout.DATA_BASE
    memos: int = 0
    """Groups of accesses noted by the code, see `accesses`."""
    sites: list[Site] = field(default_factory=list)
    """Packets by number, in a checked build."""
    globals: list[Global] = field(default_factory=list)
    """By address, in a checked build."""
    code_end: int = 0
    """End of the addresses of functions, in a checked build."""
    extended: bool = False
    """Vector registers have extension bits."""
    routines: bool = False
    """It calls functions of `semantics.routines`."""
    forms: dict[str, str] = field(default_factory=dict)
    """Name and IR of the functions of `form_functions` that it calls; "" for the IR of a program from the disk."""
    matrix: list[list[str]] = field(default_factory=list)
    """Templates of the matrix engine's instructions in each packet that has some, by the packet's number."""
    float_kinds: list[tuple[int, str]] = field(default_factory=list)
    """(packet number, message) of each read of the wrong float kind, in a checked build."""

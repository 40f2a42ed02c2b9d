"""An instruction of LLVM IR as a record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hexagon_mlir.llvmir.names import NAME, TARGET, WORD

CASTS = frozenset({"bitcast", "sext", "zext", "trunc", "fpext", "fptrunc", "sitofp", "uitofp", "fptosi", "fptoui"})
TERMINATORS = frozenset({"br", "switch", "ret", "unreachable", "indirectbr"})
_ALIGN = re.compile(r"\balign (\d+)")
_FROM = re.compile(rf", %({WORD}) \]")
_LLVM = "@llvm."
_OVERLOADS = re.compile(r"(?:\.(?:v\d+\w+|[fip]\d+|bf16))+$")
_LANES = re.compile(r"\.v\d+(?=[a-z])")
_HEXAGON = "@llvm.hexagon."
_SUFFIX = ".128B"
"""The suffix of HVX intrinsics for vectors of 128 bytes."""


@dataclass(slots=True, eq=False)
class Instruction:
    """One instruction, immutable: equal lines share it.

    ``types[i]`` is the type of ``operands[i]``; ``type`` that of the result ('' for none). ``flags`` is the text
    between the opcode and its operands; of a call, the callee. Only forms that `reader.parse_line` knows have operands,
    the others are ``unparsed``; every instruction keeps its ``text``. ``mentioned`` are the local values in it, its
    result excluded. The head of a function, a label and the closing brace are instructions without opcode.
    """

    text: str
    block: str = ""
    result: str = ""
    opcode: str = ""
    flags: str = ""
    type: str = ""
    operands: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    debug: str = ""
    mentioned: tuple[str, ...] = ()
    unparsed: bool = False
    """Whether its form is unknown to the reader: its operands are not parsed."""

    @property
    def alignment(self) -> int:
        """Alignment of an access in bytes; 0 where it has none."""
        found = _ALIGN.search(self.text)
        return int(found[1]) if found else 0

    @property
    def volatile(self) -> bool:
        """Whether an access is volatile."""
        return self.flags == "volatile"

    @property
    def predicate(self) -> str:
        """The predicate of an ``icmp`` or ``fcmp``, such as ``oeq``; "" for others."""
        return self.flags.rpartition(" ")[2] if self.opcode in ("icmp", "fcmp") else ""

    @property
    def targets(self) -> list[str]:
        """The successors of a terminator."""
        return TARGET.findall(self.text)

    @property
    def incoming(self) -> list[str]:
        """The incoming blocks of a phi, in the order of its operands."""
        return _FROM.findall(self.text)

    @property
    def intrinsic(self) -> str:
        """The Hexagon intrinsic that is called, such as ``V6.vadd.sf``; "" for none."""
        if self.opcode != "call" or not self.flags.startswith(_HEXAGON):
            return ""
        return self.flags[len(_HEXAGON):].removesuffix(_SUFFIX)

    @property
    def generic(self) -> str:
        """The called LLVM intrinsic without its overload types, such as ``sadd.sat``; "" for none.
        """
        if self.opcode != "call" or not self.flags.startswith(_LLVM) or self.flags.startswith(_HEXAGON):
            return ""
        return _OVERLOADS.sub("", self.flags[len(_LLVM):])

    def callee_with_lanes(self, lanes: int) -> str:
        """The intrinsic that is called, overloaded for vectors of ``lanes``."""
        return _LANES.sub(f".v{lanes}", self.flags)

    @property
    def is_vector(self) -> bool:
        """Whether its result, or the value it stores, is a vector."""
        return self.type.startswith("<") or (self.opcode == "store" and self.types[:1] != [] and
                                             self.types[0].startswith("<"))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """``text`` with local values replaced as ``names`` has them."""
    return NAME.sub(lambda found: names.get(found[0], found[0]), text)

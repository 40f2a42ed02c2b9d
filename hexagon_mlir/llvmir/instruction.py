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
"""What the intrinsics of HVX end with, for vectors of 128 bytes."""


@dataclass(slots=True, eq=False)
class Instruction:
    """One instruction, a value that is never changed: lines that read the same share it.

    ``types[i]`` is the type of ``operands[i]``; ``type`` that of the result ('' for none). ``flags`` are what stands
    between the opcode and its operands; of a call, whom it calls. Only forms that `reader.parse_line` knows have
    operands, the others are ``unread``; every instruction keeps its ``text``. ``mentioned`` are the local values in
    it, its result aside. The head of a function, a label and the closing brace are instructions without opcode.
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
    unread: bool = False
    """Whether it has a form that the reader does not know: no rewrite sees its operands."""

    @property
    def alignment(self) -> int:
        """Bytes that an access is aligned to; 0 where it does not say."""
        found = _ALIGN.search(self.text)
        return int(found[1]) if found else 0

    @property
    def volatile(self) -> bool:
        """Whether an access is volatile."""
        return self.flags == "volatile"

    @property
    def predicate(self) -> str:
        """The relation of an ``icmp`` or ``fcmp``, such as ``oeq``; "" of anything else."""
        return self.flags.rpartition(" ")[2] if self.opcode in ("icmp", "fcmp") else ""

    @property
    def targets(self) -> list[str]:
        """The blocks that a terminator leads to."""
        return TARGET.findall(self.text)

    @property
    def incoming(self) -> list[str]:
        """The blocks that a phi's operands come from, in their order."""
        return _FROM.findall(self.text)

    @property
    def intrinsic(self) -> str:
        """The Hexagon intrinsic that is called, such as ``V6.vadd.sf``; "" for none."""
        if self.opcode != "call" or not self.flags.startswith(_HEXAGON):
            return ""
        return self.flags[len(_HEXAGON):].removesuffix(_SUFFIX)

    @property
    def generic(self) -> str:
        """The LLVM intrinsic that is called, without the types it is overloaded for, such as ``sadd.sat``; "" for none.
        """
        if self.opcode != "call" or not self.flags.startswith(_LLVM) or self.flags.startswith(_HEXAGON):
            return ""
        return _OVERLOADS.sub("", self.flags[len(_LLVM):])

    def callee_with_lanes(self, lanes: int) -> str:
        """The intrinsic that is called, overloaded for vectors of ``lanes``."""
        return _LANES.sub(f".v{lanes}", self.flags)

    @property
    def is_vector(self) -> bool:
        """Whether it makes a vector, or stores one."""
        return self.type.startswith("<") or (self.opcode == "store" and self.types[:1] != [] and
                                             self.types[0].startswith("<"))


def renamed(text: str, names: Mapping[str, str]) -> str:
    """``text`` with other local values or constants in place of those that ``names`` has."""
    return NAME.sub(lambda found: names.get(found[0], found[0]), text)

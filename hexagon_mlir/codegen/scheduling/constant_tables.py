"""Loads constants that do not fit the registers from a table, as HVX experts do by hand.

LLVM hoists every constant of a loop into a register of its own, and where registers are short it spills constants, but
also values, to stack slots beyond the offset range of an access, whose addresses are recomputed. Here a loop of one
block that needs more registers than there are loads such constants in each iteration, from a table on the stack that is
written once: one scalar register holds its address, every entry is within the offset range of an access, and the loads
take free slots, since such loops are bound by their arithmetic.

A constant is loaded before its first use in the iteration; those with the fewest uses are moved to the table first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS
from hexagon_mlir.llvmir import Instruction, parse_line
from hexagon_mlir.llvmir.types import KEPT, vector_type

_BYTES = VECTOR_BITS // 8
_OFFSETS = 8
"""Largest offset of an access in vectors, in either direction (a signed field of 4 bits)."""
_KEPT = frozenset({"phi", "shl", "lshr", "ashr", "mul", "sdiv", "udiv", "srem", "urem", "shufflevector", "br",
                   "insertelement", "extractelement"})
"""Operations whose selection depends on the constant's value, or whose constants take no vector register."""
_ALL_ONES = -1

Constant = tuple[str, str]
"""Type and text of a constant operand."""


@lru_cache(KEPT)
def vectors_of(type_: str) -> int:
    """Vector registers that a value of ``type_`` takes; masks have their own."""
    vector = vector_type(type_)
    if vector is None or vector[1] == "i1":
        return 0
    return max(vector[0] * BITS.get(vector[1], 64) // VECTOR_BITS, 1)


@lru_cache(KEPT)
def constants_of(i: Instruction) -> tuple[Constant, ...]:
    """The constants that ``i`` takes from vector registers, in the order of its operands."""
    if i.opcode in _KEPT:
        return ()
    found = [(t, o) for o, t in zip(i.operands, i.types, strict=False)
             if (o.startswith("splat") or o == "zeroinitializer") and vectors_of(t)]
    if i.opcode == "xor":
        found = [(t, o) for t, o in found if not o.endswith(f" {_ALL_ONES})")]
    return tuple(dict.fromkeys(found))


def from_table(uses: Counter[Constant], count: int) -> list[Constant]:
    """The ``count`` constants to load, of those that fill one vector: the ones with the fewest ``uses``."""
    small = [constant for constant in uses if vectors_of(constant[0]) == 1]
    return sorted(small, key=lambda constant: uses[constant])[:count]


@dataclass
class ConstantTable:
    """The table of one function, on its stack."""

    entries: dict[Constant, int] = field(default_factory=dict)
    loads: int = 0

    def copy(self) -> ConstantTable:
        """A copy of the table, to try more entries."""
        return ConstantTable(dict(self.entries), self.loads)

    def take(self, other: ConstantTable) -> None:
        """Take over the entries of ``other``."""
        self.entries, self.loads = other.entries, other.loads

    def loaded(self, body: Sequence[Instruction], chosen: Sequence[Constant]) -> list[Instruction]:
        """``body``, a block without its phis and branch, with loads of the ``chosen`` constants."""
        if not chosen:
            return list(body)
        loaded: dict[Constant, str] = {}
        lines: list[Instruction] = []
        for i in body:
            text = i.text
            for constant in sorted(set(constants_of(i)).intersection(chosen)):
                if sum(o == constant[1] and t != constant[0] for o, t in zip(i.operands, i.types, strict=False)):
                    continue  # the same text has another meaning in another type
                if constant not in loaded:
                    loaded[constant] = f"%constant{self.loads}"
                    lines += [parse_line(line, i.block) for line in self._load(constant)]
                text = text.replace(constant[1], loaded[constant])
            lines.append(i if text is i.text else parse_line(text, i.block))
        return lines

    def _load(self, constant: Constant) -> list[str]:
        entry = self.entries.setdefault(constant, len(self.entries))
        name = f"%constant{self.loads}"
        self.loads += 1
        return [f"  {name}.at = {self._address(entry)}",
                f"  {name} = load {constant[0]}, ptr {name}.at, align {_BYTES}"]

    @staticmethod
    def _address(entry: int) -> str:
        base, place = divmod(entry, 2 * _OFFSETS)
        return f"getelementptr i8, ptr %constants{base}, i32 {(place - _OFFSETS) * _BYTES}"

    def setup(self) -> list[str]:
        """The instructions at the start of the function. Addresses are opaque, or LLVM would recompute them in the loop
        from the stack pointer.
        """
        if not self.entries:
            return []
        lines = [f"  %constants = alloca [{len(self.entries) * _BYTES} x i8], align {_BYTES}"]
        for base in range(-(-len(self.entries) // (2 * _OFFSETS))):
            start = (2 * base + 1) * _OFFSETS * _BYTES
            lines += [f"  %constants{base}.middle = getelementptr i8, ptr %constants, i32 {start}",
                      f'  %constants{base} = call noalias ptr asm "", "=r,0"(ptr %constants{base}.middle)']
        for (type_, value), entry in self.entries.items():
            lines += [f"  %constants.at{entry} = {self._address(entry)}",
                      f"  store {type_} {value}, ptr %constants.at{entry}, align {_BYTES}"]
        return lines

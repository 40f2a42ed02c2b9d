"""Exchanges of lanes between two vectors, the steps of a transpose, by vshuff.

LLVM 22 selects an alignment and a select for each half of such a step, four instructions, and spends a fifth of its
time on the demanded lanes of long chains of them. ``vshuff(Vu, Vv, Rt)`` with one bit in ``Rt`` makes both halves:
bytes of Vv whose number has that bit are exchanged with those of Vu whose number has not (HVX V73 manual, vshuff).
Masks are half of the text of a transpose, so this rewrite is the first to read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS
from hexagon_mlir.llvmir import Function, Instruction, Module
from hexagon_mlir.llvmir.names import derived
from hexagon_mlir.llvmir.types import lanes_of, vector_type

FEWEST = 24
"""Halves in a transpose of eight vectors. The few at the end of a reduction take no noticeable time."""
_WORDS = f"<{VECTOR_BITS // 32} x i32>"
_PAIR = f"<{VECTOR_BITS // 16} x i32>"
_DECLARED = {f"@llvm.hexagon.V6.{name}.128B": f"declare {result} @llvm.hexagon.V6.{name}.128B({arguments})"
             for name, result, arguments in (("vshuffvdd", _PAIR, f"{_WORDS}, {_WORDS}, i32"), ("lo", _WORDS, _PAIR),
                                             ("hi", _WORDS, _PAIR))}


@dataclass(frozen=True)
class _Half:
    """One half ("lo" or "hi") of the exchange between ``low`` and ``high`` of elements ``gap`` bytes apart."""

    low: str
    high: str
    gap: int
    which: str


def exchanges_as_instructions(module: Module) -> Module:
    """``module`` with one intrinsic for both halves of every exchange between two native vectors.

    A module with fewer than `FEWEST` halves is unchanged.
    """
    if module.text.count(" = shufflevector ") < FEWEST:
        return module
    halves = {function: _halves(function) for function in module.functions}
    if sum(map(len, halves.values())) < FEWEST:
        return module
    return module.map(lambda function: _Rewriter(function, halves[function]).rewrite() if halves[function]
                      else function).declaring(_DECLARED)


def _halves(function: Function) -> dict[Instruction, _Half]:
    shuffles = function.by_opcode.get("shufflevector", ()) if " = shufflevector " in function.text else ()
    return {i: half for i in shuffles if (half := _half(i))}


class _Rewriter:
    """Rewrites the ``halves`` of one function. Values between exchanges are vectors of words."""

    def __init__(self, function: Function, halves: dict[Instruction, _Half]):
        self.function, self.halves = function, halves
        self.results = {i.result for i in halves}
        self.here: dict[tuple[str, ...], str] = {}
        """The block's words of values and pairs of exchanges, by key."""

    def rewrite(self) -> Function:
        """The rewritten function."""
        blocks = []
        for block in self.function.blocks:
            self.here = {}
            lines: list[str] = []
            for i in block.instructions:
                lines += self._exchange(i, self.halves[i]) if i in self.halves else [i.text]
            blocks.append(block.with_instructions(block.read(lines)))
        return self.function.with_blocks(blocks)

    def _exchange(self, i: Instruction, half: _Half) -> list[str]:
        cast = i.type != _WORDS
        lines: list[str] = []
        words = [self._as_words(i, value, lines) if cast else value for value in (half.high, half.low)]
        key = (*words, str(half.gap))
        if key not in self.here:
            self.here[key] = derived("pair", i.result)
            lines.append(f"  {self.here[key]} = call {_PAIR} @llvm.hexagon.V6.vshuffvdd.128B({_WORDS} {words[0]}, "
                         f"{_WORDS} {words[1]}, i32 {half.gap}){i.debug}")
        result = derived("words", i.result) if cast else i.result
        lines.append(f"  {result} = call {_WORDS} @llvm.hexagon.V6.{half.which}.128B({_PAIR} {self.here[key]})"
                     f"{i.debug}")
        if cast and any(user not in self.halves for user in self.function.users.get(i.result, ())):
            lines.append(f"  {i.result} = bitcast {_WORDS} {result} to {i.type}{i.debug}")
        return lines

    def _as_words(self, i: Instruction, value: str, lines: list[str]) -> str:
        if value == "zeroinitializer":
            return value
        if value in self.results:
            return derived("words", value)
        if (value,) not in self.here:
            self.here[value,] = derived(f"words.{i.result[1:]}", value)
            lines.append(f"  {self.here[value,]} = bitcast {i.type} {value} to {_WORDS}")
        return self.here[value,]


def _half(i: Instruction) -> _Half | None:
    vector = vector_type(i.types[0])
    bits = BITS.get(vector[1], 0) if vector else 0
    first, second, mask = i.operands
    if vector is None or vector[0] * bits != VECTOR_BITS or "poison" in (first, second):
        return None
    lanes = lanes_of(mask, vector[0])
    found = exchange(lanes, vector[0]) if lanes is not None else None
    if found is None:
        return None
    gap, which, swapped = found
    low, high = (second, first) if swapped else (first, second)
    return _Half(low, high, gap * bits // 8, which)


@lru_cache(1 << 10)
def exchange(mask: tuple[str, ...], lanes: int) -> tuple[int, str, bool] | None:
    """Gap in lanes, half ("lo" or "hi") and whether the operands are swapped, for a mask of ``lanes`` lanes that
    exchanges two vectors of as many.

    The low half keeps the lanes of the first whose number has no bit of the gap, and in place of the others those of
    the second, one gap below; the high half has the remaining lanes. Poison lanes match any; None for other masks.
    """
    picked = [int(lane) if lane.isdigit() else -1 for lane in mask]
    known = [lane for lane in picked if lane >= 0]
    if len(picked) != lanes or not known or min(known) >= lanes or max(known) < lanes:
        return None
    gap = 1
    while gap < lanes:
        low = [n + lanes - gap if n & gap else n for n in range(lanes)]
        for half, wanted in (("lo", low), ("hi", [n + gap for n in low])):
            for swapped in (False, True):
                if all(p in (-1, (w + lanes) % (2 * lanes) if swapped else w)
                       for p, w in zip(picked, wanted, strict=True)):
                    return gap, half, swapped
        gap *= 2
    return None

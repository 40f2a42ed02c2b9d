"""Exchanges of lanes between two vectors, the steps of a transpose, by vshuff, in LLVM IR text.

LLVM 22 selects an alignment and a select for each half of such a step, four instructions, and spends a fifth of its
time on what lanes of long chains of them are needed. ``vshuff(Vu, Vv, Rt)`` with one bit in ``Rt`` makes both halves:
bytes of Vv whose number has that bit change places with those of Vu whose number has not (HVX V73 manual, vshuff).
Masks are half of the text of a transpose, so they go before anything else reads it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS
from hexagon_mlir.codegen.llvm_ir.llvm_text import functions
from hexagon_mlir.codegen.llvm_ir.names import GLOBAL, NAME, VALUE, derived

FEWEST = 24
"""Halves in a transpose of eight vectors. The few that end a sum are no matter of time."""
_WORDS = f"<{VECTOR_BITS // 32} x i32>"
_PAIR = f"<{VECTOR_BITS // 16} x i32>"
_DECLARED = {f"@llvm.hexagon.V6.{name}.128B": f"declare {result} @llvm.hexagon.V6.{name}.128B({arguments})"
             for name, result, arguments in (("vshuffvdd", _PAIR, f"{_WORDS}, {_WORDS}, i32"), ("lo", _WORDS, _PAIR),
                                             ("hi", _WORDS, _PAIR))}
_DECLARATION = re.compile(rf"^declare .*?({GLOBAL})", re.MULTILINE)
_OPERAND = rf"{VALUE}|zeroinitializer"
_SHUFFLE = re.compile(rf"  ({VALUE}) = shufflevector (<(\d+) x (\w+)>) ({_OPERAND}), <\d+ x \w+> ({_OPERAND}), "
                      r"<\d+ x i32> <([^>]*)>(.*)$")


@dataclass(frozen=True)
class _Half:
    """One half ("lo" or "hi") of the exchange between ``low`` and ``high`` of what is ``gap`` bytes apart."""

    result: str
    vector: str
    low: str
    high: str
    gap: int
    which: str
    debug: str


def exchanges_as_instructions(text: str) -> str:
    """``text`` with every exchange between two native vectors by intrinsics, both of its halves by one.

    The text stays as it is if it has fewer than `FEWEST` halves.
    """
    if text.count(" = shufflevector ") < FEWEST:
        return text
    halves, out = 0, []
    for is_function, lines in functions(text):
        found = {number: half for number, line in enumerate(lines)
                 if " = shufflevector " in line and (half := _half(line))} if is_function else {}
        out += _rewritten(lines, found) if found else lines
        halves += len(found)
    if halves < FEWEST:
        return text
    known = set(_DECLARATION.findall(text))
    return "\n".join([*out, *(line for name, line in _DECLARED.items() if name not in known), ""])


def _rewritten(lines: list[str], halves: dict[int, _Half]) -> list[str]:
    """A function's ``lines`` with ``halves`` by intrinsics. Values between exchanges are words and nothing else."""
    results = {half.result for half in halves.values()}
    elsewhere = set(NAME.findall("\n".join(line for number, line in enumerate(lines) if number not in halves)))
    out: list[str] = []
    here: dict[tuple[str, ...], str] = {}
    """What the block has: words of values, pairs of exchanges."""
    for number, line in enumerate(lines):
        half = halves.get(number)
        if half is None:
            if not line.startswith(" "):
                here = {}
            out.append(line)
            continue
        cast = half.vector != _WORDS
        words = []
        for value in (half.high, half.low):
            if not cast or value == "zeroinitializer":
                words.append(value)
            elif value in results:
                words.append(derived("words", value))
            else:
                if (value,) not in here:
                    here[value,] = derived(f"words.{number}", value)
                    out.append(f"  {here[value,]} = bitcast {half.vector} {value} to {_WORDS}")
                words.append(here[value,])
        key = (*words, str(half.gap))
        if key not in here:
            here[key] = derived("pair", half.result)
            out.append(f"  {here[key]} = call {_PAIR} @llvm.hexagon.V6.vshuffvdd.128B({_WORDS} {words[0]}, "
                       f"{_WORDS} {words[1]}, i32 {half.gap}){half.debug}")
        result = derived("words", half.result) if cast else half.result
        out.append(f"  {result} = call {_WORDS} @llvm.hexagon.V6.{half.which}.128B({_PAIR} {here[key]}){half.debug}")
        if cast and half.result in elsewhere:
            out.append(f"  {half.result} = bitcast {_WORDS} {result} to {half.vector}{half.debug}")
    return out


def _half(line: str) -> _Half | None:
    match = _SHUFFLE.match(line)
    if match is None:
        return None
    result, vector, lanes, element, first, second, mask, debug = match.groups()
    bits = BITS.get(element, 0)
    found = exchange(mask, int(lanes)) if int(lanes) * bits == VECTOR_BITS else None
    if found is None:
        return None
    gap, which, swapped = found
    low, high = (second, first) if swapped else (first, second)
    return _Half(result, vector, low, high, gap * bits // 8, which, debug)


@lru_cache(1 << 10)
def exchange(mask: str, lanes: int) -> tuple[int, str, bool] | None:
    """Gap in lanes, half ("lo" or "hi") and whether the operands change places, for a mask of ``lanes`` lanes that
    exchanges two vectors of as many.

    The low half keeps the lanes of the first whose number has no bit of the gap, and takes those of the second one gap
    below in place of the others; the high half is the rest. Lanes that are poison may be any; None for other masks.
    """
    picked = [int(lane[4:]) if lane[4:].isdigit() else -1 for lane in mask.split(", ")]
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

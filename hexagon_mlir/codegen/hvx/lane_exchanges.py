"""Exchanges of lanes between two vectors, the steps of a transpose, by vshuff.

LLVM 22 selects an alignment and a select for each half of such a step, four instructions, and spends a fifth of its
time on what lanes of long chains of them are needed. ``vshuff(Vu, Vv, Rt)`` with one bit in ``Rt`` makes both halves:
bytes of Vv whose number has that bit change places with those of Vu whose number has not (HVX V73 manual, vshuff).
"""

from __future__ import annotations

import re
from functools import lru_cache

from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS

FEWEST = 24
"""Halves in a transpose of eight vectors. The few that end a sum are no matter of time."""
_WORDS = f"<{VECTOR_BITS // 32} x i32>"
_PAIR = f"<{VECTOR_BITS // 16} x i32>"
_DECLARED = {f"@llvm.hexagon.V6.{name}.128B": f"declare {result} @llvm.hexagon.V6.{name}.128B({arguments})"
             for name, result, arguments in (("vshuffvdd", _PAIR, f"{_WORDS}, {_WORDS}, i32"), ("lo", _WORDS, _PAIR),
                                             ("hi", _WORDS, _PAIR))}
_DECLARATION = re.compile(r"^declare .*?(@[\w.]+)", re.MULTILINE)
_VALUE = r"%[\w.$-]+|zeroinitializer"
_SHUFFLE = re.compile(rf"^  (%([\w.$-]+)) = shufflevector (<(\d+) x (\w+)>) ({_VALUE}), <\d+ x \w+> ({_VALUE}), "
                      r"<\d+ x i32> <([^>]*)>(.*)$", re.MULTILINE)


def exchanges_as_instructions(text: str) -> str:
    """``text`` with each half of an exchange between two native vectors by intrinsics; LLVM's optimiser merges halves.

    The text stays as it is if it has fewer than `FEWEST` of them.
    """
    changed = [line for line in map(_exchanged, _SHUFFLE.finditer(text)) if line is not None]
    if len(changed) < FEWEST:
        return text
    out = _SHUFFLE.sub(lambda match: _exchanged(match) or match[0], text)
    known = set(_DECLARATION.findall(out))
    return out + "".join(f"{line}\n" for name, line in _DECLARED.items() if name not in known)


def _exchanged(match: re.Match[str]) -> str | None:
    result, name, vector, lanes, element, first, second, mask, rest = match.groups()
    found = exchange(mask, int(lanes)) if int(lanes) * BITS.get(element, 0) == VECTOR_BITS else None
    if found is None:
        return None
    gap, half, swapped = found
    low, high = (second, first) if swapped else (first, second)
    lines = []
    if vector != _WORDS:
        lines = [f"  %exchange.{name}.{place} = bitcast {vector} {value} to {_WORDS}"
                 for place, value in (("low", low), ("high", high))]
        low, high = f"%exchange.{name}.low", f"%exchange.{name}.high"
    lines.append(f"  %exchange.{name}.pair = call {_PAIR} @llvm.hexagon.V6.vshuffvdd.128B({_WORDS} {high}, "
                 f"{_WORDS} {low}, i32 {gap * BITS[element] // 8}){rest}")
    words = result if vector == _WORDS else f"%exchange.{name}.words"
    lines.append(f"  {words} = call {_WORDS} @llvm.hexagon.V6.{half}.128B({_PAIR} %exchange.{name}.pair){rest}")
    if words != result:
        lines.append(f"  {result} = bitcast {_WORDS} {words} to {vector}{rest}")
    return "\n".join(lines)


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

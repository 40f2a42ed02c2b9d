"""Finds stores that write back bytes behind their end, in assembly.

LLVM 22 joins neighbouring stores at an unknown address to stores of whole vectors. The last vector, which an aligned
address does not need, it stores under a condition; it loads it, replaces the bytes that are meant, and stores all of
it. What another thread wrote behind them in between is lost.
"""

from __future__ import annotations

import re

_PREDICATE, _PLACE = r"if \((!?p\d)(?:\.new)?\)", r"vmem\((r\d+)\+#(-?\d+)\)"
_LOAD = re.compile(rf"{_PREDICATE} (v\d+)(?:\.cur|\.tmp)? = {_PLACE}")
_STORE = re.compile(rf"{_PREDICATE} {_PLACE} = ")
_REACH = 40
"""Lines between load and store."""


def rewrites_neighbours(asm: str) -> bool:
    """True when a vector is loaded, mixed with another and stored where it was, all under one condition."""
    if _LOAD.search(asm) is None:
        return False
    lines = asm.split("\n")
    for number, line in enumerate(lines):
        if (load := _LOAD.search(line)) is None:
            continue
        mixed = re.compile(rf"= vmux\(q\d,v\d+,{load[2]}\)")
        seen = False
        for later in lines[number:number + _REACH]:
            seen = seen or mixed.search(later) is not None
            if seen and (store := _STORE.search(later)) and store.groups() == (load[1], load[3], load[4]):
                return True
    return False

"""Vector loads that LLVM moved in front of the store which fills the vector before theirs.

Unaligned data is loaded as aligned vectors that are joined, the last perhaps for nothing: it lies behind the data.
Where the data itself is stored first, LLVM may load what it does not need before that store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LOAD = re.compile(r"= vmem\((r\d+)\+#(-?\d+)\)")
_STORE = re.compile(r"(?<!p\d\) )(?<!p\d\.new\) )vmem\((r\d+)\+#(-?\d+)\)(?::nt)? =")  # under no scalar condition
_MOVED = re.compile(r"\b(r\d+) = add\((r\d+),#(-?\d+)\)")
_ASSIGNED = re.compile(r"(?:^|[ ;{])r(\d+)(?::(\d+))? [-+|&^]?=|\((r\d+)\+\+")
_LEAVES = re.compile(r"\b(?:jump|jumpr|call|callr|dealloc_return|trap0)\b|:endloop")


def filled_behind(packets: Iterable[str], vector_bytes: int) -> bool:
    """Whether the vector before one that the first of ``packets`` loads is stored by a later one, on every way.

    Followed is a row of packets without branches, as long as a register holds the base or a sum of it. A store under a
    mask of lanes counts: what it leaves out is stored apart, or is no data.
    """
    wanted: set[tuple[str, int]] | None = None
    for packet in packets:
        if wanted is None:
            wanted = {(base, (int(offset) - 1) * vector_bytes) for base, offset in _LOAD.findall(packet)}
        elif any((base, int(offset) * vector_bytes) in wanted for base, offset in _STORE.findall(packet)):
            return True
        moved = {(new, place - int(step)) for new, base, step in _MOVED.findall(packet) for b, place in wanted
                 if base == b}  # fmt: skip
        changed = {f"r{number}" for found in _ASSIGNED.findall(packet) for number in found[:2] if number}
        changed |= {found[2] for found in _ASSIGNED.findall(packet) if found[2]}
        wanted = {(base, place) for base, place in wanted if base not in changed} | moved
        if not wanted or _LEAVES.search(packet):
            return False
    return False

"""Vector loads of which a mask of lanes chooses, perhaps nothing.

The last part of a row is loaded as a whole vector and chosen by lanes. A row of whole vectors leaves no lane for it: it
lies behind the data then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LOAD = re.compile(r"\bv(\d+) = vmemu?\(")
_CHOICE = re.compile(r"\bvmux\(q\d,(v\d+),(v\d+)\)")
_WRITTEN = re.compile(r"(?:^|[ ;{])v(\d+)(?::(\d+))?(?:\.\w+)* = ")
_NAMED = re.compile(r"\bv(\d+)(?::(\d+))?")
_LEAVES = re.compile(r"\b(?:jump|jumpr|call|callr|dealloc_return|trap0)\b|:endloop")


def chosen_by_lanes(packets: Iterable[str]) -> bool:
    """Whether all that reads what the first of ``packets`` loads is a choice by lanes, as far as the row goes on."""
    rest = iter(packets)
    loaded = {f"v{number}" for number in _LOAD.findall(next(rest, ""))}
    chosen = False
    for packet in rest:
        if len(loaded) != 1:
            return False
        choices = {operand for found in _CHOICE.findall(packet) for operand in found}
        chosen = chosen or loaded <= choices
        reads = _numbers(_NAMED.findall(_WRITTEN.sub(" ", _CHOICE.sub("", packet))))
        if loaded & reads:
            return False
        if loaded & _numbers(_WRITTEN.findall(packet)):
            return chosen
        if _LEAVES.search(packet):
            break
    return chosen


def _numbers(found: Iterable[tuple[str, str]]) -> set[str]:
    return {f"v{number}" for high, low in found for number in (range(int(low), int(high) + 1) if low else (int(high),))}

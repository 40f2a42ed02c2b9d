"""Assembly as packets of lines, and lines as instructions, cached for repeated reading."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from hexagon_mlir.isa.decode import FormError, Insn, decode_line

_LABEL = re.compile(r"([.\w$]+):(?:\s|$)")
_KEPT = 1 << 14
"""Lines that are kept."""
_NOT_OF_FRAME = re.compile(r"(?<![\w.$#@])([rvqp])(?!29|3[01])\d+(:\d+)?(?!\w)")
_IMMEDIATE = re.compile(r"#-?\d+")


@lru_cache(1)
def packets_of(asm: str) -> tuple[list[list[str]], dict[str, int]]:
    """The lines of each packet of ``asm``, its closing one included, and the packet after each label.

    The result for the last text is cached and shared.
    """
    packets: list[list[str]] = []
    labels: dict[str, int] = {}
    packet: list[str] | None = None
    for line in map(str.strip, asm.split("\n")):
        if packet is not None:
            packet.append(line)
            packet = packet if line[:1] != "}" else None
        elif line == "{":
            packet = []
            packets.append(packet)
        elif ":" in line and (match := _LABEL.match(line)):
            labels[match[1]] = len(packets)
    return packets, labels


@lru_cache(_KEPT)
def instructions(line: str) -> tuple[Insn, ...]:
    """The one or two instructions of a ``line`` of a packet; none where it is no known form, as for the closing
    line."""
    try:
        return tuple(decode_line(0, line))
    except FormError:
        return ()


@lru_cache(_KEPT)
def same_form(line: str) -> str:
    """A line of the same form as ``line``, with other registers and immediates: one is decoded for many. Registers that
    point to the frame stay."""
    return _IMMEDIATE.sub("#0", _NOT_OF_FRAME.sub(lambda found: f"{found[1]}{'1:0' if found[2] else 0}", line))


def lines_naming(lines: Iterable[str], registers: Iterable[int]) -> list[str]:
    """Those of ``lines`` that name one of the scalar ``registers``, or change the frame; others may be among them."""
    named = re.compile(f"frame|[r:](?:{'|'.join(map(str, registers))})(?!\\d)")
    return [line for line in lines if named.search(line)]

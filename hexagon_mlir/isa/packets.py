"""Assembly as packets of lines, and lines as instructions, cached for repeated reading."""

from __future__ import annotations

import re
from functools import lru_cache

from hexagon_mlir.isa.decode import FormError, Insn, decode_line

_LABEL = re.compile(r"([.\w$]+):(?:\s|$)")


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


@lru_cache(1 << 14)
def instructions(line: str) -> tuple[Insn, ...]:
    """The one or two instructions of a ``line`` of a packet; none where it is no known form, as for the closing
    line."""
    try:
        return tuple(decode_line(0, line))
    except FormError:
        return ()

"""Assembly as packets of lines, and lines as instructions: for those who look at few of them, often."""

from __future__ import annotations

import re
from functools import lru_cache

from hexagon_mlir.isa.decode import FormError, Insn, decode_line

_LABEL = re.compile(r"([.\w$]+):(?:\s|$)")


@lru_cache(1)
def packets_of(asm: str) -> tuple[list[list[str]], dict[str, int]]:
    """The lines of each packet of ``asm``, its closing one included, and the packet each label stands before.

    Those who read one text after the other share them.
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
    """The one or two instructions of a ``line`` of a packet; none where it holds no known form, as its end does not."""
    try:
        return tuple(decode_line(0, line))
    except FormError:
        return ()

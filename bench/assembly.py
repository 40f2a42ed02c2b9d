"""Assembly of small programs."""

from __future__ import annotations


def program(*packets: list[str] | str, name: str = "f") -> str:
    """Assembly of a function; a string between packets is a label or a packet mark such as ':endloop0'."""
    lines = [f"\t.text\n\t.type\t{name},@function\n{name}:"]
    for packet in packets:
        if isinstance(packet, str):
            if packet.startswith(":"):
                lines[-1] += " " + packet
            else:
                lines.append(packet + ":")
        else:
            lines.append("\t{\n" + "\n".join(f"\t\t{line}" for line in packet) + "\n\t}")
    return "\n".join([*lines, "\t{\n\t\tjumpr r31\n\t}", ""])


def loop(*body: list[str], before: tuple[list[str], ...] = ()) -> str:
    """``body`` run r1 times; r0 is the first argument."""
    return program(*before, ["loop0(.Ltop,r1)"], ".Ltop", *body, ":endloop0")

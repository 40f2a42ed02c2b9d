"""What each packet of a hot loop does, in words: by the instructions in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ROLES = tuple((name, re.compile(pattern)) for name, pattern in (
    ("load", r"= vmem\((?!r29)"),
    ("reload", r"= vmem\(r29"),
    ("product", r"\.qf(?:32|16) = vmpy"),
    ("integer product", r"\.u?[wh] \+?= v[dr]?mpy"),
    ("sum", r"\.qf(?:32|16) = vadd"),
    ("difference", r"\.qf(?:32|16) = vsub"),
    ("to IEEE", r"\.(?:sf|hf) = v\d+(?::\d+)?\.qf"),
    ("to integer", r"\.(?:w|h) = v\d+\.(?:sf|hf)"),
    ("limit", r"= v(?:max|min)\("),
    ("shift", r"= vas[lr]|= vlsr"),
    ("exponent and mantissa", r"\.(?:w|h) = v(?:add|sub)\(|v\d+ = v(?:and|or|xor)\(v\d+,v"),
    ("test", r"= vcmp"),
    ("choose", r"= vmux"),
    ("move mask", r"q\d = v?(?:and|or|not)\(|= vand\(q"),
    ("permute", r"= v(?:align|ror|shuff|deal|delta|rdelta|pack|unpack)"),
    ("copy", r"v\d+ = v\d+(?:$|;)"),
    ("splat", r"= vsplat"),
    ("spill", r"vmem\(r29[^)]*\) = "),
    ("store", r"vmem\((?!r29)[^)]*\) = "),
    ("address", r"r\d+(?::\d+)? = (?:add|combine|addasl|##?)"),
))


def remark(instructions: Sequence[str]) -> str:
    """The roles of a packet's instructions, each once, how often in front where it is more than once."""
    parts = []
    for name, pattern in _ROLES:
        count = sum(bool(pattern.search(text)) for text in instructions)
        if count:
            parts.append(f"{count} x {name}" if count > 1 else name)
    return ", ".join(parts)

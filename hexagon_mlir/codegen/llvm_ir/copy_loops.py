"""Loops that only copy vectors keep their loads in order, in LLVM IR text.

LLVM's software pipeliner reorders the loads of a copy and gains nothing there; memory fetches ahead in one direction.
"""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^(?P<name>[\w.]+):.*\n(?P<body>(?:  .*\n)+)", re.MULTILINE)
_NUMBER = re.compile(r"^!(\d+) = ", re.MULTILINE)
_VECTOR_LINE = re.compile(r"^  (?:%[\w.]+ = (?:tail )?(\w+) |(store) ).*<\d+ x ", re.MULTILINE)


def keep_copies_in_order(text: str) -> str:
    """``text`` with ``llvm.loop.pipeline.disable`` on every one-block loop whose vectors are only loaded and stored."""
    first = max((int(n) for n in _NUMBER.findall(text)), default=-1) + 1
    found = 0

    def mark(match: re.Match[str]) -> str:
        nonlocal found
        block, name = match[0], match["name"]
        if {a or b for a, b in _VECTOR_LINE.findall(match["body"])} != {"load", "store"}:
            return block
        branch = re.search(rf"^  br i1 .*label %{re.escape(name)}(?![\w.]).*$", match["body"], re.MULTILINE)
        if branch is None or "!llvm.loop" in branch[0]:
            return block
        found += 1
        return block.replace(branch[0], f"{branch[0]}, !llvm.loop !{first + found}")

    marked = _BLOCK.sub(mark, text)
    if not found:
        return text
    loops = "".join(f"!{first + n} = distinct !{{!{first + n}, !{first}}}\n" for n in range(1, found + 1))
    return f'{marked.rstrip()}\n\n!{first} = !{{!"llvm.loop.pipeline.disable", i1 true}}\n{loops}'

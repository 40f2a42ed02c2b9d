"""Loops that only move vectors keep their loads in order, in LLVM IR text.

LLVM's software pipeliner reorders the loads of a copy and gains nothing there; memory fetches ahead in one direction.
In loops that rearrange vectors on the way, LLVM's scheduler reorders the loads as well; where these are from DDR they
are marked volatile, which keeps them in order and costs nothing else there.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.names import TARGET, VALUE, WORD

_BLOCK = re.compile(rf"\n(?P<name>{WORD}):.*(?P<body>(?:\n  .*)+)")  # what begins with a letter is found quickly
_NUMBER = re.compile(r"\n!(\d+) = ")
_VECTOR_LINE = re.compile(rf"^  (?:{VALUE} = (?:tail )?(\w+) |(store) ).*<\d+ x ", re.MULTILINE)
_REARRANGING = frozenset({"load", "store", "shufflevector"})
_MOVING_CALL = re.compile(r"^  .*call .*@llvm\.(masked\.(load|store)\.|hexagon\.V6\.(vdealvdd|vshuffvdd|lo|hi|vcombine|"
                          r"vdelta|vrdelta|v?l?alignb?i?|vror)\.).*\n", re.MULTILINE)
_VECTOR_CALL = re.compile(rf"  {VALUE} = (?:tail )?call .*<\d+ x ")
_FROM_DDR = re.compile(r"= load (<\d+ x [^>]*>, ptr %)")


def keep_copies_in_order(text: str) -> str:
    """``text`` with ``llvm.loop.pipeline.disable`` on every one-block loop whose vectors are only loaded and stored."""
    first = max((int(n) for n in _NUMBER.findall(text)), default=-1) + 1
    found = 0

    def mark(match: re.Match[str]) -> str:
        nonlocal found
        block, name = match[0], match["name"]
        if f"label %{name}" not in block:
            return block
        body = f"{match['body'][1:]}\n"
        branch = next((line for line in body.split("\n") if line.startswith("  br i1 ")), "")
        if name not in TARGET.findall(branch) or "!llvm.loop" in branch:
            return block
        if any(_VECTOR_CALL.match(line) and not _MOVING_CALL.match(f"{line}\n") for line in body.split("\n")):
            return block
        rest = _MOVING_CALL.sub("", body)
        moves = {a or b for a, b in _VECTOR_LINE.findall(rest)}
        copies = moves == {"load", "store"} and rest == body
        if not copies and not (moves <= _REARRANGING and _FROM_DDR.search(rest)):
            return block
        found += 1
        block = block.replace(branch, f"{branch}, !llvm.loop !{first + found}")
        return block if copies else _FROM_DDR.sub(r"= load volatile \1", block)

    marked = _BLOCK.sub(mark, f"\n{text}")[1:]
    if not found:
        return text
    loops = "".join(f"!{first + n} = distinct !{{!{first + n}, !{first}}}\n" for n in range(1, found + 1))
    return f'{marked.rstrip()}\n\n!{first} = !{{!"llvm.loop.pipeline.disable", i1 true}}\n{loops}'

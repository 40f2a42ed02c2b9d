"""Writes the IR and the assembly that docs/architecture.md shows anew: the compiler's own output at that moment.

    python scripts/walkthrough.py            # writes the page
    python scripts/walkthrough.py --check    # fails when the page is not what the compiler gives

A block after ``<!-- ir STAGE: FIRST .. LAST; ... -->`` holds the lines of that stage from the first that contains FIRST
to the next that contains LAST, once for each pair. Stages are those of `CompiledKernel.ir`, ``llvm`` and ``asm``; the
latter is the innermost loop that took most cycles, a line per packet. The kernel is the page's first block.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.loop_bound import hot_loops
from hexagon_mlir.sim import Machine
from hexagon_mlir.whole_files import write_files

PAGE = Path(__file__).resolve().parents[1] / "docs" / "architecture.md"
KERNEL = re.compile(r"```mlir\n(.*?)```", re.S)
BLOCK = re.compile(r"(<!-- ir ([\w,-]+)(?:: (.*?))? -->\n```\w+\n)(.*?)(```)", re.S)


def excerpt(text: str, pairs: str) -> str:
    """The lines of ``text`` that ``pairs`` name; ``...`` stands for what is left out between them."""
    lines, found, start = text.splitlines(), [], 0
    for pair in pairs.split("; "):
        first, _, last = pair.partition(" .. ")
        begin = _line_with(first, lines, start)
        end = _line_with(last or first, lines, begin)
        found.append("\n".join(lines[begin:end + 1]))
        start = end + 1
    indent = min(len(line) - len(line.lstrip()) for part in found for line in part.splitlines() if line.strip())
    return dedent(f"\n{' ' * indent}...\n".join(found)) + "\n"


def _line_with(word: str, lines: list[str], start: int) -> int:
    for number in range(start, len(lines)):
        if word in lines[number]:
            return number
    raise LookupError(f"no line with '{word}' in\n" + "\n".join(lines[start:]))


def hot_loop(asm: str, entry: str) -> str:
    """The block of ``asm`` that took most cycles in a run on zeros, a line per packet."""
    machine = Machine(asm, "v75", memory="fast")
    addresses = [machine.alloc_ddr(1 << 20) for _ in range(3)]
    for address in addresses:
        machine.write(address, np.zeros(1 << 20, np.uint8))
    return str(hot_loops(machine, machine.run(entry, addresses))[0])


def refreshed(page: str) -> str:
    """``page`` with its blocks made anew."""
    source = KERNEL.search(page)
    assert source is not None, "the page starts with the kernel"
    kernel = hx.compile(source.group(1), threads=1)
    assert isinstance(kernel, hx.CompiledKernel)
    stages: dict[str, Callable[[], str]] = {
        "llvm": lambda: kernel.llvm_ir, "asm": lambda: hot_loop(kernel.asm, kernel.interface.entry)}

    def block(match: re.Match[str]) -> str:
        head, stage, pairs, _, tail = match.groups()
        text = stages[stage]() if stage in stages else kernel.ir(stage)
        return head + (excerpt(text, pairs) if pairs else text.rstrip("\n") + "\n") + tail

    return BLOCK.sub(block, page)


def main() -> int:
    """Write the page, or compare with it."""
    old = PAGE.read_text()
    new = refreshed(old)
    if "--check" not in sys.argv[1:]:
        write_files({PAGE: new.encode()})
    elif new != old:
        print("docs/architecture.md differs from what the compiler gives: run scripts/walkthrough.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Packets around a random one that set random extension bits of its qfloat operands, and read those of its results."""

from __future__ import annotations

from collections.abc import Iterable

from hexagon_mlir.isa.decode import Operand, registers_in
from hexagon_mlir.isa.form import EXTENDED, FORMS
from hexagon_mlir.isa.packets import instructions
from hexagon_mlir.sim.reference.random_operands import Operands

MASK_REGISTER = 28
"""No random instruction uses it."""
MASKS = 0x08040201
"""A bit of its own for each extension bit of a word."""
NEEDED = {"V=vgetqfext(V.x,R)", "V.x=vsetqfext(V,R)", "V=vmerge(V.x,V.w)"}


def _extended(text: str) -> tuple[list[int], list[int]]:
    """The vector registers that the packet ``text`` reads with extension bits, and those that it writes with them."""
    sources: set[int] = set()
    results: set[int] = set()
    for insn in (insn for line in text.splitlines() for insn in instructions(line.strip())):
        if insn.form is None:
            continue
        if not insn.form.reads_dest and insn.result_type in EXTENDED:
            results.update(_numbers(insn.dests[:1]))
        sources.update(_numbers(source for source, extended in zip(insn.sources, insn.form.extended, strict=False)
                                if extended))
    return sorted(sources), sorted(results)


def _numbers(operands: Iterable[Operand]) -> set[int]:
    return {number for operand in operands for cls, number in operand.units() if cls == "V"}


def around(text: str, choices: Operands) -> tuple[list[str], list[str]]:
    """Packets before and after the packet ``text``; none where it has no qfloats or the forms are missing."""
    sources, results = _extended(text)
    if not (sources or results) or not set(FORMS) >= NEEDED:
        return [], []
    named = _numbers(operand for operands in registers_in(text).values() for operand in operands)
    free = [n for n in range(32) if n not in named]
    before, after = [f"r{MASK_REGISTER} = ##{MASKS}"], []
    for source in sources:
        carrier = choices.pick(free)
        before.append(f"v{carrier}.x = vsetqfext({choices.register('V')},r{MASK_REGISTER})")
        before.append(f"v{source} = vmerge(v{carrier}.x,v{source}.w)")
    for result, shown in zip(results, free, strict=False):
        after.append(f"v{shown} = vgetqfext(v{result}.x,r{MASK_REGISTER})")
    return [_packet(line) for line in before], [_packet(line) for line in after]


def _packet(line: str) -> str:
    return f"\t{{\n\t\t{line}\n\t}}\n"

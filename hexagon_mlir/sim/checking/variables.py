"""Separates the global variables of a checked build, so that accesses past the end of one are found."""

from __future__ import annotations

from bisect import bisect
from dataclasses import replace
from operator import itemgetter

from hexagon_mlir.isa.reader import Module, Section
from hexagon_mlir.sim.translation.program import Global

GAP_BYTES = 1024
"""Between a variable and the next one."""


def apart(module: Module, together: tuple[str, ...]) -> None:
    """Make a section of every variable whose size is known; those whose names begin with ``together`` stay whole.

    A program may go from symbol to symbol in data without ``.size``: such data stays with the preceding symbol.
    """
    sections: list[Section] = []
    for section in module.sections:
        whole = section.name.startswith(together)
        sections += [section] if whole else _pieces(section, module.sizes)
    module.sections[:] = sections


def _pieces(section: Section, sizes: dict[str, int]) -> list[Section]:
    cuts = _cuts(section, sizes)
    ends = [*cuts[1:], len(section.data)]
    pieces = [
        replace(section, data=section.data[start:end], relocations=[], symbols={},
                align=min(section.align, start & -start) if start else section.align)
        for start, end in zip(cuts, ends, strict=True)
    ]  # fmt: skip
    for relocation in section.relocations:
        number = bisect(cuts, relocation.offset) - 1
        pieces[number].relocations.append(replace(relocation, offset=relocation.offset - cuts[number]))
    for name, offset in section.symbols.items():
        number = bisect(cuts, offset) - 1
        pieces[number].symbols[name] = offset - cuts[number]
    return pieces


def _cuts(section: Section, sizes: dict[str, int]) -> list[int]:
    """Offsets of the pieces: where a symbol follows the end of all before it, as far as sizes are known."""
    cuts, end, nbytes = [0], 0, len(section.data)
    for name, start in sorted(section.symbols.items(), key=itemgetter(1)):
        if cuts[-1] < start < nbytes and 0 < end <= start:
            cuts.append(start)
        end = max(end, start + sizes[name] if name in sizes else nbytes)
    return cuts


def table(module: Module, bases: dict[int, int]) -> list[Global]:
    """The variables of a module that `apart` has been at, by address."""
    found = []
    for index, section in enumerate(module.sections):
        base, sized = bases[index], [n for n in section.symbols if module.sizes.get(n)]
        names = sorted(section.symbols, key=lambda name: (name not in sized, section.symbols[name], name))
        ends = [section.symbols[name] + module.sizes[name] for name in sized]
        whole = len(sized) < len(section.symbols) or not sized
        size = len(section.data) if whole else min(max(ends), len(section.data))
        found.append(Global(base, size, names[0] if names else section.name, section.writable))
    return sorted(found, key=lambda each: each.address)

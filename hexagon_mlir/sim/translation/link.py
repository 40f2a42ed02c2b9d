"""The addresses of a module's symbols in guest memory, and the initial bytes of its data sections."""

from __future__ import annotations

from hexagon_mlir.isa.literals import Refused, integer, shown
from hexagon_mlir.isa.reader import DATA_BYTES, Module, Section
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.host_library.hostfns import CALLBACKS, INLINE
from hexagon_mlir.sim.translation.program import SimError

CONSTRUCTORS = ".init_array"
WORD = 4
NO_PRIORITY = 1 << 16
"""After every constructor with a priority, which is a 16-bit number."""


def assign_addresses(module: Module, gap: int = 0) -> tuple[dict[str, int], dict[int, int], set[str]]:
    """Symbol addresses, section base by index, and code labels whose address is taken.

    ``gap`` bytes at least stand between two sections other than of constructors.
    """
    symbols: dict[str, int] = {}
    bases: dict[int, int] = {}
    cursor = layout.DATA_BASE
    constructors = [s for s in module.sections if s.name.startswith(CONSTRUCTORS)]
    for index, section in sorted(enumerate(module.sections), key=lambda item: _order(item[1])):
        align = WORD if section in constructors else max(section.align, 8)
        cursor = (cursor + align - 1) & -align
        if section in constructors:
            symbols.setdefault("__init_array_start", cursor)
            symbols["__init_array_end"] = cursor + len(section.data)
        bases[index] = cursor
        if cursor + len(section.data) > layout.DATA_BASE + DATA_BYTES:
            raise SimError(f"section '{section.name}' ends beyond the {DATA_BYTES} bytes for data sections")
        for name, offset in section.symbols.items():
            symbols[name] = cursor + offset
        cursor += len(section.data) + (0 if section in constructors else gap)
    code = layout.CODE_BASE
    for name in [*module.functions, *INLINE, *CALLBACKS]:
        if name not in symbols:
            symbols[name] = code
            code += layout.CODE_STEP
    labels = {label for function in module.functions.values() for label in function.labels}
    taken = {r.symbol for section in module.sections for r in section.relocations if r.symbol in labels}
    for function in module.functions.values():
        for packet in function.packets:
            for _, text in packet.lines:
                if "##" not in text:
                    continue
                for word in text.replace("(", " ").replace(",", " ").replace(")", " ").split():
                    flow = "jump" in text or "loop" in text
                    if word.startswith("##") and word[2:] in labels and not flow:
                        taken.add(word[2:])
    for label in sorted(taken):
        symbols[label] = code
        code += layout.CODE_STEP
    for alias, name in module.aliases.items():
        if name in symbols:
            symbols[alias] = symbols[name]
    return symbols, bases, taken


def _order(section: Section) -> tuple[bool, int]:
    """Constructors stand last and together: those with a priority by it, then the others."""
    if not section.name.startswith(CONSTRUCTORS):
        return False, 0
    priority = section.name[len(CONSTRUCTORS) :].lstrip(".")
    try:
        return True, integer(priority) if priority else NO_PRIORITY
    except Refused as error:
        raise SimError(f"the priority of section '{shown(section.name)}': {error}") from error


def data_image(module: Module, symbols: dict[str, int], bases: dict[int, int]) -> list[tuple[int, str]]:
    """(guest address, bytes as hex) of each section that is not all zero, with its relocations applied."""
    image = []
    for index, section in enumerate(module.sections):
        data = bytearray(section.data)
        for r in section.relocations:
            if r.symbol not in symbols or (r.minus is not None and r.minus not in symbols):
                symbol = r.minus if r.symbol in symbols else r.symbol
                reason = f"data section '{shown(section.name)}' refers to undefined symbol '{shown(str(symbol))}'"
                raise SimError(reason, r.line)
            value = symbols[r.symbol] + r.addend - (symbols[r.minus] if r.minus else 0)
            data[r.offset : r.offset + r.size] = (value & ((1 << 8 * r.size) - 1)).to_bytes(r.size, "little")
        if data.count(0) != len(data):
            image.append((bases[index], data.hex()))
    return image

"""Packets to 32-bit words, for the forms of `hexagon_mlir.isa.encoding`.

As the end of a loop is told by parse bits of words before the last, a packet that ends one is filled up with nops.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hexagon_mlir.isa.decode import FormError, Insn, Operand, decode
from hexagon_mlir.isa.encoding import ENCODINGS, LAST, LOOP_END, MORE, WORD_BYTES, Encoding
from hexagon_mlir.isa.literals import Refused
from hexagon_mlir.isa.reader import Function, Packet

MEMORY_SLOTS = (0, 1)


def assemble(function: Function, version: int) -> list[int]:
    """The words of ``function`` for chip generation ``version``; its labels are the only symbols it may name.

    Raises `FormError` for an instruction without encoding or that the chip lacks, an operand that does not fit its
    field, and a packet whose instructions find no slots.
    """
    packets = [_instructions(packet, version) for packet in function.packets]
    starts = [0, *itertools.accumulate(WORD_BYTES * len(packet) for packet in packets)]
    addresses = {label: starts[index] for label, index in function.labels.items()}
    words = []
    for source, packet, start in zip(function.packets, packets, starts, strict=False):
        for index, (insn, encoding, operands) in enumerate(packet):
            words.append(_parse_bits(source, index, len(packet)) | _word(insn, encoding, operands, addresses, start))
    return words


def template_of(insn: Insn) -> tuple[str, list[Operand | str]]:
    """The template of ``insn`` in `ENCODINGS`, if it has one, and its operands; labels stand as their names."""
    template, operands = insn.key, [*insn.dests, *insn.sources]
    if insn.kind == "matrix":
        operands = [operand for operand in operands if operand.cls == "R"]
    elif insn.kind in ("load", "store") and insn.address is not None:
        parts = [part for part in (insn.address.base, insn.address.offset) if part is not None]
        operands = [*insn.dests, *parts, *insn.sources]
    found: list[Operand | str] = [*operands]
    if insn.kind == "loop":
        template = f"{insn.key}{insn.op}(L,{insn.sources[0].cls})"
    elif insn.kind == "jump":
        template = "jump L"
    elif insn.kind == "jumpr":
        template = "jumpr R"
    if insn.target is not None:
        found.insert(0, insn.target)
    if insn.condition is not None:
        operand = insn.condition.operand
        if insn.kind == "jump" or (insn.kind == "jumpr" and operand.new):
            template = template.replace(" ", ":t " if insn.taken_hint else ":nt ")
        template = f"if({'!' * insn.condition.negated}{operand.cls}{'.new' * operand.new}) {template}"
        found.insert(0, operand)
    return template, found


def _instructions(packet: Packet, version: int) -> list[tuple[Insn | None, Encoding, list[Operand | str]]]:
    """The instructions in the order of their words; None is a nop that fills up."""
    found: list[tuple[Insn | None, Encoding, list[Operand | str]]] = []
    for insn in decode(packet):
        if insn.form is not None and (lacking := insn.form.lacking(version)):
            raise FormError(insn.line, insn.text, f"{lacking}, not on v{version}")
        template, operands = template_of(insn)
        if template not in ENCODINGS or any(source.new for source in insn.sources):
            raise FormError(insn.line, insn.text, "no encoding known of")
        found.append((insn, ENCODINGS[template], operands))
    least = 3 if packet.end_loop1 else 2 if packet.end_loop0 else 1
    found += [(None, ENCODINGS["nop"], [])] * (least - len(found))
    if not packet.mem_noshuf:  # a store that stands before a load in memory would be done before it
        found.sort(key=lambda item: item[0] is not None and item[0].kind == "store")
    slots = _slots([encoding for _, encoding, _ in found])
    if slots is None:
        line, text = packet.lines[0]
        raise FormError(line, text, "no slots for all instructions of the packet")
    return [found[index] for index in sorted(range(len(found)), key=lambda index: -slots[index])]


def _slots(encodings: Sequence[Encoding]) -> list[int] | None:
    """A slot of its own for each, those of the least choice first, as high as can be; None if there are not enough.

    What accesses memory alone does so in slot 0.
    """
    choices = [encoding.slots for encoding in encodings]
    if choices.count(MEMORY_SLOTS) == 1 and (0,) not in choices:
        choices[choices.index(MEMORY_SLOTS)] = (0,)
    free, slots = {0, 1, 2, 3}, [0] * len(choices)
    for index in sorted(range(len(choices)), key=lambda index: len(choices[index])):
        left = free.intersection(choices[index])
        if not left:
            return None
        slots[index] = max(left)
        free.remove(slots[index])
    return slots


def _word(insn: Insn | None, encoding: Encoding, operands: list[Operand | str], addresses: dict[str, int],
          start: int) -> int:
    """The word without parse bits of an instruction in the packet at ``start``."""
    if insn is None:
        return encoding.opcode
    values = []
    for operand in operands:
        name = operand if isinstance(operand, str) else operand.symbol
        if name is not None and name not in addresses:
            raise FormError(insn.line, insn.text, f"no label '{name}' in the function")
        values.append(addresses[operand] - start if isinstance(operand, str) else operand.number)
    try:
        return encoding.word(values)
    except Refused as error:
        raise FormError(insn.line, insn.text, str(error), error.hint) from error


def _parse_bits(packet: Packet, index: int, count: int) -> int:
    """Of word ``index`` among ``count``."""
    if (index == 0 and packet.end_loop0) or (index == 1 and packet.end_loop1):
        return LOOP_END
    return LAST if index == count - 1 else MORE

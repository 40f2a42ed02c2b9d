"""Reads of a vector register as the wrong float kind: a qfloat value taken for IEEE, or the other way round.

A data-flow analysis over the blocks of a function determines the kind of each register from the suffixes of the
instructions that write it. Loads, integer results and values that differ between predecessors of a block have no known
kind, and a read without a suffix (a store, a permutation) is no fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from hexagon_mlir.isa.blocks import Block, DecodedPacket, Graph
from hexagon_mlir.isa.form import suffixes

QFLOAT, IEEE = ("qf32", "qf16"), ("sf", "hf")
Kinds = dict[int, str]
"""Vector register -> kind, where known."""


def _wrong(kind: str, read: str) -> bool:
    if kind in QFLOAT:
        return read != kind and (read in QFLOAT or read in IEEE)
    return kind in IEEE and read in QFLOAT


def _reads(packet: DecodedPacket, kinds: Kinds) -> Iterator[str]:
    """A message for every wrong read of the packet. What ``.cur`` and ``.tmp`` loads of it give has no known kind."""
    loaded = {unit for insn in packet.insns if insn.mode for dest in insn.dests for unit in dest.units()}
    for insn in packet.insns:
        if insn.kind != "alu":
            continue
        operands = [*insn.dests, *insn.sources]
        named = suffixes(insn.key)
        if len(named) != len(operands):
            continue
        accumulates = insn.form is not None and insn.form.reads_dest
        for index, (operand, suffix) in enumerate(zip(operands, named, strict=True)):
            if operand.new or (index < len(insn.dests) and not accumulates):
                continue
            for cls, number in operand.units():
                if cls == "V" and (cls, number) not in loaded and _wrong(kinds.get(number, ""), suffix):
                    yield f"v{number} holds {kinds[number]} and is read as {suffix}"


def _writes(packet: DecodedPacket, kinds: Kinds) -> None:
    for insn in packet.insns:
        if insn.kind in ("call", "callr"):
            kinds.clear()
        named = suffixes(insn.key) if insn.kind == "alu" else ()
        for index, dest in enumerate(insn.dests):
            suffix = named[index] if index < len(named) else ""
            for cls, number in dest.units():
                if cls != "V":
                    continue
                known = suffix in QFLOAT or suffix in IEEE
                if known and (insn.condition is None or kinds.get(number) == suffix):
                    kinds[number] = suffix
                else:
                    kinds.pop(number, None)


def _through(block: Block, kinds: Kinds) -> Kinds:
    after = dict(kinds)
    for packet in block.packets:
        _writes(packet, after)
    return after


def faults(graph: Graph) -> list[tuple[DecodedPacket, str]]:
    """Every wrong read of a function."""
    blocks = graph.blocks
    successors: list[list[int]] = [[] for _ in blocks]
    for index, block in enumerate(blocks):
        for before in block.predecessors:
            successors[before].append(index)
    exits: list[Kinds | None] = [None] * len(blocks)
    entries: list[Kinds] = [{} for _ in blocks]
    waiting = dict.fromkeys(range(len(blocks)))  # in order, each once
    while waiting:
        index = next(iter(waiting))
        del waiting[index]
        known = [exit for p in blocks[index].predecessors if (exit := exits[p]) is not None]
        if index and blocks[index].predecessors and not known:
            continue  # the worklist: kinds are only removed, so the analysis terminates
        first = known[0] if known and index else {}
        entry = {n: k for n, k in first.items() if all(other.get(n) == k for other in known)}
        if exits[index] is not None and entry == entries[index]:
            continue
        entries[index], after = entry, _through(blocks[index], entry)
        if after != exits[index]:
            exits[index] = after
            waiting.update(dict.fromkeys(successors[index]))
    found = []
    for block, entry in zip(blocks, entries, strict=True):
        kinds = dict(entry)
        for packet in block.packets:
            found += [(packet, message) for message in _reads(packet, kinds)]
            _writes(packet, kinds)
    return found

"""Which slot holds which value: linear scan over the operations of a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.bytecode.lowering import Lowered
from hexagon_mlir.bytecode.operations import Kind


@dataclass(frozen=True)
class SlotUse:
    """A slot: ``doubled`` if transfers use it."""

    kind: Kind
    half: bool
    doubled: bool


def assign(lowered: Lowered, inputs: Sequence[int]) -> tuple[tuple[SlotUse, ...], dict[int, int]]:
    """The slots, and the slot of each value.

    Inputs and outputs have slots of their own, of two places: transfers of other tiles use them. What is between them
    takes a slot that is free: one is from the last use of its value on, that of an operand for the result.
    """
    last = {operand: number for number, code in enumerate(lowered.code) for operand in code.operands}
    slots: list[SlotUse] = []
    of: dict[int, int] = {}
    free: list[int] = []

    def fits(slot: int, value: int) -> bool:
        return (slots[slot].kind, slots[slot].half) == (lowered.kinds[value], lowered.half[value])

    def make(value: int, doubled: bool) -> None:
        of[value] = len(slots)
        slots.append(SlotUse(lowered.kinds[value], lowered.half[value], doubled))

    for value in inputs:
        make(value, doubled=True)
    for number, code in enumerate(lowered.code):
        free += [of[value] for value in dict.fromkeys(code.operands)
                 if last[value] == number and value not in lowered.outputs]
        if code.result in lowered.outputs:
            make(code.result, doubled=True)
        elif fitting := [slot for slot in free if fits(slot, code.result)]:
            of[code.result] = min(fitting, key=lambda slot: slots[slot].doubled)
            free.remove(of[code.result])
        else:
            make(code.result, doubled=False)
        if code.result not in last and code.result not in lowered.outputs:
            free.append(of[code.result])
    return tuple(slots), of

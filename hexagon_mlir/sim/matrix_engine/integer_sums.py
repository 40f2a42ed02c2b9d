"""Products of bytes and integer weights into the integer accumulators: sums that wrap at 32 bits.

A cell has two sub-accumulators, of the low and of the high part of each weight; its value is low + 16 * high.
"""

from __future__ import annotations

from hexagon_mlir.sim.matrix_engine.formats import BYTE_GROUP, BYTE_ROWS, COLUMNS
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I16, I32, Type


def products(lanes: int, declarations: set[str]) -> str:
    """``mx_products_ub``: the channels of one tap for all rows; ``lanes`` columns at a time.

    ``low``, ``high``: accumulators, i32 [2 * BYTE_ROWS][COLUMNS]. ``a``: activations, i16 [slot][COLUMNS channels].
    ``from``, ``to``: slot of each row, and its accumulator or -1. ``wl``, ``wh``: weights, i16 [channel][COLUMNS].
    ``groups``: of `BYTE_GROUP` channels, from ``channel`` on.
    """
    parameters = ("ptr %low, ptr %high, ptr %a, ptr %from, ptr %to, ptr %wl, ptr %wh, i32 %channel, i32 %groups")
    code = Function(f"void @mx_products_ub({parameters})", "nounwind", declarations)
    words, halves = Type(lanes, "i", 32), Type(lanes, "i", 16)
    channel = code.argument("channel", I32)
    group, = code.loop("group", [code.const(0, I32)])
    first = group * BYTE_GROUP
    for part in range(0, COLUMNS, lanes):
        weights = []
        for base in ("%wl", "%wh"):
            places = [code.element(base, (first + each) * COLUMNS + part, I16) for each in range(BYTE_GROUP)]
            weights.append([code.load(place, halves, 2).sext(32) for place in places])
        row, = code.loop(f"row{part}", [code.const(0, I32)])
        to = code.load(code.element("%to", row, I32), I32)
        with code.when(to.icmp("sge", 0), f"sum{part}", f"next{part}"):
            slot = code.load(code.element("%from", row, I32), I32) * COLUMNS + channel + first
            activations = code.load(code.element("%a", slot, I16), Type(BYTE_GROUP, "i", 16), 2)
            spread = [activations.extract(each).zext(32).splat(lanes) for each in range(BYTE_GROUP)]
            for base, parts in zip(("%low", "%high"), weights, strict=True):
                place = code.element(base, to * COLUMNS + part, I32)
                total = code.load(place, words, 4)
                for activation, weight in zip(spread, parts, strict=True):
                    total = total + activation * weight
                code.store(total, place, 4)
        code.repeat(f"row{part}", (row + 1).icmp("ult", BYTE_ROWS), [row + 1], f"done{part}")
    code.repeat("group", (group + 1).icmp("ult", code.argument("groups", I32)), [group + 1], "done")
    code.put("ret void")
    return code.text()

"""Products of bytes and integer weights into the integer accumulators: sums that wrap at 32 bits.

A cell has two sub-accumulators, of the low and of the high part of each weight; its value is low + 16 * high. Both
parts of a weight stand in one word, so one multiplication serves both: the sum of four products of a part fits in 16
bits.
"""

from __future__ import annotations

from hexagon_mlir.sim.matrix_engine.formats import BYTE_GROUP, BYTE_ROWS, COLUMNS
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I32, Type, Val

PART_BITS = 16


def packed(low: Val, high: Val) -> Val:
    """Both parts of weights in one word."""
    return low + (high << PART_BITS)


def products(lanes: int, declarations: set[str]) -> str:
    """``mx_products_ub``: the channels of one tap for all rows; ``lanes`` columns at a time.

    ``low``, ``high``: accumulators, i32 [2 * BYTE_ROWS][COLUMNS]. ``a``: activations, i32 [slot][COLUMNS channels].
    ``from``, ``to``: slot of each row, and its accumulator or -1. ``w``: weights, i32 [channel][COLUMNS].
    ``groups`` are of `BYTE_GROUP` channels, from ``channel`` on.
    """
    parameters = "ptr %low, ptr %high, ptr %a, ptr %from, ptr %to, ptr %w, i32 %channel, i32 %groups"
    code = Function(f"void @mx_products_ub({parameters})", "nounwind", declarations)
    words = Type(lanes, "i", 32)
    row, = code.loop("row", [code.const(0, I32)])
    to = code.load(code.element("%to", row, I32), I32)
    slot = code.load(code.element("%from", row, I32), I32) * COLUMNS + code.argument("channel", I32)
    with code.when(to.icmp("sge", 0), "sum", "next"):
        for part in range(0, COLUMNS, lanes):
            places = [code.element(base, to * COLUMNS + part, I32) for base in ("%low", "%high")]
            start = [code.const(0, I32), *(code.load(place, words, 4) for place in places)]
            group, low, high = code.loop(f"group{part}", start)
            first = group * BYTE_GROUP
            activations = code.element("%a", slot + first, I32)
            weights = code.element("%w", first * COLUMNS + part, I32)
            total = code.const(0, words)
            for each in range(BYTE_GROUP):
                activation = code.load(code.element(activations, each, I32), I32).splat(lanes)
                total = total + activation * code.load(code.element(weights, each * COLUMNS, I32), words, 4)
            low_sum = (total << PART_BITS) >> PART_BITS
            low, high = low + low_sum, high + ((total - low_sum) >> PART_BITS)
            again = (group + 1).icmp("ult", code.argument("groups", I32))
            code.repeat(f"group{part}", again, [group + 1, low, high], f"done{part}")
            for place, value in zip(places, (low, high), strict=True):
                code.store(value, place, 4)
    code.repeat("row", (row + 1).icmp("ult", BYTE_ROWS), [row + 1], "done")
    code.put("ret void")
    return code.text()

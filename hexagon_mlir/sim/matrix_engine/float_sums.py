"""The sum of eight products into a float accumulator, bit for bit.

The products are aligned to the largest exponent; what is shifted out is kept as one *sticky* bit in the last place.
Their exact sum is aligned with the accumulator in the same way, added and halved. The result is normalized by up to
three places. How many is anticipated from the two addends, so one may be missing. Source: the public QEMU trees, see
`docs/simulator.md`.
"""

from __future__ import annotations

from hexagon_mlir.sim.matrix_engine.formats import (
    ABSENT_EXPONENT,
    COLUMNS,
    GROUP,
    NORMALIZED,
    POSITIVE_INFINITY,
    ROWS,
)
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I1, I16, I32, Type, Val

WORD_BITS = 32
SIGNIFICAND_BITS = 30


def shifted(value: Val, distance: Val) -> Val:
    """``value >> distance`` with a sticky last bit."""
    bits = value.ty.bits
    short = distance.two("umin", bits - 1)
    result = value >> short
    exact = (result << short).icmp("eq", value)
    return exact.select(result, result | 1)


def _normalization(a: Val, b: Val) -> Val:
    """How many places the halved sum of ``a`` and ``b`` is normalized by, as anticipated: 0 to `NORMALIZED`."""
    differ = a ^ b
    zeros = differ ^ ((a | b) << 1 | 1)  # a one wherever a sum of two positive numbers may begin
    ones = differ ^ ~((a & b) << 1)
    either = zeros.two("umin", ones)
    leading = differ.icmp("slt", 0).select(either, a.icmp("slt", 0).select(ones, zeros))
    places = leading.code.const(0, a.ty)
    for place in range(NORMALIZED):
        below = leading.icmp("ult", 1 << SIGNIFICAND_BITS - 1 - place)
        places = places - below.sext(a.ty.bits)
    return places


def accumulated(
    accumulator: tuple[Val, Val], products: list[tuple[Val, Val]], least: Val
) -> tuple[Val, Val]:
    """Significand and exponent of ``accumulator`` plus ``products``, each of them such a pair."""
    exponent = least
    for _, each in products:
        exponent = exponent.two("smax", each)
    total = accumulator[0].code.const(0, accumulator[0].ty)
    for significand, each in products:
        total = total + shifted(significand, exponent - each)
    larger = exponent.two("smax", accumulator[1])
    a, b = shifted(accumulator[0], larger - accumulator[1]), shifted(total, larger - exponent)
    whole = a + b
    half = (whole >> 1) | (whole & 1)
    above = larger + 1
    places = _normalization(a, b).two("smin", above - least)
    return half << places, above - places


def products(lanes: int, declarations: set[str]) -> str:
    """``mx_products_hf``: the groups of one tap for all rows; ``lanes`` columns at a time.

    ``significands``, ``exponents``, ``kinds``: accumulators, i32 [2 * ROWS][COLUMNS]. ``a``, ``ae``: activations, i32
    [slot][COLUMNS channels]. ``from``, ``to``: slot of each row, and its accumulator or -1. ``w``, ``we``: weights, i16
    [channel][COLUMNS]. With ``skip`` a cell is left alone whose eight activations or eight weights are zero.
    """
    parameters = ("ptr %significands, ptr %exponents, ptr %kinds, ptr %a, ptr %ae, ptr %from, ptr %to, ptr %w, "
                  "ptr %we, i32 %channel, i32 %groups, i32 %least, i32 %greatest, i1 %skip")
    code = Function(f"void @mx_products_hf({parameters})", "nounwind", declarations)
    words, halves = Type(lanes, "i", 32), Type(lanes, "i", 16)
    least, greatest = (code.argument(name, I32).splat(lanes) for name in ("least", "greatest"))
    channel = code.argument("channel", I32)
    group, = code.loop("group", [code.const(0, I32)])
    first = group * GROUP
    for part in range(0, COLUMNS, lanes):
        weights = []
        for each in range(GROUP):
            place = (first + each) * COLUMNS + part
            weights.append([code.load(code.element(base, place, I16), halves, 2).sext(32) for base in ("%w", "%we")])
        on = _taking_part(weights, code.argument("skip", I1).splat(lanes))
        row, = code.loop(f"row{part}", [code.const(0, I32)])
        to = code.load(code.element("%to", row, I32), I32)
        slot = code.load(code.element("%from", row, I32), I32) * COLUMNS + channel + first
        significands = code.element("%a", slot, I32)
        some = code.reduced("or", code.load(significands, Type(GROUP, "i", 32), 4)).icmp("ne", 0)
        some = some | ~code.argument("skip", I1)
        with code.when(some & to.icmp("sge", 0), f"sum{part}", f"next{part}"):
            exponents = code.element("%ae", slot, I32)
            pairs = []
            for each, (weight, weight_exponent) in enumerate(weights):
                a, exponent = (code.load(code.element(base, each, I32), I32).splat(lanes)
                               for base in (significands, exponents))
                pairs.append((a * weight, exponent + weight_exponent))
            place = to * COLUMNS + part
            places = [code.element(base, place, I32) for base in ("%significands", "%exponents")]
            before = [code.load(each, words, 4) for each in places]
            after = accumulated((before[0], before[1]), pairs, least)
            over = after[1].icmp("sgt", greatest) & on
            with code.when(_some(over), f"over{part}", f"kept{part}"):
                kinds = code.element("%kinds", place, I32)
                infinity = (after[0].lshr(WORD_BITS - 1)) + POSITIVE_INFINITY
                known = code.load(kinds, words, 4)
                code.store((over & known.icmp("eq", 0)).select(infinity, known), kinds, 4)
            kept = (after[0], after[1].two("smin", greatest))
            for old, new, where in zip(before, kept, places, strict=True):
                code.store(on.select(new, old), where, 4)
        code.repeat(f"row{part}", (row + 1).icmp("ult", ROWS), [row + 1], f"done{part}")
    code.repeat("group", (group + 1).icmp("ult", code.argument("groups", I32)), [group + 1], "done")
    code.put("ret void")
    return code.text()


def _taking_part(weights: list[list[Val]], skip: Val) -> Val:
    """Which columns have a weight among ``weights`` that is not zero; without ``skip``, that is there (i1)."""
    any_bit, highest = weights[0]
    for significand, exponent in weights[1:]:
        any_bit, highest = any_bit | significand, highest.two("smax", exponent)
    return skip.select(any_bit.icmp("ne", 0), highest.icmp("ne", ABSENT_EXPONENT))


def _some(lanes: Val) -> Val:
    """Whether any of ``lanes`` (i1) holds."""
    bits = lanes.code.op(f"bitcast {lanes.ty} {lanes.name} to i{lanes.ty.lanes}", Type(1, "i", lanes.ty.lanes))
    return bits.icmp("ne", 0)

"""Integer accumulators to unsigned bytes and halfwords: ``scale * shape(accumulator + bias) + output bias``.

What falls off the low end is lost, except for one sticky bit in the forms ``cvt``. An entry of the conversion state has
12 bits; a halfword takes the entries of two rows. Source: the public QEMU trees, see `docs/simulator.md`.
"""

from __future__ import annotations

from hexagon_mlir.sim.matrix_engine.formats import BYTE_ROWS, COLUMNS
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I1, I16, I32, Type, Val

BYTE_FRACTION, HALFWORD_FRACTION = 12, 24
"""Fraction bits of the value that is scaled, with binary point above bit 31 after the shift."""
POINT = 32
RANGE_BITS = 35
"""Of a shifted value: two integer bits and sign; a value beyond that has a mark in the upper integer bit."""


def _scale(word: Val) -> Val:
    """12 bits, of which the upper one is stored inverted."""
    return ((word & 0x3FF) << 1) | word.lshr(31) | ((word.lshr(16) & 1) ^ 1) << 11


def _output_bias(word: Val) -> Val:
    return word.lshr(19) & 0xFFF


def _exponent(word: Val) -> Val:
    return word.lshr(10) & 0x1F


def _shape(word: Val) -> Val:
    return (word.lshr(17) & 3) | (word.lshr(15) & 1) << 2


def _positioned(value: Val, moved: Val, word: Val, fraction: int, legacy: Val) -> Val:
    """``moved``, which is value * 2**exponent, shaped; with ``fraction`` + 1 bits below the point, the last sticky."""
    zero = value.code.const(0, value.ty)
    negative = value.icmp("slt", 0)
    above = moved & -(1 << POINT + 1)
    beyond = negative.select(above.icmp("eq", -(1 << POINT + 1)), above.icmp("ne", 0))
    field = (1 << POINT + 1) - (1 << POINT - fraction)
    kept = (moved & field) | beyond.select(zero.lift(1 << POINT + 1), 0)
    kept = kept | negative.select(zero.lift(1 << POINT + 2), 0)
    sticky = 1 << POINT - 1 - fraction
    kept = (~legacy & kept.icmp("ne", 0)).select(kept | sticky, kept)
    shape = _shape(word)
    complement = (shape.icmp("uge", 4) | (shape.icmp("eq", 3) & negative)) & ~(shape.icmp("eq", 7) & negative)
    kept = complement.select(kept & ~sticky, kept)
    kept = (kept << 64 - RANGE_BITS) >> 64 - RANGE_BITS + POINT - 1 - fraction
    return _shaped(kept, value, shape)


def _shaped(value: Val, before: Val, shape: Val) -> Val:
    """``value`` after one of the eight shapes; some of them look at the number ``before`` it was shifted."""
    zero = value.code.const(0, value.ty)
    flipped = ~value
    below, above = value.icmp("slt", 0), value.icmp("sgt", 0)
    something = before.icmp("ne", 0)
    shapes = {
        1: above.select(zero, value),
        2: below.select(zero, value),
        3: below.select(flipped, value),
        4: something.select(flipped, zero),
        5: before.icmp("sge", 0).select(zero, flipped),
        6: before.icmp("sle", 0).select(zero, flipped),
        7: something.select(below.select(value, flipped), zero),
    }
    result = value
    for number, each in shapes.items():
        result = shape.icmp("eq", number).select(each, result)
    return result


def _limited(value: Val, bits: int, saturate: Val) -> Val:
    """``value`` as an unsigned number of ``bits``."""
    most = (1 << bits) - 1
    return saturate.select(value.two("smax", 0).two("smin", most), value & most)


class _Conversion:
    """A function that converts a set of integer accumulators, ``cells``: i32 [BYTE_ROWS][COLUMNS].

    ``low``, ``bias``: first word and 32-bit bias of each column, i32 [COLUMNS]; ``state``: i16 [BYTE_ROWS][COLUMNS].
    """

    def __init__(self, name: str, lanes: int, declarations: set[str], more: str = "") -> None:
        parameters = f"ptr %cells, ptr %low, ptr %bias, ptr %state, i1 %saturate, i1 %legacy{more}"
        self.code = Function(f"void @mx_convert_{name}({parameters})", "nounwind", declarations)
        self.lanes = lanes
        self.saturate, self.legacy = (self.code.argument(n, I1).splat(lanes) for n in ("saturate", "legacy"))

    def load(self, base: str, place: Val | int) -> Val:
        return self.code.load(self.code.element(base, place, I32), Type(self.lanes, "i", 32), 4)

    def put(self, entry: Val, row: Val, part: int) -> None:
        self.code.store(entry.trunc(16), self.code.element("%state", row * COLUMNS + part, I16), 2)

    def put_halfword(self, result: Val, row: Val, part: int) -> None:
        """20 bits: the low 12 in ``row``, the upper 8 in the next."""
        self.put(result & 0xFFF, row, part)
        self.put(result.lshr(8) & 0xFF0, row + 1, part)

    def text(self, row: Val, step: int) -> str:
        self.code.repeat("row", (row + step).icmp("ult", BYTE_ROWS), [row + step], "done")
        self.code.put("ret void")
        return self.code.text()


def to_bytes(lanes: int, declarations: set[str]) -> str:
    """``mx_convert_ub``."""
    it = _Conversion("ub", lanes, declarations)
    row, = it.code.loop("row", [it.code.const(0, I32)])
    for part in range(0, COLUMNS, lanes):
        word, bias = it.load("%low", part).zext(64), it.load("%bias", part).sext(64)
        cell = it.load("%cells", row * COLUMNS + part).sext(64)
        biased = cell + bias
        value = _positioned(biased, biased << _exponent(word), word, BYTE_FRACTION, it.legacy)
        result = (value * _scale(word) + (_output_bias(word) << 12)) >> 12
        it.put(_limited(result, 12, it.saturate), row, part)
    return it.text(row, 1)


def to_halfwords(lanes: int, declarations: set[str]) -> str:
    """``mx_convert_uh``: of two rows, the first worth 1/256 of the second; ``more`` (i1) keeps its low 8 bits."""
    it = _Conversion("uh", lanes, declarations, ", i1 %more")
    more = it.code.argument("more", I1).splat(lanes)
    row, = it.code.loop("row", [it.code.const(0, I32)])
    for part in range(0, COLUMNS, lanes):
        word, bias = it.load("%low", part).zext(64), it.load("%bias", part).sext(64)
        low, high = (it.load("%cells", (row + each) * COLUMNS + part).sext(64) for each in (0, 1))
        biased, finer = high + (low >> 8) + bias, ((high + bias) << 8) + low
        exponent = _exponent(word)
        moved = (biased << exponent) + more.select(((low & 0xFF) << exponent) >> 8, 0)
        value = _positioned(more.select(finer, biased), moved, word, HALFWORD_FRACTION, it.legacy)
        scale = (_scale(word) << 8) | (word.lshr(23) & 0xFF)
        rounding = (word.lshr(22) & 1) << 27
        result = _limited((value * scale + rounding) >> 20, 24, it.saturate)
        it.put_halfword(result.lshr(4), row, part)
    return it.text(row, 2)


def to_halfwords_of_four(lanes: int, declarations: set[str]) -> str:
    """``mx_convert_uh2``: of two rows and two columns; ``chosen`` (i32): 3 all four, 2 the even column alone, else the
    odd one. The result stands in the odd column, with 2 in the even one; the other is 0.
    """
    it = _Conversion("uh2", lanes, declarations, ", i32 %chosen")
    code = it.code
    chosen = code.argument("chosen", I32)
    both, even = (chosen.icmp("eq", n).splat(lanes) for n in (3, 2))
    both, even = both | it.legacy, even & ~it.legacy
    row, = code.loop("row", [code.const(0, I32)])
    for part in range(0, COLUMNS, 2 * lanes):
        low_word, high_word = (each.zext(64) for each in _columns(it, "%low", part))
        bias = _columns(it, "%bias", part)[0].sext(64)
        zero = code.const(0, bias.ty)
        cells = [[each.sext(64) for each in _columns(it, "%cells", (row + n) * COLUMNS + part)] for n in (0, 1)]
        (low_low, low_high), (high_low, high_high) = cells
        low_high, high_high = even.select(low_low, low_high), even.select(high_low, high_high)
        low_low, high_low = both.select(low_low, zero), both.select(high_low, zero)
        whole = low_low + ((low_high + high_low + (high_high << 8)) << 8)
        biased = (whole + (bias << 16)) >> 16
        value = _positioned(biased, biased << _exponent(low_word), low_word, HALFWORD_FRACTION, it.legacy)
        upper = (high_word & 0x3FF) | ((high_word.lshr(16) & 1) ^ 1) << 10
        scale = ((upper << 10 | (low_word & 0x3FF)) << 1) | low_word.lshr(31)
        output = (high_word.lshr(23) & 0xFF) << 12 | _output_bias(low_word)
        output = it.legacy.select((output << 2) & 0xFFFFF, output)
        result = _limited((value * scale + (output << 26)) >> 22, 24, it.saturate).lshr(4)
        for number, each in enumerate((result & 0xFFF, result.lshr(8) & 0xFF0)):
            pair = even.select(each, zero).trunc(16), even.select(zero, each).trunc(16)
            mixed = pair[0].shuffle(pair[1], [n // 2 + n % 2 * lanes for n in range(2 * lanes)])
            code.store(mixed, code.element("%state", (row + number) * COLUMNS + part, I16), 2)
    return it.text(row, 2)


def _columns(it: _Conversion, base: str, place: Val | int) -> tuple[Val, Val]:
    """The even and the odd ones of twice as many columns."""
    words = it.code.load(it.code.element(base, place, I32), Type(2 * it.lanes, "i", 32), 4)
    return words.shuffle(None, list(range(0, 2 * it.lanes, 2))), words.shuffle(None, list(range(1, 2 * it.lanes, 2)))

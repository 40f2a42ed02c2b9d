"""Scalar multiplies beyond 32 x 32 on Python integers (V73 Programmer's Reference Manual 80-N2040-53, XTYPE/MPY).

``:<<1`` doubles a product, ``:rnd`` adds half of what is cut off below, ``:sat`` clamps to the size of the result
and ``*`` takes the complex conjugate of the second operand. Complex numbers have their real part in the low half.
"""

from __future__ import annotations

from hexagon_mlir.sim.reference.rules import pack, rule, saturate, signed, unpack

WIDTH = {"R": 32, "RR": 64}
ROUND = 0x8000


def halves(value, total=64, is_signed=True):
    return unpack(value, 16, total, is_signed)


def words(value):
    return unpack(value, 32, 64, True)


def bytes_of(value, is_signed, total=64):
    return unpack(value, 8, total, is_signed)


def _doubled(products, mark):
    return [2 * p for p in products] if "<<1" in mark else products


def _sum(old, parts, bits, mark=":sat"):
    """Lane sums with the old lanes (if any), clamped when saturating."""
    sums = [o + p for o, p in zip(unpack(old, bits, 64, True), parts, strict=True)] if old is not None else parts
    return pack([saturate(s, bits) for s in sums] if "sat" in mark else sums, bits)


def _upper(parts):
    """Rounded upper halves of saturated words."""
    return pack([saturate(p + ROUND, 32) >> 16 for p in parts], 16)


def _old(update, arguments):
    """The accumulator of ``+=`` or None, and the operands."""
    return (arguments[0], arguments[1:]) if update else (None, arguments)


# -- halfwords and words -----------------------------------------------------------------------------------
@rule("{R|RR}{|+|-}=mpy{|u}(R.{l|h},R.{l|h}){|:<<1}{|:rnd}{|:sat}")
def multiply_halves(size, update, unsigned, i, j, twice, rounding, sat, *arguments):
    old, (a, b) = _old(update, arguments)
    x = halves(a, 32, not unsigned)["lh".index(i)]
    y = halves(b, 32, not unsigned)["lh".index(j)]
    product = _doubled([x * y], twice)[0] + (ROUND if rounding else 0)
    total = product if old is None else signed(old, WIDTH[size]) + (product if update == "+" else -product)
    return saturate(total, 32) if sat else total


@rule("R=mpy(R,R){:<<1|:<<1:sat|:rnd}")
def multiply_upper(mark, a, b):
    product = signed(a, 32) * signed(b, 32)
    if mark == ":rnd":
        return product + (1 << 31) >> 32
    return saturate(product >> 31, 32) if "sat" in mark else product >> 31


@rule("R{+|-}=mpy(R,R):<<1:sat")
def multiply_upper_update(sign, old, a, b):
    product = signed(a, 32) * signed(b, 32) >> 31
    return saturate(signed(old, 32) + (product if sign == "+" else -product), 32)


@rule("R=mpy(R,R.{l|h}):<<1{|:rnd}:sat")
def multiply_word_half(part, rounding, a, b):
    product = signed(a, 32) * halves(b, 32)["lh".index(part)]
    return saturate(product + (0x4000 if rounding else 0) >> 15, 32)


@rule("R=mpyui(R,R)")
def multiply_low(a, b):
    return a * b


# -- complex -----------------------------------------------------------------------------------------------
def _complex(a, b, conjugate):
    """Real and imaginary part of the product of two (real, imaginary) pairs."""
    (ar, ai), (br, bi) = a, b
    bi = -bi if conjugate else bi
    return ar * br - ai * bi, ar * bi + ai * br


@rule("RR{|+|-}=cmpy(R,R{|*}){|:<<1}:sat")
def complex_multiply(update, star, twice, *arguments):
    old, (a, b) = _old(update, arguments)
    parts = _doubled(_complex(halves(a, 32), halves(b, 32), star), twice)
    return _sum(old, [-p for p in parts] if update == "-" else parts, 32)


@rule("R=cmpy(R,R{|*}){|:<<1}:rnd:sat")
def complex_upper(star, twice, a, b):
    return _upper(_doubled(_complex(halves(a, 32), halves(b, 32), star), twice))


@rule("RR=cmpy{r|i}(R,R)")
def complex_part(part, a, b):
    return _complex(halves(a, 32), halves(b, 32), "")["ri".index(part)]


@rule("RR{|+}=vcmpy{r|i}(RR,RR){|:<<1}:sat")
def complex_lanes(update, part, twice, *arguments):
    old, (a, b) = _old(update, arguments)
    x, y = halves(a), halves(b)
    parts = [_complex(x[k : k + 2], y[k : k + 2], "")["ri".index(part)] for k in (0, 2)]
    return _sum(old, _doubled(parts, twice), 32)


@rule("RR{|+}=vrcmpy{r|i}(RR,RR{|*})")
def complex_sum(update, part, star, *arguments):
    old, (a, b) = _old(update, arguments)
    x, y = halves(a), halves(b)
    return (old or 0) + sum(_complex(x[k : k + 2], y[k : k + 2], star)["ri".index(part)] for k in (0, 2))


def _by_word(word, a, b):
    """Complex halfwords times one real word: real sums in lane 0, imaginary ones in lane 1, doubled."""
    x, y = halves(a), halves(b)[2 * word : 2 * word + 2]
    return [2 * (x[k] * y[0] + x[k + 2] * y[1]) for k in (0, 1)]


@rule("RR{|+}=vrcmpys(RR,RR):<<1:sat:raw:{lo|hi}")
def complex_by_real(update, which, *arguments):
    old, (a, b) = _old(update, arguments)
    return _sum(old, _by_word(("lo", "hi").index(which), a, b), 32)


@rule("R=vrcmpys(RR,RR):<<1:rnd:sat:raw:{lo|hi}")
def complex_by_real_upper(which, a, b):
    return _upper(_by_word(("lo", "hi").index(which), a, b))


@rule("RR=cmpy{r|i}w(RR,RR{|*})")
def complex_words(part, star, a, b):
    return _complex(words(a), words(b), star)["ri".index(part)]


@rule("R=cmpy{r|i}w(RR,RR{|*}):<<1{|:rnd}:sat")
def complex_words_upper(part, star, rounding, a, b):
    product = _complex(words(a), words(b), star)["ri".index(part)]
    return saturate(product + (1 << 30 if rounding else 0) >> 31, 32)


@rule("R=cmpy{r|i}wh(RR,R{|*}):<<1:rnd:sat")
def complex_words_halves(part, star, a, b):
    product = _complex(words(a), halves(b, 32), star)["ri".index(part)]
    return saturate(product + 0x4000 >> 15, 32)


@rule("RR{|+}=vdmpyw(RR,RR)")
def dot_words(update, *arguments):
    old, (a, b) = _old(update, arguments)
    return (old or 0) + sum(x * y for x, y in zip(words(a), words(b), strict=True))


# -- lanes -------------------------------------------------------------------------------------------------
@rule("RR{|+}=vmpyh{|su}(R,R){|:<<1}{|:sat}")
def multiply_half_lanes(update, unsigned, twice, sat, *arguments):
    old, (a, b) = _old(update, arguments)
    products = [x * y for x, y in zip(halves(a, 32), halves(b, 32, not unsigned), strict=True)]
    return _sum(old, _doubled(products, twice), 32, sat)


@rule("RR{|+}=vmpyeh(RR,RR){|:<<1}{|:sat}")
def multiply_even_halves(update, twice, sat, *arguments):
    old, (a, b) = _old(update, arguments)
    products = [x * y for x, y in zip(halves(a)[::2], halves(b)[::2], strict=True)]
    return _sum(old, _doubled(products, twice), 32, sat)


@rule("R=vmpyh(R,R){|:<<1}:rnd:sat")
def multiply_half_upper(twice, a, b):
    return _upper(_doubled([x * y for x, y in zip(halves(a, 32), halves(b, 32), strict=True)], twice))


@rule("RR{|+}=vmpyw{e|o}{|u}h(RR,RR){|:<<1}{|:rnd}:sat")
def multiply_words_halves(update, which, unsigned, twice, rounding, *arguments):
    old, (a, b) = _old(update, arguments)
    factors = halves(b, 64, not unsigned)["eo".index(which) :: 2]
    products = _doubled([x * y for x, y in zip(words(a), factors, strict=True)], twice)
    return _sum(old, [p + (ROUND if rounding else 0) >> 16 for p in products], 32)


def _dot(left, right, size):
    products = [x * y for x, y in zip(left, right, strict=True)]
    return [sum(products[i : i + size]) for i in range(0, len(products), size)]


@rule("RR{|+}=vdmpy(RR,RR){|:<<1}:sat")
def dot_halves(update, twice, *arguments):
    old, (a, b) = _old(update, arguments)
    return _sum(old, _doubled(_dot(halves(a), halves(b), 2), twice), 32)


@rule("R=vdmpy(RR,RR){|:<<1}:rnd:sat")
def dot_halves_upper(twice, a, b):
    return _upper(_doubled(_dot(halves(a), halves(b), 2), twice))


@rule("RR{|+}=vdmpybsu(RR,RR):sat")
def dot_byte_pairs(update, *arguments):
    old, (a, b) = _old(update, arguments)
    return _sum(old, _dot(bytes_of(a, True), bytes_of(b, False), 2), 16)


@rule("RR{|+}=vrmpyb{u|su}(RR,RR)")
def dot_bytes(update, kind, *arguments):
    old, (a, b) = _old(update, arguments)
    return _sum(old, _dot(bytes_of(a, kind == "su"), bytes_of(b, False), 4), 32, "")


@rule("RR{|+}=vrmpyh(RR,RR)")
def dot_all_halves(update, *arguments):
    old, (a, b) = _old(update, arguments)
    return (old or 0) + _dot(halves(a), halves(b), 4)[0]


@rule("RR{|+}=vrmpyw{e|o}h(RR,RR){|:<<1}")
def dot_words_halves(update, which, twice, *arguments):
    old, (a, b) = _old(update, arguments)
    return (old or 0) + sum(_doubled(_dot(words(a), halves(b)["eo".index(which) :: 2], 2), twice))


# -- polynomials over GF(2) --------------------------------------------------------------------------------
def _carryless(a, b):
    result = 0
    while b:
        if b & 1:
            result ^= a
        a, b = a << 1, b >> 1
    return result


@rule("RR=pmpyw(R,R)")
def polynomial_words(a, b):
    return _carryless(a, b)


@rule("RR{|^}=vpmpyh(R,R)")
def polynomial_halves(update, *arguments):
    old, (a, b) = _old(update, arguments)
    first, second = (_carryless(x, y) for x, y in zip(halves(a, 32, False), halves(b, 32, False), strict=True))
    return (old or 0) ^ pack([first, second, first >> 16, second >> 16], 16)

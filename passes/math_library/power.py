"""powf and fpowi: x^y.

Constant exponents: products for whole numbers up to 16 in size (each adds half an ulp), roots for halves, as PyTorch
does. Others: 2^(y log2 |x|), with log2 |x| and the product in two parts, after |x| = 2^k c m, c = 1 or 3/2, and
log(m) = 2 atanh((m - 1) / (m + 1)); |x| is brought to within 22% of 2^k c. Short: both functions in plain f32.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
powf              4.24   186.5  86.74    61.8
===============  =============  =============
"""

from __future__ import annotations

import math

from hexagon_mlir.passes.math_library import qfloat_power
from hexagon_mlir.passes.math_library.coefficients import ATANH_NARROW, EXP2
from hexagon_mlir.passes.math_library.division import approximate_reciprocal, divide
from hexagon_mlir.passes.math_library.exponential import exp2
from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    FRACTION,
    INFINITY,
    MANTISSA_BITS,
    ROUND,
    Float,
    Int,
    Mask,
    float_bits,
    horner,
)
from hexagon_mlir.passes.math_library.logarithm import exponent, log2, normal
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode
from hexagon_mlir.passes.math_library.roots import rsqrt, sqrt

LARGEST_INTEGER = 16
UNIT = float(1 << MANTISSA_BITS)
ONE_BITS = float_bits(1.0)
THREE_HALVES = (0.584716796875, math.log2(1.5) - 0.584716796875)  # 12 bits of log2(3/2) and the rest
TWO_LOG2_E = (2.884765625, 2 / math.log(2) - 2.884765625)  # 12 bits of 2 / ln 2 and the rest
LARGEST_EXPONENT = 2.0**33  # for larger y, x^y is 0, 1 or infinite for every x
SATURATION = 192.0


def powf(x: Float, y: Float, mode: Mode = ACCURATE) -> Float:
    """x^y as C's pow: 1 for y = 0 or x = 1 whatever the other is."""
    constant = y.constant
    if constant is not None:
        if constant == 0.5:
            return sqrt(x, mode)
        if constant == -0.5:
            return rsqrt(x, mode)
        if constant == int(constant if math.isfinite(constant) else 0.5) and abs(constant) <= LARGEST_INTEGER:
            return _whole(x, int(constant), mode)
    magnitude = x.bits & ABSOLUTE
    accurate = qfloat_power.power if x.lanes.qfloat else _accurate
    power = _short(magnitude.as_float(), y, mode) if mode.short else accurate(magnitude.as_float(), y)
    return _special(x, y, magnitude, power)


def fpowi(x: Float, y: Int, mode: Mode = ACCURATE) -> Float | None:
    """x^y for an integer y: a constant, or one that an f32 holds (|y| < 2^22)."""
    constant = y.constant
    if constant is not None and abs(constant) <= LARGEST_INTEGER:
        return _whole(x, constant, mode)
    limited = y.maximum(-(1 << 22)).minimum((1 << 22) - 1)
    number = limited.to_float() if x.lanes.qfloat else (limited + float_bits(ROUND)).as_float() - ROUND
    return powf(x, number, mode)


def _whole(x: Float, exponent_: int, mode: Mode) -> Float:
    """x multiplied by itself, by repeated squaring."""
    result, size = None, abs(exponent_)
    while size:
        if size & 1:
            result = x if result is None else result * x
        size >>= 1
        if size:
            x = x * x
    if result is None:
        return x.lanes.float(1.0)
    return divide(x.lanes.float(1.0), result, Mode("f32", mode.fast)) if exponent_ < 0 else result


def _short(a: Float, y: Float, mode: Mode) -> Float:
    logarithm = log2(a, Mode(mode.element, mode.fast, numbers=True)) if mode.fast else log2(a)
    if not y.lanes.qfloat and not y.is_number:  # clamped: infinity * 0 becomes 0, and 1 to that power is 1
        y = y.minimum(LARGEST_EXPONENT).maximum(-LARGEST_EXPONENT)
    product = (y * logarithm).minimum(SATURATION).maximum(-SATURATION)
    return exp2(product, Mode("f32", mode.fast, numbers=True))


def _accurate(a: Float, y: Float) -> Float:
    """a^y for a > 0; not for infinity."""
    high, low = _log2(a)
    limited = y.minimum(LARGEST_EXPONENT).maximum(-LARGEST_EXPONENT)
    head = limited.head
    tail = (limited - head) * high + limited * low
    main = head * high  # 12 bits each: exact
    total = (main + tail).minimum(SATURATION).maximum(-SATURATION)
    shifted = total + ROUND
    n = shifted - ROUND
    inside = (main > SATURATION) | (main < -SATURATION)
    r = inside.select(total - n, (main - n) + tail)
    p = horner(r, (1.0, *EXP2))
    # In two factors: the result may be a denormal number or overflow.
    steps = shifted.bits << MANTISSA_BITS
    half = (shifted.bits - float_bits(ROUND)) >> 1
    first = ((half << MANTISSA_BITS) + ONE_BITS).as_float()
    second = (steps - (half << MANTISSA_BITS) + ONE_BITS).as_float()
    return p * first * second


def _log2(a: Float) -> tuple[Float, Float]:
    """log2(a) in two parts, the first of 12 bits."""
    lanes = a.lanes
    lifted, bias = normal(a, ACCURATE)
    mantissa = lifted.bits & FRACTION
    # m in [1, 2): below sqrt(3/2) against 1, below sqrt(3) against 3/2, above halved and against 1.
    middle = (mantissa > FRACTION & float_bits(1.5**0.5)) & ~(mantissa > FRACTION & float_bits(3**0.5))
    upper = mantissa > FRACTION & float_bits(3**0.5)
    zero, step = lanes.int(0), lanes.int(1 << MANTISSA_BITS)
    m = ((mantissa | ONE_BITS) - upper.select(step, zero)).as_float()
    k = exponent(lifted.bits - ONE_BITS + upper.select(step, zero), bias)
    c = middle.select(lanes.float(1.5), lanes.float(1.0))
    f, total = m - c, m + c  # f is exact
    inverse = approximate_reciprocal(total)
    s = f * inverse
    s_head = s.head
    total_head = total.head
    total_tail = m - (total_head - c)
    s_tail = inverse * ((f - s_head * total_head) - s_head * total_tail)
    s = s_head + s_tail
    square = s * s
    s_tail = s_tail + s * (square * horner(square, ATANH_NARROW))
    z_head = s_head * TWO_LOG2_E[0]  # exact
    z_tail = s_tail * (TWO_LOG2_E[0] + TWO_LOG2_E[1]) + s_head * TWO_LOG2_E[1]
    base = middle.select(lanes.float(THREE_HALVES[0]), lanes.float(0.0))
    z_tail = z_tail + middle.select(lanes.float(THREE_HALVES[1]), lanes.float(0.0))
    high = (((z_head + z_tail) + base) + k).head
    return high, z_tail - (((high - k) - base) - z_head)


def _special(x: Float, y: Float, magnitude: Int, power: Float) -> Float:
    """The sign of a negative x to an integer power, and the results for zeros, infinities and NaN."""
    lanes = x.lanes
    y_size = y.bits & ABSOLUTE
    whole, odd = qfloat_power.whole_odd(y_size) if lanes.qfloat else _whole_odd(y_size)
    negative = x.bits < 0
    one = lanes.int(ONE_BITS)
    # 0 and infinity give 0 or infinity, by the signs of y and of the logarithm.
    extreme = (magnitude - 1).above(INFINITY - 2)
    grows = (magnitude.equals(0) & (y.bits < 0)) | ((magnitude > 0) & ~(y.bits < 0))
    power = extreme.select(grows.select(lanes.float(math.inf), lanes.float(0.0)), power)
    power = (power.bits ^ ((odd << 31) & x.bits)).as_float()
    nan = (negative & ~whole & ~extreme) | (magnitude > INFINITY) | (y_size > INFINITY)
    power = nan.select(lanes.float(math.nan), power)
    return (x.bits.equals(one) | y_size.equals(0)).select(lanes.float(1.0), power)


def _whole_odd(size: Int) -> tuple[Mask, Int]:
    """Whether a number with the bits ``size`` (no sign) is whole, and 1 where it is odd, else 0.

    Not a mask: LLVM turns the test of the last bit into a truncation to i1, and miscompiles its combination with a
    mask.
    """
    lanes, number = size.lanes, size.as_float()
    big = size > float_bits(UNIT) - 1  # every number from 2^23 on is whole, from 2^24 on even
    shifted = number + UNIT
    whole = (shifted - UNIT).bits.equals(size) | big
    last = big.select(size, shifted.bits) & 1
    huge = size > float_bits(2 * UNIT) - 1
    zero = lanes.int(0)
    return whole, whole.select(huge.select(zero, last), zero)



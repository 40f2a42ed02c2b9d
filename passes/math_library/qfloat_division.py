"""Division under legacy qfloat: mantissas are divided as numbers, exponents subtracted as integers.

So every product and sum is a normal number. The residual 1 - r d is computed by adding -r d to 1, because subtracting a
qfloat number from 1 is off by one unit. The quotient is within 4 units of its last place. Overflow and denormal results
are decided by integers; zeros, infinities and NaN by the magnitudes of the operands, before their widening if they were
widened, since a vector holds twice as many of those.

Where many n share d, they are multiplied by 1/d, scaled by 2^64 or 2^-64 where 1/d is not a normal number.
Denormal results may be 0 there, and a denormal n has an error of one unit in its last place.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.math_library.classification import FORMATS
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, FRACTION, HIDDEN_BIT, INFINITY, MANTISSA_BITS, Float, Int
from hexagon_mlir.passes.math_library.mode import Mode

Reciprocal = Callable[[Float], Float]
DENORMAL_UNITS = 149 << MANTISSA_BITS
"""Added to the bits of a number below 2^-126, whose exponent field has wrapped around, to get units of 2^-149."""
INTEGER = 150 << MANTISSA_BITS
"""The exponent field of a mantissa as an integer, in units of 1."""
FAR = 64 << MANTISSA_BITS
SMALL_FIELD, LARGE_FIELD = 8 << MANTISSA_BITS, 246 << MANTISSA_BITS
"""Exponent fields of 2^-119 and 2^119."""


def divide(n: Float, d: Float, mode: Mode, reciprocal: Reciprocal) -> Float:
    """n / d for every pair of numbers, in the format they come from; ``reciprocal`` is 1/d to 1e-6 for bounded d."""
    shared = mode.shared and n.constant is None
    if mode.narrow:  # far from overflow and underflow of f32
        inverse = reciprocal(d)
        if shared:
            inverse = ((d.bits & ABSOLUTE) > INFINITY - 1).select(d.lanes.float(0.0), inverse)
        quotient = n * inverse
    elif shared:
        quotient = _by_shared(n, d, mode, reciprocal)
    else:
        quotient = _in_parts(n, d, mode, reciprocal)
    narrow = _before_widening(n, mode.element), _before_widening(d, mode.element)
    if narrow[0] is not None and narrow[1] is not None:
        n, d, quotient = narrow[0], narrow[1], quotient.truncate(mode.element)
    absolute = FORMATS[n.element].absolute
    sizes = n.bits & absolute, d.bits & absolute
    classes = _of_one if n.constant == 1 else _of_shared if shared else _of_any
    infinity = FORMATS[n.element].infinity
    size = (quotient.bits & absolute).minimum(infinity) if mode.narrow and shared else quotient.bits
    result = classes(*sizes, size, infinity, mode)
    return (result | ((n.bits ^ d.bits) & (absolute + 1))).as_float(n.element)


def _before_widening(x: Float, element: str) -> Float | None:
    """x in the format ``element`` that it was widened from, or None."""
    if element == x.element:
        return None
    if x.constant is not None:
        return x.lanes.float(x.constant, element)
    owner = x.value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "arith.extf":
        return None
    return Float(x.lanes, owner.operation.operands[0], element)


def _of_any(a: Int, b: Int, quotient: Int, infinity: int, mode: Mode) -> Int:
    """``quotient``, but 0, infinity or NaN where one of the magnitudes a and b is 0, infinite or NaN."""
    least, most = a.minimum(b), a.maximum(b)
    special = (least < 1) | (most > infinity - 1)
    value = (a > b).select(a.lanes.int(infinity, a.element), a.lanes.int(0, a.element))
    if not mode.numbers:
        value = (a.equals(b) | (most > infinity)).select(_nan(a), value)
    return special.select(value, quotient)


def _of_one(_: Int, b: Int, quotient: Int, infinity: int, mode: Mode) -> Int:
    """The same for n = 1: the bits of infinity minus those of the magnitude are the result in all three cases."""
    return (b - 1).above(infinity - 2).select(infinity - b, quotient)


def _of_shared(a: Int, b: Int, quotient: Int, infinity: int, mode: Mode) -> Int:
    """The same where many n share b, and ``quotient`` is 0 where b is infinite: values that depend on b alone are
    computed once."""
    zero = a.lanes.int(0, a.element)
    least = (b > infinity).select(_nan(a), zero)
    value = a if mode.numbers else a.equals(b).select(_nan(a), a.maximum(least))
    floor = (b < 1).select(a.lanes.int(infinity, a.element), least)
    return (a - 1).above(infinity - 2).select(value, quotient.maximum(floor))


def _nan(like: Int) -> Int:
    return like.lanes.int((1 << int(like.element[1:]) - 1) - 1, like.element)


def _mantissa(x: Float) -> tuple[Float, Int]:
    """The mantissa of |x| as an integer below 2^24, and its exponent field; for denormal numbers, too."""
    if x.constant == 1:
        return x.lanes.float(1.0), x.lanes.int(INTEGER)
    mantissa = ((x.bits & FRACTION) | HIDDEN_BIT).minimum(x.bits & ABSOLUTE).to_float()
    return mantissa, (x.bits & INFINITY).maximum(HIDDEN_BIT)


def _in_parts(n: Float, d: Float, mode: Mode, reciprocal: Reciprocal) -> Float:
    """|n / d| where neither is 0, infinite or NaN."""
    (above, n_field), (below, d_field) = _mantissa(n), _mantissa(d)
    r = reciprocal(below)
    q = r if n.constant == 1 else above * r
    if not mode.half:
        q = q + q * (1.0 + r * -below)
    bits = (q.bits - d_field).minimum(INFINITY - n_field) + n_field
    denormal = (bits + DENORMAL_UNITS).maximum(0).as_float().to_int()
    return (bits < HIDDEN_BIT).select(denormal, bits).as_float()


def _by_shared(n: Float, d: Float, mode: Mode, reciprocal: Reciprocal) -> Float:
    """|n / d| where n is not 0, infinite or NaN and d not 0 or NaN."""
    lanes = n.lanes
    below, field = _mantissa(d)
    r = reciprocal(below)
    if not mode.half:
        r = r + r * (1.0 + r * -below)
    zero = lanes.int(0)
    lift = (field < SMALL_FIELD).select(lanes.int(FAR), (field > LARGE_FIELD).select(lanes.int(-FAR), zero))
    inverse = (field > INFINITY - 1).select(zero, r.bits + (INTEGER - field) - lift).as_float()
    product = ((n.bits & ABSOLUTE).as_float() * inverse).bits
    return (product.minimum(INFINITY - lift.maximum(0)) + lift).as_float()

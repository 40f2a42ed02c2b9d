"""Forms of floats that are made by integer operations, or rounded to integers in between."""

from __future__ import annotations

import struct
from fractions import Fraction

from hexagon_mlir.codegen.hvx.integer_ranges import integer, integer_bounds
from hexagon_mlir.codegen.hvx.known_values import KnownValues
from hexagon_mlir.codegen.hvx.value_forms import POSITIVE, UNKNOWN, Form, constant
from hexagon_mlir.llvmir import Instruction

MAGIC_BITS = 0x4B400000
"""Bits of the f32 1.5 * 2^23."""
_MAGIC = {"float": 1.5 * 2.0 ** 23, "half": 1.5 * 2.0 ** 10}
MAGIC_LIMIT = {"float": 2.0 ** 22, "half": 2.0 ** 9}
"""Limit of arguments rounded by a magic constant: results of larger arguments are discarded."""
_INTEGER_LIMIT = 2.0 ** 31
"""The same for a conversion to integers, which saturates."""
_FRACTION_BITS = 23
_ABSOLUTE = 0x7FFFFFFF
_SIGN = (1 << 31, -1 << 31)
_ONE_BITS = 0x3F800000
_LARGEST_FACTOR = 1 << 30
"""Larger integers added to the bits do not represent a multiplication by a power of two."""
_ROUNDED = (("and", -(1 << _FRACTION_BITS)), ("add", 1 << _FRACTION_BITS - 1), ("fptosi", None))
"""The operations that round y to a multiple of 2^23, last one first."""
_CODES = {"float": ("<f", 0x7F800000), "half": ("<e", 0x7C00)}
"""Element -> its code in `struct`, and the bits of infinity."""
_RECIPROCAL, _RECIPROCAL_ROOT = Fraction(-1), Fraction(-1, 2)
_SEEDS = ((0x7E000000, 0x7F800000, _RECIPROCAL), (0x5E000000, 0x60000000, _RECIPROCAL_ROOT))
"""``constant - bits`` and ``constant - (bits >> 1)``: seeds of 1/x and 1/sqrt(x), within 13 % of them."""
_SEED = (0.87, 1.13)


def magic_added(i: Instruction, element: str) -> float | None:
    """The magic rounding constant that the sum ``i`` adds, negative where it is subtracted; None for other sums."""
    number = constant(i.operands[1])
    if number is None or abs(number) != _MAGIC[element]:
        return None
    return -number if i.opcode == "fsub" else number


def rounded(values: KnownValues, i: Instruction, element: str, magic: float) -> Form | None:
    """The value that is rounded to an integer, where the sum ``i`` subtracts the ``magic`` constant that was added
    before; None where ``i`` is the first of the two sums.
    """
    source = values.definitions.get(i.operands[0])
    if (source is not None and source.opcode in ("fadd", "fsub") and (added := constant(source.operands[1]))
            and added == (-magic if source.opcode == "fadd" else magic)):
        form = values.form(source.operands[0])
        return Form(*values.bounds(form)) if form.power else form
    return _fixed_point(values, source) if magic < 0 and element == "float" else None


def _fixed_point(values: KnownValues, source: Instruction | None) -> Form | None:
    """y / 2^23 when ``source`` holds the bits of 1.5 * 2^23 + round(y / 2^23), made by integer operations."""
    y = values.chain(source, ("bitcast", None), ("add", MAGIC_BITS), ("ashr", _FRACTION_BITS), *_ROUNDED)
    return _scaled(values, y, 2.0 ** -_FRACTION_BITS) if y is not None else None


def converted(values: KnownValues, i: Instruction) -> Form:
    """The form of an integer converted by ``i``: y / 2^23 or y itself, rounded to a multiple of 2^23; else its
    bounds."""
    conversion: tuple[str, int | None] = ("sitofp", None)
    for links, unit in (((conversion, *_ROUNDED), 2.0 ** _FRACTION_BITS),
                        ((conversion, ("ashr", _FRACTION_BITS), *_ROUNDED), 1.0)):
        y = values.chain(i, *links)
        form = _scaled(values, y, unit * 2.0 ** -_FRACTION_BITS) if y is not None else None
        if form is not None:
            return form.widened(unit / 2)
    low, high = integer_bounds(i.operands[0], values.definitions)
    return Form(float(low), float(high))


def _scaled(values: KnownValues, y: str, scale: float) -> Form | None:
    """``y`` times ``scale``, for a ``y`` that was converted to an integer."""
    form = values.form(y)
    if form.power:
        return None
    values.limit(form, _INTEGER_LIMIT)
    return Form(form.low * scale, form.high * scale, form.root, form.coefficient * scale)


def from_bits(values: KnownValues, source: Instruction) -> Form:
    """A float whose bits the integer operation ``source`` makes."""
    for rule in _BITS.get(source.opcode, ()):
        form = rule(values, source)
        if form is not None:
            return form
    return UNKNOWN


def from_integer(values: KnownValues, operand: str, element: str) -> Form:
    """A float that has the bits of the integer ``operand``: positive floats rise with their bits."""
    low, high = integer_bounds(operand, values.definitions)
    code, infinity = _CODES[element]
    if not 0 <= low <= high < infinity:
        return UNKNOWN
    return Form(*(struct.unpack(code, number.to_bytes(struct.calcsize(code), "little"))[0] for number in (low, high)))


def _seed(values: KnownValues, source: Instruction) -> Form | None:
    """``constant - bits``: a seed of Newton's method."""
    number = integer(source.operands[0])
    if number is None:
        return None
    of, power = source.operands[1], _RECIPROCAL
    inner = values.definitions.get(of)
    if inner is not None and inner.opcode in ("lshr", "ashr") and integer(inner.operands[1]) == 1:
        of, power = inner.operands[0], _RECIPROCAL_ROOT
    if not any(low <= number & _ABSOLUTE <= high and power == meant for low, high, meant in _SEEDS):
        return None
    seed = Form(*_SEED, values.same(of), 0.0, power)
    return seed.negative() if number < 0 else seed


def _significand(values: KnownValues, source: Instruction) -> Form | None:
    """The bits of a fraction with the exponent of 1."""
    fraction = values.chain(source, ("or", _ONE_BITS), ("and", (1 << _FRACTION_BITS) - 1))
    return Form(1.0, 2.0) if fraction is not None else None


def _other_sign(values: KnownValues, source: Instruction) -> Form | None:
    if integer(source.operands[1]) not in _SIGN:
        return None
    return values.form(values.same(source.operands[0])).negative()


def _absolute(values: KnownValues, source: Instruction) -> Form | None:
    return POSITIVE if integer(source.operands[1]) == _ABSOLUTE else None


def _times_power_of_two(values: KnownValues, source: Instruction) -> Form | None:
    """A float to whose exponent a constant is added; assumed not to be zero."""
    number = integer(source.operands[1])
    if number is None or number % (1 << _FRACTION_BITS) or abs(number) >= _LARGEST_FACTOR:
        return None
    if source.operands[0] not in values.aliases:
        return None
    form = values.form(values.aliases[source.operands[0]])
    if form.power:
        return None
    return form.times(2.0 ** ((number if source.opcode == "add" else -number) >> _FRACTION_BITS))


def _scaled_by_exponents(values: KnownValues, source: Instruction) -> Form | None:
    """A positive float to whose exponent integers are added."""
    for whole, scale in (source.operands, source.operands[::-1]):
        shift = values.definitions.get(scale)
        if (shift is not None and shift.opcode == "shl" and integer(shift.operands[1]) == _FRACTION_BITS
                and values.interval(values.same(whole))[0] > 0):
            return POSITIVE
    return None


_BITS = {"sub": (_seed, _times_power_of_two), "or": (_significand,), "xor": (_other_sign,), "and": (_absolute,),
         "add": (_times_power_of_two, _scaled_by_exponents)}
"""Opcode -> matchers of its result's form; the first that applies is used."""

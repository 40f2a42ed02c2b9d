"""Weights of a softmax of f16 scores by 16-bit integers: a vector register has twice as many of them as of f32.

2^(t + 10) for t <= 0 is a number whose bits are nearly t in units of the last place, from those of 2^10 on: linear
between powers of two. Of 2^f - 1 - f, the rest for the fraction f, f (1 - f) P(f) with a linear P leaves 2^-10.9.
"""

from __future__ import annotations

from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Type, Value

I16, I32 = Type("i16"), Type("i32")
_MANTISSA_BITS, _FRACTION_BITS = 10, 15
"""Of f16, and of the 16-bit fractions in which the rest is computed."""
_LARGEST = 10
"""The exponent of the largest weight. Many small weights count beside a large one, as of a first token that all
queries look at: with weights of at most 1 those below 2^-15 would be lost."""
_LARGEST_BITS = 15 + _LARGEST << _MANTISSA_BITS
"""The bits of 2^10 as f16."""
_LEAST = -15.0 - _LARGEST
"""The weight is 0 from here on: bits 0."""
_MAGIC = 1.5 * 2.0 ** (23 - _MANTISSA_BITS)
"""An f32 near it has 10 fraction bits, the lowest 16 bits of its own are t's after t has been added."""
_P = (313, 77)
"""Coefficients of P times 2^10, about from 1 - ln 2 at f = 0 to 2 ln 2 - 1 at f = 1: those of all near them whose
largest error over the 1,024 fractions is least."""


def power_of_two(op: FunctionBuilder, score: Value, most: Value) -> Value:
    """In the body of a linalg.generic, 2^(score - most + 10) as f16 of two f16 numbers, ``most`` not the smaller one.

    The relative error is at most 2^-9 down to 2^-14; smaller results are off by up to 2^-15, and 0 from 2^-15 on.
    """
    difference = op.apply("arith.subf", op.to_f32(score), op.to_f32(most))
    shifted = op.apply("arith.addf", difference, op.constant(_MAGIC, F32))
    bounded = op.apply("arith.maxnumf", shifted, op.constant(_MAGIC + _LEAST, F32))
    fixed = op.cast("arith.trunci", op.cast("arith.bitcast", bounded, "i32"), "i16")
    positive = op.constant((1 << _FRACTION_BITS) - 1, I16)
    up = op.constant(_FRACTION_BITS - _MANTISSA_BITS, I16)
    fraction = op.apply("arith.andi", op.apply("arith.shli", fixed, up), positive)
    least, slope = (op.constant(number, I16) for number in _P)
    factor = op.apply("arith.addi", _product(op, fraction, slope), least)
    ends = op.apply("arith.andi", _product(op, fraction, op.apply("arith.xori", fraction, positive)), positive)
    linear = op.apply("arith.addi", fixed, op.constant(_LARGEST_BITS, I16))
    return op.cast("arith.bitcast", op.apply("arith.subi", linear, _product(op, ends, factor)), "f16")


def reciprocal(op: FunctionBuilder, number: Value) -> Value:
    """In the body of a linalg.generic, 1 / number for an f32 between 2^-120 and 2^120, within 2^-15 of itself: an
    integer seed within 5.1 % and two Newton steps. A division takes four times as long.
    """
    bits = op.cast("arith.bitcast", number, "i32")
    result = op.cast("arith.bitcast", op.apply("arith.subi", op.constant(_SEED, I32), bits), "f32")
    minus = op.apply("arith.mulf", number, op.constant(-1.0, F32))
    for _ in range(2):
        rest = op.apply("arith.addf", op.apply("arith.mulf", minus, result), op.constant(2.0, F32))
        result = op.apply("arith.mulf", result, rest)
    return result


_SEED = 0x7EF311C7
"""Less the bits of a number: its exponent negated, its mantissa on a chord."""


def _product(op: FunctionBuilder, left: Value, right: Value) -> Value:
    """The rounded product of i16 fractions in units of 2^-15: one instruction of HVX."""
    wide = op.apply("arith.muli", op.cast("arith.extsi", left, "i32"), op.cast("arith.extsi", right, "i32"))
    half = op.apply("arith.addi", wide, op.constant(1 << _FRACTION_BITS - 1, I32))
    return op.cast("arith.trunci", op.apply("arith.shrsi", half, op.constant(_FRACTION_BITS, I32)), "i16")

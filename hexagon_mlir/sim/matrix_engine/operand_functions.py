"""Tiles of activations and streams of weights in memory to what the functions of products read.

Layouts and values of weights: the SDK's description of the tile formats and the public QEMU trees, see
`docs/simulator.md`. Everything works on 128 bytes at a time, 32 words of one or more channels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.sim.matrix_engine.formats import (
    COLUMNS,
    HALF_FRACTION,
    OPERAND_BIAS,
    PRODUCT_SHIFT,
    VECTOR_BYTES,
    WEIGHT_BITS,
    ZERO_EXPONENT,
)
from hexagon_mlir.sim.matrix_engine.integer_sums import packed
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I8, I16, I32, Type, Val

WORDS = Type(COLUMNS, "i", 32)
WORD_BYTES = 4
LOW_BITS = 4
"""Of a weight's low part; the high part has the others."""
EXPONENT_MASK, FRACTION_MASK, SIGN = 0x1F, 0x3FF, 0x8000


def half_operand(bits: Val) -> tuple[Val, Val]:
    """Significand (an integer of up to 11 bits and sign) and exponent of half-precision ``bits``, in as many bits.

    Denormal numbers are normalized. Exponent 31 is an exponent like others: infinity and NaN are found elsewhere.
    """
    fraction, field = bits & FRACTION_MASK, bits.lshr(HALF_FRACTION) & EXPONENT_MASK
    denormal = field.icmp("eq", 0)
    zeros = bits.code.op(f"call {bits.ty} @llvm.ctlz.{bits.ty.mangle()}({bits.ty} {fraction.name}, i1 false)", bits.ty)
    bits.code.declarations.add(f"declare {bits.ty} @llvm.ctlz.{bits.ty.mangle()}({bits.ty}, i1)")
    distance = (zeros - (bits.ty.bits - 1 - HALF_FRACTION)).two("smin", HALF_FRACTION)
    magnitude = denormal.select(fraction << distance, fraction | 1 << HALF_FRACTION)
    significand = (bits & SIGN).icmp("ne", 0).select(-magnitude, magnitude)
    exponent = denormal.select(-distance - (OPERAND_BIAS - 1), field - OPERAND_BIAS)
    return significand, (fraction.icmp("eq", 0) & denormal).select(ZERO_EXPONENT, exponent)


def _vectors(code: Function, body: Callable[[Val, Val], None]) -> str:
    """``body(number, words)`` for each of ``vectors`` of 128 bytes at ``source``."""
    number, = code.loop("vector", [code.const(0, I32)])
    body(number, code.load(code.element("%source", number * VECTOR_BYTES, I8), WORDS, WORD_BYTES))
    code.repeat("vector", (number + 1).icmp("ult", code.argument("vectors", I32)), [number + 1], "done")
    code.put("ret void")
    return code.text()


# -- weights ---------------------------------------------------------------------------------------------------
def _byte(words: Val, index: int) -> Val:
    """Byte ``index`` of each word, sign-extended to 16 bits."""
    return ((words << 24 - 8 * index) >> 24).trunc(16)


def _field(byte: Val, position: int, bits: int) -> Val:
    """``bits`` of a byte from ``position`` on, sign-extended."""
    return (byte << 16 - bits - position) >> 16 - bits


def _nibbles(value: Val) -> tuple[Val, Val]:
    """A byte as low and high part, which is worth 16 times as much."""
    low = _field(value, 0, LOW_BITS)
    return low, (value - low) >> LOW_BITS


def _none(value: Val) -> Val:
    return value.code.const(0, value.ty)


def _signed_crumb(byte: Val, position: int) -> Val:
    value = _field(byte, position, 2)
    return value.icmp("slt", 0).select(value, -value + 2)


Unpack = Callable[[Val, int], tuple[Val, Val]]
"""A byte (16 bits wide) and the position of a weight in it to the weight's low and high part."""
UNPACK: dict[str, Unpack] = {
    "b": lambda byte, at: _nibbles(byte),
    "sm": lambda byte, at: _nibbles(byte ^ ((byte >> 15) & 0x7F)),
    "n": lambda byte, at: (_field(byte, at, 4), _none(byte)),
    "n2x": lambda byte, at: (_field(byte, 0, 4), _field(byte, 4, 4)),
    "c": lambda byte, at: (_field(byte, at, 2), _none(byte)),
    "sc": lambda byte, at: (_signed_crumb(byte, at), _none(byte)),
    "ubit": lambda byte, at: (byte.lshr(at) & 1, _none(byte)),
    "sbit": lambda byte, at: (-((byte.lshr(at) & 1) << 1) + 1, _none(byte)),
}
"""Type of integer weights -> how one is read."""


def integer_weights(name: str, declarations: set[str]) -> str:
    """``mx_weights_<name>(source, vectors, weights)``: i32 [channel][COLUMNS], both parts in a word."""
    bits, unpack = WEIGHT_BITS[name], UNPACK[name]
    parameters = "ptr %source, i32 %vectors, ptr %weights"
    code = Function(f"void @mx_weights_{name}({parameters})", "nounwind", declarations)
    channels = VECTOR_BYTES * 8 // bits // COLUMNS

    def body(number: Val, words: Val) -> None:
        for channel in range(channels):
            byte = _byte(words, channel % WORD_BYTES)
            place = (number * channels + channel) * COLUMNS
            low, high = unpack(byte, channel // WORD_BYTES * bits)
            code.store(packed(low.sext(32), high.sext(32)), code.element("%weights", place, I32), 4)

    return _vectors(code, body)


def half_weights(declarations: set[str]) -> str:
    """``mx_weights_hf(source, vectors, significands, exponents, flip)``: i16 [channel][COLUMNS] both.

    Significands are shifted to the products' place. ``flip`` (i16) inverts bits: 0x8000 negates.
    """
    parameters = "ptr %source, i32 %vectors, ptr %significands, ptr %exponents, i16 %flip"
    code = Function(f"void @mx_weights_hf({parameters})", "nounwind", declarations)
    flip = code.argument("flip", I16).splat(COLUMNS)

    def body(number: Val, words: Val) -> None:
        for channel in range(2):
            significand, exponent = half_operand(words.lshr(16 * channel).trunc(16) ^ flip)
            place = (number * 2 + channel) * COLUMNS
            code.store(significand << PRODUCT_SHIFT, code.element("%significands", place, I16), 2)
            code.store(exponent, code.element("%exponents", place, I16), 2)

    return _vectors(code, body)


# -- activations -----------------------------------------------------------------------------------------------
def half_activations(declarations: set[str]) -> str:
    """``mx_activations_hf(source, vectors, significands, exponents)``: i32 [slot][COLUMNS channels] both."""
    parameters = "ptr %source, i32 %vectors, ptr %significands, ptr %exponents"
    code = Function(f"void @mx_activations_hf({parameters})", "nounwind", declarations)

    def body(number: Val, words: Val) -> None:
        for row in range(2):
            parts = half_operand(words.lshr(16 * row).trunc(16))
            for base, part in zip(("%significands", "%exponents"), parts, strict=True):
                code.store(part.sext(32), code.element(base, (number * 2 + row) * COLUMNS, I32), 4)

    return _vectors(code, body)


def byte_activations(declarations: set[str]) -> str:
    """``mx_activations_ub(source, vectors, values)``: spatial-major tiles to i32 [slot][COLUMNS channels]."""
    code = Function("void @mx_activations_ub(ptr %source, i32 %vectors, ptr %values)", "nounwind", declarations)

    def body(number: Val, words: Val) -> None:
        for row in range(WORD_BYTES):
            value = words.lshr(8 * row) & 0xFF
            code.store(value, code.element("%values", (number * WORD_BYTES + row) * COLUMNS, I32), 4)

    return _vectors(code, body)


def channel_major_activations(declarations: set[str]) -> str:
    """``mx_activations_cm(source, vectors, values)``: the same for channel-major tiles."""
    code = Function("void @mx_activations_cm(ptr %source, i32 %vectors, ptr %values)", "nounwind", declarations)

    def body(number: Val, words: Val) -> None:
        code.store(words.b.zext(32), code.element("%values", number * VECTOR_BYTES, I32), 4)

    return _vectors(code, body)


def library(declarations: set[str]) -> Sequence[str]:
    """All functions of this file."""
    return [
        *(integer_weights(name, declarations) for name in UNPACK), half_weights(declarations),
        half_activations(declarations), byte_activations(declarations), channel_major_activations(declarations),
    ]  # fmt: skip

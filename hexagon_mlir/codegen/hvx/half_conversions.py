"""Conversions between f16 and f32 in legacy qfloat, corrected by integer operations.

The result of ``VV.qf32 = vmpy(V.hf, 1.0)`` is one unit in the last place too large: an exact product is never
represented exactly (qfloat has no even significands). The bits that f16 does not have are cleared. Infinity and NaN of
f16 become numbers from 2^16 on; where the bits are used, they are replaced by infinity and NaN of f32. ``V.hf =
VV.qf32`` rounds to nearest even, but beyond 65504 the result has the exponent field of infinity and the pattern of a
NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexagon_mlir.codegen.hvx.native_parts import PartBuilder

_WORDS, _PAIR, _LANES = "<32 x i32>", "<64 x i32>", "<128 x i1>"
_NATIVE = 32
_HALF_BITS = -1 << 13
"""Sign, exponent and the ten fraction bits of f16, as a mask of f32."""
_ABSOLUTE, _INFINITY = 0x7FFFFFFF, 0x7F800000
_TWO_TO_16 = 0x47800000
_HALF_SIGN, _HALF_INFINITY = -1 << 15, 0x7C00
_NAN = 0x7FFF
"""All bits of a NaN of f16 but the sign."""
LARGEST_HALF = 65504.0
OVERFLOW = 65536.0
"""From here on the f16 result is infinity; a number below that rounds to this is converted to infinity, too."""


def widened_words(builder: PartBuilder, words: str, specials: bool, lanes: int = _NATIVE) -> str:
    """f32 ``words`` that were widened by the product with 1, corrected; ``specials``: infinity and NaN too."""
    type_ = f"<{lanes} x i32>"
    exact = builder.emit(f"and {type_} {words}, {_splat(_HALF_BITS)}")
    if not specials:
        return exact
    doubled = builder.emit(f"add {type_} {exact}, {exact}")
    beyond = builder.emit(f"icmp ugt {type_} {doubled}, {_splat(2 * _TWO_TO_16 - 1)}")
    special = builder.emit(f"or {type_} {exact}, {_splat(_INFINITY)}")
    return builder.emit(f"select <{lanes} x i1> {beyond}, {type_} {special}, {type_} {exact}")


def widened_pair(builder: PartBuilder, words: tuple[str, str]) -> list[str]:
    """Two parts of f32 words that were widened by the product with 1, corrected, with infinity and NaN.

    Both lose their signs by one sum of pairs: LLVM would shift words one by one, and the shifter converts, too.
    """
    exact = [builder.emit(f"and {_WORDS} {part}, {_splat(_HALF_BITS)}") for part in words]
    both = _PAIR, builder.intrinsic("vcombine", _PAIR, *((_WORDS, part) for part in reversed(exact)))
    doubled = builder.intrinsic("vaddw.dv", _PAIR, both, both)
    corrected = []
    for part, which in zip(exact, ("lo", "hi"), strict=True):
        beyond = builder.intrinsic("vgtuw", _LANES, (_WORDS, builder.half(which, doubled)),
                                   (_WORDS, _splat(2 * _TWO_TO_16 - 1)))
        corrected.append(builder.intrinsic("vandqrt.acc", _WORDS, (_WORDS, part), (_LANES, beyond),
                                           ("i32", str(_INFINITY))))
    return corrected


def narrowed_halves(builder: PartBuilder, words: str, sources: tuple[str, str] | None) -> str:
    """The f16 numbers in ``words`` (as 32 words) with infinity on overflow, and NaN for NaN.

    ``sources`` are the f32 words of the even and of the odd lanes; None where they cannot be NaN. Words that have
    lost their signs, as sums with themselves, less those of infinity are 0 for all numbers: saturated to halves, they
    tell where a NaN was. Sums and differences of pairs of vectors are one instruction each.
    """
    result = words
    for extreme, bits in (("vmin", _HALF_INFINITY), ("vmax", _HALF_INFINITY | _HALF_SIGN)):  # NaN is above
        limit = _splat((bits & 0xFFFF) * 0x10001)
        result = builder.intrinsic(f"{extreme}.hf", _WORDS, (_WORDS, result), (_WORDS, limit))
    if sources is None:
        return result
    even, odd = ((_WORDS, source) for source in sources)
    both = _PAIR, builder.intrinsic("vcombine", _PAIR, odd, even)
    doubled = _PAIR, builder.intrinsic("vaddw.dv", _PAIR, both, both)
    beyond = _PAIR, builder.intrinsic("vsubuwsat.dv", _PAIR, doubled, (_PAIR, _splat(2 * _INFINITY)))
    high, low = ((_WORDS, builder.half(which, beyond[1])) for which in ("hi", "lo"))
    halves = builder.intrinsic("vsatuwuh", _WORDS, high, low)
    nan = builder.intrinsic("vgtuh", _LANES, (_WORDS, halves), (_WORDS, "zeroinitializer"))
    return builder.intrinsic("vandqrt.acc", _WORDS, (_WORDS, result), (_LANES, nan), ("i32", str(_NAN * 0x10001)))


def widened_whole(builder: PartBuilder, extension: str, name: str, lanes: int, specials: bool) -> None:
    """Emit ``name`` = ``extension``, an fpext of ``lanes`` halves for which LLVM selects the instructions."""
    raw = builder.emit(extension)
    words = builder.emit(f"bitcast <{lanes} x float> {raw} to <{lanes} x i32>")
    exact = widened_words(builder, words, specials, lanes)
    builder.out.append(f"  {name} = bitcast <{lanes} x i32> {exact} to <{lanes} x float>")


def narrowed_whole(builder: PartBuilder, truncation: str, source: str, name: str, lanes: int) -> None:
    """Emit ``name`` = ``truncation``, an fptrunc of ``source`` to ``lanes`` halves as LLVM selects it."""
    halves = f"<{lanes} x i16>"
    bits = builder.emit(f"bitcast <{lanes} x half> {builder.emit(truncation)} to {halves}")
    words = builder.emit(f"bitcast <{lanes} x float> {source} to <{lanes} x i32>")
    nan = builder.emit(f"trunc <{lanes} x i32> {_where_nan(builder, words, _NAN, lanes)} to {halves}")
    result = builder.emit(f"or {halves} {_limited(builder, bits, lanes)}, {nan}")
    builder.out.append(f"  {name} = bitcast {halves} {result} to <{lanes} x half>")


def _limited(builder: PartBuilder, halves: str, lanes: int) -> str:
    """``halves``, clamped to infinity: as signed integers, patterns beyond it are larger for either sign."""
    type_ = f"<{lanes} x i16>"
    sign = builder.emit(f"and {type_} {halves}, {_splat(_HALF_SIGN, 16)}")
    infinity = builder.emit(f"or {type_} {sign}, {_splat(_HALF_INFINITY, 16)}")
    name = f"@llvm.smin.v{lanes}i16"
    builder.declared[name] = f"declare {type_} {name}({type_}, {type_})"
    return builder.emit(f"call {type_} {name}({type_} {halves}, {type_} {infinity})")


def _where_nan(builder: PartBuilder, source: str, bits: int, lanes: int) -> str:
    """``bits`` in the lanes where the f32 words ``source`` are NaN, else 0."""
    type_ = f"<{lanes} x i32>"
    size = builder.emit(f"and {type_} {source}, {_splat(_ABSOLUTE)}")
    nan = builder.emit(f"icmp ugt {type_} {size}, {_splat(_INFINITY)}")
    return builder.emit(f"select <{lanes} x i1> {nan}, {type_} {_splat(bits)}, {type_} zeroinitializer")


def _splat(number: int, bits: int = 32) -> str:
    wrapped = (number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    return f"splat (i{bits} {wrapped})"

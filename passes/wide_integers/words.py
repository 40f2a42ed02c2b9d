"""Arithmetic on 64-bit integers given as two words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir

_P = arith.CmpIPredicate
WORD = 32


@dataclass(frozen=True)
class Words:
    """A 64-bit integer; ``fits`` means that ``high`` is the sign extension of ``low``."""

    low: ir.Value
    high: ir.Value
    fits: bool = False


def word(number: int) -> ir.Value:
    """A constant word."""
    i32 = ir.IntegerType.get_signless(WORD)
    number &= (1 << WORD) - 1
    return arith.constant(i32, ir.IntegerAttr.get(i32, number - (number >> 31 << WORD)))


def constant(number: int) -> Words:
    """The integer ``number``."""
    return Words(word(number), word(number >> WORD), -(1 << 31) <= number < 1 << 31)


def of_scalar(value: ir.Value) -> Words:
    """The words of a 64-bit ``value``."""
    i32, i64 = ir.IntegerType.get_signless(WORD), ir.IntegerType.get_signless(64)
    high = arith.shrsi(value, arith.constant(i64, WORD))
    return Words(arith.trunci(i32, value), arith.trunci(i32, high))


def signed(low: ir.Value) -> Words:
    """``low``, sign-extended."""
    return Words(low, arith.shrsi(low, word(31)), fits=True)


def widened(name: str, value: ir.Value) -> Words:
    """``value``, of at most 32 bits, extended by the conversion ``name``."""
    i32 = ir.IntegerType.get_signless(WORD)
    if isinstance(value.type, ir.IndexType):
        return signed(arith.index_cast(i32, value))
    width = ir.IntegerType(value.type).width
    if width == 1:
        low = arith.select(value, word(-1 if name == "arith.extsi" else 1), word(0))
    else:
        convert = arith.extsi if name == "arith.extsi" else arith.extui
        low = value if width == WORD else convert(i32, value)
    return signed(low) if name == "arith.extsi" else Words(low, word(0), width < WORD)


def narrowed(words: Words, type_: ir.Type) -> ir.Value:
    """The lower bits, as a value of ``type_``."""
    if isinstance(type_, ir.IndexType):
        return arith.index_cast(type_, words.low)
    return words.low if ir.IntegerType(type_).width == WORD else arith.trunci(type_, words.low)


def compare(predicate: int, a: Words, b: Words) -> ir.Value:
    """``a`` compared with ``b``."""
    if a.fits and b.fits:  # extension preserves the order of words, the unsigned one too
        return arith.cmpi(predicate, a.low, b.low)
    if predicate in (_P.eq, _P.ne):
        small, other = (a, b) if a.fits else (b, a)
        # where one fits, the other's upper word is compared with that sign, which is often loop-invariant
        high = arith.shrsi(other.low, word(31)) if small.fits else small.high
        combine = arith.andi if predicate == _P.eq else arith.ori
        return combine(arith.cmpi(predicate, small.low, other.low), arith.cmpi(predicate, high, other.high))
    strict, low = _STRICT[predicate], _LOW[predicate]
    same = arith.cmpi(_P.eq, a.high, b.high)
    return arith.ori(arith.cmpi(strict, a.high, b.high), arith.andi(same, arith.cmpi(low, a.low, b.low)))


_STRICT = {_P.slt: _P.slt, _P.sle: _P.slt, _P.sgt: _P.sgt, _P.sge: _P.sgt,
           _P.ult: _P.ult, _P.ule: _P.ult, _P.ugt: _P.ugt, _P.uge: _P.ugt}
_LOW = {_P.slt: _P.ult, _P.sle: _P.ule, _P.sgt: _P.ugt, _P.sge: _P.uge,
        _P.ult: _P.ult, _P.ule: _P.ule, _P.ugt: _P.ugt, _P.uge: _P.uge}


def select(condition: ir.Value, a: Words, b: Words) -> Words:
    """``a`` where ``condition`` holds, else ``b``."""
    return Words(arith.select(condition, a.low, b.low), arith.select(condition, a.high, b.high), a.fits and b.fits)


def one_if(condition: ir.Value) -> ir.Value:
    """1 where ``condition`` holds, else 0."""
    return arith.select(condition, word(1), word(0))


def _add(a: Words, b: Words) -> Words:
    low = arith.addi(a.low, b.low)
    carry = one_if(arith.cmpi(_P.ult, low, a.low))
    return Words(low, arith.addi(arith.addi(a.high, b.high), carry))


def _subtract(a: Words, b: Words) -> Words:
    borrow = one_if(arith.cmpi(_P.ult, a.low, b.low))
    return Words(arith.subi(a.low, b.low), arith.subi(arith.subi(a.high, b.high), borrow))


def _multiply(a: Words, b: Words) -> Words:
    across = arith.addi(arith.muli(a.low, b.high), arith.muli(a.high, b.low))
    upper = arith.mului_extended(a.low, b.low)[1]
    return Words(arith.muli(a.low, b.low), arith.addi(across, upper))


def _each(operation: Callable[[ir.Value, ir.Value], ir.Value]) -> Callable[[Words, Words], Words]:
    return lambda a, b: Words(operation(a.low, b.low), operation(a.high, b.high), a.fits and b.fits)


def _chosen(predicate: int) -> Callable[[Words, Words], Words]:
    return lambda a, b: select(compare(predicate, a, b), a, b)


BINARY: dict[str, Callable[[Words, Words], Words]] = {
    "arith.addi": _add, "arith.subi": _subtract, "arith.muli": _multiply,
    "arith.andi": _each(arith.andi), "arith.ori": _each(arith.ori), "arith.xori": _each(arith.xori),
    "arith.maxsi": _chosen(_P.sgt), "arith.minsi": _chosen(_P.slt),
    "arith.maxui": _chosen(_P.ugt), "arith.minui": _chosen(_P.ult),
}
SHIFTS = frozenset({"arith.shli", "arith.shrsi", "arith.shrui"})


def shift(name: str, a: Words, by: int) -> Words:
    """``a`` shifted ``by`` 0 to 63 bits."""
    if by == 0:
        return a
    if name == "arith.shli":
        if by >= WORD:
            return Words(word(0), _moved(arith.shli, a.low, by - WORD))
        return Words(_moved(arith.shli, a.low, by),
                     arith.ori(_moved(arith.shli, a.high, by), _moved(arith.shrui, a.low, WORD - by)))
    is_signed = name == "arith.shrsi"
    down = arith.shrsi if is_signed else arith.shrui
    if by >= WORD:
        return Words(_moved(down, a.high, by - WORD), arith.shrsi(a.high, word(31)) if is_signed else word(0),
                     is_signed)
    if is_signed and a.fits:
        return signed(_moved(down, a.low, by))
    return Words(arith.ori(_moved(arith.shrui, a.low, by), _moved(arith.shli, a.high, WORD - by)),
                 _moved(down, a.high, by))


def _moved(operation: Callable[[ir.Value, ir.Value], ir.Value], value: ir.Value, by: int) -> ir.Value:
    return operation(value, word(by)) if by else value

"""Integer scalars that are either constant (a Python int) or an IR value, with arithmetic that folds.

All functions take the MLIR type of their operands; ``index`` is treated as wide enough not to wrap.
"""

from __future__ import annotations

from typing import TypeAlias, TypeGuard

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.intervals import interval

Int: TypeAlias = "int | ir.Value"


def index_type() -> ir.Type:
    """The ``index`` type of the current context."""
    return ir.IndexType.get()


def known(value: Int) -> TypeGuard[int]:
    """True when ``value`` is a constant."""
    return isinstance(value, int)


def same(a: Int, b: Int) -> bool:
    """True when ``a`` and ``b`` are the same number or the same IR value."""
    if known(a) or known(b):
        return known(a) and known(b) and a == b
    return a == b


def wrap(number: int, type: ir.Type) -> int:
    """``number`` reduced to the signed range of ``type``."""
    if not isinstance(type, ir.IntegerType):
        return number
    span = 1 << type.width
    number %= span
    return number - span if number >= span // 2 and type.width > 1 else number


def value(number: Int, type: ir.Type) -> ir.Value:
    """``number`` as an IR value of ``type``."""
    if not known(number):
        return number
    if isinstance(type, ir.IntegerType) and type.width == 1:
        number = -(number & 1)
    return arith.constant(type, ir.IntegerAttr.get(type, number))


def add(a: Int, b: Int, type: ir.Type) -> Int:
    """a + b"""
    if known(a) and known(b):
        return wrap(a + b, type)
    if known(b) and b == 0:
        return a
    if known(a) and a == 0:
        return b
    return arith.addi(value(a, type), value(b, type))


def sub(a: Int, b: Int, type: ir.Type) -> Int:
    """a - b"""
    if known(a) and known(b):
        return wrap(a - b, type)
    if known(b) and b == 0:
        return a
    if same(a, b):
        return 0
    return arith.subi(value(a, type), value(b, type))


def mul(a: Int, b: Int, type: ir.Type) -> Int:
    """a * b"""
    if known(a) and known(b):
        return wrap(a * b, type)
    for one, other in ((a, b), (b, a)):
        if known(one) and one == 0:
            return 0
        if known(one) and one == 1:
            return other
    return arith.muli(value(a, type), value(b, type))


def ceil_div(a: Int, divisor: int, type: ir.Type) -> Int:
    """a / divisor rounded up, for a known positive ``divisor``."""
    if divisor == 1:
        return a
    if known(a):
        return -(-a // divisor)
    return arith.ceildivsi(a, value(divisor, type))


def floor_div(a: Int, divisor: int, type: ir.Type) -> Int:
    """a / divisor rounded down, for a known positive ``divisor``."""
    if divisor == 1:
        return a
    if known(a):
        return a // divisor
    return arith.floordivsi(a, value(divisor, type))


def bounds(a: Int) -> tuple[int, int]:
    """The least and the largest number that ``a`` is known to be."""
    return (a, a) if known(a) else interval(a)


def smaller(a: Int, b: Int, type: ir.Type) -> Int:
    """min(a, b), signed"""
    for one, other in ((a, b), (b, a)):
        if bounds(one)[1] <= bounds(other)[0]:
            return one
    return a if same(a, b) else arith.minsi(value(a, type), value(b, type))


def larger(a: Int, b: Int, type: ir.Type) -> Int:
    """max(a, b), signed"""
    for one, other in ((a, b), (b, a)):
        if bounds(one)[0] >= bounds(other)[1]:
            return one
    return a if same(a, b) else arith.maxsi(value(a, type), value(b, type))


def choose(condition: Int, a: Int, b: Int, type: ir.Type) -> Int:
    """a when ``condition`` (i1), else b"""
    if known(condition):
        return a if condition else b
    return arith.select(condition, value(a, type), value(b, type))


def compare(predicate: arith.CmpIPredicate, a: Int, b: Int, type: ir.Type) -> Int:
    """a ``predicate`` b, as i1; ``predicate`` is eq, slt or sle."""
    (least, most), (low, high) = bounds(a), bounds(b)
    true, false = {
        arith.CmpIPredicate.eq: (least == most == low == high, most < low or high < least),
        arith.CmpIPredicate.slt: (most < low, least >= high),
        arith.CmpIPredicate.sle: (most <= low, least > high),
    }[predicate]
    return int(true) if true or false else arith.cmpi(predicate, value(a, type), value(b, type))


def both(a: Int, b: Int) -> Int:
    """a and b, of i1"""
    for one, other in ((a, b), (b, a)):
        if known(one):
            return other if one else 0
    return arith.andi(a, b)


def cast(number: Int, source: ir.Type, target: ir.Type) -> Int:
    """``number`` of ``source`` as ``target``: sign-extended or truncated (i1 counts as 0 and 1)."""
    if source == target:
        return number
    if known(number):
        return wrap(number, target)
    index = index_type()
    if index in (source, target):
        if isinstance(source, ir.IntegerType) and source.width == 1:
            return arith.index_castui(target, number)
        return arith.index_cast(target, number)
    wider = target.width > source.width
    if wider:
        return arith.extui(target, number) if source.width == 1 else arith.extsi(target, number)
    return arith.trunci(target, number)

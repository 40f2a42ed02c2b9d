"""Values with operators, so that a formula reads like a formula: ``r = x - n * LN2_HIGH - n * LN2_LOW``.

`Float`, `Int` and `Mask` wrap one SSA value each, scalar or vector of any shape, and build arith operations
at the current insertion point. Python numbers become constants of the same shape, shared within one `Lanes`.
No operation carries a fastmath flag: the order of operations is part of every formula.
"""

from __future__ import annotations

import builtins
import struct
from collections.abc import Callable
from typing import TypeVar

from hexagon_mlir.ir import arith, ir


class Lanes:
    """Types and constants of one shape: ``shape`` is None for scalars, else the shape of the vectors.

    ``qfloat``: sums and products will be those of legacy qfloat (v68 to v75): off by up to one unit in the last place
    of the larger operand, exact ones too, and without infinity and NaN. A formula that relies on an exact sum or
    product, or on one that propagates infinity, needs another form there.
    """

    def __init__(self, like: ir.Type, qfloat: bool = False):
        self.qfloat = qfloat
        vector = ir.VectorType(like) if isinstance(like, ir.VectorType) else None
        self.shape = vector.shape if vector is not None else None
        self._scalable = (vector.scalable_dims if vector.scalable else None) if vector is not None else None
        self._constants: dict[tuple[str, str], ir.Value] = {}
        self._types: dict[str, ir.Type] = {}

    def type(self, element: str) -> ir.Type:
        """``element`` ("f32", "i32", "i1", ...) in this shape."""
        found = self._types.get(element)
        if found is None:
            found = ir.Type.parse(element)
            if self.shape is not None:
                found = ir.VectorType.get(self.shape, found, scalable=self._scalable)
            self._types[element] = found
        return found

    def float(self, value: builtins.float, element: str = "f32") -> Float:
        """The constant ``value``, rounded to ``element``."""
        return Float(self, self._constant(element, value, ir.FloatAttr.get), element)

    def int(self, value: builtins.int, element: str = "i32") -> Int:
        """The integer constant ``value``; bit patterns above the signed range wrap."""
        width = int(element[1:])
        wrapped = (value + (1 << width - 1)) % (1 << width) - (1 << width - 1)
        return Int(self, self._constant(element, wrapped, ir.IntegerAttr.get), element)

    def _constant(self, element: str, value: builtins.float, attribute: Callable) -> ir.Value:
        key = (element, repr(value))  # repr keeps -0.0 apart from 0.0
        found = self._constants.get(key)
        if found is None:
            scalar = attribute(ir.Type.parse(element), value)
            type_ = self.type(element)
            whole = scalar if self.shape is None else ir.DenseElementsAttr.get_splat(type_, scalar)
            found = self._constants[key] = arith.ConstantOp(type_, whole).result
        return found


class Float:
    """A floating-point value. There are two comparisons, > and <, and NaN is undefined for them (``nnan``)."""

    __slots__ = ("element", "lanes", "value")

    def __init__(self, lanes: Lanes, value: ir.Value, element: str = "f32"):
        self.lanes, self.value, self.element = lanes, value, element

    def _lift(self, other: Float | float) -> ir.Value:
        return other.value if isinstance(other, Float) else self.lanes.float(other, self.element).value

    def _wrap(self, op: ir.OpView) -> Float:
        return Float(self.lanes, op.result, self.element)

    def __add__(self, other: Float | float) -> Float:
        return self._wrap(arith.AddFOp(self.value, self._lift(other)))

    def __sub__(self, other: Float | float) -> Float:
        return self._wrap(arith.SubFOp(self.value, self._lift(other)))

    def __mul__(self, other: Float | float) -> Float:
        return self._wrap(arith.MulFOp(self.value, self._lift(other)))

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: float) -> Float:
        return self._wrap(arith.SubFOp(self._lift(other), self.value))

    def __neg__(self) -> Float:
        """The sign bit flipped, by an integer operation, which every vector pipe executes."""
        return (self.bits ^ (SIGN if self.element == "f32" else SIGN >> 16)).as_float(self.element)

    def __gt__(self, other: Float | float) -> Mask:
        return self.compare("ogt", other)

    def __lt__(self, other: Float | float) -> Mask:
        return self.compare("olt", other)

    def compare(self, predicate: str, other: Float | float, nan: bool = False) -> Mask:
        """``arith.cmpf``; with ``nan`` the operands may be NaN and the result means what the predicate says."""
        flags = None if nan else ir.Attribute.parse("#arith.fastmath<nnan>")
        code = getattr(arith.CmpFPredicate, predicate.upper())
        return Mask(self.lanes, arith.CmpFOp(code, self.value, self._lift(other), fastmath=flags).result)

    def minimum(self, limit: Float | float) -> Float:
        """The smaller of two numbers; one vector instruction. NaN is undefined."""
        limit = limit if isinstance(limit, Float) else self.lanes.float(limit, self.element)
        return (self < limit).select(self, limit)

    def maximum(self, limit: Float | float) -> Float:
        """The larger of two numbers; one vector instruction. NaN is undefined."""
        limit = limit if isinstance(limit, Float) else self.lanes.float(limit, self.element)
        return (self > limit).select(self, limit)

    @property
    def constant(self) -> builtins.float | None:
        """The number this is in every lane, when it is a constant."""
        attribute = splat_of(self.value)
        return attribute.value if isinstance(attribute, ir.FloatAttr) else None

    @property
    def is_number(self) -> bool:
        """True when this is known not to be NaN."""
        constant = self.constant
        return constant is not None and constant == constant

    @property
    def bits(self) -> Int:
        """The same bits as an integer of the same width."""
        return self.bits_of("i" + self.element.lstrip("bf"))

    def bits_of(self, element: str) -> Int:
        """The same bits as the integer type ``element``."""
        return Int(self.lanes, arith.BitcastOp(self.lanes.type(element), self.value).result, element)

    def to_int(self, element: str = "i32") -> Int:
        """Truncated to ``element``; undefined for NaN and outside of it."""
        return Int(self.lanes, arith.FPToSIOp(self.lanes.type(element), self.value).result, element)

    def nearest_int(self) -> Int:
        """An i32 within 1/2 plus the rounding of a sum; works in legacy qfloat, where adding a constant does not
        round."""
        half = ((self.bits & SIGN) | float_bits(0.5)).as_float()
        return (self + half).to_int()

    def to_fixed(self, bits: int) -> Int:
        """Truncated to an i32 multiple of 2^-``bits``: the scaling is exact. Undefined outside of i32."""
        return self.ldexp(bits).to_int()

    def ldexp(self, n: int) -> Float:
        """x 2^``n``, exactly, by an integer addition: x and the result are normal numbers."""
        return (self.bits + (n << MANTISSA_BITS)).as_float()

    @property
    def head(self) -> Float:
        """The upper 12 bits of the f32's 24: products of two heads are exact."""
        return (self.bits & HEAD).as_float()

    def extend(self, element: str = "f32") -> Float:
        """The same number in ``element``, this format or a wider one."""
        if element == self.element:
            return self
        if self.constant is not None:
            return self.lanes.float(self.constant, element)
        return Float(self.lanes, arith.ExtFOp(self.lanes.type(element), self.value).result, element)

    def truncate(self, element: str) -> Float:
        """Rounded to nearest-even into the narrower format ``element``."""
        return Float(self.lanes, arith.TruncFOp(self.lanes.type(element), self.value).result, element)


class Int:
    """An integer; ``+ - * & | ^ <<`` wrap, ``>>`` and ``> <`` are signed, the others are named."""

    __slots__ = ("element", "lanes", "value")

    def __init__(self, lanes: Lanes, value: ir.Value, element: str = "i32"):
        self.lanes, self.value, self.element = lanes, value, element

    @property
    def constant(self) -> builtins.int | None:
        """The number this is in every lane, when it is a constant."""
        attribute = splat_of(self.value)
        return attribute.value if isinstance(attribute, ir.IntegerAttr) else None

    def _lift(self, other: Int | int) -> ir.Value:
        return other.value if isinstance(other, Int) else self.lanes.int(other, self.element).value

    def _wrap(self, op: ir.OpView) -> Int:
        return Int(self.lanes, op.result, self.element)

    def __add__(self, other: Int | int) -> Int:
        return self._wrap(arith.AddIOp(self.value, self._lift(other)))

    def __sub__(self, other: Int | int) -> Int:
        return self._wrap(arith.SubIOp(self.value, self._lift(other)))

    def __rsub__(self, other: int) -> Int:
        return self._wrap(arith.SubIOp(self._lift(other), self.value))

    def __mul__(self, other: Int | int) -> Int:
        return self._wrap(arith.MulIOp(self.value, self._lift(other)))

    def __and__(self, other: Int | int) -> Int:
        return self._wrap(arith.AndIOp(self.value, self._lift(other)))

    def __or__(self, other: Int | int) -> Int:
        return self._wrap(arith.OrIOp(self.value, self._lift(other)))

    def __xor__(self, other: Int | int) -> Int:
        return self._wrap(arith.XOrIOp(self.value, self._lift(other)))

    def __lshift__(self, other: Int | int) -> Int:
        return self._wrap(arith.ShLIOp(self.value, self._lift(other)))

    def __rshift__(self, other: Int | int) -> Int:
        return self._wrap(arith.ShRSIOp(self.value, self._lift(other)))

    def shift_right_unsigned(self, other: Int | int) -> Int:
        """Shift in zeros from the left."""
        return self._wrap(arith.ShRUIOp(self.value, self._lift(other)))

    def wide_product(self, other: Int) -> tuple[Int, Int]:
        """The signed product of two i32 in 64 bits: its lower and its upper half."""
        op = arith.MulSIExtendedOp(self.value, other.value)
        return Int(self.lanes, op.low), Int(self.lanes, op.high)

    def high_product(self, other: Int | int) -> Int:
        """The upper 32 bits of the signed product of two i32."""
        return Int(self.lanes, arith.MulSIExtendedOp(self.value, self._lift(other)).high)

    def _compare(self, predicate: arith.CmpIPredicate, other: Int | int) -> Mask:
        return Mask(self.lanes, arith.CmpIOp(predicate, self.value, self._lift(other)).result)

    def __gt__(self, other: Int | int) -> Mask:
        return self._compare(arith.CmpIPredicate.sgt, other)

    def __lt__(self, other: Int | int) -> Mask:
        return self._compare(arith.CmpIPredicate.slt, other)

    def above(self, other: Int | int) -> Mask:
        """Unsigned greater-than."""
        return self._compare(arith.CmpIPredicate.ugt, other)

    def equals(self, other: Int | int) -> Mask:
        """Lanes that are equal."""
        return self._compare(arith.CmpIPredicate.eq, other)

    def maximum(self, other: Int | int) -> Int:
        """The larger, signed."""
        return self._wrap(arith.MaxSIOp(self.value, self._lift(other)))

    def minimum(self, other: Int | int) -> Int:
        """The smaller, signed."""
        return self._wrap(arith.MinSIOp(self.value, self._lift(other)))

    def as_float(self, element: str = "") -> Float:
        """The same bits as a floating-point value: ``element``, or f32 or f16 by width."""
        element = element or "f" + self.element[1:]
        return Float(self.lanes, arith.BitcastOp(self.lanes.type(element), self.value).result, element)

    def to_float(self) -> Float:
        """The signed i32 as f32, rounded to nearest even."""
        return Float(self.lanes, arith.SIToFPOp(self.lanes.type("f32"), self.value).result)

    def truncate(self, element: str) -> Int:
        """The low bits."""
        return Int(self.lanes, arith.TruncIOp(self.lanes.type(element), self.value).result, element)

    def extend_signed(self, element: str = "i32") -> Int:
        """The same signed number, wider."""
        return Int(self.lanes, arith.ExtSIOp(self.lanes.type(element), self.value).result, element)

    def extend_unsigned(self, element: str = "i32") -> Int:
        """The same unsigned number, wider."""
        return Int(self.lanes, arith.ExtUIOp(self.lanes.type(element), self.value).result, element)


Number = TypeVar("Number", "Float", "Int")


def splat_of(value: ir.Value) -> ir.Attribute | None:
    """The attribute in every lane of a constant."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    attribute = owner.attributes["value"]
    if isinstance(attribute, ir.DenseElementsAttr):
        return attribute.get_splat_value() if attribute.is_splat else None
    return attribute


class Mask:
    """One bit per lane."""

    __slots__ = ("lanes", "value")

    def __init__(self, lanes: Lanes, value: ir.Value):
        self.lanes, self.value = lanes, value

    def select(self, yes: Number, no: Number) -> Number:
        """``yes`` where the mask is set, else ``no``."""
        return yes._wrap(arith.SelectOp(self.value, yes.value, no.value))

    def __and__(self, other: Mask) -> Mask:
        return Mask(self.lanes, arith.AndIOp(self.value, other.value).result)

    def __or__(self, other: Mask) -> Mask:
        return Mask(self.lanes, arith.OrIOp(self.value, other.value).result)

    def __invert__(self) -> Mask:
        ones = self.lanes.int(-1, "i1")
        return Mask(self.lanes, arith.XOrIOp(self.value, ones.value).result)


ABSOLUTE = 0x7FFFFFFF
"""Every bit of an f32 but its sign."""
SIGN = 0x80000000
HEAD = 0xFFFFF000
MANTISSA_BITS = 23
BIAS = 127
"""Bias of the exponent of an f32."""
FRACTION = (1 << MANTISSA_BITS) - 1
"""Bits of an f32 below its exponent."""
HIDDEN_BIT = 1 << MANTISSA_BITS
"""The implicit leading bit."""
SMALLEST_NORMAL = HIDDEN_BIT
"""The bits of 2^-126."""
ROUND = 12582912.0
"""1.5 * 2^23: adding it to a small f32 rounds that to an integer in the low bits."""
INFINITY = 0x7F800000
"""Bits of f32 infinity: magnitudes above are NaN."""


def float_bits(value: float) -> int:
    """The bits of ``value`` as f32."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def horner(x: Float, coefficients: tuple[float, ...]) -> Float:
    """``c[0] + c[1] x + c[2] x^2 + ...``; 2 operations per degree."""
    total: Float | float = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = x * total + coefficient
    assert isinstance(total, Float)
    return total


def pairwise(x: Float, coefficients: tuple[float, ...]) -> Float:
    """As `horner` for an even number of coefficients, in half the steps; x is multiplied by itself and by constants
    only, and so needed in one format.
    """
    pairs = [x * high + low for low, high in zip(coefficients[::2], coefficients[1::2], strict=True)]
    square, total = x * x, pairs[-1]
    for pair in reversed(pairs[:-1]):
        total = square * total + pair
    return total


def odd(x: Float, coefficients: tuple[float, ...]) -> Float:
    """x + x^3 P(x^2)."""
    square = x * x
    return x + x * square * horner(square, coefficients)


def signed(result: Float, x: Float) -> Float:
    """``result``, which is not negative, with the sign of ``x``."""
    if x.lanes.qfloat:  # a product with 0 may be -0 in legacy qfloat
        result = (result.bits & ABSOLUTE).as_float()
    return (result.bits | (x.bits & SIGN)).as_float()

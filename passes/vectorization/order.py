"""Maximum and minimum reductions of floats as reductions of integers in the same order: one instruction per value.

The result of comparing a NaN is not specified, so combining floats takes eight instructions
(`arith_legalization.comparison.extreme`). The bits of a float, those below the sign inverted for negative numbers, are
an integer ordered like the floats, with NaNs above and below all numbers; adding the number of NaNs of one sign, with
wrap-around, moves all NaNs to the end where they win, or lose. That is four independent instructions per value and one
to combine it. -0 is less than +0 in this order.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir, make
from hexagon_mlir.ir.constants import constant

_FRACTION_BITS = {"f32": 23, "f16": 10, "bf16": 7}
_COMBINERS = {"maxnumf": ("arith.maxsi", 1), "minimumf": ("arith.minsi", 1), "maximumf": ("arith.maxsi", -1),
              "minnumf": ("arith.minsi", -1)}
"""The op that combines the integers, and the sign of the addend: NaNs are least with 1, greatest with -1."""
_DIALECT = "arith."


def is_extreme(name: str | None) -> bool:
    """Whether the op called ``name`` is a maximum or minimum of floats."""
    return (name or "").removeprefix(_DIALECT) in _COMBINERS


@dataclass(frozen=True)
class Order:
    """The mapping of floats of type ``element`` to integers; ``combiner`` is the integer op for the floats' maximum or
    minimum."""

    element: ir.Type
    combiner: str
    offset: int

    @staticmethod
    def of(name: str | None, element: ir.Type) -> Order | None:
        """The order for the op that combines floats; None if that is no maximum or minimum of floats."""
        if name is None or not is_extreme(name) or str(element) not in _FRACTION_BITS:
            return None
        kind = name.removeprefix(_DIALECT)
        combiner, sign = _COMBINERS[kind]
        return Order(element, combiner, sign * ((1 << _FRACTION_BITS[str(element)]) - 1))

    @property
    def integer(self) -> ir.Type:
        """The type of the integers."""
        return ir.IntegerType.get_signless(ir.FloatType(self.element).width)

    def integers(self, floats: ir.Value) -> ir.Value:
        """The integers for a vector of floats; 4 operations."""
        type_ = ir.VectorType.get(ir.VectorType(floats.type).shape, self.integer)
        return make.addi(self._other_sense(arith.bitcast(type_, floats)), self._splat(type_, self.offset))

    def floats(self, integers: ir.Value) -> ir.Value:
        """The inverse of `integers`; 4 operations."""
        type_ = ir.VectorType(integers.type)
        bits = self._other_sense(make.subi(integers, self._splat(type_, self.offset)))
        return arith.bitcast(ir.VectorType.get(type_.shape, self.element), bits)

    def _other_sense(self, bits: ir.Value) -> ir.Value:
        """Converts sign-magnitude to ones' complement or back."""
        type_ = ir.VectorType(bits.type)
        width = ir.IntegerType(self.integer).width
        negative = make.binary("arith.shrsi", bits, self._splat(type_, width - 1))
        flips = make.binary("arith.andi", negative, self._splat(type_, (1 << width - 1) - 1))
        return make.binary("arith.xori", bits, flips)

    def _splat(self, type_: ir.VectorType, value: int) -> ir.Value:
        return constant(ir.DenseElementsAttr.get_splat(type_, ir.IntegerAttr.get(self.integer, value)))

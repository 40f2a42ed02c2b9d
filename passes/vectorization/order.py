"""The largest or smallest of many floats, found among integers in the same order: one instruction a value.

The machine does not say what it compares a NaN to, so that floats are combined by eight instructions
(`arith_legalization.comparison.extreme`). Their bits, those below the sign inverted for negative numbers, are integers
that are ordered like the numbers, with NaNs above and below all of them; adding the number of NaNs of one sign, modulo
the integers, brings all NaNs to the end where they win, or lose. That is four instructions a value, of which none waits
for another value, and one to combine it. -0 is less than +0 then.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir, make
from hexagon_mlir.ir.constants import constant

_FRACTION_BITS = {"f32": 23, "f16": 10, "bf16": 7}
_COMBINERS = {"maxnumf": ("arith.maxsi", 1), "minimumf": ("arith.minsi", 1), "maximumf": ("arith.maxsi", -1),
              "minnumf": ("arith.minsi", -1)}
"""What combines the integers, and the sign of what is added: NaNs are least with 1, greatest with -1."""
_DIALECT = "arith."


def is_extreme(name: str | None) -> bool:
    """Whether the op called ``name`` is a maximum or minimum of floats."""
    return (name or "").removeprefix(_DIALECT) in _COMBINERS


@dataclass(frozen=True)
class Order:
    """Integers for floats of type ``element``; op ``combiner`` of two is that of the floats' maximum or minimum."""

    element: ir.Type
    combiner: str
    offset: int

    @staticmethod
    def of(name: str | None, element: ir.Type) -> Order | None:
        """For the op that combines floats; None for one that is no maximum or minimum of such."""
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
        """The floats that ``integers`` stand for; 4 operations."""
        type_ = ir.VectorType(integers.type)
        bits = self._other_sense(make.subi(integers, self._splat(type_, self.offset)))
        return arith.bitcast(ir.VectorType.get(type_.shape, self.element), bits)

    def _other_sense(self, bits: ir.Value) -> ir.Value:
        """Sign and size as two's complement or the other way round, but for one."""
        type_ = ir.VectorType(bits.type)
        width = ir.IntegerType(self.integer).width
        negative = make.binary("arith.shrsi", bits, self._splat(type_, width - 1))
        flips = make.binary("arith.andi", negative, self._splat(type_, (1 << width - 1) - 1))
        return make.binary("arith.xori", bits, flips)

    def _splat(self, type_: ir.VectorType, value: int) -> ir.Value:
        return constant(ir.DenseElementsAttr.get_splat(type_, ir.IntegerAttr.get(self.integer, value)))

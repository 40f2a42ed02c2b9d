"""The matrix engine's conversion of sums of 32 bits to bytes (``cvt.ub``), as tables of columns say it.

A column has a bias b, which is added to the sum s, and a scale of 12 bits, m, whose first bit is 1, with a shift g::

    floor((2 * floor((s + b) / 2^g) + 1) * m / 2^16), limited to 0 to 255

What is cut off by g is lost but for the last bit, which is always 1 (sticky). This is ``cvt.ub`` of the public QEMU
trees (`hexagon_mlir.sim.matrix_engine.integer_conversion`) for results without a bias of their own.
"""

from __future__ import annotations

from typing import TypeAlias

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast

SCALE_BITS = 12
"""Of m; the first of them is stored inverted."""
RESULT_SHIFT = 16
"""From the product of the value with its sticky bit and the scale to a byte."""
LEAST_SHIFT, MOST_SHIFT = 1, 18
"""Of g: exponents 2 to 19. Smaller ones are not known to work on devices."""
_VALUE_BITS = 17
"""Of a sum, shifted, without its sign; beyond them results are limited in any case, and the product has 32 bits."""
_EXPONENT_AND_SHIFT = 20
_EXPONENT_BIT, _LOWEST_BIT = 10, 31
_STORED_LOW = (1 << _EXPONENT_BIT) - 1


def low_word(scale: int, shift: int) -> int:
    """The low word, signed, of a column's table for scale m and shift g; the high word is b.

    Raises `ValueError` for numbers that it has no bits for.
    """
    if not 1 << SCALE_BITS - 1 <= scale < 1 << SCALE_BITS or not LEAST_SHIFT <= shift <= MOST_SHIFT:
        raise ValueError(f"scale {scale} and shift {shift}")
    word = scale >> 1 & _STORED_LOW | _EXPONENT_AND_SHIFT - shift << _EXPONENT_BIT | (scale & 1) << _LOWEST_BIT
    return word - (word >> _LOWEST_BIT << _LOWEST_BIT + 1)


Argument: TypeAlias = str | int
"""A step's result or one of `ARGUMENTS`, by name, or a number."""
ARGUMENTS = SUM, WORD, BIAS = "sum", "word", "bias"
_STEPS: dict[str, tuple[str, Argument, Argument]] = {
    "biased": ("arith.addi", SUM, BIAS),
    "upper": ("arith.shrui", WORD, _EXPONENT_BIT),
    "exponent": ("arith.andi", "upper", 31),
    "shift": ("arith.subi", _EXPONENT_AND_SHIFT, "exponent"),
    "kept": ("arith.shrsi", "biased", "shift"),
    "above_least": ("arith.maxsi", "kept", -(1 << _VALUE_BITS)),
    "within": ("arith.minsi", "above_least", (1 << _VALUE_BITS) - 1),
    "doubled": ("arith.shli", "within", 1),
    "value": ("arith.ori", "doubled", 1),
    "stored": ("arith.andi", WORD, _STORED_LOW),
    "above": ("arith.shli", "stored", 1),
    "leading": ("arith.ori", "above", 1 << SCALE_BITS - 1),
    "last": ("arith.shrui", WORD, _LOWEST_BIT),
    "scale": ("arith.ori", "leading", "last"),
    "product": ("arith.muli", "value", "scale"),
    "number": ("arith.shrsi", "product", RESULT_SHIFT),
    "positive": ("arith.maxsi", "number", 0),
    "limited": ("arith.minsi", "positive", 255),
}
"""The conversion in operations on i32; the byte is cut to 8 bits then."""
_LAST = "limited"
_COMMUTATIVE = frozenset({"arith.addi", "arith.andi", "arith.ori", "arith.muli", "arith.maxsi", "arith.minsi"})


def conversion_text(given: dict[str, str], result: str) -> str:
    """MLIR text of the conversion of the values ``given``, by name, to the i8 ``result``."""
    lines, names = [], dict(given)
    for step, (name, *operands) in _STEPS.items():
        for operand in operands:
            if isinstance(operand, int) and str(operand) not in names:
                names[str(operand)] = f"%number{operand}".replace("-", "_")
                lines.append(f"{names[str(operand)]} = arith.constant {operand} : i32")
        names[step] = f"%{step}"
        lines.append(f"%{step} = {name} {', '.join(names[str(operand)] for operand in operands)} : i32")
    lines.append(f"{result} = arith.trunci %{_LAST} : i32 to i8")
    return "".join(f"      {line}\n" for line in lines)


def convert(given: dict[str, ir.Value]) -> ir.Value:
    """The byte of the values ``given``, by name, at the insertion point."""
    values, i32 = dict(given), ir.IntegerType.get_signless(32)

    def operand(argument: Argument) -> ir.Value:
        return values[argument] if isinstance(argument, str) else constant(ir.IntegerAttr.get(i32, argument))

    for step, (name, *operands) in _STEPS.items():
        values[step] = binary(name, *map(operand, operands))
    return cast("arith.trunci", ir.IntegerType.get_signless(8), values[_LAST])


def read_conversion(byte: ir.Value) -> dict[str, ir.Value] | None:
    """The values, by name, that the i8 ``byte`` is the conversion of; None if it is none."""
    op = None if isinstance(byte.owner, ir.Block) else byte.owner.operation
    if op is None or op.name != "arith.trunci" or byte.type != ir.IntegerType.get_signless(8, byte.context):
        return None
    found: dict[str, ir.Value] = {}
    return found if _matches(op.operands[0], _LAST, found) else None


def _matches(value: ir.Value, wanted: Argument, found: dict[str, ir.Value]) -> bool:
    """Whether ``value`` is ``wanted``, with the arguments ``found`` before, or with new ones, which are added."""
    if wanted in ARGUMENTS:
        return found.setdefault(str(wanted), value) == value
    op = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if op is None:
        return False
    if isinstance(wanted, int):
        attribute = op.attributes["value"] if op.name == "arith.constant" else None
        return isinstance(attribute, ir.IntegerAttr) and attribute.value == wanted
    name, *operands = _STEPS[wanted]
    if op.name != name:
        return False
    for order in (operands, operands[::-1])[:2 if name in _COMMUTATIVE else 1]:
        here = dict(found)
        if all(_matches(each, part, here) for each, part in zip(op.operands, order, strict=True)):
            found.update(here)
            return True
    return False

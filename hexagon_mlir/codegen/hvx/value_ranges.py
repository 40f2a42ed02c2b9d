"""Ranges of vector floating-point values in LLVM IR, as far as they show that a sum did not cancel.

A qfloat sum keeps the exponent of its larger operand: after cancellation its leading bits are empty, and a
multiplication that takes it as it is loses that many bits (HVX V73 manual, 5.6: normalise first). The analysis finds
the sums that surely did not cancel. Three kinds of knowledge are enough for the polynomials and Newton steps of the
maths library:

* an interval: constants, squares, polynomials of bounded arguments;
* ``coefficient * x + interval`` for an unknown ``x``: rounding, by a magic constant or in fixed point, gives an
  integer within 1/2 of its argument, and the reduced argument of exp or sin is what is left when ``coefficient``
  comes out as nothing;
* ``x ** power * interval``: a seed taken from the bits of ``x`` and the Newton steps that follow it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from hexagon_mlir.codegen.hvx.half_conversions import LARGEST_HALF
from hexagon_mlir.codegen.hvx.integer_ranges import integer, integer_bounds
from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import split_type, vector_type

INFINITE = math.inf
MOST_EMPTY = 2
"""Leading bits that a factor may lack."""
SAFE_RATIO = 2.0**MOST_EMPTY
"""A sum at least 1/4 of its larger operand lost at most two leading bits. A sum or product of normalised numbers may
lack one more: results of 2 modulo 4 units are written as half of that."""
_MAGIC = {"float": 1.5 * 2.0 ** 23, "half": 1.5 * 2.0 ** 10}
_MAGIC_LIMIT = {"float": 2.0 ** 22, "half": 2.0 ** 9}
"""Rounding by a magic constant is meant for arguments below this: beyond it, results are discarded."""
_FRACTION_BITS = 23
_ABSOLUTE = 0x7FFFFFFF
MAGIC_BITS = 0x4B400000
"""Bits of the f32 1.5 * 2^23."""
_ONE_BITS = 0x3F800000
_ROUNDED = (("and", -(1 << _FRACTION_BITS)), ("add", 1 << _FRACTION_BITS - 1), ("fptosi", None))
"""How y becomes an integer that is a multiple of 2^23, last operation first."""
_NOTHING = 2.0 ** -12
_SEEDS = ((0x7E000000, 0x7F800000, Fraction(-1)), (0x5E000000, 0x60000000, Fraction(-1, 2)))
"""``constant - bits`` and ``constant - (bits >> 1)``: seeds of 1/x and 1/sqrt(x), within 13 % of them."""
_SEED = (0.87, 1.13)


@dataclass(frozen=True)
class Form:
    """``coefficient * root + [low, high]``, or ``root ** power * [low, high]`` when ``power`` is not 0."""

    low: float
    high: float
    root: str = ""
    coefficient: float = 0.0
    power: Fraction = Fraction(0)


UNKNOWN = Form(-INFINITE, INFINITE)


@dataclass
class Ranges:
    """Forms of the values of one function, by name; `visit` every instruction in order."""

    forms: dict[str, Form] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    """Root -> bound of its magnitude."""
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Root -> its bounds as far as they are known."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Bitcast -> the value it shows the bits of."""
    definitions: dict[str, Instruction] = field(default_factory=dict)
    empty: dict[str, int] = field(default_factory=dict)
    """Leading bits that sums and products may lack; where nothing is said, none."""
    normal: set[str] = field(default_factory=set)
    """Sums, differences and products whose leading bits are in use."""

    def form(self, operand: str) -> Form:
        """What is known of ``operand``, a name or a constant."""
        number = constant(operand)
        if number is not None:
            return UNKNOWN if math.isnan(number) else Form(number, number)
        found = self.forms.get(operand)
        return found if found is not None else Form(0.0, 0.0, operand, 1.0)

    def interval(self, operand: str) -> tuple[float, float]:
        """Bounds of ``operand``."""
        return self._bounds(self.form(operand))

    def visit(self, i: Instruction) -> None:
        """Note what ``i`` computes."""
        self.definitions[i.result] = i
        vector = vector_type(i.type)
        if vector is None or not i.operands:
            return
        element = vector[1]
        if element not in ("float", "half"):
            if i.opcode == "bitcast" and (source := vector_type(i.types[0])) and source[1] in ("float", "half"):
                self.aliases[i.result] = i.operands[0]
            return
        self._compute(i, element)
        found = self.forms.get(i.result)
        if found is not None and not found.root and (i.opcode not in ("fadd", "fsub", "fmul")
                                                     or not math.isfinite(found.high - found.low)):
            self.ranges[i.result] = (found.low, found.high)  # an unknown of its own, with these bounds
            del self.forms[i.result]

    def _compute(self, i: Instruction, element: str) -> None:
        if i.opcode in ("fadd", "fsub"):
            self.forms[i.result] = self._sum(i, element)
        elif i.opcode == "fmul":
            empty = sum(self.empty.get(operand, 0) for operand in i.operands)
            if empty <= MOST_EMPTY:  # a product has the empty bits of both factors
                self.normal.add(i.result)
            self.empty[i.result] = empty
            self.forms[i.result] = self._product(*i.operands)
        elif i.opcode == "fneg":
            self.forms[i.result] = _negative(self.form(i.operands[0]))
        elif i.opcode == "select":
            self.forms[i.result] = self._select(i)
        elif i.opcode == "bitcast":
            self.forms[i.result] = self._from_bits(i, element)
        elif i.opcode == "call" and "llvm.fabs" in i.flags:
            low, high = self.interval(i.operands[0])
            self.forms[i.result] = Form(0.0, max(abs(low), abs(high)))
        elif i.opcode == "sitofp":
            self.forms[i.result] = self._converted(i)
        elif i.opcode in ("fpext", "fptrunc"):
            low, high = self.interval(i.operands[0])
            if "half" in (element, i.types[0].split()[-1].rstrip(">")):
                low, high = max(low, -LARGEST_HALF), min(high, LARGEST_HALF)
            self.forms[i.result] = Form(low, high)

    # -- arithmetic ----------------------------------------------------------------------------------------------

    def _sum(self, i: Instruction, element: str) -> Form:
        left, right = i.operands
        a, b = self.form(left), self.form(right)
        if i.opcode == "fsub":
            b = _negative(b)
        low, high, largest = *self._bounds(a), 0.0
        low2, high2 = self._bounds(b)
        magic = self._magic(i, element)
        if magic is not None:
            rounded, limit = magic
            if rounded is None:  # adding the constant: its argument is small beside it
                self.normal.add(i.result)
                argument = self.form(left)
                if argument.root and argument.power == 0 and argument.coefficient:
                    bound = limit / abs(argument.coefficient)
                    self.limits[argument.root] = min(bound, self.limits.get(argument.root, INFINITE))
                return UNKNOWN
            # no even significand is written: the number may be off by a whole unit
            return Form(rounded.low - 1.0, rounded.high + 1.0, rounded.root, rounded.coefficient, rounded.power)
        total = self._added(a, b)
        if total.root == "" or total.power == 0:
            bounds = self._bounds(total)
            smallest = 0.0 if bounds[0] <= 0 <= bounds[1] else min(abs(bounds[0]), abs(bounds[1]))
            largest = max(abs(low), abs(high), abs(low2), abs(high2))
            same_sign = (low >= 0 and low2 >= 0) or (high <= 0 and high2 <= 0)
            if same_sign or (smallest > 0 and smallest * SAFE_RATIO >= largest):
                self.normal.add(i.result)
                self.empty[i.result] = 0 if same_sign else max(math.ceil(math.log2(largest / smallest)), 0)
        return total

    def _magic(self, i: Instruction, element: str) -> tuple[Form | None, float] | None:
        """(None, limit) when ``i`` adds the magic constant, (what is rounded, limit) when it takes it off again."""
        number = constant(i.operands[1])
        if number is None or abs(number) != _MAGIC[element]:
            return None
        number = -number if i.opcode == "fsub" else number
        source = self.definitions.get(i.operands[0])
        if (source is not None and source.opcode in ("fadd", "fsub") and (added := constant(source.operands[1]))
                and added == (-number if source.opcode == "fadd" else number)):
            form = self.form(source.operands[0])
            return (form if form.power == 0 else Form(*self._bounds(form))), _MAGIC_LIMIT[element]
        fixed = self._fixed_point(source) if number < 0 and element == "float" else None
        if fixed is not None:
            return fixed, _MAGIC_LIMIT[element]
        return (None, _MAGIC_LIMIT[element]) if number > 0 else None

    def _fixed_point(self, source: Instruction | None) -> Form | None:
        """y / 2^23 when ``source`` holds the bits of 1.5 * 2^23 + round(y / 2^23), made by integer operations."""
        y = self._chain(source, ("bitcast", None), ("add", MAGIC_BITS), ("ashr", _FRACTION_BITS), *_ROUNDED)
        return self._scaled(y, 2.0 ** -_FRACTION_BITS) if y is not None else None

    def _converted(self, i: Instruction) -> Form:
        """The same, and y itself, rounded to a multiple of 2^23, from the conversion of an integer; or its bounds."""
        links: tuple[tuple[str, int | None], ...] = (("sitofp", None), *_ROUNDED)
        for chain, unit in ((links, 2.0 ** _FRACTION_BITS), ((links[0], ("ashr", _FRACTION_BITS), *_ROUNDED), 1.0)):
            y = self._chain(i, *chain)
            form = self._scaled(y, unit * 2.0 ** -_FRACTION_BITS) if y is not None else None
            if form is not None:
                return Form(form.low - unit / 2, form.high + unit / 2, form.root, form.coefficient)
        low, high = integer_bounds(i.operands[0], self.definitions)
        return Form(float(low), float(high))

    def _scaled(self, y: str, scale: float) -> Form | None:
        """``y`` times ``scale``, for a ``y`` that was converted to an integer: it saturates beyond 2^31, and such
        results are discarded.
        """
        form = self.form(y)
        if form.power:
            return None
        if form.root and form.coefficient:
            bound = 2.0 ** 31 / abs(form.coefficient)
            self.limits[form.root] = min(bound, self.limits.get(form.root, INFINITE))
        return Form(form.low * scale, form.high * scale, form.root, form.coefficient * scale)

    def _chain(self, last: Instruction | None, *links: tuple[str, int | None]) -> str | None:
        """The operand that a chain of operations with these constants, last one first, starts from."""
        operand = None
        for opcode, number in links:
            if last is None or last.opcode != opcode or (number is not None and integer(last.operands[1]) != number):
                return None
            operand = last.operands[0]
            last = self.definitions.get(operand)
        return operand

    def _added(self, a: Form, b: Form) -> Form:
        if a.power or b.power:
            (l1, h1), (l2, h2) = self._bounds(a), self._bounds(b)
            return Form(l1 + l2, h1 + h2)
        if a.root and b.root and a.root != b.root:
            (l1, h1), (l2, h2) = self._bounds(a), self._bounds(b)
            return _hull([l1 + l2, h1 + h2])
        coefficient, root = a.coefficient + b.coefficient, a.root or b.root
        low, high = a.low + b.low, a.high + b.high
        rest = abs(coefficient) * max(map(abs, self._root_bounds(root))) if root and coefficient else 0.0
        if root and abs(coefficient) < _NOTHING and rest < 1:
            return Form(low - rest, high + rest)
        return _hull([low, high], root, coefficient)

    def _product(self, left: str, right: str) -> Form:
        a, b = self.form(left), self.form(right)
        for x, y in ((a, b), (b, a)):
            if x.root == "" and x.low == x.high and y.power == 0:  # by a constant
                return _hull([x.low * y.low, x.low * y.high], y.root, x.low * y.coefficient)
        a, b = self._monomial(left, a, b), self._monomial(right, b, a)
        if (a.power or b.power) and (not (a.power and b.power) or a.root == b.root):
            root, power = a.root or b.root, a.power + b.power
            low, high = _times((a.low, a.high), (b.low, b.high))
            if power == 0 or low > 0 or high < 0:
                return Form(low, high, root if power else "", 0.0, power)
        bounds = _times(self._bounds(a), self._bounds(b))
        if self._same(left) == self._same(right):
            bounds = (max(bounds[0], 0.0), bounds[1])
        return Form(*bounds)

    def _monomial(self, operand: str, form: Form, other: Form) -> Form:
        """``operand`` as a power of the root of ``other``, when that is a power of a root; else as an interval."""
        if form.power or not other.power:
            return form
        if other.root in (self._same(operand), self._bits(operand)):
            return Form(1.0, 1.0, other.root, 0.0, Fraction(1))
        if form.root == other.root and form.low == form.high == 0 and form.coefficient:
            return Form(form.coefficient, form.coefficient, other.root, 0.0, Fraction(1))
        return Form(*self._bounds(form))

    def _select(self, i: Instruction) -> Form:
        """The hull of both sides; a minimum or maximum when the condition compares just them."""
        numbers = [o for o in i.operands[1:] if (c := constant(o)) is None or not math.isnan(c)]
        if len(numbers) == 1:  # the other is NaN, of which nothing is said
            return Form(*self.interval(numbers[0]))
        (l1, h1), (l2, h2) = (self.interval(o) for o in i.operands[1:])
        test = self.definitions.get(i.operands[0])
        if test is not None and test.opcode == "fcmp" and set(test.operands[:2]) == set(i.operands[1:]):
            smaller = ("lt" in test.flags or "le" in test.flags) == (test.operands[0] == i.operands[1])
            return Form(min(l1, l2), min(h1, h2)) if smaller else Form(max(l1, l2), max(h1, h2))
        return Form(min(l1, l2), max(h1, h2))

    def _from_bits(self, i: Instruction, element: str) -> Form:
        """A float made of integer operations: seeds, absolute values, scaling by powers of two."""
        own = UNKNOWN
        source = self.definitions.get(i.operands[0])
        if source is None or element != "float":
            return own
        if source.opcode == "sub" and (number := integer(source.operands[0])) is not None:
            of, halved = source.operands[1], False
            inner = self.definitions.get(of)
            if inner is not None and inner.opcode in ("lshr", "ashr") and integer(inner.operands[1]) == 1:
                of, halved = inner.operands[0], True
            for low, high, power in _SEEDS:
                if low <= number & _ABSOLUTE <= high and halved == (power == Fraction(-1, 2)):
                    seed = Form(*_SEED, self._same(of), 0.0, power)
                    return _negative(seed) if number < 0 else seed
        if source.opcode == "or" and integer(source.operands[1]) == _ONE_BITS:
            inner = self.definitions.get(source.operands[0])
            if inner is not None and inner.opcode == "and" and integer(inner.operands[1]) == (1 << _FRACTION_BITS) - 1:
                return Form(1.0, 2.0)
        if source.opcode == "xor" and integer(source.operands[1]) in (1 << 31, -1 << 31):
            return _negative(self.form(self._same(source.operands[0])))
        if source.opcode == "and" and integer(source.operands[1]) == _ABSOLUTE:
            return Form(0.0, INFINITE)
        factor = self._exponent_added(source)
        if factor is not None:
            form = self.form(self.aliases[source.operands[0]])
            return _hull([form.low * factor, form.high * factor], form.root, form.coefficient * factor)
        if source.opcode == "add":
            for whole, scale in (source.operands, source.operands[::-1]):
                shift = self.definitions.get(scale)
                if (shift is not None and shift.opcode == "shl" and integer(shift.operands[1]) == 23
                        and self.interval(self._same(whole))[0] > 0):
                    return Form(0.0, INFINITE)
        return own

    def _exponent_added(self, source: Instruction) -> float | None:
        """The power of two that ``source`` multiplies a float by, adding to its bits; zero is not meant."""
        number = integer(source.operands[1]) if source.opcode in ("add", "sub") else None
        if number is None or number % (1 << _FRACTION_BITS) or abs(number) >= 1 << 30:
            return None
        if source.operands[0] not in self.aliases or self.form(self.aliases[source.operands[0]]).power:
            return None
        return 2.0 ** ((number if source.opcode == "add" else -number) >> _FRACTION_BITS)

    def _same(self, operand: str) -> str:
        return self.aliases.get(operand, operand)

    def _bits(self, operand: str) -> str:
        """The integers that ``operand`` shows the bits of, if there are such: a seed may be taken from them."""
        i = self.definitions.get(operand)
        return i.operands[0] if i is not None and i.opcode == "bitcast" else operand

    def _bounds(self, form: Form) -> tuple[float, float]:
        if form.power:
            positive = form.low >= 0 and (form.power.denominator == 2 or form.power.numerator % 2 == 0)
            return (0.0, INFINITE) if positive else (-INFINITE, INFINITE)
        if not form.root or not form.coefficient:
            return form.low, form.high
        ends = _times(self._root_bounds(form.root), (form.coefficient, form.coefficient))
        return form.low + ends[0], form.high + ends[1]

    def _root_bounds(self, root: str) -> tuple[float, float]:
        limit = self.limits.get(root, INFINITE)
        low, high = self.ranges.get(root, (-INFINITE, INFINITE))
        return max(low, -limit), min(high, limit)


def constant(operand: str) -> float | None:
    """The number of a splat constant of floats."""
    if operand == "zeroinitializer":
        return 0.0
    if not operand.startswith("splat ("):
        return None
    kind, text = split_type(operand[7:-1])
    if kind == "half":
        bits = int(text[3:], 16) if text.startswith("0xH") else None
        return float(text) if bits is None else struct.unpack("<e", bits.to_bytes(2, "little"))[0]
    if kind == "float":
        return struct.unpack("<d", int(text, 16).to_bytes(8, "little"))[0] if text.startswith("0x") else float(text)
    return None


def _negative(form: Form) -> Form:
    if form.power:
        return Form(-form.high, -form.low, form.root, 0.0, form.power)
    return Form(-form.high, -form.low, form.root, -form.coefficient)


def _times(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    products = [0.0 if x == 0 or y == 0 else x * y for x in a for y in b]
    return min(products), max(products)


def _hull(ends: Sequence[float], root: str = "", coefficient: float = 0.0) -> Form:
    low, high = min(ends), max(ends)
    if math.isnan(low) or math.isnan(high):
        return UNKNOWN
    return Form(low, high, root if coefficient else "", coefficient)

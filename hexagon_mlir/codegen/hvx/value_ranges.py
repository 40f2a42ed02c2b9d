"""Ranges of vector floating-point values in LLVM IR, to prove that sums do not cancel.

A qfloat sum keeps the exponent of its larger operand: after cancellation its leading bits are empty, and a
multiplication of the unnormalised sum loses that many bits (HVX V73 manual, 5.6: normalise first). The analysis finds
the sums that provably do not cancel. Three abstract forms are enough for the polynomials and Newton steps of the maths
library (`value_forms.Form`):

* an interval: constants, squares, polynomials of bounded arguments;
* ``coefficient * x + interval`` for an unknown ``x``: rounding, by a magic constant or in fixed point, gives an
  integer within 1/2 of its argument, and the reduced argument of exp or sin is the interval that remains when
  ``coefficient`` cancels;
* ``x ** power * interval``: a seed taken from the bits of ``x`` and the Newton steps that follow it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from hexagon_mlir.codegen.hvx.bit_forms import MAGIC_LIMIT, converted, from_bits, from_integer, magic_added, rounded
from hexagon_mlir.codegen.hvx.half_conversions import LARGEST_HALF
from hexagon_mlir.codegen.hvx.known_values import KnownValues
from hexagon_mlir.codegen.hvx.value_forms import UNKNOWN, Form, constant, largest
from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import vector_type

MOST_EMPTY = 2
"""Leading bits that a factor may lack."""
SAFE_RATIO = 2.0**MOST_EMPTY
"""A sum at least 1/4 of its larger operand lost at most two leading bits. A sum or product of normalised numbers may
lack one more: results of 2 modulo 4 units are represented as half of that."""
_FLOATS = ("float", "half")
_ARITHMETIC = ("fadd", "fsub", "fmul")


@dataclass
class Ranges(KnownValues):
    """The analysis of one function: `visit` every instruction in order."""

    empty: dict[str, int] = field(default_factory=dict)
    """Leading bits that sums and products may lack; no entry means none."""
    normal: set[str] = field(default_factory=set)
    """Sums, differences and products whose leading bits are in use."""

    def visit(self, i: Instruction) -> None:
        """Record the form of the result of ``i``."""
        self.definitions[i.result] = i
        vector = vector_type(i.type)
        if vector is None or not i.operands:
            return
        if vector[1] not in _FLOATS:
            if i.opcode == "bitcast" and (source := vector_type(i.types[0])) and source[1] in _FLOATS:
                self.aliases[i.result] = i.operands[0]
            return
        if i.opcode == "fmul":
            self._note_product(i)
        form = _FORMS[i.opcode](self, i, vector[1]) if i.opcode in _FORMS else None
        if i.opcode in ("fadd", "fsub") and form is not None:
            self._note_sum(i, form, vector[1])
        if form is not None:
            self._note_form(i, form)

    def _note_form(self, i: Instruction, form: Form) -> None:
        """Record ``form``; an unbounded interval, or one of a value that is not arithmetic, becomes that of a new
        root."""
        if not form.root and (i.opcode not in _ARITHMETIC or not math.isfinite(form.high - form.low)):
            self.ranges[i.result] = (form.low, form.high)
        else:
            self.forms[i.result] = form

    def _note_product(self, i: Instruction) -> None:
        """A product has the sum of both factors' empty bits."""
        empty = sum(self.empty.get(operand, 0) for operand in i.operands)
        if empty <= MOST_EMPTY:
            self.normal.add(i.result)
        self.empty[i.result] = empty

    def _note_sum(self, i: Instruction, form: Form, element: str) -> None:
        """A sum has empty bits where it may be less than its larger operand; an argument is small against the magic
        constant.
        """
        magic = magic_added(i, element)
        if magic is not None and rounded(self, i, element, magic) is not None:
            return
        if magic is not None and magic > 0:
            self.normal.add(i.result)
            return
        a, b = (self.bounds(operand) for operand in _summands(self, i))
        low, high = self.bounds(form)
        smallest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        larger = max(largest(a), largest(b))
        same_sign = (a[0] >= 0 and b[0] >= 0) or (a[1] <= 0 and b[1] <= 0)
        if same_sign or (smallest > 0 and smallest * SAFE_RATIO >= larger):
            self.normal.add(i.result)
            self.empty[i.result] = 0 if same_sign else max(math.ceil(math.log2(larger / smallest)), 0)


def _summands(values: KnownValues, i: Instruction) -> tuple[Form, Form]:
    left, right = (values.form(operand) for operand in i.operands)
    return left, right.negative() if i.opcode == "fsub" else right


def _sum(values: KnownValues, i: Instruction, element: str) -> Form:
    magic = magic_added(i, element)
    form = rounded(values, i, element, magic) if magic is not None else None
    if form is not None:
        return form.widened(1.0)  # no even significand is representable: the number may be off by a whole unit
    if magic is not None and magic > 0:
        values.limit(values.form(i.operands[0]), MAGIC_LIMIT[element])
        return UNKNOWN
    return values.sum(*_summands(values, i))


def _select(values: KnownValues, i: Instruction, element: str) -> Form:
    """The hull of both sides; a minimum or maximum when the condition compares just them."""
    numbers = [o for o in i.operands[1:] if (c := constant(o)) is None or not math.isnan(c)]
    if len(numbers) == 1:  # the other operand is NaN, which has no bounds
        return Form(*values.interval(numbers[0]))
    (l1, h1), (l2, h2) = (values.interval(o) for o in i.operands[1:])
    test = values.definitions.get(i.operands[0])
    if test is not None and test.opcode == "fcmp" and set(test.operands[:2]) == set(i.operands[1:]):
        smaller = ("lt" in test.flags or "le" in test.flags) == (test.operands[0] == i.operands[1])
        return Form(min(l1, l2), min(h1, h2)) if smaller else Form(max(l1, l2), max(h1, h2))
    return Form(min(l1, l2), max(h1, h2))


def _bitcast(values: KnownValues, i: Instruction, element: str) -> Form:
    source = values.definitions.get(i.operands[0])
    form = from_bits(values, source) if source is not None and element == "float" else UNKNOWN
    return form if form is not UNKNOWN else from_integer(values, i.operands[0], element)


def _call(values: KnownValues, i: Instruction, element: str) -> Form | None:
    return Form(0.0, largest(values.interval(i.operands[0]))) if "llvm.fabs" in i.flags else None


def _resized(values: KnownValues, i: Instruction, element: str) -> Form:
    """Between f32 and f16: a finite f16 value is within the range of f16."""
    low, high = values.interval(i.operands[0])
    if "half" in (element, i.types[0].split()[-1].rstrip(">")):
        low, high = max(low, -LARGEST_HALF), min(high, LARGEST_HALF)
    return Form(low, high)


_FORMS: dict[str, Callable[[KnownValues, Instruction, str], Form | None]] = {
    "fadd": _sum,
    "fsub": _sum,
    "fmul": lambda values, i, element: values.product(*i.operands),
    "fneg": lambda values, i, element: values.form(i.operands[0]).negative(),
    "select": _select,
    "bitcast": _bitcast,
    "call": _call,
    "sitofp": lambda values, i, element: converted(values, i),
    "fpext": _resized,
    "fptrunc": _resized,
}
"""Opcode -> the form of its result; the last argument is the element type."""

"""Turns ``a - b * c`` on vectors into ``a + b * (-c)`` in optimised LLVM IR, for qfloat chips.

A product leaves the HVX multiplier in qf32. The adder takes it as it is, ``vadd(qf32, sf)``, but has no ``sf - qf32``:
LLVM converts the product first, on the shift pipe that every addition needs too. Negating a constant costs nothing,
negating a register one integer operation on any pipe. Needed after the optimiser: InstCombine does the opposite.
"""

from __future__ import annotations

import re
import struct

_VALUE = r"(%[\w.]+|splat \((?:float|half) [^)]*\)|zeroinitializer)"
_PRODUCT = re.compile(rf"^  (%[\w.]+) = fmul (<(\d+) x (float|half)>) {_VALUE}, {_VALUE}(?=$|,)")
_DIFFERENCE = re.compile(rf"^  (%[\w.]+) = fsub (<\d+ x (?:float|half)>) {_VALUE}, (%[\w.]+)(?=$|,)")
_NAME = re.compile(r"%[\w.]+")
_SPLAT = re.compile(r"splat \((float|half) (0x[0-9A-FH]+|[-+.\de]+)\)")
_SIGN_BIT = {"float": ("i32", -(1 << 31)), "half": ("i16", -(1 << 15))}


def add_products(llvm_ir: str) -> str:
    """``llvm_ir`` with every vector difference whose subtrahend is a product used once turned into a sum."""
    lines = llvm_ir.split("\n")
    result: list[str] = []
    start = 0
    for end, line in enumerate(lines):
        if line == "}":
            result += _function(lines[start:end + 1])
            start = end + 1
    return "\n".join(result + lines[start:])


def _function(lines: list[str]) -> list[str]:
    products: dict[str, int] = {}
    uses: dict[str, int] = {}
    for number, line in enumerate(lines):
        if match := _PRODUCT.match(line):
            products[match[1]] = number
        for name in _NAME.findall(line):
            uses[name] = uses.get(name, 0) + 1
    negated: dict[int, str] = {}
    for number, line in enumerate(lines):
        match = _DIFFERENCE.match(line)
        if match is None or match[4] not in products or uses[match[4]] != 2:  # its definition and this line
            continue
        product = products[match[4]]
        negated[product] = _negate(lines[product])
        lines[number] = line.replace(" = fsub ", " = fadd ", 1)
    return [text for number, line in enumerate(lines) for text in negated.get(number, line).split("\n")]


def _negate(line: str) -> str:
    """The product of ``line`` with one factor negated: a constant if there is one, else the second."""
    match = _PRODUCT.match(line)
    assert match is not None
    name, type_, lanes, element, left, right = match.groups()
    for factor in (right, left):
        if constant := _SPLAT.fullmatch(factor):
            head, _, tail = line.rpartition(factor)
            return f"{head}splat ({element} {_negative(constant[1], constant[2])}){tail}"
    integer, sign = _SIGN_BIT[element]
    integers = f"<{lanes} x {integer}>"
    bits, flipped, minus = (f"%minus.{name[1:]}.{part}" for part in ("bits", "flipped", "value"))
    head, _, tail = line.rpartition(right)
    return "\n".join((
        f"  {bits} = bitcast {type_} {right} to {integers}",
        f"  {flipped} = xor {integers} {bits}, splat ({integer} {sign})",
        f"  {minus} = bitcast {integers} {flipped} to {type_}",
        f"{head}{minus}{tail}",
    ))


def _negative(element: str, text: str) -> str:
    if text.startswith("0xH"):
        return f"0xH{int(text[3:], 16) ^ 0x8000:04X}"
    if text.startswith("0x"):
        return f"0x{int(text, 16) ^ (1 << 63):016X}"
    value = -float(text)
    if element == "half":
        return f"0xH{struct.unpack('<H', struct.pack('<e', value))[0]:04X}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"

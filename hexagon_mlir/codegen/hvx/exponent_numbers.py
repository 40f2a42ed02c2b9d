"""Small integers as floats in one instruction, ``v.sf = v.w`` (from v73 on).

The maths library adds the bits of 1.5 * 2^23 to an integer and subtracts that number, which works on every chip: an
addition and two instructions of the one shift pipe. LLVM 22 selects no conversion of vectors of 32-bit integers. An
exponent that is only multiplied by constants needs no shift out of its field: the constants are divided by 2^23.
"""

from __future__ import annotations

import struct

from hexagon_mlir.codegen.hvx.bit_forms import MAGIC_BITS
from hexagon_mlir.codegen.hvx.integer_ranges import integer
from hexagon_mlir.codegen.hvx.value_forms import constant
from hexagon_mlir.llvmir import Function, Instruction, Module, rewrite
from hexagon_mlir.llvmir.types import vector_type

_MAGIC = struct.unpack("<f", MAGIC_BITS.to_bytes(4, "little"))[0]
_MOST_BITS = 22
"""Bits of the signed integers that the constant converts: a larger one would change its exponent."""
_SMALLEST = 2.0 ** -126
_NARROW = {"i8": 8, "i16": 16}


def small_integers_as_conversions(module: Module) -> Module:
    """``module`` with ``sitofp`` for every integer that the constant converts, where it provably has at most 22
    bits."""
    return module.map(lambda function: _rewritten(function) if str(MAGIC_BITS) in function.text else function)


def _rewritten(function: Function) -> Function:
    definitions, users = function.definitions, function.users
    found = [(i, number) for i in function.by_opcode.get("fsub", ())
             if (number := _small_integer(i, definitions)) is not None]
    if not found:
        return function
    changed: dict[str, str] = {}
    for i, number in found:
        shifted, scale = _unshifted(number, definitions)
        factors = [_scaled(u, i.result, scale) for u in users.get(i.result, [])]
        in_place = shifted and all(factors)
        source = shifted if in_place else number.result
        changed[i.result] = f"  {i.result} = sitofp {number.type} {source} to {i.type}{i.debug}"
        if in_place:
            changed |= {u.result: text for u, text in zip(users[i.result], factors, strict=True)}
    return rewrite(function, ("fsub", "fmul"), lambda i: [changed[i.result]] if i.result in changed else None)


def _small_integer(i: Instruction, definitions: dict[str, Instruction]) -> Instruction | None:
    """The integer of at most 22 bits that ``i`` gives as a float."""
    if i.opcode != "fsub" or constant(i.operands[1]) != _MAGIC:
        return None
    cast = definitions.get(i.operands[0])
    total = definitions.get(cast.operands[0]) if cast is not None and cast.opcode == "bitcast" else None
    if total is None or total.opcode != "add" or integer(total.operands[1]) != MAGIC_BITS:
        return None
    number = definitions.get(total.operands[0])
    return number if number is not None and _bits(number) <= _MOST_BITS else None


def _bits(number: Instruction) -> int:
    """Upper bound of the significant bits of ``number``, its sign included, from its operation."""
    vector = vector_type(number.types[0]) if number.types else None
    if vector is None:
        return 32
    if number.opcode in ("sext", "zext"):
        return _NARROW.get(vector[1], 32) + (number.opcode == "zext")
    shift = integer(number.operands[1]) if number.opcode in ("ashr", "lshr") else None
    return 32 if shift is None else 32 - shift + (number.opcode == "lshr")


def _unshifted(number: Instruction, definitions: dict[str, Instruction]) -> tuple[str, float]:
    """The operand of a lossless shift that makes ``number`` ("" for none), and the factor of the shift."""
    shift = integer(number.operands[1]) if number.opcode == "ashr" else None
    field = definitions.get(number.operands[0])
    exact = shift is not None and field is not None and field.opcode == "and" and \
        integer(field.operands[1]) == -1 << shift
    return (number.operands[0], 2.0 ** -(shift or 0)) if exact else ("", 1.0)


def _scaled(user: Instruction, name: str, scale: float) -> str:
    """``user``, a product of ``name`` and a constant, with the constant times ``scale``; "" for any other
    instruction."""
    others = [o for o in user.operands if o != name]
    factor = constant(others[0]) if user.opcode == "fmul" and len(others) == 1 else None
    if factor is None or abs(factor * scale) < _SMALLEST:
        return ""
    bits = int.from_bytes(struct.pack("<d", factor * scale), "little")
    return user.text.replace(others[0], f"splat (float 0x{bits:016X})")

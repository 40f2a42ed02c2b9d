"""Codes of a column as registers hold them, a byte each."""

from __future__ import annotations

from hexagon_mlir.dialects.block_weights import BYTE_BITS, LOWER_BITS, UPPER_BITS, WORD, codes_in_byte
from hexagon_mlir.ir import ir, make
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.passes.lib.intrinsics import Registers

_LOWER = (1 << LOWER_BITS) - 1
_UPPER = (1 << UPPER_BITS) - 1


def codes_of(hvx: Registers, packed: ir.Value, bits: int, upper: ir.Value | None, step: int) -> list[ir.Value]:
    """The codes of ``bits`` in the bytes of ``packed``, words, those of the lower halves first; of 6 bits, with what
    ``upper`` has for an even or an odd ``step``."""
    if bits == BYTE_BITS:
        return [packed]
    lower = [_masked(packed, _LOWER), hvx.call("vlsrb", packed.type, packed, LOWER_BITS)]
    if upper is None:
        return lower
    first = step % 2 * codes_in_byte(bits)
    return [_with_upper(hvx, code, upper, UPPER_BITS * (first + half)) for half, code in enumerate(lower)]


def _with_upper(hvx: Registers, code: ir.Value, upper: ir.Value, place: int) -> ir.Value:
    """``code`` and the bits of ``upper`` from ``place`` on, above it."""
    if place > LOWER_BITS:
        bits, place = hvx.call("vlsrb", code.type, upper, place), 0
    else:
        bits = _masked(upper, _UPPER << place)
    if place == LOWER_BITS:
        return make.binary("arith.ori", code, bits)
    return hvx.call("vaslw.acc", code.type, code, bits, LOWER_BITS - place)


def _masked(words: ir.Value, mask: int) -> ir.Value:
    """``words`` with all bytes and the same ``mask``."""
    value = ir.IntegerAttr.get(ir.IntegerType.get_signless(BYTE_BITS * WORD), int.from_bytes(bytes([mask] * WORD)))
    return make.binary("arith.andi", words, constant(ir.DenseElementsAttr.get_splat(words.type, value)))

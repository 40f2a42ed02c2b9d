"""Weights in blocks: the tensors that they are made of, and what a code stands for, on scalars.

`hexagon_mlir.dialects.block_weights` has the layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects.block_weights import BYTE_BITS, E2M1_MIDDLE, WORD
from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.hexagon_dialect import ENGINE_MATRIX
from hexagon_mlir.ir.make import addi, binary, cast, muli, subi

_SIGNIFICAND_BITS = 23
_SIGN, _TWO = 8, 2
"""Of a code of MXFP4."""


@dataclass(frozen=True)
class BlockWeights:
    """Codes of ``bits``, scales, and zero points or minima of columns and blocks, if they have some of their own."""

    codes: ir.Value
    scales: ir.Value
    zeros: ir.Value | None
    bits: int

    @property
    def operands(self) -> list[ir.Value]:
        """Codes, scales, and zero points or minima if there are some."""
        return [self.codes, self.scales, *([] if self.zeros is None else [self.zeros])]

    def mapped(self, change: Callable[[ir.Value], ir.Value]) -> BlockWeights:
        """The same format of changed tensors."""
        return block_weights([change(value) for value in self.operands], self.bits)

    @property
    def block(self) -> int:
        """Rows of weights that share a scale."""
        return ir.RankedTensorType(self.codes.type).shape[2] * WORD * BYTE_BITS // self.bits

    @property
    def has_minima(self) -> bool:
        """Whether `zeros` are minima."""
        return self.zeros is not None and is_float(self.zeros)


def block_weights(tensors: Sequence[ir.Value], bits: int) -> BlockWeights:
    """Weights of ``bits`` made of ``tensors``, in the order of `BlockWeights.operands`."""
    codes, scales, *zeros = tensors
    return BlockWeights(codes, scales, zeros[0] if zeros else None, bits)


def weights_of(op: ir.Operation) -> BlockWeights:
    """What the matrix of ``hexagon.block_matrix`` or ``hexagon.engine_matrix`` ``op`` is made of."""
    return block_weights(list(op.operands), ir.IntegerAttr(op.attributes["bits"]).value)


def weights_for_engine(matrix: ir.Value) -> BlockWeights | None:
    """What a ``matrix`` is made of whose products the engine computes with tiles of f16; None for others."""
    if isinstance(matrix.owner, ir.Block) or matrix.owner.operation.name != ENGINE_MATRIX:
        return None
    return weights_of(matrix.owner.operation)


def block_matrix(name: str, weights: BlockWeights, matrix: ir.Type) -> ir.Value:
    """Operation ``name`` that makes ``matrix`` of ``weights``, at the insertion point."""
    bits = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), weights.bits)
    return ir.Operation.create(name, results=[matrix], operands=weights.operands, attributes={"bits": bits}).result


def weight(given: Sequence[ir.Value], half: int, bits: int, element: ir.Type) -> ir.Value:
    """A weight of type ``element`` of elements of `BlockWeights.operands`, rounded once: its scale times what its code
    exceeds its zero point, or times its code, and its minimum added. Loop ``half``: as for `number_of`."""
    code, scale, *zeros = given
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    code, has_minimum = number_of(code, half, bits, scale), bool(zeros) and is_float(zeros[0])
    if not has_minimum:
        code = subi(code, cast("arith.extui", i32, zeros[0]) if zeros else number(middle_of(bits, scale)))
    exact = binary("arith.mulf", cast("arith.sitofp", f32, code), as_f32(scale))
    if has_minimum:
        exact = binary("arith.addf", exact, as_f32(zeros[0]))
    return exact if element == f32 else cast("arith.truncf", element, exact)


def is_float(value: ir.Value) -> bool:
    """Whether ``value``, or its elements, are floats."""
    type_ = value.type
    element = type_.element_type if isinstance(type_, ir.ShapedType) else type_
    return isinstance(element, ir.F16Type | ir.F32Type)


def middle_of(bits: int, scale: ir.Value) -> int:
    """The zero point of codes without one of their own."""
    return 1 << bits - 1 if is_float(scale) else E2M1_MIDDLE


def number_of(byte: ir.Value, half: int, bits: int, scale: ir.Value) -> ir.Value:
    """The code in ``byte`` as a number without sign, i32; loop ``half`` says which half of the byte it is. Codes of
    MXFP4, whose ``scale`` is a byte, count halves from `E2M1_MIDDLE`."""
    code = cast("arith.extui", ir.IntegerType.get_signless(32), byte)
    if bits < BYTE_BITS:
        code = binary("arith.andi", binary("arith.shrui", code, muli(loop(half), number(bits))),
                      number((1 << bits) - 1))
    if is_float(scale):
        return code
    size, one = binary("arith.andi", code, number(_SIGN - 1)), number(1)
    significand = binary("arith.ori", binary("arith.andi", size, one), number(_TWO))
    places = arith.maxsi(subi(binary("arith.shrui", size, one), one), number(0))
    subnormal = arith.cmpi(arith.CmpIPredicate.ult, size, number(_TWO))
    size = arith.select(subnormal, size, binary("arith.shli", significand, places))
    positive = arith.cmpi(arith.CmpIPredicate.ult, code, number(_SIGN))
    return addi(arith.select(positive, size, subi(number(0), size)), number(E2M1_MIDDLE))


def as_f32(scale: ir.Value) -> ir.Value:
    """``scale`` in f32: of a byte, which is E8M0, half of it."""
    f32 = ir.F32Type.get()
    if is_float(scale):
        return scale if scale.type == f32 else cast("arith.extf", f32, scale)
    exponent = subi(arith.maxsi(cast("arith.extui", ir.IntegerType.get_signless(32), scale), number(1)), number(1))
    return cast("arith.bitcast", f32, binary("arith.shli", exponent, number(_SIGNIFICAND_BITS)))


def loop(number: int) -> ir.Value:
    found = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
        "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)}).result
    return arith.index_cast(ir.IntegerType.get_signless(32), found)


def number(value: int) -> ir.Value:
    return constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value))

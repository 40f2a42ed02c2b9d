"""Weights in blocks: the tensors that they are made of, and what a code stands for, on scalars.

`hexagon_mlir.dialects.block_weights` has the layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects.block_weights import (
    BYTE_BITS,
    E2M1_MIDDLE,
    LOWER_BITS,
    SPLIT_BITS,
    SUPERBLOCK,
    UPPER_BITS,
    WORD,
    codes_in_byte,
)
from hexagon_mlir.ir import arith, erase_op, ir
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.hexagon_dialect import BLOCK_SCALES, ENGINE_MATRIX, SPLIT_CODES
from hexagon_mlir.ir.make import addi, binary, cast, muli, subi
from hexagon_mlir.ir.query import ops_named

_SIGNIFICAND_BITS = 23
_SIGN, _TWO = 8, 2
"""Of a code of MXFP4."""
_STEPS_OF_UPPER = 2
"""Words of a column, of lower bits, whose upper bits are in one word."""


@dataclass(frozen=True)
class BlockWeights:
    """Codes of ``bits``, scales, and zero points or minima of columns and blocks, if they have some of their own: whole
    tensors or buffers, or an element of each. ``shared`` are the factors of scales, and of minima, that the blocks
    of a superblock share, if they do; ``upper`` the upper bits of codes of 6 bits."""

    codes: ir.Value
    scales: ir.Value
    zeros: ir.Value | None
    bits: int
    shared: tuple[ir.Value, ...] = ()
    upper: ir.Value | None = None

    @property
    def operands(self) -> list[ir.Value]:
        """All of them, in the order of `Format.names`."""
        return [*self.of_codes, *self.of_blocks, *self.shared]

    @property
    def of_codes(self) -> list[ir.Value]:
        """Codes, and their upper bits if there are some."""
        return [self.codes] if self.upper is None else [self.codes, self.upper]

    @property
    def of_blocks(self) -> list[ir.Value]:
        """Scales, and zero points or minima if there are some."""
        return [self.scales] if self.zeros is None else [self.scales, self.zeros]

    def mapped(self, change: Callable[[ir.Value], ir.Value]) -> BlockWeights:
        """The same format of changed tensors."""
        return block_weights([change(value) for value in self.operands], self.bits)

    @property
    def block(self) -> int:
        """Rows of weights that share a scale."""
        return ir.ShapedType(self.codes.type).shape[2] * WORD * codes_in_byte(self.bits)

    @property
    def has_minima(self) -> bool:
        """Whether `zeros` are minima."""
        return self.zeros is not None and (bool(self.shared) or is_float(self.zeros))

    @property
    def is_e2m1(self) -> bool:
        """Whether codes are E2M1, and scales E8M0."""
        return not self.shared and not is_float(self.scales)

    @property
    def middle(self) -> int | None:
        """The zero point of all codes; None where blocks have zero points or minima."""
        if self.zeros is not None:
            return None
        return E2M1_MIDDLE if self.is_e2m1 else 1 << self.bits - 1


def block_weights(tensors: Sequence[ir.Value], bits: int) -> BlockWeights:
    """Weights of ``bits`` made of ``tensors``, in the order of `BlockWeights.operands`."""
    codes, *others = tensors
    upper = others.pop(0) if bits == SPLIT_BITS else None
    scales, *rest = others
    if rest and not is_float(scales):
        of_blocks = len(rest) // 2
        return BlockWeights(codes, scales, rest[0] if of_blocks else None, bits, tuple(rest[of_blocks:]), upper)
    return BlockWeights(codes, scales, rest[0] if rest else None, bits, upper=upper)


def weights_of(op: ir.Operation) -> BlockWeights:
    """What the matrix of ``hexagon.block_matrix`` or ``hexagon.engine_matrix`` ``op`` is made of."""
    codes, *others = op.operands
    joined = _maker(codes, SPLIT_CODES)
    scales = [_maker(one, BLOCK_SCALES) for one in others]
    integers = [one if scale is None else scale.operands[0] for one, scale in zip(others, scales, strict=True)]
    shared = [scale.operands[1] for scale in scales if scale is not None]
    of_codes = [codes] if joined is None else list(joined.operands)
    return block_weights([*of_codes, *integers, *shared], ir.IntegerAttr(op.attributes["bits"]).value)


def _maker(value: ir.Value, name: str) -> ir.Operation | None:
    """The operation ``name`` that makes ``value``, if one does."""
    return None if isinstance(value.owner, ir.Block) or value.owner.operation.name != name else value.owner.operation


def weights_for_engine(matrix: ir.Value) -> BlockWeights | None:
    """What a ``matrix`` is made of whose products the engine computes with tiles of f16; None for others."""
    if isinstance(matrix.owner, ir.Block) or matrix.owner.operation.name != ENGINE_MATRIX:
        return None
    return weights_of(matrix.owner.operation)


def block_matrix(name: str, weights: BlockWeights, matrix: ir.Type) -> ir.Value:
    """Operation ``name`` that makes ``matrix`` of ``weights``, at the insertion point."""
    bits = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), weights.bits)
    operands = [weights.codes, *weights.of_blocks]
    if weights.upper is not None:
        wide, blocks, steps, *others = ir.RankedTensorType(weights.codes.type).shape
        codes = ir.RankedTensorType.get([wide, blocks, steps * codes_in_byte(weights.bits), *others],
                                        ir.RankedTensorType(weights.codes.type).element_type)
        operands[0] = ir.Operation.create(SPLIT_CODES, results=[codes], operands=weights.of_codes).result
    for number, shared in enumerate(weights.shared, 1):
        scales = ir.RankedTensorType.get(ir.RankedTensorType(operands[number].type).shape, ir.F32Type.get())
        operands[number] = ir.Operation.create(BLOCK_SCALES, results=[scales],
                                               operands=[operands[number], shared]).result
    return ir.Operation.create(name, results=[matrix], operands=operands, attributes={"bits": bits}).result


def erase_unused(module: ir.Module, names: Sequence[str], origin: str) -> None:
    """Erase the operations ``names`` that make matrices nobody reads, and what made their codes and scales."""
    for op in [*ops_named(module, *names), *ops_named(module, SPLIT_CODES, BLOCK_SCALES)]:
        if not any(True for _ in op.results[0].uses):
            erase_op(op, origin)


def weight(given: Sequence[ir.Value], half: int, bits: int, element: ir.Type) -> ir.Value:
    """A weight of type ``element`` of elements of `BlockWeights.operands`, rounded once: its scale times what its code
    exceeds its zero point, or times its code, and its minimum added. Loop ``half``: as for `number_of`."""
    one = block_weights(given, bits)
    code, f32 = number_of(one, half), ir.F32Type.get()
    if not one.has_minima:
        code = subi(code, zero_point(one))
    exact = binary("arith.mulf", cast("arith.sitofp", f32, code), scale_of(one))
    if one.has_minima:
        exact = binary("arith.addf", exact, minimum_of(one))
    return exact if element == f32 else cast("arith.truncf", element, exact)


def maps_of(weights: BlockWeights, codes: str, of_blocks: str, of_superblocks: str) -> list[str]:
    """How loops read the operands of ``weights``. Loop j of ``codes`` is that over words of a column."""
    upper = codes.replace("j", f"j floordiv {_STEPS_OF_UPPER}")
    return [codes, *[upper] * (len(weights.of_codes) - 1), *[of_blocks] * len(weights.of_blocks),
            *[of_superblocks] * len(weights.shared)]


def blocks_of_superblock(block: int) -> int:
    """How many blocks of so many rows a superblock has."""
    return SUPERBLOCK // block


def is_float(value: ir.Value) -> bool:
    """Whether ``value``, or its elements, are floats."""
    type_ = value.type
    element = type_.element_type if isinstance(type_, ir.ShapedType) else type_
    return isinstance(element, ir.F16Type | ir.F32Type)


def zero_point(one: BlockWeights) -> ir.Value:
    """The zero point of an element, i32, of weights without minima."""
    if one.zeros is not None:
        return cast("arith.extui", ir.IntegerType.get_signless(32), one.zeros)
    assert one.middle is not None
    return number(one.middle)


def number_of(one: BlockWeights, half: int) -> ir.Value:
    """The code of an element as a number without sign, i32; loop ``half`` says which half of its byte it is, and the
    loop before it is that over words of a column. Codes of MXFP4 count halves from `E2M1_MIDDLE`."""
    code = cast("arith.extui", ir.IntegerType.get_signless(32), one.codes)
    if one.bits < BYTE_BITS:
        code = _part(code, muli(loop(half), number(LOWER_BITS)), LOWER_BITS)
    if one.upper is not None:
        step = binary("arith.andi", loop(half - 1), number(_STEPS_OF_UPPER - 1))
        place = addi(muli(step, number(codes_in_byte(one.bits))), loop(half))
        upper = _part(cast("arith.extui", code.type, one.upper), muli(place, number(UPPER_BITS)), UPPER_BITS)
        code = binary("arith.ori", code, binary("arith.shli", upper, number(LOWER_BITS)))
    if not one.is_e2m1:
        return code
    size, unit = binary("arith.andi", code, number(_SIGN - 1)), number(1)
    significand = binary("arith.ori", binary("arith.andi", size, unit), number(_TWO))
    places = arith.maxsi(subi(binary("arith.shrui", size, unit), unit), number(0))
    subnormal = arith.cmpi(arith.CmpIPredicate.ult, size, number(_TWO))
    size = arith.select(subnormal, size, binary("arith.shli", significand, places))
    positive = arith.cmpi(arith.CmpIPredicate.ult, code, number(_SIGN))
    return addi(arith.select(positive, size, subi(number(0), size)), number(E2M1_MIDDLE))


def _part(word: ir.Value, place: ir.Value, bits: int) -> ir.Value:
    """So many ``bits`` of i32 ``word`` from ``place`` on."""
    return binary("arith.andi", binary("arith.shrui", word, place), number((1 << bits) - 1))


def scale_of(one: BlockWeights) -> ir.Value:
    """The scale of an element as f32: of E8M0, half of it."""
    if one.shared:
        return _product(one.scales, one.shared[0])
    f32 = ir.F32Type.get()
    if is_float(one.scales):
        return _as_f32(one.scales)
    exponent = subi(arith.maxsi(cast("arith.extui", ir.IntegerType.get_signless(32), one.scales), number(1)), number(1))
    return cast("arith.bitcast", f32, binary("arith.shli", exponent, number(_SIGNIFICAND_BITS)))


def minimum_of(one: BlockWeights) -> ir.Value:
    """The minimum of an element as f32, of weights that have some."""
    assert one.zeros is not None
    return _product(one.zeros, one.shared[1]) if one.shared else _as_f32(one.zeros)


def _product(byte: ir.Value, factor: ir.Value) -> ir.Value:
    """``byte``, with sign, times ``factor``, f16, as f32: exact."""
    return binary("arith.mulf", cast("arith.sitofp", ir.F32Type.get(), byte), _as_f32(factor))


def _as_f32(value: ir.Value) -> ir.Value:
    f32 = ir.F32Type.get()
    return value if value.type == f32 else cast("arith.extf", f32, value)


def loop(number: int) -> ir.Value:
    found = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
        "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)}).result
    return arith.index_cast(ir.IntegerType.get_signless(32), found)


def number(value: int) -> ir.Value:
    return constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value))

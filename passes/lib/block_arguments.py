"""Arguments of a model's function that are codes of weights, and their scales."""

from __future__ import annotations

from hexagon_mlir.dialects.block_weights import BYTE_BITS, CODES, Format
from hexagon_mlir.dialects.packed_weights import numbers
from hexagon_mlir.ir import ir
from hexagon_mlir.passes.lib.constant_factors import retype

_HALF, _SINGLE = 16, 32


def note_codes(function: ir.Operation, codes: list[int]) -> None:
    """Add ``codes`` to the arguments of ``function`` that are codes."""
    if codes:
        function.attributes[CODES] = ir.DenseI64ArrayAttr.get([*numbers(function, CODES), *codes], function.context)
        retype(function)


def types_of(matrix: ir.RankedTensorType, form: Format) -> list[ir.RankedTensorType]:
    """The types of the tensors of ``matrix``, weights of ``form``, in the order of `Format.names`."""
    depth, columns = matrix.shape
    kinds = {BYTE_BITS: ir.IntegerType.get_signless(BYTE_BITS), _HALF: ir.F16Type.get(), _SINGLE: ir.F32Type.get()}
    return [ir.RankedTensorType.get(shape, kinds[bits]) for bits, shape in form.parts(columns, depth)]

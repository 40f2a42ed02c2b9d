"""Weights of 4 bits in tiles of the matrix engine, as linalg: one of the two nibbles of a byte."""

from __future__ import annotations

from hexagon_mlir.dialects.nibble_weights import NIBBLE_BITS
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary
from hexagon_mlir.passes.lib.engine_byte_generics import byte_type, elementwise

_NAMES = ("linalg.index", "arith.index_cast", "arith.muli", "arith.subi", "arith.shli", "arith.shrsi")
_LOOPS, _MAPS, _NIBBLE_LOOP = "(kt, k, h, l, ct, c)", ("(ct, kt, k, c, l)", "(kt, k, h, l, ct, c)"), 2
_ROWS = [[0, 1, 2, 3], [4, 5]]


def nibble(byte: ir.Value, loop: int) -> ir.Value:
    """In the body of a linalg.generic: the lower nibble of ``byte`` with its sign, a byte, where loop number ``loop``
    is 0, the upper one where it is 1."""
    number = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
        "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), loop)}).result
    bits = constant(ir.IntegerAttr.get(byte_type(), NIBBLE_BITS))
    dropped = binary("arith.subi", bits, binary("arith.muli", arith.index_cast(byte_type(), number), bits))
    return binary("arith.shrsi", binary("arith.shli", byte, dropped), bits)


def reads_nibbles(op: ir.Operation) -> bool:
    """Whether the body of linalg op ``op`` is that of a product, or of a copy, of what `nibble` gives."""
    names = [view.operation.name for view in op.regions[0].blocks[0].operations]
    product = "arith.extui", "arith.extsi", "arith.muli", "arith.addi"
    return sorted(names) in (sorted((*_NAMES, *product, "linalg.yield")), sorted((*_NAMES, "linalg.yield")))


def bytes_of_nibbles(weights: ir.Value) -> ir.Value:
    """The matrix, whole tiles of K x N bytes, of the tiles of nibbles ``weights``, a tensor."""
    columns, depth, rows, width, words = ir.RankedTensorType(weights.type).shape
    into = tensor.empty([depth, rows, 2, words, columns, width], byte_type())
    wide = elementwise([weights], into, _LOOPS, _MAPS, lambda byte: nibble(byte, _NIBBLE_LOOP)).result
    shape = [depth * rows * 2 * words, columns * width]
    return tensor.collapse_shape(ir.RankedTensorType.get(shape, byte_type()), wide, _ROWS)

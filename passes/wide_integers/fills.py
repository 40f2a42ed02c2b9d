"""Fills of 64-bit buffers with an integer of two equal words (0 and -1), as fills of buffers of words."""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir, make, memref
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.wide_integers import words
from hexagon_mlir.passes.wide_integers.nest import DYNAMIC, STRIDE, as_words, number_of


def word_filled(op: ir.Operation) -> int | None:
    """The word with which ``op``, a linalg.generic, fills its buffer of 64-bit integers."""
    body = op.regions[0].blocks[0]
    inside = [o.operation for o in body.operations]
    if len(inside) != 1 or len(op.operands) != input_count(op) + 1:
        return None
    value, out = inside[0].operands[0], op.operands[len(op.operands) - 1]
    if isinstance(value.owner, ir.Block) and value.owner == body:
        value = op.operands[ir.BlockArgument(value).arg_number]
    if value.type != ir.IntegerType.get_signless(64) or not isinstance(out.type, ir.MemRefType):
        return None
    number, map_ = number_of(value), ir.AffineMapAttr(op.attributes["indexing_maps"][len(op.operands) - 1]).value
    strides, _ = ir.MemRefType(out.type).get_strides_and_offset()
    if number not in (0, -1) or not strides or strides[-1] != 1 or not map_.is_permutation:
        return None
    return number


def fill_with_words(op: ir.Operation, number: int) -> None:
    """Create the fill of words equivalent to ``op`` at the insertion point."""
    out = op.operands[len(op.operands) - 1]
    type_ = ir.MemRefType(out.type)
    strides, first = type_.get_strides_and_offset()
    start, offset, given, steps = as_words(out)
    sizes = [*type_.shape[:-1], type_.shape[-1] if type_.shape[-1] == DYNAMIC else 2 * type_.shape[-1]]
    if type_.shape[-1] == DYNAMIC:
        given = [*given[:-1], arith.muli(given[-1], index(2))]
    twice = [*(stride if stride == STRIDE else 2 * stride for stride in strides[:-1]), 1]
    at = first if first == STRIDE else 2 * first
    layout = ir.StridedLayoutAttr.get(at, twice)
    seen = ir.MemRefType.get(sizes, ir.IntegerType.get_signless(words.WORD), layout, type_.memory_space)
    offsets = [offset] if first == STRIDE else []
    view = memref.reinterpret_cast(seen, start, offsets, given, steps, [at], sizes, twice)
    make.fill(words.word(number), view)

"""Emits products of bytes whose right factor is words already (`word_factors`).

With one loop over words and their bytes the product is the one that `DotProductEmitter` multiplies after a copy; here
its vectors are loaded from where the words are.
"""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir, make, memref
from hexagon_mlir.ir.buffers import start_alignment
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.contraction.dot_products import DotProductEmitter
from hexagon_mlir.passes.contraction.emit import Column, Ivs
from hexagon_mlir.passes.contraction.plan import WORD_BYTES, ContractionPlan
from hexagon_mlir.passes.contraction.start import Start
from hexagon_mlir.passes.lib.contractions import Body, Contraction


def words_are_neighbours(values: list[ir.Value]) -> bool:
    """Whether the last two dimensions of the buffers ``values`` are contiguous."""
    strides = [ir.MemRefType(value.type).get_strides_and_offset()[0][-2:] for value in values]
    return all(found == [WORD_BYTES, 1] for found in strides)


class WordProductEmitter(DotProductEmitter):
    """`DotProductEmitter` for operand ``words``, which is read as it is."""

    def __init__(self, op: ir.Operation, contraction: Contraction, body: Body, plan: ContractionPlan, vector_bytes: int,
                 words: int, start: Start | None = None):
        """``contraction`` and ``plan`` have one reduction (`with_one_reduction`)."""
        super().__init__(op, contraction, body, plan, vector_bytes, None, start)
        for operand in contraction.inputs:
            self.values[operand] = _with_words_in_rows(self.values[operand])
        self.packed = words
        steps = contraction.extents[plan.reductions[-1]]
        assert steps is not None
        self.last = steps // WORD_BYTES - 1
        type_ = ir.MemRefType(self.values[words].type)
        whole = type_.get_strides_and_offset()[0][0] % vector_bytes == 0
        aligned = whole and start_alignment(self.values[words], vector_bytes) % vector_bytes == 0
        self.word_alignment = vector_bytes if aligned else WORD_BYTES

    @property
    def may_wait(self) -> bool:
        """Nothing is copied."""
        return None not in self.contraction.extents

    def _packed_input(self) -> int | None:
        return None

    def _loaded(self, inner: Ivs, columns: list[Column]) -> list[ir.Value]:
        """The block's vectors; a word beyond the last one, which nothing or zeros are multiplied by, is the last."""
        buffer = self.values[self.packed]
        type_ = ir.VectorType.get([self.vector_bytes], ir.MemRefType(buffer.type).element_type)
        word = arith.minui(inner[self.plan.reductions[-1]], index(self.last))
        return [make.load(type_, buffer, [word, make.muli(column.start, index(WORD_BYTES))],
                          alignment=self.word_alignment) for column in columns]


def _with_words_in_rows(value: ir.Value) -> ir.Value:
    """A view of ``value`` with its last two dimensions as one."""
    type_, dynamic = ir.MemRefType(value.type), ir.ShapedType.get_dynamic_size()
    *outer, words, _ = type_.shape
    strides, offset = type_.get_strides_and_offset()
    shape = [*outer, dynamic if words == dynamic else words * WORD_BYTES]
    plain = type_.layout == ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))
    layout = None if plain else ir.StridedLayoutAttr.get(offset, [*strides[:-2], 1])
    groups = [*([dim] for dim in range(len(outer))), [len(outer), len(outer) + 1]]
    made = ir.MemRefType.get(shape, type_.element_type, layout, type_.memory_space)
    return memref.collapse_shape(made, value, groups)

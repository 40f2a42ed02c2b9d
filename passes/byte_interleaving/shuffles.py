"""Interleaved vectors, and loads and stores of buffers whose last dimensions are one."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from hexagon_mlir.dialects.engine_tiles import WORD
from hexagon_mlir.ir import ir, make, memref
from hexagon_mlir.ir.buffers import start_alignment
from hexagon_mlir.ir.query import element_bytes


def interleaved(vectors: Sequence[ir.Value], block: int) -> list[ir.Value]:
    """Vectors of bytes: the first ``block`` bytes of each of ``vectors``, a power of two of them, then the next ones.

    Each step interleaves the first half of the vectors with the second one.
    """
    given, unit = ir.VectorType(vectors[0].type), WORD if block % WORD == 0 else 1
    element = ir.VectorType.get([given.shape[0] // unit], ir.IntegerType.get_signless(8 * unit))
    found, half = [bitcast(element, value) for value in vectors], len(vectors) // 2
    for _ in range(half.bit_length()):
        found = [part for first, second in zip(found[:half], found[half:], strict=True)
                 for part in _of_two(first, second, block // unit)]
    return [bitcast(given, value) for value in found]


def bitcast(type_: ir.VectorType, value: ir.Value) -> ir.Value:
    """The bits of vector ``value`` as ``type_``."""
    if value.type == type_:
        return value
    return ir.Operation.create("vector.bitcast", results=[type_], operands=[value]).result


def _of_two(first: ir.Value, second: ir.Value, block: int) -> list[ir.Value]:
    """Two vectors: ``block`` elements of ``first``, as many of ``second``, and so on."""
    length = ir.VectorType(first.type).shape[0]
    pieces = [source * length + start + each for start in range(0, length, block) for source in range(2)
              for each in range(block)]
    both = make.shuffle(first, second, pieces)
    return [make.shuffle(both, both, range(start, start + length)) for start in (0, length)]


def dot_product(left: ir.Value, right: ir.Value) -> ir.Value:
    """Sums of four neighbouring products, as `hexagon_mlir.codegen.hvx.dot_products` finds them."""
    product = make.muli(left, right)
    lanes = ir.VectorType(product.type).shape[0]
    parts = [make.shuffle(product, product, list(range(first, lanes, WORD))) for first in range(WORD)]
    return make.addi(make.addi(parts[0], parts[1]), make.addi(parts[2], parts[3]))


class Access:
    """Vectors in the buffer ``value``, whose last ``joined`` dimensions are one for indices."""

    def __init__(self, value: ir.Value, joined: int, vector_bytes: int) -> None:
        self._value, self._joined, self._vector_bytes = value, joined, vector_bytes
        self._type = ir.MemRefType(value.type)
        self._strides, self._offset = self._type.get_strides_and_offset()
        self._buffer = value

    @property
    def contiguous(self) -> bool:
        """Whether elements of the joined dimensions follow each other; the sizes of the first of them, and of others,
        may be unknown."""
        shape, kept = self._type.shape, self._type.rank - self._joined
        wanted = [prod(shape[dim + 1:]) for dim in range(kept, self._type.rank)]
        known = not any(self._type.is_dynamic_dim(dim) for dim in range(kept + 1, self._type.rank))
        return known and list(self._strides[kept:]) == wanted

    def load(self, type_: ir.VectorType, indices: Sequence[ir.Value], step: int) -> ir.Value:
        """The vector at ``indices``; the last one counts a multiple of ``step`` bytes."""
        return make.load(type_, self._buffer, indices, self._alignment(step))

    def store(self, value: ir.Value, indices: Sequence[ir.Value], step: int) -> None:
        """Writes ``value`` to ``indices``; the last one counts a multiple of ``step`` bytes."""
        make.store(value, self._buffer, indices, self._alignment(step))

    def _alignment(self, step: int) -> int:
        """Bytes that addresses are a multiple of."""
        width, kept = element_bytes(self._type.element_type), self._type.rank - self._joined
        strides = self._strides[:kept]
        if ir.ShapedType.get_dynamic_stride_or_offset() in strides:
            return width
        return max(width, gcd(self._vector_bytes, start_alignment(self._value, self._vector_bytes), step,
                              *(stride * width for stride in strides)))

    def join(self) -> None:
        """Make the view of the buffer, which loads and stores use."""
        if self._joined == 1:
            return
        type_, kept = self._type, self._type.rank - self._joined
        size = ir.ShapedType.get_dynamic_size() if type_.is_dynamic_dim(kept) else prod(type_.shape[kept:])
        shape = [*type_.shape[:kept], size]
        if type_.affine_map == ir.AffineMap.get_identity(type_.rank):
            joined = ir.MemRefType.get(shape, type_.element_type, memory_space=type_.memory_space)
        else:
            layout = ir.StridedLayoutAttr.get(self._offset, [*self._strides[:kept], 1])
            joined = ir.MemRefType.get(shape, type_.element_type, layout, type_.memory_space)
        groups = [[dim] for dim in range(kept)] + [list(range(kept, type_.rank))]
        self._buffer = memref.collapse_shape(joined, self._value, groups)

"""Every second element of memory as vectors: two vectors are loaded for each and dealt apart."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir, memref, vector
from hexagon_mlir.ir.query import in_tcm
from hexagon_mlir.passes.vectorization.tail import Tail, concatenate, shifted

STRIDE = 2


def with_elements_between(value: ir.Value) -> ir.Value:
    """The buffer of ``value``, whose last stride is 2, with the elements that ``value`` leaves out."""
    type_, dynamic = ir.MemRefType(value.type), ir.ShapedType.get_dynamic_size()
    strides, offset = type_.get_strides_and_offset()
    moved = ir.ShapedType.get_dynamic_stride_or_offset()
    index = ir.IndexType.get()
    sizes, static_sizes = [], []
    for position, size in enumerate(type_.shape):
        extent = memref.dim(value, arith.constant(index, position)) if size == dynamic else None
        if position + 1 < type_.rank:
            static_sizes.append(size)
        else:
            static_sizes.append(dynamic if size == dynamic else STRIDE * size)
            extent = extent and arith.muli(extent, arith.constant(index, STRIDE))
        sizes += [extent] if extent is not None else []
    offsets = [memref.ExtractStridedMetadataOp(value).offset] if offset == moved else []
    layout = ir.StridedLayoutAttr.get(offset, [*strides[:-1], 1])
    result = ir.MemRefType.get(static_sizes, type_.element_type, layout, type_.memory_space)
    return memref.ReinterpretCastOp(result, value, offsets, sizes, [], [offset], static_sizes,
                                    [*strides[:-1], 1]).result


def load_alternate(type_: ir.VectorType, source: ir.Value, indices: Sequence[ir.Value], bits: int, native: int,
                   tail: Tail | None) -> ir.Value:
    """``type_`` of every second element of ``source`` from ``indices`` on; ``native`` elements are one HVX vector.

    Nothing behind the last of them is read, unless ``source`` is in TCM, where a vector more is always there.
    """
    reach, element = STRIDE * type_.shape[0], type_.element_type
    starts = list(range(0, reach, native))
    reaches_back = tail is None and not in_tcm(ir.MemRefType(source.type))
    if tail is not None:
        whole = tail.with_elements_between(STRIDE).load(ir.VectorType.get([reach], element), source, indices, bits,
                                                        bits // 8)
        loaded = [vector.shuffle(whole, whole, list(range(start, start + native))) for start in starts]
    else:
        starts[-1] -= reaches_back
        loaded = [vector.load(ir.VectorType.get([native], element), source, shifted(indices, start),
                              alignment=bits // 8) for start in starts]
    even, odd = (list(range(first, STRIDE * native, STRIDE)) for first in range(STRIDE))
    parts = [vector.shuffle(a, b, even) for a, b in zip(loaded[::2], loaded[1::2], strict=True)]
    if reaches_back:  # the second half of the last part came an element late
        late = vector.shuffle(*loaded[-2:], odd)
        first_half = ir.DenseElementsAttr.get([ir.BoolAttr.get(lane < native // 2) for lane in range(native)],
                                              ir.VectorType.get([native], ir.IntegerType.get_signless(1)))
        parts[-1] = arith.select(arith.constant(first_half.type, first_half), parts[-1], late)
    return concatenate(parts)

"""Buffers whose last dimensions are one."""

from __future__ import annotations

from hexagon_mlir.ir import ir, memref


def collapsed(buffer: ir.Value, dims: int) -> ir.Value:
    """``buffer`` with dimensions from number ``dims`` on as one."""
    rank = ir.MemRefType(buffer.type).rank
    if rank <= dims + 1:
        return buffer
    groups = [[dim] for dim in range(dims)] + [list(range(dims, rank))]
    return _collapse(buffer, groups)


def _collapse(buffer: ir.Value, groups: list[list[int]]) -> ir.Value:
    """`memref.collapse_shape` of ``buffer``, whose layout is strided."""
    type_ = ir.MemRefType(buffer.type)
    strides, offset = type_.get_strides_and_offset()
    sizes = []
    for group in groups:
        size = 1
        for dim in group:
            size *= type_.shape[dim]
        sizes.append(size)
    layout = ir.StridedLayoutAttr.get(offset, [strides[group[-1]] for group in groups])
    identity = ir.MemRefType.get(type_.shape, type_.element_type).layout == type_.layout
    new = ir.MemRefType.get(sizes, type_.element_type, None if identity else layout, type_.memory_space)
    return memref.collapse_shape(new, buffer, groups)

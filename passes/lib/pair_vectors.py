"""Vectors of buffers whose last dimensions are a row of pairs."""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import PAIR
from hexagon_mlir.ir import ir, memref
from hexagon_mlir.ir.buffers import start_alignment
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.lib.loop_nests import LoopNest


def joined(value: ir.Value) -> ir.Value:
    """The buffer ``value`` with its last two dimensions as one."""
    type_ = ir.MemRefType(value.type)
    strides, offset = type_.get_strides_and_offset()
    shape = [*type_.shape[:-2], type_.shape[-2] * type_.shape[-1]]
    layout = ir.StridedLayoutAttr.get(offset, [*strides[:-2], 1])
    if type_.affine_map == ir.AffineMap.get_identity(type_.rank):
        joined = ir.MemRefType.get(shape, type_.element_type, memory_space=type_.memory_space)
    else:
        joined = ir.MemRefType.get(shape, type_.element_type, layout, type_.memory_space)
    groups = [[dim] for dim in range(type_.rank - 2)] + [[type_.rank - 2, type_.rank - 1]]
    return memref.collapse_shape(joined, value, groups)


def ends_with_pairs(value: ir.Value) -> bool:
    """True for a buffer whose last dimension is a pair, in a row of them: quicker to ask than to read a loop nest."""
    type_ = value.type
    return isinstance(type_, ir.MemRefType) and type_.rank >= PAIR and type_.shape[-1] == PAIR


def alignment(buffer: ir.Value, vector: ir.VectorType) -> int:
    """Bytes that the addresses of whole vectors in the last dimension of ``buffer`` are a multiple of."""
    width = element_bytes(vector.element_type)
    nbytes = vector.shape[0] * width
    strides = ir.MemRefType(buffer.type).get_strides_and_offset()[0][:-1]
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    steps = all(stride != unknown and stride * width % nbytes == 0 for stride in strides)
    return nbytes if steps and start_alignment(buffer, nbytes) % nbytes == 0 else width


def end_of(op: ir.Operation, nest: LoopNest, loop: int) -> ir.Value:
    """The number of iterations of ``loop`` of ``op``, which may be known at run time only."""
    extent = nest.extents[loop]
    if extent is not None:
        return index(extent)
    return next(memref.dim(value, index(operand.dims.index(loop)))
                for value, operand in zip(op.operands, nest.operands, strict=True) if loop in operand.dims)

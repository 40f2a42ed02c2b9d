"""Addresses of elements of buffers, computed in the IR."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir
from torch_mlir.dialects import memref

from hexagon_mlir.ir import make
from hexagon_mlir.ir.constants import index


def element_address(buffer: ir.Value, indices: Sequence[ir.Value], width: int) -> ir.Value:
    """Address, an index, of the element of ``buffer`` at ``indices``; elements take ``width`` bytes."""
    rank = ir.MemRefType(buffer.type).rank
    metadata = list(memref.ExtractStridedMetadataOp(buffer).results)
    offset = metadata[1]
    for place, stride in zip(indices, metadata[2 + rank:], strict=True):
        offset = make.addi(offset, make.muli(place, stride))
    start = memref.extract_aligned_pointer_as_index(buffer)
    return make.addi(start, make.muli(offset, index(width)))

"""What is known of the addresses of a contraction's vectors."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import start_alignment
from hexagon_mlir.passes.lib.contractions import OperandAccess


def vector_alignment(value: ir.Value, access: OperandAccess, loop: int, vector_bytes: int) -> int:
    """Bytes of which the address of each vector along ``loop`` is a multiple: ``vector_bytes`` where buffer ``value``
    starts at a whole vector and so does each of its rows, else those of an element."""
    bytes_ = max(access.bits // 8, 1)
    strides = ir.MemRefType(value.type).get_strides_and_offset()[0]
    aligned = (access.indices[-1].plain == loop and start_alignment(value, vector_bytes) % vector_bytes == 0
               and all(stride > 0 and stride * bytes_ % vector_bytes == 0 for stride in strides[:-1]))
    return vector_bytes if aligned else bytes_

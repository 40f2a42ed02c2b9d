"""The frame of a fork: memory of the runtime, and then the values that its tasks read."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.ir import ir

RUNTIME_BYTES = 64
"""``HEXMLIR_RT_FORK_BYTES`` of runtime/include/hexmlir_rt.h."""
_POINTER_BYTES = 8
"""On any machine: modules run on the host, too."""
_INDEX_BYTES = 4
"""Sizes and numbers fit."""


def is_stored(type_: ir.Type) -> bool:
    """True for values that a frame can hold: numbers, vectors of whole bytes, and buffers that are bare pointers."""
    if isinstance(type_, ir.MemRefType):
        is_packed = type_.affine_map == ir.AffineMap.get_identity(type_.rank)
        return type_.has_static_shape and is_packed and type_.memory_space is None
    if isinstance(type_, ir.VectorType):
        return not type_.scalable and _bits(type_.element_type) >= 8
    return isinstance(type_, ir.IndexType) or _bits(type_) > 0


def bytes_of(type_: ir.Type) -> int:
    """Those of a value in a frame."""
    if isinstance(type_, ir.MemRefType):
        return _POINTER_BYTES
    if isinstance(type_, ir.IndexType):
        return _INDEX_BYTES
    if isinstance(type_, ir.VectorType):
        return prod(type_.shape) * bytes_of(type_.element_type)
    return -(-_bits(type_) // 8)


def offsets(sizes: Sequence[int]) -> tuple[list[int], int, int]:
    """Where values of ``sizes`` bytes are in a frame, its bytes, and its alignment: each value is aligned to the power
    of two that holds it.

    >>> offsets([4, 8, 1, 4])
    ([64, 72, 80, 84], 88, 8)
    >>> offsets([])
    ([], 64, 8)
    """
    at, alignment = RUNTIME_BYTES, _POINTER_BYTES
    found = []
    for size in sizes:
        natural = 1 << (size - 1).bit_length()
        at = -(-at // natural) * natural
        found.append(at)
        at += size
        alignment = max(alignment, natural)
    return found, at, alignment


def _bits(type_: ir.Type) -> int:
    """Of a number; 0 for other types."""
    return type_.width if isinstance(type_, ir.IntegerType | ir.FloatType) else 0

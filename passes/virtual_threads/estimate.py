"""What the work of one linalg op on tensors takes on one thread, estimated."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE
from hexagon_mlir.ir import ir
from hexagon_mlir.passes.lib.engine_byte_pixels import joins_pixels, steps_of
from hexagon_mlir.passes.lib.thread_cost import CERTAIN
from hexagon_mlir.passes.lib.vector_loop import vector_loop
from hexagon_mlir.targets import Target

_FREE = frozenset({"arith.constant", "arith.bitcast", "linalg.index", "linalg.yield"})
_LANES = frozenset({"f16", "bf16", "f32", "i8", "i16", "i32", "index"})
_OPERATIONS = {"arith.extf": 1.1, "arith.truncf": 1.1}
"""Measured: packets of an operation on each vector of the wider type, where that is not one. Rows of sixteen vectors of
f16 take 4.4 packets for each, rows of fourteen 6, of which 3 are loads and stores."""
_PAIRS = [TILE, PAIR]
"""The innermost sizes of a tile of f16."""
_PACK_CYCLES, _PACK_BYTES_CYCLES, _JOIN_CYCLES = 4.0, 5.8, 5.0
"""Measured: of one vector of tiles of f16 and of bytes, and of one of sums of 32 bits."""
_CERTAIN_OF_MOVES = 0.8 * CERTAIN
"""Of ops that only move elements: one vector may take several of their short rows. A resize of 7x9 pixels takes 3,841
cycles on one thread, and 4,212 on four, which are chosen: with 0.6, a product with int4 weights takes 2.9 % more."""
_SCALAR_FACTOR = 2
"""Cycles of a scalar operation of the body, address arithmetic included."""


def work_cycles(op: ir.Operation, extents: tuple[int, ...], parallel: Sequence[bool],
                reads: Sequence[tuple[int | None, ...]], target: Target, whole: bool) -> float:
    """Cycles on one thread: a packet for each operation, load and store of each vector. ``whole``: no lane is empty.

    Short rows leave lanes empty, which decides whether threads pay: with `ir.cost.estimated_cycles`, which fills all
    vectors, ResNet-18 of the guard takes 275,733 cycles instead of 197,366.
    """
    body = [inner.operation for inner in op.regions[0].blocks[0].operations]
    types = {v.type: str(v.type) for v in dict.fromkeys(v for inner in body for v in (*inner.operands, *inner.results))}
    operations = sum(_OPERATIONS.get(inner.name, 1) for inner in body if inner.name not in _FREE)
    accessed = [value for value, dims in zip(op.operands, reads, strict=True) if dims]
    wide = all(name in _LANES or name == "i1" for name in types.values())
    if not wide:
        return prod(extents) * (operations + len(accessed)) * _SCALAR_FACTOR
    bits = widths(op)
    least = min(bits, default=32)
    lanes = target.lanes(least)
    moved = sum(max(_bits(ir.ShapedType(value.type).element_type) // least, 1) for value in accessed)
    packets = operations * max(bits, default=32) / least + moved
    inner = vector_loop(len(extents), reads, extents)
    if inner is None:
        inner = reads[-1][-1] if reads[-1] and reads[-1][-1] is not None else len(extents) - 1
    vectors = prod(extents) / lanes if whole else prod(
        -(-n // lanes) if loop == inner else n for loop, n in enumerate(extents))
    return vectors * packets * float(target.hvx_issue_interval_cycles.value)


def tile_copy_cycles(op: ir.Operation, target: Target) -> float | None:
    """Cycles on one thread of an op that copies an image to the matrix engine's tiles, or joins its planes of bytes:
    whole vectors, however short the rows of its loops are. None for other ops.

    With the cycles of short rows, 20 times as many, the smallest blocks would be spread, and their shares be equal.
    """
    type_ = ir.RankedTensorType(op.results[0].type)
    if not type_.has_static_shape:
        return None
    nbytes = prod(type_.shape) * _bits(type_.element_type) // 8
    vectors = nbytes / int(target.vector_bytes.value)
    if joins_pixels(op) or steps_of(op) is not None:
        return vectors * (_JOIN_CYCLES if joins_pixels(op) else _PACK_BYTES_CYCLES)
    copies = len(list(op.regions[0].blocks[0].operations)) == 1 and len(op.operands) == 2
    tiles = type_.rank > len(_PAIRS) and list(type_.shape)[-len(_PAIRS):] == _PAIRS
    if not copies or not tiles or not isinstance(type_.element_type, ir.F16Type):
        return None
    return vectors * _PACK_CYCLES


def certain_part(op: ir.Operation) -> float:
    """Fraction of the estimated cycles of ``op`` that is certain: all where it converts f16 and f32, as measured, less
    where it only moves elements."""
    body = [inner.operation for inner in op.regions[0].blocks[0].operations]
    casts = [inner for inner in body if inner.name in _OPERATIONS]
    known = len(casts) == len(body) - 1 == 1 and widths(op) == {16, 32} and "bf16" not in map(str, _types(casts[0]))
    return 1.0 if known else _CERTAIN_OF_MOVES if len(body) == 1 else CERTAIN


def widths(op: ir.Operation) -> set[int]:
    """Bits of the types that the body of ``op`` computes with; truth values are none."""
    body = [inner.operation for inner in op.regions[0].blocks[0].operations]
    return {_bits(v.type) for inner in body for v in (*inner.operands, *inner.results)} - {1}


def _types(op: ir.Operation) -> list[ir.Type]:
    return [value.type for value in (*op.operands, *op.results)]


def _bits(type_: ir.Type) -> int:
    return type_.width if isinstance(type_, ir.IntegerType | ir.FloatType) else 32

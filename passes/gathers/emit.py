"""Emits a gather: loops over vectors of offsets, one runtime call for each."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import arith, func, ir, memref, vector
from hexagon_mlir.ir.address import element_address
from hexagon_mlir.ir.bounds import size_multiple
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.segments import Segment, for_loop, segments

SYMBOLS = {4: "hexmlir_gather_words", 2: "hexmlir_gather_halfwords"}
"""Bytes of an element -> the function that gathers one vector: (target, table, last byte of the table, offsets in
bytes, number of valid ones). Code generation selects an instruction for it."""
DONE = "hexmlir_gather_done"
"""(place): waits until all earlier gathers have written memory; ``place`` is the target of the last."""
_UNROLL = 4  # gathers have a long latency: keep several in flight


@dataclass(frozen=True)
class Gather:
    """``out[i] = table[offsets[i]]`` over all dimensions of ``out``; every buffer has unit stride in its last
    dimension."""

    table: ir.Value
    offsets: ir.Value
    out: ir.Value
    width: int
    """Bytes of an element."""


def emit(gather: Gather, vector_bytes: int) -> None:
    """The loops, at the insertion point."""
    type_ = ir.MemRefType(gather.out.type)
    lanes = vector_bytes // gather.width
    table = ir.MemRefType(gather.table.type)
    start = memref.extract_aligned_pointer_as_index(gather.table)
    last = arith.constant(ir.IntegerType.get_signless(32), table.shape[0] * gather.width - 1)

    counts: list[ir.Value] = []
    for dim in range(type_.rank):
        known = not type_.is_dynamic_dim(dim)
        counts.append(index(type_.shape[dim]) if known else memref.dim(gather.out, index(dim)))
    extent = None if type_.is_dynamic_dim(type_.rank - 1) else type_.shape[-1]
    multiple = size_multiple(gather.out, type_.rank - 1)

    def nest(ivs: list[ir.Value]) -> list[ir.Value]:
        if len(ivs) < type_.rank - 1:
            return for_loop(index(0), counts[len(ivs)], 1, [], lambda iv, _: nest([*ivs, iv]))
        for segment in segments(extent, counts[-1], lanes, _UNROLL, multiple):
            _segment(gather, segment, lanes, ivs, start, last)
        return []

    nest([])
    ends = [arith.maxsi(arith.subi(count, index(1)), index(0)) for count in counts]
    ends[-1] = arith.muli(arith.divui(ends[-1], index(lanes)), index(lanes))
    func.CallOp([], ir.FlatSymbolRefAttr.get(DONE), [element_address(gather.out, ends, gather.width)])


def _segment(gather: Gather, segment: Segment, lanes: int, ivs: list[ir.Value], start: ir.Value,
             last: ir.Value) -> None:
    def step(iv: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        for number in range(max(segment.width // lanes, 1)):
            at = arith.addi(iv, index(number * lanes)) if number else iv
            _one(gather, segment, lanes, [*ivs, at], start, last)
        return []

    if segment.masked:
        step(segment.lower, [])
    else:
        for_loop(segment.lower, segment.upper, segment.width, [], step)


def _one(gather: Gather, segment: Segment, lanes: int, at: list[ir.Value], start: ir.Value, last: ir.Value) -> None:
    i32 = ir.IntegerType.get_signless(32)
    wide = ir.VectorType.get([lanes], i32)
    tail = segment.tail(32 if gather.width == 4 else 16)
    alignment = 4
    if tail is None:
        numbers = vector.load(wide, gather.offsets, at, alignment=alignment)
        valid = arith.constant(i32, lanes)
    else:
        numbers = tail.load(wide, gather.offsets, at, 32, alignment)
        valid = arith.index_cast(i32, tail.valid)
    element = ir.IntegerType.get_signless(8 * gather.width)
    type_ = ir.VectorType.get([lanes], element)
    if gather.width != 4:
        numbers = arith.trunci(type_, numbers)
    shift = ir.IntegerAttr.get(element, gather.width.bit_length() - 1)
    offsets = arith.shli(numbers, arith.constant(type_, ir.DenseElementsAttr.get_splat(type_, shift)))
    to = element_address(gather.out, at, gather.width)
    func.CallOp([], ir.FlatSymbolRefAttr.get(SYMBOLS[gather.width]), [to, start, last, offsets, valid])

"""A copy as transfers of the DMA engine, all of which start before the first is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.ir import arith, func, ir, memref, scf
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.copies.rows import Rows

COPY, START, WAIT = "hexmlir_rt_copy_2d", "hexmlir_rt_dma_start_2d", "hexmlir_rt_dma_wait"


def transfer(module: ir.Module, source: ir.Value, target: ir.Value, cut: Rows) -> None:
    """Move ``source`` to ``target``: a transfer for each plane of ``cut``, the number of which is static."""
    size = index(element_bytes(ir.MemRefType(source.type).element_type))
    starts, strides = zip(*(address(value, size) for value in (target, source)), strict=True)
    row_bytes = arith.muli(size, _extent(source, cut.run))
    pitches = [arith.muli(side[cut.rows[-1]], size) if cut.rows else row_bytes for side in strides]
    i32, pointer = ir.IntegerType.get_signless(32), ir.IndexType.get()
    numbers = [arith.index_cast(i32, v) for v in (row_bytes, _extent(source, cut.rows), *pitches)]
    inputs = [pointer, pointer, *[i32] * len(numbers)]
    if not cut.planes:
        declare(module, COPY, inputs, [])
        func.CallOp([], ir.FlatSymbolRefAttr.get(COPY), [*starts, *numbers])
        return
    declare(module, START, inputs, [i32])
    declare(module, WAIT, [i32], [])
    sizes = [ir.MemRefType(source.type).shape[dim] for dim in cut.planes]
    tags = memref.alloc(ir.MemRefType.get([prod(sizes)], i32), [], [])
    starting = scf.ForOp(index(0), index(prod(sizes)), index(1))
    with ir.InsertionPoint(starting.body):
        plane = starting.induction_variable
        places = [_plane(start, [side[dim] for dim in cut.planes], sizes, plane, size)
                  for start, side in zip(starts, strides, strict=True)]
        tag = func.CallOp([i32], ir.FlatSymbolRefAttr.get(START), [*places, *numbers])
        memref.store(tag.result, tags, [plane])
        scf.yield_([])
    waiting = scf.ForOp(index(0), index(prod(sizes)), index(1))
    with ir.InsertionPoint(waiting.body):
        func.CallOp([], ir.FlatSymbolRefAttr.get(WAIT), [memref.load(tags, [waiting.induction_variable])])
        scf.yield_([])
    memref.dealloc(tags)


def address(value: ir.Value, width: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
    """Address of the first element as an index, and the strides in elements of ``width`` bytes."""
    metadata = memref.ExtractStridedMetadataOp(value)
    base = memref.extract_aligned_pointer_as_index(value)
    rank = ir.MemRefType(value.type).rank
    return arith.addi(base, arith.muli(metadata.offset, width)), list(metadata.results)[2 + rank:]


def declare(module: ir.Module, name: str, inputs: Sequence[ir.Type], results: Sequence[ir.Type]) -> None:
    """Declare function ``name`` of the runtime once."""
    if any(op.operation.name == "func.func" and op.sym_name.value == name for op in module.body.operations):
        return
    with ir.InsertionPoint.at_block_begin(module.body):
        func.FuncOp(name, (list(inputs), list(results)), visibility="private")


def index(value: int) -> ir.Value:
    """``value`` as a constant."""
    return arith.constant(ir.IndexType.get(), value)


def _extent(value: ir.Value, dims: Sequence[int]) -> ir.Value:
    """Elements along ``dims`` together."""
    total = index(1)
    for dim in dims:
        total = arith.muli(total, memref.dim(value, index(dim)))
    return total


def _plane(start: ir.Value, strides: Sequence[ir.Value], sizes: Sequence[int], number: ir.Value,
           width: ir.Value) -> ir.Value:
    """Address of plane ``number`` of what starts at ``start``; ``strides`` and ``sizes`` are the planes'."""
    for stride, size in reversed(list(zip(strides, sizes, strict=True))):
        place = arith.remui(number, index(size))
        start = arith.addi(start, arith.muli(arith.muli(place, stride), width))
        number = arith.divui(number, index(size))
    return start

"""memref.copy to DMA calls and vectorizable copies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, prod
from typing import ClassVar, TypeAlias

from hexagon_mlir.ir import arith, erase_op, func, ir, linalg, memref, scf
from hexagon_mlir.ir.query import element_bytes, ops_named, static_bytes
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.targets.dma import Engine

RUNTIME_COPY, LIBRARY_COPY = "hexmlir_rt_copy_2d", "memcpy"
_LIBRARY_VECTORS = 4
"""Copies of fewer vectors are cheaper in line. In a loop LLVM loads the lines of memory in any order, at full latency
each."""


@dataclass(frozen=True)
class HexagonCopyLoweringPass(Pass):
    """Turns each memref.copy into a DMA transfer where that pays, and into a linalg.copy where it does not.

    Blocks of memory between the two stay memref.copy, which becomes memcpy; so does each of several long rows. A copy
    whose size is only known at run time, and may be large, tests it and has several forms; a block of memory that DMA
    does not move is left to memcpy whatever its size then is.

    Before:
        func.func @f(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
          memref.copy %x, %y : memref<8x4xf32> to memref<8x4xf32>
          return
        }

    After:
        func.func @f(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
          linalg.copy {cast = #linalg.type_fn<cast_signed>}
              ins(%x : memref<8x4xf32>) outs(%y : memref<8x4xf32>)
          return
        }

    Options:
        dma-bytes: copies of at least this many bytes go to DMA; 0 takes the target's break-even, -1 disables DMA.

    Refuses: nothing; a copy DMA cannot express (three or more strided dimensions) stays with the core.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-copy-lowering"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    dma_bytes: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower every memref.copy of ``module``."""
        threshold = self.dma_bytes or Engine.of(context.target).break_even_bytes
        library = _LIBRARY_VECTORS * int(context.target.vector_bytes.value)
        for op in ops_named(module, "memref.copy"):
            source, target = op.operands
            if source == target:  # left behind by tiling: copies a slice onto itself
                erase_op(op, self.name)
                continue
            if library <= (static_bytes(source.type) or 0) < threshold and _contiguous(source, target):
                continue
            with op.location, ir.InsertionPoint(op):
                self._lower(module, op, source, target, threshold, library)
            erase_op(op, self.name)

    def _lower(self, module: ir.Module, op: ir.Operation, source: ir.Value, target: ir.Value, threshold: int,
               library: int) -> None:
        bound = size_bound(op)
        rows = _row_dims(ir.MemRefType(source.type), ir.MemRefType(target.type))
        engine = threshold >= 0 and (bound is None or bound >= threshold) and rows is not None and rows <= 1
        static = static_bytes(source.type)
        if static is not None:
            if engine:
                _transfer(module, source, target, rows or 0)
            elif threshold >= 0 and rows == 1 and static >= library * ir.MemRefType(source.type).shape[0]:
                _copy_rows(module, source, target)
            else:
                linalg.copy(source, outs=[target])
            return
        ways: list[Way] = []
        if engine:
            ways.append((threshold, 0, lambda: _transfer(module, source, target, rows or 0)))
        if threshold >= 0 and rows == 1 and _row_bound(op) >= library:
            ways.append((library, 1, lambda: _copy_rows(module, source, target)))
        sizes = {outer: _bytes(source, outer) for outer in sorted({way[1] for way in ways})}
        if threshold >= 0 and rows == 0 and (bound is None or bound >= library):  # any size: one form is enough
            _choose(ways, sizes, lambda: _call_library(module, source, target))
        else:
            _choose(ways, sizes, lambda: linalg.copy(source, outs=[target]))


Way: TypeAlias = "tuple[int, int, Callable[[], None]]"
"""From how many bytes on (of all behind how many outer dimensions), and what then writes the copy."""


def _choose(ways: list[Way], sizes: dict[int, ir.Value], otherwise: Callable[[], object]) -> None:
    """The first of ``ways`` that the copy is large enough for, chosen at run time by its ``sizes``."""
    if not ways:
        otherwise()
        return
    (least, outer, copy), *rest = ways
    branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.sge, sizes[outer], _index(least)), has_else=True)
    with ir.InsertionPoint(branch.then_block):
        copy()
        scf.yield_([])
    with ir.InsertionPoint(branch.else_block):
        _choose(rest, sizes, otherwise)
        scf.yield_([])


def _bytes(value: ir.Value, outer: int = 0) -> ir.Value:
    """Bytes of ``value`` behind its ``outer`` first dimensions."""
    type_ = ir.MemRefType(value.type)
    total = _index(element_bytes(type_.element_type))
    for dim in range(outer, type_.rank):
        total = arith.muli(total, memref.dim(value, _index(dim)))
    return total


def _contiguous(source: ir.Value, target: ir.Value) -> bool:
    """True when both sides are one block of memory: the copy becomes a call of memcpy, which reads it in order."""
    return _row_dims(ir.MemRefType(source.type), ir.MemRefType(target.type)) == 0


def size_bound(op: ir.Operation) -> int | None:
    """Most bytes ``op`` can copy: the smaller of what either side's whole buffer holds; None if unbounded."""
    bounds = []
    for value in op.operands:
        root = value
        while isinstance(root.owner, ir.OpView) and root.owner.operation.name in ("memref.subview", "memref.cast"):
            bytes_ = static_bytes(root.type)
            if bytes_ is not None:
                bounds.append(bytes_)
            root = root.owner.operation.operands[0]
        bytes_ = static_bytes(root.type)
        if bytes_ is not None:
            bounds.append(bytes_)
    return min(bounds) if bounds else None


def _row_bound(op: ir.Operation) -> float:
    """Most bytes of a row of what ``op`` copies: of all dimensions but the first."""
    bounds = [inf]
    for value in op.operands:
        rank = ir.MemRefType(value.type).rank
        while True:
            shape = ir.MemRefType(value.type).shape
            if len(shape) == rank and min(shape[1:]) >= 0:
                bounds.append(prod(shape[1:]) * element_bytes(ir.MemRefType(value.type).element_type))
            owner = value.owner
            if isinstance(owner, ir.Block) or owner.operation.name not in ("memref.subview", "memref.cast"):
                break
            value = owner.operation.operands[0]
    return min(bounds)


def _row_dims(source: ir.MemRefType, target: ir.MemRefType) -> int | None:
    """Outer dimensions that need a stride of their own, after merging what is contiguous on both sides.

    None when the innermost dimension itself is strided, or one goes backwards.
    """
    if source.rank == 0:
        return 0
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    left, right = source.get_strides_and_offset()[0], target.get_strides_and_offset()[0]
    if left[-1] != 1 or right[-1] != 1 or any(stride < 0 and stride != dynamic for stride in (*left, *right)):
        return None
    outer = source.rank - 1
    run = source.shape[-1]
    while outer > 0 and run >= 0:
        if left[outer - 1] != run or right[outer - 1] != run or dynamic in (left[outer - 1], right[outer - 1]):
            break
        outer -= 1
        run = run * source.shape[outer] if not source.is_dynamic_dim(outer) else -1
    return outer


def _call_library(module: ir.Module, source: ir.Value, target: ir.Value) -> None:
    """``memcpy(dst, src, bytes)``."""
    size = _index(element_bytes(ir.MemRefType(source.type).element_type))
    _memcpy(module, _address(target, size)[0], _address(source, size)[0], _bytes(source))


def _copy_rows(module: ir.Module, source: ir.Value, target: ir.Value) -> None:
    """A call of memcpy for each row: it reads DDR in order."""
    size = _index(element_bytes(ir.MemRefType(source.type).element_type))
    starts = [_address(value, size) for value in (target, source)]
    row = _bytes(source, 1)
    loop = scf.ForOp(_index(0), memref.dim(source, _index(0)), _index(1))
    with ir.InsertionPoint(loop.body):
        to, at = (arith.addi(start, arith.muli(loop.induction_variable, arith.muli(strides[0], size)))
                  for start, strides in starts)
        _memcpy(module, to, at, row)
        scf.YieldOp([])


def _memcpy(module: ir.Module, target: ir.Value, source: ir.Value, size: ir.Value) -> None:
    index = ir.IndexType.get()
    _declare(module, LIBRARY_COPY, [index] * 3, [index])
    func.CallOp([index], ir.FlatSymbolRefAttr.get(LIBRARY_COPY), [target, source, size])


def _transfer(module: ir.Module, source: ir.Value, target: ir.Value, rows: int) -> None:
    """``hexmlir_rt_copy_2d(dst, src, row_bytes, rows, dst_stride, src_stride)``, all in bytes."""
    declare_runtime(module)
    width = element_bytes(ir.MemRefType(source.type).element_type)
    rank = ir.MemRefType(source.type).rank
    size = _index(width)
    source_address, source_strides = _address(source, size)
    target_address, target_strides = _address(target, size)
    row_bytes = size
    for dim in range(rows, rank):
        row_bytes = arith.muli(row_bytes, memref.dim(source, _index(dim)))
    count, target_stride, source_stride = _index(1), row_bytes, row_bytes
    if rows:
        count = memref.dim(source, _index(0))
        target_stride = arith.muli(target_strides[0], size)
        source_stride = arith.muli(source_strides[0], size)
    i32 = ir.IntegerType.get_signless(32)
    numbers = [arith.index_cast(i32, v) for v in (row_bytes, count, target_stride, source_stride)]
    func.CallOp([], ir.FlatSymbolRefAttr.get(RUNTIME_COPY), [target_address, source_address, *numbers])


def _address(value: ir.Value, width: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
    """Address of the first element as an index, and the strides in elements."""
    metadata = memref.ExtractStridedMetadataOp(value)
    base = memref.extract_aligned_pointer_as_index(value)
    rank = ir.MemRefType(value.type).rank
    return arith.addi(base, arith.muli(metadata.offset, width)), list(metadata.results)[2 + rank:]


def declare_runtime(module: ir.Module) -> None:
    """Declare the runtime's copy function once."""
    index, i32 = ir.IndexType.get(), ir.IntegerType.get_signless(32)
    _declare(module, RUNTIME_COPY, [index, index, i32, i32, i32, i32], [])


def _declare(module: ir.Module, name: str, inputs: list[ir.Type], results: list[ir.Type]) -> None:
    if any(op.operation.name == "func.func" and op.sym_name.value == name for op in module.body.operations):
        return
    with ir.InsertionPoint.at_block_begin(module.body):
        func.FuncOp(name, (inputs, results), visibility="private")


def _index(value: int) -> ir.Value:
    return arith.constant(ir.IndexType.get(), value)

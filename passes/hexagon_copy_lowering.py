"""memref.copy to DMA calls and vectorizable copies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, prod
from typing import ClassVar, TypeAlias

from hexagon_mlir.ir import arith, erase_op, func, ir, linalg, memref, scf
from hexagon_mlir.ir.query import element_bytes, in_tcm, ops_named, static_bytes
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.copies.rows import Rows, apart_in_ddr, rows_between, with_long_rows
from hexagon_mlir.passes.copies.transfer import address, declare, index, transfer
from hexagon_mlir.targets.dma import Engine

LIBRARY_COPY = "memcpy"
_LIBRARY_VECTORS = 4
"""Copies of fewer vectors are cheaper in line. In a loop LLVM loads the lines of memory in any order, at full latency
each."""


@dataclass(frozen=True)
class HexagonCopyLoweringPass(Pass):
    """Turns each memref.copy into a DMA transfer where that pays, and into a linalg.copy where it does not.

    DMA pays for many bytes, and for rows of DDR with gaps between them, because the core would wait at each gap. It
    does not between buffers in TCM, where the core waits for nothing, and the transfer would for those before it. A
    contiguous block of medium size stays a memref.copy, which becomes memcpy; so does each of several long rows. A copy
    whose size is only known at run time, and may be large, tests the size and has several forms; a contiguous block
    that DMA does not move is then left to memcpy, whatever its size is.

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
        dma-bytes: copies of at least this many bytes go to DMA, whatever they are; 0 takes what pays on the target,
            -1 disables DMA.

    Refuses: nothing; elements with gaps within a line, and planes of few short rows, stay with the core.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-copy-lowering"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    dma_bytes: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower every memref.copy of ``module``."""
        engine = Engine.of(context.target)
        pays = self.dma_bytes or engine.break_even_bytes
        library = _LIBRARY_VECTORS * int(context.target.vector_bytes.value)
        for op in ops_named(module, "memref.copy"):
            source, target = op.operands
            if source == target:  # left behind by tiling: copies a slice onto itself
                erase_op(op, self.name)
                continue
            within_tcm = in_tcm(ir.MemRefType(source.type)) and in_tcm(ir.MemRefType(target.type))
            threshold = -1 if within_tcm and not self.dma_bytes else pays
            cut = rows_between(ir.MemRefType(source.type), ir.MemRefType(target.type))
            block = cut is not None and not cut.planes and not cut.rows
            if block and library <= (static_bytes(source.type) or 0) < threshold:
                continue
            with op.location, ir.InsertionPoint(op):
                self._lower(module, op, cut, threshold, library, engine)
            erase_op(op, self.name)

    def _lower(self, module: ir.Module, op: ir.Operation, cut: Rows | None, threshold: int, library: int,
               costs: Engine) -> None:
        source, target = op.operands
        bound, row = size_bound(op), _row_bound(op)
        plain = cut if threshold >= 0 and cut is not None and not cut.planes and (cut.run or not cut.rows) else None
        lines, static = plain is not None and plain.rows == (0,), static_bytes(source.type)
        if static is None and lines and costs.line <= row < inf and not self.dma_bytes and not in_tcm(source.type):
            threshold = max(costs.break_even_rows(int(row)), threshold // 3)
        engine = plain if bound is None or bound >= threshold else None
        if static is not None:
            long = lines and static >= library * ir.MemRefType(source.type).shape[0]
            if engine is None and cut is not None and cut.rows and not self.dma_bytes:
                engine = cut if apart_in_ddr(ir.MemRefType(source.type), cut, costs, long) else None
            if engine is not None:
                transfer(module, source, target, engine)
            elif long:
                _copy_rows(module, source, target)
            else:
                if cut is not None and cut.run and in_tcm(ir.MemRefType(source.type)) and in_tcm(target.type):
                    source, target = (with_long_rows(value, cut.run[0]) for value in (source, target))
                linalg.copy(source, outs=[target])
            return
        ways: list[Way] = []
        if engine is not None:
            ways.append((threshold, 0, partial(transfer, module, source, target, engine)))
        if lines and row >= library:
            ways.append((library, 1, lambda: _copy_rows(module, source, target)))
        sizes = {outer: _bytes(source, outer) for outer in sorted({way[1] for way in ways})}
        if plain is not None and not plain.rows and (bound is None or bound >= library):  # any size: one form is enough
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
    branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.sge, sizes[outer], index(least)), has_else=True)
    with ir.InsertionPoint(branch.then_block):
        copy()
        scf.yield_([])
    with ir.InsertionPoint(branch.else_block):
        _choose(rest, sizes, otherwise)
        scf.yield_([])


def _bytes(value: ir.Value, outer: int = 0) -> ir.Value:
    """Bytes of ``value`` behind its ``outer`` first dimensions."""
    type_ = ir.MemRefType(value.type)
    total = index(element_bytes(type_.element_type))
    for dim in range(outer, type_.rank):
        total = arith.muli(total, memref.dim(value, index(dim)))
    return total


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
            if len(shape) == rank > 0 and min(shape[1:], default=0) >= 0:
                bounds.append(prod(shape[1:]) * element_bytes(ir.MemRefType(value.type).element_type))
            owner = value.owner
            if isinstance(owner, ir.Block) or owner.operation.name not in ("memref.subview", "memref.cast"):
                break
            value = owner.operation.operands[0]
    return min(bounds)


def _call_library(module: ir.Module, source: ir.Value, target: ir.Value) -> None:
    """``memcpy(dst, src, bytes)``."""
    size = index(element_bytes(ir.MemRefType(source.type).element_type))
    _memcpy(module, address(target, size)[0], address(source, size)[0], _bytes(source))


def _copy_rows(module: ir.Module, source: ir.Value, target: ir.Value) -> None:
    """A call of memcpy for each row: it reads DDR in order."""
    size = index(element_bytes(ir.MemRefType(source.type).element_type))
    starts = [address(value, size) for value in (target, source)]
    row = _bytes(source, 1)
    loop = scf.ForOp(index(0), memref.dim(source, index(0)), index(1))
    with ir.InsertionPoint(loop.body):
        to, at = (arith.addi(start, arith.muli(loop.induction_variable, arith.muli(strides[0], size)))
                  for start, strides in starts)
        _memcpy(module, to, at, row)
        scf.YieldOp([])


def _memcpy(module: ir.Module, target: ir.Value, source: ir.Value, size: ir.Value) -> None:
    index = ir.IndexType.get()
    declare(module, LIBRARY_COPY, [index] * 3, [index])
    func.CallOp([index], ir.FlatSymbolRefAttr.get(LIBRARY_COPY), [target, source, size])

"""memref.dma_start and memref.dma_wait to runtime calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import arith, erase_op, func, ir, memref
from hexagon_mlir.ir.address import element_address
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import element_bytes, in_tcm, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext

START, WAIT = "hexmlir_rt_dma_start_2d", "hexmlir_rt_dma_wait"



@dataclass(frozen=True)
class HexagonDmaLoweringPass(Pass):
    """Turns memref.dma_start and memref.dma_wait into calls of the runtime's DMA.

    ``i32 hexmlir_rt_dma_start_2d(dst, src, row_bytes, rows, dst_stride, src_stride)`` returns a tag, which is stored in
    the operation's tag element; ``hexmlir_rt_dma_wait(tag)`` reads it from there. The stride of a dma_start is that of
    the side outside TCM; rows in TCM are at the stride of a matrix, or contiguous in buffers of other ranks.

    Before:
        func.func @f(%x: memref<64xf32>, %t: memref<64xf32, 1>, %tag: memref<1xi32>) {
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          memref.dma_start %x[%c0], %t[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
          memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
          return
        }

    After, folded:
        func.func private @hexmlir_rt_dma_wait(i32)
        func.func private @hexmlir_rt_dma_start_2d(index, index, i32, i32, i32, i32) -> i32
        func.func @f(%arg0: memref<64xf32>, %arg1: memref<64xf32, 1>, %arg2: memref<1xi32>) {
          %c1_i32 = arith.constant 1 : i32
          %c256_i32 = arith.constant 256 : i32
          %c0 = arith.constant 0 : index
          %intptr = memref.extract_aligned_pointer_as_index %arg1 : memref<64xf32, 1> -> index
          %intptr_0 = memref.extract_aligned_pointer_as_index %arg0 : memref<64xf32> -> index
          %0 = call @hexmlir_rt_dma_start_2d(%intptr, %intptr_0, %c256_i32, %c1_i32, %c256_i32, %c256_i32) :
              (index, index, i32, i32, i32, i32) -> i32
          memref.store %0, %arg2[%c0] : memref<1xi32>
          %1 = memref.load %arg2[%c0] : memref<1xi32>
          call @hexmlir_rt_dma_wait(%1) : (i32) -> ()
          return
        }

    Options:
        none

    Refuses: a strided transfer inside one memory (an error: which side has the stride?), tags that are not i32.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-dma-lowering"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower every transfer and every wait."""
        for op in ops_named(module, "memref.dma_start", "memref.dma_wait"):
            with op.location, ir.InsertionPoint(op):
                if op.name == "memref.dma_start":
                    self._start(module, op)
                else:
                    self._wait(module, op)
            erase_op(op, self.name)

    def _start(self, module: ir.Module, op: ir.Operation) -> None:
        source, target, total, tag, stride = _read_start(op)
        self._check_tag(op, tag[0])
        types = [ir.MemRefType(side[0].type) for side in (source, target)]
        width = element_bytes(types[0].element_type)
        i32 = ir.IntegerType.get_signless(32)
        addresses = [element_address(*side, width) for side in (target, source)]
        if stride is None:
            row_bytes = arith.muli(total, index(width))
            numbers = [row_bytes, index(1), row_bytes, row_bytes]
        else:
            if in_tcm(types[0]) == in_tcm(types[1]):
                raise self.refuse(op, "a strided transfer needs one side in TCM: the stride is that of the other",
                                  "copy with memref.copy, or put one buffer into memory space 1")
            pitch, length = stride
            pitches = [_pitch(side[0], length) if in_tcm(type_) else pitch
                       for side, type_ in zip((target, source), reversed(types), strict=True)]
            numbers = [arith.muli(length, index(width)), arith.divui(total, length),
                       *(arith.muli(p, index(width)) for p in pitches)]
        _declare(module, START, [ir.IndexType.get()] * 2 + [i32] * 4, [i32])
        call = func.CallOp([i32], ir.FlatSymbolRefAttr.get(START),
                           [*addresses, *(arith.index_cast(i32, n) for n in numbers)])
        memref.store(call.result, *tag)

    def _wait(self, module: ir.Module, op: ir.Operation) -> None:
        tag, *rest = op.operands
        self._check_tag(op, tag)
        _declare(module, WAIT, [ir.IntegerType.get_signless(32)], [])
        func.CallOp([], ir.FlatSymbolRefAttr.get(WAIT), [memref.load(tag, rest[:-1])])

    def _check_tag(self, op: ir.Operation, tag: ir.Value) -> None:
        element = ir.MemRefType(tag.type).element_type
        if element != ir.IntegerType.get_signless(32):
            raise self.refuse(op, f"a tag of type {element}", "tags are elements of a memref of i32")


Place = tuple[ir.Value, list[ir.Value]]
"""A buffer and indices into it."""


def _read_start(op: ir.Operation) -> tuple[Place, Place, ir.Value, Place, tuple[ir.Value, ir.Value] | None]:
    """Source, target, number of elements, tag, and (stride, elements per stride) when there is one."""
    operands = list(op.operands)

    def place() -> Place:
        buffer = operands.pop(0)
        rank = ir.MemRefType(buffer.type).rank
        indices, operands[:] = operands[:rank], operands[rank:]
        return buffer, indices

    source, target = place(), place()
    total = operands.pop(0)
    tag = place()
    return source, target, total, tag, (operands[0], operands[1]) if operands else None


def _pitch(buffer: ir.Value, length: ir.Value) -> ir.Value:
    """Elements from one row to the next in TCM."""
    rank = ir.MemRefType(buffer.type).rank
    return list(memref.ExtractStridedMetadataOp(buffer).results)[2 + rank] if rank == 2 else length


def _declare(module: ir.Module, symbol: str, inputs: list[ir.Type], results: list[ir.Type]) -> None:
    if any(op.operation.name == "func.func" and op.sym_name.value == symbol for op in module.body.operations):
        return
    with ir.InsertionPoint.at_block_begin(module.body):
        func.FuncOp(symbol, (inputs, results), visibility="private")

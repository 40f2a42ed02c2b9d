"""Results that loops store to DDR themselves, through the cache."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from hexagon_mlir.ir import arith, erase_op, ir, memref, scf
from hexagon_mlir.ir.buffers import VIEWS, root_buffer
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.ir.query import element_bytes, functions
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.cached_results import CachedResult, cached_results


@dataclass(frozen=True)
class HexagonCachedResultsPass(Pass):
    """Lets loops store a result to DDR, instead of to TCM with a copy from there at the end of the function.

    Nothing is left to do beside such a copy: the core waits for its transfer, or copies itself. Stores of whole lines
    do not wait for DDR, as the cache takes them. Where the caller's memory begins within a line, each store of a vector
    would meet two lines: then the loops store to TCM, and the copy follows. Their destination is chosen at run time.

    Before:
        func.func @f(%x: memref<4096xf32, 1>, %y: memref<4096xf32>) {
          %a = memref.alloc() : memref<4096xf32, 1>
          linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
              iterator_types = ["parallel"]} ins(%x : memref<4096xf32, 1>) outs(%a : memref<4096xf32, 1>) {
            ^bb0(%e: f32, %old: f32):
              %s = arith.addf %e, %e : f32
              linalg.yield %s : f32
          }
          memref.copy %a, %y : memref<4096xf32, 1> to memref<4096xf32>
          memref.dealloc %a : memref<4096xf32, 1>
          return
        }

    After, folded:
        #map = affine_map<(d0) -> (d0)>
        func.func @f(%arg0: memref<4096xf32, 1>, %arg1: memref<4096xf32>) {
          %c127 = arith.constant 127 : index
          %c0 = arith.constant 0 : index
          %alloc = memref.alloc() : memref<4096xf32, 1>
          %intptr = memref.extract_aligned_pointer_as_index %arg1 : memref<4096xf32> -> index
          %0 = arith.andi %intptr, %c127 : index
          %1 = arith.cmpi eq, %0, %c0 : index
          %memspacecast = memref.memory_space_cast %alloc : memref<4096xf32, 1> to memref<4096xf32>
          %2 = arith.select %1, %arg1, %memspacecast : memref<4096xf32>
          %assume_align = memref.assume_alignment %2, 128 : memref<4096xf32>
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg0 : memref<4096xf32,
              1>) outs(%assume_align : memref<4096xf32>) {
          ^bb0(%in: f32, %out: f32):
            %4 = arith.addf %in, %in : f32
            linalg.yield %4 : f32
          }
          %3 = arith.cmpi ne, %0, %c0 : index
          scf.if %3 {
            memref.copy %alloc, %arg1 : memref<4096xf32, 1> to memref<4096xf32>
          }
          memref.dealloc %alloc : memref<4096xf32, 1>
          return
        }

    Options:
        none

    Refuses: nothing; it leaves alone copies that something follows, results that are read, or computed by anything but
    parallel loops over whole lines, or looked up in tables, and those that exceed a quarter of the cache or are less
    than 96 vectors.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-cached-results"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Look at the copies at the end of every function."""
        line = int(context.target.l2_line_bytes.value)
        for function in functions(module):
            for result in cached_results(function.regions[0].blocks[0], context.target):
                with result.copy.location:
                    self._rewrite(result, line)

    def _rewrite(self, result: CachedResult, line: int) -> None:
        """The destination before the first store; the copy where it is TCM."""
        buffer, copy = result.buffer, result.copy
        with ir.InsertionPoint(result.first):
            memory = _in_shape_of(buffer, copy.operands[1])
            aligned = _starts_line(memory, line)
        with ir.InsertionPoint(copy):
            otherwise = scf.IfOp(arith.xori(aligned, constant(ir.BoolAttr.get(True))))
        self._erase(copy)
        stores = [use for use in buffer.uses if use.owner.operation.name != "memref.dealloc"]
        with ir.InsertionPoint.after(aligned.owner):
            destination = _either(aligned, memory, buffer, line)
        for use in stores:
            use.owner.operation.operands[use.operand_number] = destination
            _retype(use.owner.operation)
        with ir.InsertionPoint(otherwise.then_block):
            memref.copy(buffer, memory)
            scf.yield_([])

    def _erase(self, copy: ir.Operation) -> None:
        """Erases ``copy`` and the views of its source that nothing else uses."""
        source = copy.operands[0]
        erase_op(copy, self.name)
        while not isinstance(source.owner, ir.Block) and (view := source.owner.operation).name in VIEWS:
            if any(True for _ in source.uses):
                return
            source = view.operands[0]
            erase_op(view, self.name)


def _in_shape_of(buffer: ir.Value, part: ir.Value) -> ir.Value:
    """``part`` of an argument, whose elements follow one another, in the shape of ``buffer``."""
    type_, offset = ir.MemRefType(buffer.type), ir.MemRefType(part.type).get_strides_and_offset()[1]
    shape = list(type_.shape)
    strides = [prod(shape[dim + 1:]) for dim in range(len(shape))]
    layout = ir.StridedLayoutAttr.get(offset, strides) if offset else None
    return memref.ReinterpretCastOp(ir.MemRefType.get(shape, type_.element_type, layout), root_buffer(part), [], [], [],
                                    [offset], shape, strides).result


def _starts_line(memory: ir.Value, line: int) -> ir.Value:
    """Whether the first element of ``memory`` is the first one of a line of so many bytes."""
    type_ = ir.MemRefType(memory.type)
    before = type_.get_strides_and_offset()[1] * element_bytes(type_.element_type)
    start = arith.addi(memref.extract_aligned_pointer_as_index(memory), index(before))
    return arith.cmpi(arith.CmpIPredicate.eq, arith.andi(start, index(line - 1)), index(0))


def _either(condition: ir.Value, memory: ir.Value, buffer: ir.Value, line: int) -> ir.Value:
    """``memory`` or, where ``condition`` does not hold, ``buffer``; both start a line then."""
    type_ = ir.MemRefType(memory.type)
    plain = memref.memory_space_cast(ir.MemRefType.get(type_.shape, type_.element_type), buffer)
    if plain.type != type_:
        strides, unknown = type_.get_strides_and_offset()[0], ir.ShapedType.get_dynamic_stride_or_offset()
        common = ir.MemRefType.get(type_.shape, type_.element_type, ir.StridedLayoutAttr.get(unknown, strides))
        memory, plain = memref.cast(common, memory), memref.cast(common, plain)
    chosen = arith.select(condition, memory, plain)
    number = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), line)
    return ir.Operation.create("memref.assume_alignment", [chosen.type], [chosen], {"alignment": number}).result


def _retype(view: ir.Operation) -> None:
    """Gives ``view`` of a buffer whose memory, or offset, is another one now, and views of it, the types that follow.
    """
    if view.name not in VIEWS:
        return
    source, old = ir.MemRefType(view.operands[0].type), ir.MemRefType(view.results[0].type)
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    layout: ir.Attribute | None = old.layout
    if source.get_strides_and_offset()[1] == unknown:
        layout = ir.StridedLayoutAttr.get(unknown, old.get_strides_and_offset()[0])
    view.results[0].set_type(ir.MemRefType.get(old.shape, old.element_type, layout))
    for use in view.results[0].uses:
        _retype(use.owner.operation)

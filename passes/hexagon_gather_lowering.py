"""Gathers from tables in TCM to one instruction per vector."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

from hexagon_mlir.ir import erase_op, func, ir, memref
from hexagon_mlir.ir.buffers import start_alignment
from hexagon_mlir.ir.query import element_bytes, in_tcm, ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.gathers.emit import DONE, SYMBOLS, Gather, emit

_BODY = ["arith.index_cast", "memref.load", "linalg.yield"]


@dataclass(frozen=True)
class HexagonGatherLoweringPass(Pass):
    """Turns ops that only look up a table in TCM into vector gathers.

    ``hexmlir_gather_words(to, table, last, offsets, valid)`` reads a word of ``table`` at each of the first ``valid``
    byte ``offsets`` that is at most ``last``, and writes the words to TCM at ``to``; code generation turns the call
    into one instruction. ``hexmlir_gather_halfwords`` is the same for elements of 2 bytes.
    ``hexmlir_gather_done(place)`` waits for the last gather.

    Before:
        #map = affine_map<(d0) -> (d0)>
        func.func @f(%offsets: memref<32xi32>) {
          %table = memref.alloc() : memref<64xf32, 1>
          %out = memref.alloc() : memref<32xf32, 1>
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%offsets : memref<32xi32>) outs(%out : memref<32xf32, 1>) {
          ^bb0(%in: i32, %old: f32):
            %0 = arith.index_cast %in : i32 to index
            %1 = memref.load %table[%0] : memref<64xf32, 1>
            linalg.yield %1 : f32
          }
          return
        }

    After:
        func.func private @hexmlir_gather_words(index, index, i32, vector<32xi32>, i32)
        func.func private @hexmlir_gather_done(index)
        func.func @f(%arg0: memref<32xi32>) {
          %cst = arith.constant dense<2> : vector<32xi32>
          %c32_i32 = arith.constant 32 : i32
          %c0 = arith.constant 0 : index
          %c255_i32 = arith.constant 255 : i32
          %alloc = memref.alloc() : memref<64xf32, 1>
          %alloc_0 = memref.alloc() : memref<32xf32, 1>
          %intptr = memref.extract_aligned_pointer_as_index %alloc : memref<64xf32, 1> -> index
          %0 = vector.load %arg0[%c0] {alignment = 4 : i64} : memref<32xi32>, vector<32xi32>
          %1 = arith.shli %0, %cst : vector<32xi32>
          %intptr_1 = memref.extract_aligned_pointer_as_index %alloc_0 : memref<32xf32, 1> -> index
          call @hexmlir_gather_words(%intptr_1, %intptr, %c255_i32, %1, %c32_i32) :
              (index, index, i32, vector<32xi32>, i32) -> ()
          call @hexmlir_gather_done(%intptr_1) : (index) -> ()
          return
        }

    Options:
        none

    Refuses (with a remark; scalar loops do it): tables or results outside TCM, tables of dynamic size, elements that
    are not neighbours in memory, results whose rows do not start at a whole vector.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-gather-lowering"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (CLEAN,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower every such op."""
        vector_bytes = int(context.target.vector_bytes.value)
        found = [op for op in ops_named(module, "linalg.generic") if _is_gather(op)]
        for op in found:
            body = op.regions[0].blocks[0]
            load = body.operations[1].operation
            gather = Gather(load.operands[0], op.operands[0], op.operands[1],
                            element_bytes(ir.MemRefType(op.operands[1].type).element_type))
            if not (reason := _irregular(op, gather)):
                with op.location, ir.InsertionPoint(op):
                    gather = _flat(gather)
                reason = _misaligned(gather, vector_bytes)
            if reason:
                self.remark(context, op, f"no gather: {reason}")
                continue
            _declare(module, gather.width, vector_bytes // gather.width)
            if 0 not in ir.MemRefType(gather.out.type).shape:  # without iterations nothing is written
                with op.location, ir.InsertionPoint(op):
                    emit(gather, vector_bytes)
            erase_op(op, self.name)
        if found:
            CLEAN.run(module, context)  # addresses fold


def _is_gather(op: ir.Operation) -> bool:
    """``out = table[offset]`` on buffers: one input of i32, one output, nothing but the look-up between."""
    if len(op.results) or len(op.operands) != 2:
        return False
    body = op.regions[0].blocks[0]
    cast, load, result = (*(o.operation for o in body.operations), None, None, None)[:3]
    return ([o.operation.name for o in body.operations] == _BODY and cast.operands[0] == body.arguments[0]
            and str(body.arguments[0].type) == "i32" and list(load.operands)[1:] == list(cast.results)
            and result.operands[0] == load.results[0])


def _irregular(op: ir.Operation, gather: Gather) -> str:
    """Why ``op`` cannot be a gather; empty when it can."""
    table, offsets, out = (ir.MemRefType(v.type) for v in (gather.table, gather.offsets, gather.out))
    if gather.width not in SYMBOLS:
        return f"HVX gathers elements of {' and '.join(map(str, SYMBOLS))} bytes, not {gather.width}"
    if not in_tcm(table) or not in_tcm(out):
        return f"the {'result' if in_tcm(table) else 'table'} is not in TCM"
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    if any(m != ir.AffineMap.get_identity(out.rank) for m in maps):
        return "offsets in another order than the results"
    if out.rank == 0 or not table.has_static_shape:
        return "a single element, or a table of dynamic size"
    if any(t.get_strides_and_offset()[0][-1] != 1 for t in (table, offsets, out)):
        return "elements that are not neighbours in memory"
    return ""


def _flat(gather: Gather) -> Gather:
    """The same in one dimension, where no rows are apart from each other."""
    views = [gather.offsets, gather.out]
    types = [ir.MemRefType(v.type) for v in views]
    if types[0].rank == 1 or any(t.layout != ir.AffineMapAttr.get(ir.AffineMap.get_identity(t.rank)) for t in types):
        return gather
    size = prod(types[1].shape) if types[1].has_static_shape else ir.ShapedType.get_dynamic_size()
    offsets, out = (memref.collapse_shape(ir.MemRefType.get([size], t.element_type, None, t.memory_space), v,
                                          [list(range(t.rank))]) for v, t in zip(views, types, strict=True))
    return replace(gather, offsets=offsets, out=out)


def _misaligned(gather: Gather, vector_bytes: int) -> str:
    """Why the rows of the result are no vectors; empty when they are."""
    strides = ir.MemRefType(gather.out.type).get_strides_and_offset()[0]
    if (start_alignment(gather.out, vector_bytes) % vector_bytes
            or any(stride * gather.width % vector_bytes for stride in strides[:-1])):
        return "rows that do not start at a whole vector"
    return ""


def _declare(module: ir.Module, width: int, lanes: int) -> None:
    index, i32 = ir.IndexType.get(), ir.IntegerType.get_signless(32)
    offsets = ir.VectorType.get([lanes], ir.IntegerType.get_signless(8 * width))
    present = {op.sym_name.value for op in module.body.operations if op.operation.name == "func.func"}
    with ir.InsertionPoint.at_block_begin(module.body), ir.Location.unknown():
        for symbol, inputs in ((SYMBOLS[width], [index, index, i32, offsets, i32]), (DONE, [index])):
            if symbol not in present:
                func.FuncOp(symbol, (inputs, []), visibility="private")

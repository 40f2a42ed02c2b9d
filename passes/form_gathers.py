"""Table look-ups out of loop bodies, into ops of their own that read TCM."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import element_bytes, input_count, ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.gathers.split import address_ops, depends_on_data, made_in_tcm, split
from hexagon_mlir.passes.lib.gathers import TABLE_BYTES, refusal
from hexagon_mlir.passes.lib.look_ups import fits_registers, is_index_cast
from hexagon_mlir.passes.lib.loop_nests import has_lanes

_LOOK_UP = ["arith.index_cast", "tensor.extract", "linalg.yield"]


@dataclass(frozen=True)
class FormGathersPass(Pass):
    """Moves each look-up of a small table into an op of its own: HVX gathers many elements at a time in TCM.

    One op before it computes the indices, one op after it uses the elements. The table is copied into TCM unless it is
    computed there.

    Before:
        #map = affine_map<(d0) -> (d0)>
        func.func @f(%table: tensor<300xf32>, %i: tensor<80xi8>, %y: tensor<80xf32>) -> tensor<80xf32> {
          %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%i : tensor<80xi8>) outs(%y : tensor<80xf32>) {
          ^bb0(%in: i8, %out: f32):
            %1 = arith.index_castui %in : i8 to index
            %2 = tensor.extract %table[%1] : tensor<300xf32>
            %3 = arith.negf %2 : f32
            linalg.yield %3 : f32
          } -> tensor<80xf32>
          return %0 : tensor<80xf32>
        }

    After:
        #map = affine_map<(d0) -> (d0)>
        func.func @f(%arg0: tensor<300xf32>, %arg1: tensor<80xi8>, %arg2: tensor<80xf32>) -> tensor<80xf32> {
          %0 = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<300xf32>
          %1 = tensor.empty() : tensor<80xi32>
          %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%arg1 : tensor<80xi8>) outs(%1 : tensor<80xi32>) {
          ^bb0(%in: i8, %out: i32):
            %6 = arith.index_castui %in : i8 to index
            %7 = arith.index_cast %6 : index to i32
            linalg.yield %7 : i32
          } -> tensor<80xi32>
          %3 = tensor.empty() : tensor<80xf32>
          %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%2 : tensor<80xi32>) outs(%3 : tensor<80xf32>) {
          ^bb0(%in: i32, %out: f32):
            %6 = arith.index_cast %in : i32 to index
            %extracted = tensor.extract %0[%6] : tensor<300xf32>
            linalg.yield %extracted : f32
          } -> tensor<80xf32>
          %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%4 : tensor<80xf32>) outs(%arg2 : tensor<80xf32>) {
          ^bb0(%in: f32, %out: f32):
            %6 = arith.negf %in : f32
            linalg.yield %6 : f32
          } -> tensor<80xf32>
          return %5 : tensor<80xf32>
        }

    Options:
        table-bytes: the most bytes of a table that is copied into TCM.

    Look-ups in tables of up to 256 elements are left in place: `hexagon-vectorization` does them in registers.

    Refuses (with a remark; the element is read by scalar code): tables that are too large, of dynamic shape or of
    elements other than 2 and 4 bytes wide, ops that reduce, fewer reads than an eighth of the table's elements.
    Look-ups whose last index is a loop's need no gather: rows of the table are contiguous vectors already.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "form-gathers"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (CLEAN,)

    table_bytes: int = TABLE_BYTES

    def run(self, module: ir.Module, context: PassContext) -> None:
        """One look-up after the other."""
        reported: set[str] = set()
        changed = False
        while (found := self._next(module, context, reported)) is not None:
            extract, addresses = found
            op = extract.parent.operation
            split(op, extract, addresses, not _on_tensors(op))
            changed = True
        if changed:
            CLEAN.run(module, context)  # offsets that are an input as it is

    def _next(self, module: ir.Module, context: PassContext,
              reported: set[str]) -> tuple[ir.Operation, list[ir.Operation]] | None:
        for extract in filter(_is_lookup, ops_named(module, "tensor.extract")):
            op = extract.parent.operation
            body = op.regions[0].blocks[0]
            if _is_gather(extract) or not depends_on_data(extract, body, input_count(op)) or _in_registers(extract):
                continue
            addresses = address_ops(extract, body)
            reason = self._refusal(op, extract) if addresses is not None else "an index that is no plain arithmetic"
            if not reason:
                assert addresses is not None
                return extract, addresses
            if (message := f"no gather: {reason}") + str(extract.location) not in reported:
                reported.add(message + str(extract.location))
                self.remark(context, extract, message)
        return None

    def _refusal(self, op: ir.Operation, extract: ir.Operation) -> str:
        table = ir.RankedTensorType(extract.operands[0].type)
        if any("parallel" not in str(kind) for kind in op.attributes["iterator_types"]):
            return "the op reduces"
        if not table.has_static_shape or not all(ir.ShapedType(v.type).has_static_shape for v in op.operands
                                                 if isinstance(v.type, ir.RankedTensorType)):
            return "dynamic shape"
        if not isinstance(table.element_type, ir.IntegerType | ir.FloatType):
            return f"elements of type {table.element_type}"
        return refusal(element_bytes(table.element_type), prod(table.shape), prod(op.results[0].type.shape),
                       self.table_bytes)


def _is_lookup(op: ir.Operation) -> bool:
    """A tensor.extract with an index, from outside of the linalg op around it."""
    if len(op.operands) < 2:
        return False
    around = op.parent.operation
    if around.name != "linalg.generic" or len(around.results) != 1 or not len(around.attributes["iterator_types"]):
        return False
    return isinstance(op.operands[0].owner, ir.Block) or op.operands[0].owner.operation.block != op.block


def _is_gather(extract: ir.Operation) -> bool:
    """True for a look-up in a table that is in TCM already, in an op that does nothing else."""
    return made_in_tcm(extract.operands[0]) and [o.operation.name for o in extract.block.operations] == _LOOK_UP


def _in_registers(extract: ir.Operation) -> bool:
    """True for a look-up that becomes vector code in its place: a small table, elements that fit lanes around it."""
    if not fits_registers(ir.RankedTensorType(extract.operands[0].type)):
        return False
    values = [v for o in extract.block.operations for v in (*o.operation.operands, *o.operation.results)
              if not is_index_cast(o.operation) and o.operation != extract]
    return all(has_lanes(value.type) for value in (*extract.block.arguments, *values))


def _on_tensors(op: ir.Operation) -> bool:
    while op.name != "func.func":
        op = op.parent.operation
    type_ = ir.FunctionType(op.attributes["function_type"].value)
    return any(isinstance(t, ir.RankedTensorType) for t in (*type_.inputs, *type_.results))

"""Named linalg ops of several steps into those steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import find_ops, ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.pass_infra.schedule import apply_schedule, wrap_sequence
from hexagon_mlir.passes.lib.quantized_products import is_quantized, split_offsets
from hexagon_mlir.passes.lib.window_rows import has_rows, join_rows

_ANY = "!transform.any_op"
_BY_INTERFACE = ("linalg.softmax", "linalg.winograd_filter_transform", "linalg.winograd_input_transform",
                 "linalg.winograd_output_transform")
_BY_TRANSFORM = {
    "linalg.pack": ("lower_pack", "linalg.pack", ("tensor.pad", "tensor.expand_shape", "linalg.transpose")),
    "linalg.unpack": ("lower_unpack", "linalg.unpack",
                      ("tensor.empty", "linalg.transpose", "tensor.collapse_shape", "tensor.extract_slice",
                       "linalg.copy")),
}
"""Op -> the transform that lowers it, the op it takes, the ops it gives."""


@dataclass(frozen=True)
class HexagonDecomposeNamedOpsPass(Pass):
    """Turns softmax, Winograd transforms, pack, unpack and quantized products into ops with one loop nest each.

    A product of quantized matrices becomes a product of bytes, sums of rows and columns, and the terms of the zero
    points. Softmax becomes a maximum, exponentials of differences, a sum and a division; later passes fuse and tile
    these like any other ops. A convolution with channels last sums along the rows of its window, including the
    channels: one contiguous run for each row.

    Before:
        func.func @f(%x: tensor<4x9xf32>, %y: tensor<4x9xf32>) -> tensor<4x9xf32> {
          %0 = linalg.softmax dimension(1) ins(%x : tensor<4x9xf32>) outs(%y : tensor<4x9xf32>) -> tensor<4x9xf32>
          return %0 : tensor<4x9xf32>
        }

    After:
        #map = affine_map<(d0, d1) -> (d0, d1)>
        #map1 = affine_map<(d0, d1) -> (d0)>
        func.func @f(%arg0: tensor<4x9xf32>, %arg1: tensor<4x9xf32>) -> tensor<4x9xf32> {
          %cst = arith.constant 0.000000e+00 : f32
          %cst_0 = arith.constant 0xFFC00000 : f32
          %0 = tensor.empty() : tensor<4xf32>
          %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
          %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]}
              ins(%arg0 : tensor<4x9xf32>) outs(%1 : tensor<4xf32>) {
          ^bb0(%in: f32, %out: f32):
            %7 = arith.maxnumf %in, %out : f32
            linalg.yield %7 : f32
          } -> tensor<4xf32>
          %3 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]}
              ins(%arg0, %2 : tensor<4x9xf32>, tensor<4xf32>) outs(%arg1 : tensor<4x9xf32>) {
          ^bb0(%in: f32, %in_1: f32, %out: f32):
            %7 = arith.subf %in, %in_1 : f32
            %8 = math.exp %7 : f32
            linalg.yield %8 : f32
          } -> tensor<4x9xf32>
          %4 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
          %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]}
              ins(%3 : tensor<4x9xf32>) outs(%4 : tensor<4xf32>) {
          ^bb0(%in: f32, %out: f32):
            %7 = arith.addf %in, %out : f32
            linalg.yield %7 : f32
          } -> tensor<4xf32>
          %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]}
              ins(%3, %5 : tensor<4x9xf32>, tensor<4xf32>) outs(%arg1 : tensor<4x9xf32>) {
          ^bb0(%in: f32, %in_1: f32, %out: f32):
            %7 = arith.divf %in, %in_1 : f32
            linalg.yield %7 : f32
          } -> tensor<4x9xf32>
          return %6 : tensor<4x9xf32>
        }

    Options:
        none

    Refuses: softmax of integers (an error). A module without such ops stays as it is.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-decompose-named-ops"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (CLEAN,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Quantized products and convolutions by hand, one transform sequence for all others."""
        for op in find_ops(module, is_quantized):
            split_offsets(op)
        for op in find_ops(module, has_rows):
            join_rows(op)
        for op in ops_named(module, "linalg.softmax"):
            element = ir.ShapedType(op.operands[0].type).element_type
            if not isinstance(element, ir.FloatType):  # upstream's decomposition crashes
                raise self.refuse(op, f"softmax of {element}", hint="convert the operand to f32 or f16")
        present = {op.name for op in ops_named(module, *_BY_INTERFACE, *_BY_TRANSFORM)}
        if not present:
            return
        lines = [line for number, name in enumerate(sorted(present)) for line in _transform(number, name)]
        apply_schedule(module, wrap_sequence("".join(f"    {line}\n" for line in lines)), self.name, context)
        CLEAN.run(module, context)


def _transform(number: int, name: str) -> list[str]:
    """The lines that decompose every op called ``name``."""
    found = f"%found{number}"
    match = f'{found} = transform.structured.match ops{{["{name}"]}} in %root : ({_ANY}) -> {_ANY}'
    if name in _BY_INTERFACE:
        return [match, f"transform.structured.decompose_interface {found} : ({_ANY}) -> {_ANY}"]
    lower, of, parts = _BY_TRANSFORM[name]
    cast, results = f"%cast{number}", ", ".join(f'!transform.op<"{part}">' for part in parts)
    return [match, f'{cast} = transform.cast {found} : {_ANY} to !transform.op<"{of}">',
            f"%part{number}:{len(parts)} = transform.structured.{lower} {cast} : "
            f'(!transform.op<"{of}">) -> ({results})']

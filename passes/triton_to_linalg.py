"""The pass ``triton-to-linalg``; `hexagon_mlir.passes.triton_import` holds the translation of each operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.programs import Order, mark
from hexagon_mlir.ir import HexError, PassManager, ir
from hexagon_mlir.ir.diagnostics import from_mlir_error
from hexagon_mlir.ir.query import functions
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.program_order import needs_order, order_of


@dataclass(frozen=True)
class TritonToLinalgPass(Pass):
    """Turns Triton kernels (TTIR in generic form) into functions over linalg on tensors.

    A pointer argument becomes a bare ``memref<1xT>``; six i32 arguments follow the kernel's own: the number of
    programs along x, y, z and the program's id. A load copies its block into a fresh buffer, a store writes the
    valid part of its block; what a mask leaves out is neither read nor written. Indices that wrap around, divide or
    are clamped give several blocks, one per piece, and so do pointers chosen between; what no block describes is a
    loop over rows or elements. Many elements whose addresses depend on data are looked up in a copy of what lies
    between the first and the last address, where that is little. Calls are translated in place; assertions, printing
    and pointers made of integers become runtime calls. A mark says whether programs are seen to be independent.

    Before:
        "tt.func"() <{function_type = (!tt.ptr<f32>, i32) -> (), sym_name = "scale"}> ({
        ^bb0(%x: !tt.ptr<f32>, %n: i32):
          %two = "arith.constant"() <{value = dense<2.0> : tensor<64xf32>}> : () -> tensor<64xf32>
          %i = "tt.make_range"() <{start = 0 : i32, end = 64 : i32}> : () -> tensor<64xi32>
          %limit = "tt.splat"(%n) : (i32) -> tensor<64xi32>
          %mask = "arith.cmpi"(%i, %limit) <{predicate = 2 : i64}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
          %base = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
          %at = "tt.addptr"(%base, %i) : (tensor<64x!tt.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<f32>>
          %v = "tt.load"(%at) : (tensor<64x!tt.ptr<f32>>) -> tensor<64xf32>
          %w = "arith.mulf"(%v, %two) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
          "tt.store"(%at, %w, %mask) : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> ()
          "tt.return"() : () -> ()
        }) : () -> ()

    After:
        #map = affine_map<(d0) -> (d0)>
        func.func @scale(%x: memref<1xf32>, %n: i32,
                         %nx: i32, %ny: i32, %nz: i32, %px: i32, %py: i32, %pz: i32)
            attributes {hexagon.programs = "unproven"} {
          %c0 = arith.constant 0 : i32
          %two = arith.constant 2.000000e+00 : f32
          %c64 = arith.constant 64 : i32
          %0 = arith.minsi %n, %c64 : i32
          %1 = arith.maxsi %0, %c0 : i32
          %valid = arith.index_cast %1 : i32 to index
          %block = memref.alloc() : memref<64xf32>
          %window = memref.reinterpret_cast %x to offset: [0], sizes: [64], strides: [1]
              : memref<1xf32> to memref<64xf32, strided<[1]>>
          memref.copy %window, %block : memref<64xf32, strided<[1]>> to memref<64xf32>
          %v = bufferization.to_tensor %block restrict writable : memref<64xf32> to tensor<64xf32>
          %e = tensor.empty() : tensor<64xf32>
          %w = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%v : tensor<64xf32>) outs(%e : tensor<64xf32>) {
          ^bb0(%in: f32, %out: f32):
            %p = arith.mulf %in, %two : f32
            linalg.yield %p : f32
          } -> tensor<64xf32>
          %target = memref.subview %window[0] [%valid] [1]
              : memref<64xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
          %part = tensor.extract_slice %w[0] [%valid] [1] : tensor<64xf32> to tensor<?xf32>
          bufferization.materialize_in_destination %part in restrict writable %target
              : (tensor<?xf32>, memref<?xf32, strided<[1]>>) -> ()
          return
        }

    Options:
        matrix-engine: whether the engine may be used: large ``tl.dot_scaled`` are products of bf16 for it, else of f32.

    Refuses:
        * an operation that is not translated (inline assembly), named with the kernel's source line; the module
          stays as it was
        * pointers to pointers (integers that become pointers are none), a tensor of them seen as wider elements
        * a function that returns a value, and branches between blocks that form a loop

        Remarks tell where an address or mask is no block, so that a loop over rows or elements does the work.

    Needs: source
    Leaves: tensor
    """

    name: ClassVar[str] = "triton-to-linalg"
    needs: ClassVar[str] = "source"
    leaves: ClassVar[str] = "tensor"

    matrix_engine: bool = True

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Build every function aside, clean up, then swap: an error leaves ``module`` as it was."""
        kernels = [view.operation for view in module.body.operations if view.operation.name == "tt.func"]
        if not kernels:
            return
        from hexagon_mlir.passes.triton_import.runtime import Runtime  # slow to import, for kernels of Triton alone
        from hexagon_mlir.passes.triton_import.translate import Translator

        result = ir.Module.create(ir.Location.unknown())
        runtime = Runtime(result)
        called = {ir.StringAttr(kernel.attributes["sym_name"]).value: kernel for kernel in kernels
                     if "sym_name" in kernel.attributes}
        for kernel in kernels:
            if _is_helper(kernel):
                continue
            with ir.InsertionPoint(result.body):
                translator = Translator(self.name, lambda op, text: self.remark(context, op, text), runtime, called,
                                        self.matrix_engine and context.target.has_matrix_pieces)
                translator.function(kernel)
                del translator
        self._clean(result)
        self._mark(result, needs_order(module), context)
        for kernel in kernels:
            kernel.erase()
        for view in list(result.body.operations):
            module.body.append(view)

    def _mark(self, module: ir.Module, reason: str, context: PassContext) -> None:
        """Write on every kernel whether its programs may run in parallel; `needs_order` gave ``reason``."""
        for function in functions(module):
            order, why = (Order.ORDERED, reason) if reason else order_of(function)
            mark(function, order)
            if why:
                self.remark(context, function, f"programs run one after another: {why}")

    def _clean(self, module: ir.Module) -> None:
        try:
            module.operation.verify()
            manager = PassManager.parse("builtin.module(canonicalize,cse)")
            manager.enable_verifier(False)  # the runner verifies
            manager.run(module.operation)
        except ir.MLIRError as error:
            raise HexError(*from_mlir_error(
                error, self.name, hint="the translation produced invalid IR; please report it").diagnostics) from None


def _is_helper(kernel: ir.Operation) -> bool:
    """True for a function that only other functions call; it is translated where it is called."""
    return "sym_visibility" in kernel.attributes and ir.StringAttr(
        kernel.attributes["sym_visibility"]).value == "private"

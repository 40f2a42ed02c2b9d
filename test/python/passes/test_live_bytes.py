"""Bytes of TCM that blocks of products hold, and results that are placed beside them."""

from batch import after

from hexagon_mlir import pipelines, targets
from hexagon_mlir.ir import make_context, parse
from hexagon_mlir.ir.query import functions, ops_named
from hexagon_mlir.passes.tcm_tiling.live_bytes import most_live_bytes

TEXT = """
func.func @f(%x: tensor<64x64xf16>, %out: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %first = bufferization.alloc_tensor() copy(%x) {memory_space = 1 : i64} : tensor<64x64xf16>
  %e = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<64x64xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%first : tensor<64x64xf16>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%a: f16, %o: f32):
      %t = arith.extf %a : f16 to f32
      linalg.yield %t : f32
  } -> tensor<64x64xf32>
  %part = tensor.extract_slice %wide[0, 0] [32, 64] [1, 1] : tensor<64x64xf32> to tensor<32x64xf32>
  %in_ddr = bufferization.alloc_tensor() : tensor<64x64xf16>
  %r = scf.for %i = %c0 to %c64 step %c32 iter_args(%old = %out) -> (tensor<64x64xf16>) {
    %one = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<32x64xf16>
    %a = linalg.exp ins(%one : tensor<32x64xf16>) outs(%one : tensor<32x64xf16>) -> tensor<32x64xf16>
    %two = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<32x64xf16>
    %b = linalg.exp ins(%a : tensor<32x64xf16>) outs(%two : tensor<32x64xf16>) -> tensor<32x64xf16>
    %new = tensor.insert_slice %b into %old[%i, 0] [32, 64] [1, 1] : tensor<32x64xf16> into tensor<64x64xf16>
    scf.yield %new : tensor<64x64xf16>
  }
  %s = linalg.exp ins(%part : tensor<32x64xf32>) outs(%part : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %r : tensor<64x64xf16>
}
"""


def test_bytes():
    """The loop's two buffers of 4 KiB are there together, beside the 16 KiB that the slice keeps."""
    with make_context():
        module = parse(TEXT)
        function, = functions(module)
        block = function.regions[0].blocks[0]
        generic, = ops_named(function, "linalg.generic")
        loop, = ops_named(function, "scf.for")
        last = block.operations[len(block.operations) - 1].operation
        assert most_live_bytes(block, generic, [generic]) == 8192 + 16384
        assert most_live_bytes(block, loop, [loop]) == 16384 + 2 * 4096
        assert most_live_bytes(block, last, [last]) == 0
        assert most_live_bytes(block, loop, []) == 16384 + 2 * 4096


PRODUCT = """
func.func @f(%x: tensor<16384x64xf16>, %w: tensor<64x128xf16>) -> tensor<128x128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16384x128xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<16384x128xf32>) -> tensor<16384x128xf32>
  %sums = linalg.matmul ins(%x, %w : tensor<16384x64xf16>, tensor<64x128xf16>) outs(%start : tensor<16384x128xf32>)
      -> tensor<16384x128xf32>
  %h = tensor.empty() : tensor<16384x128xf16>
  %rounded = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<16384x128xf32>) outs(%h : tensor<16384x128xf16>) {
    ^bb0(%a: f32, %o: f16):
      %t = arith.truncf %a : f32 to f16
      linalg.yield %t : f16
  } -> tensor<16384x128xf16>
  %cut = tensor.expand_shape %rounded [[0, 1], [2]] output_shape [128, 128, 128]
      : tensor<16384x128xf16> into tensor<128x128x128xf16>
  %f = tensor.empty() : tensor<128x128x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (b, a, c)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%cut : tensor<128x128x128xf16>) outs(%f : tensor<128x128x128xf32>) {
    ^bb0(%a: f16, %o: f32):
      %t = arith.extf %a : f16 to f32
      linalg.yield %t : f32
  } -> tensor<128x128x128xf32>
  return %r : tensor<128x128x128xf32>
}
"""


def test_a_result_beside_its_blocks():
    """4 MiB of result and 5 MiB of blocks exceed the TCM: tiles were moved to DDR, which the engine does not read."""
    module, _ = after(PRODUCT, list(pipelines.get("default", targets.get())))
    assert "@hexmlir_engine_hf" in str(module)

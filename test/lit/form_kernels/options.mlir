// The results of one kernel take at most tcm-bytes together.
// RUN: hexmlir-opt %s --form-kernels='tcm-bytes=511' | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --form-kernels='tcm-bytes=512' | filecheck %s --check-prefix=LARGE

// SMALL: call @chain_0
// SMALL-NEXT: call @chain_1
// LARGE: call @chain_0
// LARGE-NEXT: return
func.func @chain(%x: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.exp ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// What elementwise operations alone read is not stored, so it takes nothing.
// SMALL: func.func @scaled
// SMALL-NEXT: call @scaled_0
// SMALL-NEXT: return
func.func @scaled(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%a: f32, %old: f32):
      %s = arith.mulf %a, %a : f32
      linalg.yield %s : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%a: f32, %old: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
  } -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

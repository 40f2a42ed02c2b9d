// The results of one kernel take at most tcm-bytes together.
// RUN: hexmlir-opt %s --form-kernels='tcm-bytes=511' | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --form-kernels='tcm-bytes=512' | filecheck %s --check-prefix=LARGE

// SMALL: call @chain_0
// SMALL-NEXT: call @chain_1
// LARGE: call @chain_0
// LARGE-NOT: call
func.func @chain(%x: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.exp ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

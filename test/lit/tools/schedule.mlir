// A transform-dialect sequence from a file is a step like any pass.
// RUN: hexmlir-opt %s --schedule=%S/Inputs/tile.mlir --canonicalize | filecheck %s
// RUN: hexmlir-opt %s --schedule=%S/Inputs/tile.mlir --print-schedule | filecheck %s --check-prefix=SEQUENCE

// CHECK-LABEL: func.func @matmul
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c16
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<16x32xf32>, tensor<32x8xf32>)
// SEQUENCE: // schedule
// SEQUENCE: transform.named_sequence @__transform_main
func.func @matmul(%a: tensor<64x32xf32>, %b: tensor<32x8xf32>, %c: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x8xf32>)
                     outs(%c : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

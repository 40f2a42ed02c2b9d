// The pass has no options; without weights in tiles, the engine does not multiply, and nothing changes.
// RUN: not hexmlir-opt %s --keep-activation-tiles=always=true 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --keep-activation-tiles --remarks 2>&1 | filecheck %s
// BAD: error: keep-activation-tiles: unknown option 'always'
// BAD-NEXT: hint: options of keep-activation-tiles: none
// CHECK-NOT: remark
// CHECK: func.func private @first({{.*}}) -> tensor<64x32xf16>
// CHECK: func.func private @second(%arg0: tensor<64x32xf16>
func.func private @first(%a: tensor<64x32xf16>, %w: tensor<32x32xf16>) -> tensor<64x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<64x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<64x32xf16>) -> tensor<64x32xf16>
  %0 = linalg.matmul ins(%a, %w : tensor<64x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %0 : tensor<64x32xf16>
}
func.func private @second(%a: tensor<64x32xf16>, %w: tensor<32x32xf16>) -> tensor<64x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<64x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<64x32xf16>) -> tensor<64x32xf16>
  %0 = linalg.matmul ins(%a, %w : tensor<64x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %0 : tensor<64x32xf16>
}
func.func @model(%a: tensor<64x32xf16>, %v: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<64x32xf16> attributes {hexagon.constants = array<i64: 1, 2>} {
  %0 = call @first(%a, %v) : (tensor<64x32xf16>, tensor<32x32xf16>) -> tensor<64x32xf16>
  %1 = call @second(%0, %w) : (tensor<64x32xf16>, tensor<32x32xf16>) -> tensor<64x32xf16>
  return %1 : tensor<64x32xf16>
}

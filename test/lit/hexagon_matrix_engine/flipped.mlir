// The left factor is computed from bytes without sign by flipping the first bit of each, as the engine needs them: these
// are packed as they are. What 128 costs is still subtracted. Where another number is flipped, packing flips the sign.
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true --canonicalize | filecheck %s
// RUN: sed 's/%c = arith.constant -128/%c = arith.constant 127/' %s | hexmlir-opt - --hexagon-matrix-engine=always=true --canonicalize | filecheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func @f
// CHECK: bufferization.alloc_tensor() copy(%arg0)
// CHECK-NOT: arith.xori
// CHECK: arith.muli %{{.*}}, %c-128_i32
// CHECK: return
// CHECK-NOT: arith.xori
// OTHER-COUNT-2: arith.xori
func.func @f(%a: tensor<64x128xi8>, %b: tensor<128x128xi8>) -> tensor<64x128xi32> {
  %zero = arith.constant 0 : i32
  %c = arith.constant -128 : i8
  %bytes = tensor.empty() : tensor<64x128xi8>
  %s = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x128xi8>) outs(%bytes : tensor<64x128xi8>) {
  ^bb0(%x: i8, %old: i8):
    %1 = arith.xori %x, %c : i8
    linalg.yield %1 : i8
  } -> tensor<64x128xi8>
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul ins(%s, %b : tensor<64x128xi8>, tensor<128x128xi8>) outs(%sums : tensor<64x128xi32>)
      -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}

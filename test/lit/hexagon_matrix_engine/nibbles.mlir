// Weights of 4 bits are multiplied as they are: a transfer of half the bytes. Sums of their columns, which a factor with
// signs needs, are read where they are known, and computed nowhere.
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true | filecheck %s
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true --remarks --target=v73 2>&1 | filecheck %s --check-prefix=HVX

// CHECK-LABEL: func.func @f
// CHECK: bufferization.alloc_tensor() copy({{.*}}) {{.*}} : tensor<4x4x4x32x4xi8>
// CHECK: %[[BOTH:.*]] = tensor.empty() : tensor<2xi8>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %[[BOTH]] : tensor<2x4x64x32xi8>, tensor<4x4x4x32x4xi8>, tensor<2xi8>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: linalg.index 6
// CHECK: arith.shrsi
// CHECK-NOT: "reduction"
// HVX: left to HVX: sums of 32 bits need v75
// HVX: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x4x4x32x4xi8>) outs(%{{.*}} : tensor<4x4x2x4x4x32xi8>)
func.func @f(%a: tensor<128x128xi8>, %b: tensor<4x4x4x32x4xi8>, %s: tensor<100xi32>) -> tensor<128x100xi32> {
  %w = "hexagon.weight_matrix"(%b, %s) : (tensor<4x4x4x32x4xi8>, tensor<100xi32>) -> tensor<128x100xi8>
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<128x100xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<128x100xi32>) -> tensor<128x100xi32>
  %0 = linalg.matmul ins(%a, %w : tensor<128x128xi8>, tensor<128x100xi8>) outs(%sums : tensor<128x100xi32>)
      -> tensor<128x100xi32>
  return %0 : tensor<128x100xi32>
}

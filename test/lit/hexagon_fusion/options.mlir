// Casts of both factors of a product stay in it, or are hoisted; the same for every target.
// RUN: not hexmlir-opt %s --hexagon-fusion=limit=3 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --hexagon-fusion --target=v68 | filecheck %s
// RUN: hexmlir-opt %s --hexagon-fusion --target=v79 | filecheck %s
// RUN: hexmlir-opt %s --hexagon-fusion=hoist-paired-casts=true | filecheck %s --check-prefix=HOIST
// BAD: error: hexagon-fusion: unknown option 'limit'
// BAD-NEXT: hint: options of hexagon-fusion: hoist-paired-casts

// CHECK-LABEL: func.func @integers
// CHECK: linalg.generic
// CHECK: arith.muli
// CHECK-NEXT: arith.subi
// CHECK-NOT: linalg.generic
func.func @integers(%x: tensor<100xi8>, %y: tensor<100xi8>) -> tensor<100xi8> {
  %0 = arith.muli %x, %y : tensor<100xi8>
  %1 = arith.subi %0, %x : tensor<100xi8>
  return %1 : tensor<100xi8>
}

// CHECK-LABEL: func.func @halves
// CHECK-COUNT-2: arith.extf
// CHECK-NEXT: arith.mulf
// HOIST-LABEL: func.func @halves
// HOIST: arith.extf
// HOIST-NEXT: linalg.yield
// HOIST: arith.extf
// HOIST-NEXT: linalg.yield
func.func @halves(%a: tensor<4x8xf16>, %b: tensor<8x64xf16>, %c: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x64xf16>) outs(%c : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

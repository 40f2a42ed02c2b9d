// The pass has no options, and does the same for every target.
// RUN: not hexmlir-opt %s --hexagon-fusion=limit=3 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --hexagon-fusion --target=v68 | filecheck %s
// RUN: hexmlir-opt %s --hexagon-fusion --target=v79 | filecheck %s
// BAD: error: hexagon-fusion: unknown option 'limit'
// BAD-NEXT: hint: options of hexagon-fusion: none

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

// A module without tasks stays as it is: no runtime is declared.
// RUN: hexmlir-opt %s --hexagon-async-lowering | filecheck %s
// CHECK: module
// CHECK-NEXT: func.func @plain
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @plain() {
  return
}

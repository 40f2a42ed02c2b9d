// RUN: not hexmlir-opt %s --hexagon-argument-spaces 2>&1 | filecheck %s
// CHECK: error: hexagon-argument-spaces: hexagon.in_tcm has 1, which is not the number of a tensor or buffer
func.func @f(%x: memref<4xf32>, %n: i32) attributes {hexagon.in_tcm = array<i64: 1>} {
  return
}

// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-argument-spaces=all=true 2>&1 | filecheck %s
// CHECK: error: hexagon-argument-spaces: unknown option 'all'
func.func @f(%x: memref<4xf32>, %n: i32) {
  return
}

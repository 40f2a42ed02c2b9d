// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-results-in-place=all=true 2>&1 | filecheck %s
// CHECK: error: hexagon-results-in-place: unknown option 'all'
func.func @f(%x: memref<4xf32>) {
  return
}

// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-deallocation=all=true 2>&1 | filecheck %s
// CHECK: error: hexagon-deallocation: unknown option 'all'
func.func @freed(%x: memref<16xf32>) {
  return
}

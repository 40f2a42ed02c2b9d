// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-dynamic-sizes=bits=64 2>&1 | filecheck %s
// CHECK: error: hexagon-dynamic-sizes: unknown option 'bits'
func.func @f(%x: memref<?xf32>) {
  return
}

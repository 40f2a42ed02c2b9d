// The pass takes no options.
// RUN: not hexmlir-opt %s --merge-functions=deep=true 2>&1 | filecheck %s
// CHECK: error: merge-functions: unknown option 'deep'
func.func @same(%x: memref<4xf32>) {
  return
}

// The pass takes no options.
// RUN: not hexmlir-opt %s --extend-tcm-arguments=all=true 2>&1 | filecheck %s
// CHECK: error: extend-tcm-arguments: unknown option 'all'
func.func @f(%x: memref<30x64xf16, 1>) {
  return
}

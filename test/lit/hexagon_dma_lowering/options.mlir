// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-dma-lowering=bytes=1 2>&1 | filecheck %s
// CHECK: error: hexagon-dma-lowering: unknown option 'bytes'
func.func @f() {
  return
}

// The pass has no options.
// RUN: not hexmlir-opt %s --hexagon-cached-results=all=true 2>&1 | filecheck %s
// CHECK: error: hexagon-cached-results: unknown option 'all'
func.func @kernel(%x: memref<4096xf32, 1>) {
  return
}

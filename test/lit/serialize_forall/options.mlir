// The pass takes no options.
// RUN: not hexmlir-opt %s --serialize-forall=all=true 2>&1 | filecheck %s
// CHECK: error: serialize-forall: unknown option 'all'
func.func @same(%x: memref<4xf32>, %fork: i1 {hexagon.may_fork}) {
  return
}

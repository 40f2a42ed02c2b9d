// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-gather-lowering=lanes=4 2>&1 | filecheck %s
// CHECK: error: hexagon-gather-lowering: unknown option 'lanes'
func.func @lookup() {
  return
}

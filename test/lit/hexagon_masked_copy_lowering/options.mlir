// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-masked-copy-lowering=lanes=4 2>&1 | filecheck %s
// CHECK: error: hexagon-masked-copy-lowering: unknown option 'lanes'
func.func @copy() {
  return
}

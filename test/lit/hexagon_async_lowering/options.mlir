// The pass has no options.
// RUN: not hexmlir-opt %s --hexagon-async-lowering=threads=4 2>&1 | filecheck %s
// CHECK: error: hexagon-async-lowering: unknown option 'threads'
func.func @g(%t: !async.token) {
  return
}

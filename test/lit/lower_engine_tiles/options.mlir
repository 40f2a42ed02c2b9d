// The pass has no options.
// RUN: not hexmlir-opt %s --lower-engine-tiles=threads=1 2>&1 | filecheck %s
// CHECK: error: lower-engine-tiles: unknown option 'threads'
func.func @no_options() {
  return
}

// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-fill-borders=rows=2 2>&1 | filecheck %s
// CHECK: error: hexagon-fill-borders: unknown option 'rows'
func.func @f(%x: memref<8x8xf32>, %c: f32) {
  linalg.fill ins(%c : f32) outs(%x : memref<8x8xf32>)
  return
}

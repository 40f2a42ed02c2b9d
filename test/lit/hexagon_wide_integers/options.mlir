// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-wide-integers=words=2 2>&1 | filecheck %s
// CHECK: error: hexagon-wide-integers: unknown option 'words'
func.func @f(%x: memref<8xi64>, %c: i64) {
  linalg.fill ins(%c : i64) outs(%x : memref<8xi64>)
  return
}

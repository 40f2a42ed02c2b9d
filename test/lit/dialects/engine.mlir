// The operations of the matrix engine are printed and read again; nothing moves, shares or drops them.
// RUN: hexmlir-opt %s --canonicalize --cse | hexmlir-opt - --loop-invariant-code-motion | filecheck %s

// CHECK-LABEL: func.func @products
// CHECK-NEXT: "hexagon.engine_product"(%arg0, %arg1, %arg2, %arg3) : (memref<4x3x16x32x2xf16, 1>, memref<2x3x16x32x2xf16, 1>, memref<2x2x32xi32, 1>, memref<4x2x16x32x2xf16, 1>) -> ()
// CHECK-NEXT: "hexagon.engine_product"(%arg0, %arg1, %arg2, %arg3)
// CHECK-NEXT: "hexagon.engine_wait"() {pending = 1 : i64} : () -> ()
// CHECK-NEXT: "hexagon.engine_wait"() : () -> ()
// CHECK-NEXT: "hexagon.engine_wait"() : () -> ()
func.func @products(%a: memref<4x3x16x32x2xf16, 1>, %w: memref<2x3x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<4x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<4x3x16x32x2xf16, 1>, memref<2x3x16x32x2xf16, 1>,
      memref<2x2x32xi32, 1>, memref<4x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<4x3x16x32x2xf16, 1>, memref<2x3x16x32x2xf16, 1>,
      memref<2x2x32xi32, 1>, memref<4x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() {pending = 1 : i64} : () -> ()
  "hexagon.engine_wait"() : () -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// Pieces, windows and planes.
// CHECK-LABEL: func.func @kinds
// CHECK-NEXT: hexagon.engine_product
// CHECK-NEXT: "hexagon.engine_product"({{.*}}) {hexagon.windows = array<i64: 2, 1, 1, 1, 2>} :
// CHECK-NEXT: hexagon.engine_product
func.func @kinds(%a: memref<3x5x16x32x2xf16, 1>, %w: memref<2x5x16x32x2xf16, 1>, %words: memref<640xi32, 1>,
    %p: memref<3x2x2x16x32x2xf16, 1>, %image: memref<5x5x2x64x32xi8, 1>, %filters: memref<1x12x8x32x4xi8, 1>,
    %tables: memref<4x2x32xi32, 1>, %planes: memref<6x1x4x64x32xi8, 1>, %b: memref<6x12x64x32xi8, 1>) {
  "hexagon.engine_product"(%a, %w, %words, %p) : (memref<3x5x16x32x2xf16, 1>, memref<2x5x16x32x2xf16, 1>,
      memref<640xi32, 1>, memref<3x2x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_product"(%image, %filters, %tables, %planes) {hexagon.windows = array<i64: 2, 1, 1, 1, 2>} :
      (memref<5x5x2x64x32xi8, 1>, memref<1x12x8x32x4xi8, 1>, memref<4x2x32xi32, 1>, memref<6x1x4x64x32xi8, 1>) -> ()
  "hexagon.engine_product"(%b, %filters, %tables, %planes) : (memref<6x12x64x32xi8, 1>,
      memref<1x12x8x32x4xi8, 1>, memref<4x2x32xi32, 1>, memref<6x1x4x64x32xi8, 1>) -> ()
  return
}

// A scope and what stands in it, in a loop: each multiplication adds to the accumulators.
// CHECK-LABEL: func.func @tiles
// CHECK: "hexagon.engine_scope"() ({
// CHECK-NEXT: scf.for
// CHECK-NEXT: "hexagon.engine_multiply"(%arg0, %arg1) : (memref<3x16x32x2xf16, 1>, memref<3x16x32x2xf16, 1>) -> ()
// CHECK-NEXT: "hexagon.engine_multiply"(%arg0, %arg1)
// CHECK-NEXT: "hexagon.engine_convert"(%arg2) {retain, to = f16} : (memref<2x32xi32, 1>) -> ()
// CHECK-NEXT: "hexagon.engine_store"(%arg3) : (memref<16x32x2xf16, 1>) -> ()
// CHECK-NEXT: "hexagon.engine_multiply"(%arg3, %arg4) : (memref<16x32x2xf16, 1>, memref<512xi32, 1>) -> ()
// CHECK-NEXT: "hexagon.engine_convert"(%arg2) {to = f16}
// CHECK-NEXT: "hexagon.engine_store"(%arg3)
// CHECK-NEXT: "hexagon.engine_store"(%arg3)
func.func @tiles(%a: memref<3x16x32x2xf16, 1>, %w: memref<3x16x32x2xf16, 1>, %t: memref<2x32xi32, 1>,
    %out: memref<16x32x2xf16, 1>, %minus: memref<512xi32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  "hexagon.engine_scope"() ({
    scf.for %i = %c0 to %c4 step %c1 {
      "hexagon.engine_multiply"(%a, %w) : (memref<3x16x32x2xf16, 1>, memref<3x16x32x2xf16, 1>) -> ()
      "hexagon.engine_multiply"(%a, %w) : (memref<3x16x32x2xf16, 1>, memref<3x16x32x2xf16, 1>) -> ()
      "hexagon.engine_convert"(%t) {retain, to = f16} : (memref<2x32xi32, 1>) -> ()
      "hexagon.engine_store"(%out) : (memref<16x32x2xf16, 1>) -> ()
      "hexagon.engine_multiply"(%out, %minus) : (memref<16x32x2xf16, 1>, memref<512xi32, 1>) -> ()
      "hexagon.engine_convert"(%t) {to = f16} : (memref<2x32xi32, 1>) -> ()
      "hexagon.engine_store"(%out) : (memref<16x32x2xf16, 1>) -> ()
      "hexagon.engine_store"(%out) : (memref<16x32x2xf16, 1>) -> ()
    }
  }) : () -> ()
  return
}

// Matrices of weights that are tiles, or codes of blocks, are pure: CSE shares them.
// CHECK-LABEL: func.func @weights
// CHECK-COUNT-1: hexagon.weight_matrix
// CHECK-COUNT-1: "hexagon.block_matrix"({{.*}}) {bits = 4 : i64}
// CHECK-NOT: hexagon
// CHECK: return
func.func @weights(%tiles: tensor<2x2x16x32x2xf16>, %codes: tensor<64x32xi8>, %scales: tensor<64x2xf16>)
    -> (tensor<60x64xf16>, tensor<60x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>) {
  %0 = "hexagon.weight_matrix"(%tiles) : (tensor<2x2x16x32x2xf16>) -> tensor<60x64xf16>
  %1 = "hexagon.weight_matrix"(%tiles) : (tensor<2x2x16x32x2xf16>) -> tensor<60x64xf16>
  %2 = "hexagon.block_matrix"(%codes, %scales) {bits = 4 : i64} :
      (tensor<64x32xi8>, tensor<64x2xf16>) -> tensor<64x64xf16>
  %3 = "hexagon.block_matrix"(%codes, %scales) {bits = 4 : i64} :
      (tensor<64x32xi8>, tensor<64x2xf16>) -> tensor<64x64xf16>
  return %0, %1, %2, %3 : tensor<60x64xf16>, tensor<60x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
}

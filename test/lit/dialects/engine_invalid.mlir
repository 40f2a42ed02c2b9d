// What the operations of the matrix engine must be.
// RUN: not hexmlir-opt %s --split-input-file 2>&1 | filecheck %s

// Tiles outside TCM.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op reads and writes TCM only (memory space 1), not memref<1x1x16x32x2xf16>
func.func @f(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %o: memref<1x1x16x32x2xf16>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16>) -> ()
  return
}

// -----
// A dynamic number of tiles.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op takes tiles of static shape only
func.func @f(%a: memref<?x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %o: memref<1x1x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<?x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  return
}

// -----
// Tiles of another shape.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op takes tiles of f16 or of bytes
func.func @f(%a: memref<1x1x32x32xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %o: memref<1x1x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x32x32xf16, 1>, memref<1x1x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  return
}

// -----
// Weights of another type than activations.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op takes tiles of f16 or of bytes
func.func @f(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x8x32x4xi8, 1>, %t: memref<1x2x32xi32, 1>, %o: memref<1x1x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x8x32x4xi8, 1>, memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  return
}

// -----
// Four dimensions of activation tiles.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op takes two dimensions of tiles, with windows three of activations
func.func @f(%a: memref<1x1x1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %o: memref<1x1x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  return
}

// -----
// Three pieces.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op has one tile of f16 or of bytes, two pieces or 4 planes for each sum
func.func @f(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<640xi32, 1>, %o: memref<1x1x3x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>, memref<640xi32, 1>, memref<1x1x3x16x32x2xf16, 1>) -> ()
  return
}

// -----
// Columns of results that are not those of the weights.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op has 1 columns of weights and 2 of results
func.func @f(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %o: memref<1x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<1x2x16x32x2xf16, 1>) -> ()
  return
}

// -----
// A reduction of other length in the weights.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op multiplies 1 rows of 2 tiles, not of memref<1x1x16x32x2xf16, 1>
func.func @f(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x2x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %o: memref<1x1x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x16x32x2xf16, 1>, memref<1x2x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  return
}

// -----
// Too few tables.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op has a table of words for each column or plane, not memref<0x2x32xi32, 1>
func.func @f(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<0x2x32xi32, 1>, %o: memref<1x1x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>, memref<0x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  return
}

// -----
// A table of pieces that is none.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_product' op has a table of words for each column or plane
func.func @f(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %o: memref<1x1x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<1x1x2x16x32x2xf16, 1>) -> ()
  return
}

// -----
// Products in a scope.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_product' op must not be in a hexagon.engine_scope
func.func @f(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %t: memref<1x2x32xi32, 1>, %o: memref<1x1x16x32x2xf16, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_product"(%a, %w, %t, %o) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// A wait for less than no products.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_wait' op has a number of pending products, 0 or more
func.func @f() {
  "hexagon.engine_wait"() {pending = -1 : i64} : () -> ()
  return
}

// -----
// A scope in a scope.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_scope' op must not be in a hexagon.engine_scope
func.func @f() {
  "hexagon.engine_scope"() ({
    "hexagon.engine_scope"() ({ }) : () -> ()
  }) : () -> ()
  return
}

// -----
// Tiles outside a scope.
// CHECK: engine_invalid.mlir:[[# @LINE + 2]]:3: error: 'hexagon.engine_multiply' op must be in a hexagon.engine_scope
func.func @f(%a: memref<2x16x32x2xf16, 1>, %w: memref<2x16x32x2xf16, 1>) {
  "hexagon.engine_multiply"(%a, %w) : (memref<2x16x32x2xf16, 1>, memref<2x16x32x2xf16, 1>) -> ()
  return
}

// -----
// Other tiles than a sum's.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_multiply' op has 2 tiles of activations and 1 of weights
func.func @f(%a: memref<2x16x32x2xf16, 1>, %w: memref<1x16x32x2xf16, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_multiply"(%a, %w) : (memref<2x16x32x2xf16, 1>, memref<1x16x32x2xf16, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// Words of another number of tiles.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_multiply' op has 2 tiles of activations and 1 of weights
func.func @f(%a: memref<2x16x32x2xf16, 1>, %w: memref<512xi32, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_multiply"(%a, %w) : (memref<2x16x32x2xf16, 1>, memref<512xi32, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// Signed halves.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_multiply' op takes tiles of f16 or of bytes
func.func @f(%a: memref<2x16x32x2xi16, 1>, %w: memref<2x16x32x2xf16, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_multiply"(%a, %w) : (memref<2x16x32x2xi16, 1>, memref<2x16x32x2xf16, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// Weights that stand apart.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_multiply' op takes contiguous weights, and runs of contiguous activations
func.func @f(%a: memref<2x16x32x2xf16, 1>, %w: memref<2x16x32x2xf16, strided<[4096, 64, 2, 1]>, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_multiply"(%a, %w) : (memref<2x16x32x2xf16, 1>, memref<2x16x32x2xf16, strided<[4096, 64, 2, 1]>, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// Activations that stand apart in a run.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_multiply' op takes contiguous weights, and runs of contiguous activations
func.func @f(%a: memref<1x2x16x32x2xf16, strided<[9999, 4096, 64, 2, 1]>, 1>, %w: memref<2x16x32x2xf16, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_multiply"(%a, %w) : (memref<1x2x16x32x2xf16, strided<[9999, 4096, 64, 2, 1]>, 1>, memref<2x16x32x2xf16, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// A table of half the words.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_convert' op takes a contiguous table of 64 words, not memref<1x32xi32, 1>
func.func @f(%t: memref<1x32xi32, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_convert"(%t) {to = f16} : (memref<1x32xi32, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// Numbers that the engine has none of.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_convert' op converts to f16 or i8
func.func @f(%t: memref<2x32xi32, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_convert"(%t) {to = f32} : (memref<2x32xi32, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// An attribute with a value.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_convert' op has retain without a value
func.func @f(%t: memref<2x32xi32, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_convert"(%t) {to = f16, retain = false} : (memref<2x32xi32, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// Two tiles.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_store' op stores one contiguous tile of f16 or of bytes
func.func @f(%o: memref<2x16x32x2xf16, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_store"(%o) : (memref<2x16x32x2xf16, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// A tile of weights of bytes.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_store' op stores one contiguous tile of f16 or of bytes
func.func @f(%o: memref<8x32x4xi8, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_store"(%o) : (memref<8x32x4xi8, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// An attribute with a value.
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_convert' op has saturate without a value
func.func @f(%t: memref<2x32xi32, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_convert"(%t) {to = i8, saturate = true} : (memref<2x32xi32, 1>) -> ()
  }) : () -> ()
  return
}

// -----
// CHECK: engine_invalid.mlir:[[# @LINE + 3]]:5: error: 'hexagon.engine_convert' op saturates to i8 only
func.func @f(%t: memref<2x32xi32, 1>) {
  "hexagon.engine_scope"() ({
    "hexagon.engine_convert"(%t) {to = f16, saturate} : (memref<2x32xi32, 1>) -> ()
  }) : () -> ()
  return
}

// The block: set by options, or chosen by registers and remainders.
// RUN: hexmlir-opt %s --hexagon-contraction-vectorization='rows=2 columns=1' --canonicalize --cse | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --hexagon-contraction-vectorization='rows=1 columns=4' --canonicalize --cse | filecheck %s --check-prefix=FLAT
// RUN: not hexmlir-opt %s --hexagon-contraction-vectorization=rows=many 2>&1 | filecheck %s --check-prefix=BAD
// BAD: error: hexagon-contraction-vectorization: option 'rows': 'many' is not an integer

// One vector per row: four steps between two rotations of the rows' vectors.
// SMALL-LABEL: func.func @f
// SMALL-COUNT-8: arith.mulf
// SMALL-NOT: arith.mulf
// FLAT-LABEL: func.func @f
// FLAT-COUNT-4: arith.mulf
// FLAT-NOT: arith.mulf
func.func @f(%a: memref<8x96xf32>, %b: memref<96x128xf32, 1>, %c: memref<8x128xf32>) {
  %b0 = memref.assume_alignment %b, 128 : memref<96x128xf32, 1>
  linalg.matmul ins(%a, %b0 : memref<8x96xf32>, memref<96x128xf32, 1>) outs(%c : memref<8x128xf32>)
  return
}

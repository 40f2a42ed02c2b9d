// Ops that stay, for scalar loops, and the remark with the reason.
// RUN: hexmlir-opt %s --hexagon-vectorization --split-input-file --remarks 2>/dev/null | filecheck %s
// RUN: hexmlir-opt %s --hexagon-vectorization --split-input-file --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// 1. No HVX lane holds 64 bits.
// CHECK-LABEL: func.func @doubles
// CHECK: linalg.generic
// CHECK-NOT: vector
// WHY: refuse.mlir:[[# @LINE + 2]]:3: remark: hexagon-vectorization: not vectorized: element type f64 has no HVX lane
func.func @doubles(%x: memref<64xf64>, %y: memref<64xf64>) {
  linalg.add ins(%x, %x : memref<64xf64>, memref<64xf64>) outs(%y : memref<64xf64>)
  return
}

// -----
// 2. Nor 64-bit integers that `hexagon-wide-integers` has not lowered.
// CHECK-LABEL: func.func @wide
// CHECK: linalg.generic
// WHY: remark: hexagon-vectorization: not vectorized: element type i64 has no HVX lane
func.func @wide(%x: memref<64xi64>, %y: memref<64xi64>) {
  linalg.max ins(%x, %x : memref<64xi64>, memref<64xi64>) outs(%y : memref<64xi64>)
  return
}

// -----
// 3. Operands contiguous along three different loops: transposing one pair of loops does not help.
// CHECK-LABEL: func.func @three_ways
// CHECK: linalg.generic
// WHY: not vectorized: no loop walks all operands element by element: loop 0 is strided in 2 of 3 operands; loop 1 is strided in 2 of 3 operands; loop 2 is strided in 2 of 3 operands
func.func @three_ways(%x: memref<32x32x32xf32>, %w: memref<32x32x32xf32>, %y: memref<32x32x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d1, d0)>, affine_map<(d0, d1, d2) -> (d0, d2, d1)>,
                                   affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %w : memref<32x32x32xf32>, memref<32x32x32xf32>) outs(%y : memref<32x32x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      linalg.yield %p : f32
  }
  return
}

// -----
// 4. Subtraction along the lanes has an order.
// CHECK-LABEL: func.func @difference
// CHECK: linalg.generic
// WHY: not vectorized: a reduction whose combiner is not a known associative op
func.func @difference(%x: memref<64xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%x : memref<64xf32>) outs(%s : memref<f32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.subf %o, %a : f32
      linalg.yield %0 : f32
  }
  return
}

// -----
// 5. A window reads at a sum of loops.
// CHECK-LABEL: func.func @window
// CHECK: linalg.generic
// WHY: not vectorized: index expression d0 + d1 is not a plain loop index
func.func @window(%x: memref<66xf32>, %w: memref<3xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>,
                                   affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : memref<66xf32>, memref<3xf32>) outs(%y : memref<64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
  }
  return
}

// -----
// 6. Arbitrary indices into a table that is too large for the registers.
// CHECK-LABEL: func.func @lookup
// CHECK: linalg.generic
// WHY: not vectorized: no loop walks all operands element by element: loop 0 is strided in 1 of 3 operands
func.func @lookup(%x: memref<64xi32>, %t: memref<257xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : memref<64xi32>) outs(%y : memref<64xf32>) {
    ^bb0(%i: i32, %o: f32):
      %k = arith.index_cast %i : i32 to index
      %v = memref.load %t[%k] : memref<257xf32>
      linalg.yield %v : f32
  }
  return
}

// -----
// 7. A table read with stride -1: the trip count must be static.
// CHECK-LABEL: func.func @backwards
// CHECK: linalg.generic
// WHY: not vectorized: no loop walks all operands element by element: loop 0 is strided in 1 of 2 operands
func.func @backwards(%b: memref<64xf32>, %o: memref<?xf32>, %n: index) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : memref<?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %k = arith.subi %n, %i : index
    %v = memref.load %b[%k] : memref<64xf32>
    linalg.yield %v : f32
  }
  return
}

// -----
// 8. A single element needs no vector and no remark.
// CHECK-LABEL: func.func @single
// CHECK: linalg.generic {{.*}} iterator_types = []
// WHY-NOT: remark
func.func @single(%x: memref<f32>, %y: memref<f32>) {
  linalg.add ins(%x, %x : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

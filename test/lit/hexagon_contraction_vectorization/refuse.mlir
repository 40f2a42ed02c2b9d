// Ops left to hexagon-vectorization, and the remark with the reason.
// RUN: hexmlir-opt %s --hexagon-contraction-vectorization --split-input-file --remarks 2>/dev/null | filecheck %s
// RUN: hexmlir-opt %s --hexagon-contraction-vectorization --split-input-file --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// 1. Five elements along the lanes: the reduction is longer.
// CHECK-LABEL: func.func @narrow
// CHECK: linalg.generic
// WHY: refuse.mlir:[[# @LINE + 2]]:3: remark: hexagon-contraction-vectorization: left to hexagon-vectorization: only 5 elements along the lanes
func.func @narrow(%a: memref<8x100xf32>, %b: memref<100x5xf32>, %c: memref<8x5xf32>) {
  linalg.matmul ins(%a, %b : memref<8x100xf32>, memref<100x5xf32>) outs(%c : memref<8x5xf32>)
  return
}

// -----
// 2. A transposed second factor is strided in the output's last loop: seventeen rows read a copy.
// CHECK-LABEL: func.func @strided
// CHECK: linalg.generic
// WHY: no parallel loop walks the output and its inputs element by element
func.func @strided(%a: memref<17x300xf32>, %b: memref<64x300xf32>, %c: memref<17x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<17x300xf32>, memref<64x300xf32>) outs(%c : memref<17x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----
// 3. More than a product and a sum.
// CHECK-LABEL: func.func @distances
// CHECK: linalg.generic
// WHY: the body does more than multiply and add
func.func @distances(%a: memref<8x100xf32>, %b: memref<100x64xf32>, %c: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x100xf32>, memref<100x64xf32>) outs(%c : memref<8x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = arith.mulf %d, %d : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----
// 4. A result with a negative stride.
// CHECK-LABEL: func.func @backwards
// CHECK: linalg.generic
// WHY: an operand runs backwards in memory
func.func @backwards(%a: memref<16x2xf32>, %b: memref<2x64xf32>, %c: memref<16x64xf32, strided<[-64, 1], offset: ?>>) {
  linalg.matmul ins(%a, %b : memref<16x2xf32>, memref<2x64xf32>)
    outs(%c : memref<16x64xf32, strided<[-64, 1], offset: ?>>)
  return
}

// Blocks of accumulators in registers through all reductions.
// RUN: hexmlir-opt %s --hexagon-contraction-vectorization --canonicalize --cse --split-input-file | filecheck %s

// 1. Four rows by two vectors: a row's elements are a vector, four lanes are broadcast, then it is rotated by four.
// CHECK-LABEL: func.func @matmul
// CHECK-COUNT-8: vector.load
// CHECK: scf.for
// CHECK-COUNT-4: vector.load %assume_align{{.*}} {alignment = 128 : i64} : memref<8x64xf32, 1>, vector<32xf32>
// CHECK: scf.for
// CHECK: vector.shuffle %[[A:[a-z0-9]+]], %{{.*}} [0, 0, 0
// CHECK-COUNT-8: arith.mulf
// CHECK: vector.shuffle %[[A]], %{{.*}} [1, 1, 1
// CHECK-COUNT-8: arith.mulf
// CHECK: vector.shuffle %[[A]], %{{.*}} [2, 2, 2
// CHECK-COUNT-8: arith.mulf
// CHECK: vector.shuffle %[[A]], %{{.*}} [3, 3, 3
// CHECK-COUNT-8: arith.mulf
// CHECK: vector.shuffle %[[A]], %{{.*}} [4, 5, 6
// CHECK-COUNT-8: vector.store
// CHECK-NOT: linalg
func.func @matmul(%a: memref<8x64xf32, 1>, %b: memref<64x64xf32, 1>, %c: memref<8x64xf32, 1>) {
  %a0 = memref.assume_alignment %a, 128 : memref<8x64xf32, 1>
  %b0 = memref.assume_alignment %b, 128 : memref<64x64xf32, 1>
  linalg.matmul ins(%a0, %b0 : memref<8x64xf32, 1>, memref<64x64xf32, 1>) outs(%c : memref<8x64xf32, 1>)
  return
}

// -----
// 2. Rows of 77 are unaligned: they are packed into rows of three whole vectors.
// CHECK-LABEL: func.func @packed
// CHECK: %[[P:.*]] = memref.alloc() : memref<40x96xf32, 1>
// CHECK: vector.store %{{.*}}, %[[P]]
// CHECK: vector.load %[[P]][%{{.*}}] {alignment = 128
// CHECK: memref.dealloc %[[P]]
func.func @packed(%a: memref<33x40xf32>, %b: memref<40x77xf32>, %c: memref<33x77xf32>) {
  linalg.matmul ins(%a, %b : memref<33x40xf32>, memref<40x77xf32>) outs(%c : memref<33x77xf32>)
  return
}

// -----
// 3. A convolution with channels last: the filter's vectors along the output channels, pixels are broadcast.
// CHECK-LABEL: func.func @conv
// CHECK: scf.for
// CHECK: vector.load %arg1{{.*}} : memref<3x3x16x64xf32>, vector<32xf32>
// CHECK-NOT: linalg
func.func @conv(%x: memref<1x6x10x16xf32>, %w: memref<3x3x16x64xf32>, %y: memref<1x2x4x64xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : memref<1x6x10x16xf32>, memref<3x3x16x64xf32>) outs(%y : memref<1x2x4x64xf32>)
  return
}

// -----
// 4. A pooling has one input with values; its window is unrolled.
// CHECK-LABEL: func.func @pool
// CHECK-COUNT-4: arith.maximumf {{.*}} : vector<32xf32>
// CHECK-NOT: linalg
func.func @pool(%x: memref<1x2x2x32xf32>, %w: memref<2x2xf32>, %y: memref<1x1x1x32xf32>) {
  linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : memref<1x2x2x32xf32>, memref<2x2xf32>) outs(%y : memref<1x1x1x32xf32>)
  return
}

// -----
// 5. An empty reduction: the output is unchanged.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return
func.func @nothing(%a: memref<3x0xf32>, %b: memref<0x40xf32>, %c: memref<3x40xf32>) {
  linalg.matmul ins(%a, %b : memref<3x0xf32>, memref<0x40xf32>) outs(%c : memref<3x40xf32>)
  return
}

// -----
// 6. Bytes: four rows of the second factor are interleaved, sums of four adjacent products are accumulated in words.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[P:.*]] = memref.alloc() : memref<17x512xi8, 1>
// CHECK: vector.bitcast %{{.*}} : vector<128xi8> to vector<64xi16>
// CHECK: arith.extsi %{{.*}} : vector<128xi8> to vector<128xi32>
// CHECK: arith.muli %{{.*}} : vector<128xi32>
// CHECK: vector.shuffle %{{.*}} [0, 4, 8
// CHECK: memref.dealloc %[[P]]
func.func @bytes(%a: memref<8x64xi8>, %b: memref<64x128xi8>, %c: memref<8x128xi32>) {
  linalg.matmul ins(%a, %b : memref<8x64xi8>, memref<64x128xi8>) outs(%c : memref<8x128xi32>)
  return
}

// -----
// 7. Sums start from the bias in registers: no initial values are stored.
// CHECK-LABEL: func.func @biased
// CHECK: %[[B:.*]] = vector.load %arg2[%c0]{{.*}} : memref<32xf32>, vector<32xf32>
// CHECK: arith.addf %[[B]], %{{.*}} : vector<32xf32>
// CHECK: vector.store {{.*}}, %arg3[%c0, %c0]
// CHECK-NOT: vector.store
// CHECK-NOT: linalg
func.func @biased(%a: memref<1x2xf32>, %b: memref<2x32xf32>, %bias: memref<32xf32>, %c: memref<1x32xf32>) {
  linalg.broadcast ins(%bias : memref<32xf32>) outs(%c : memref<1x32xf32>) dimensions = [0]
  linalg.matmul ins(%a, %b : memref<1x2xf32>, memref<2x32xf32>) outs(%c : memref<1x32xf32>)
  return
}

// -----
// 8. Rows times rows: products of two rows in lanes, then 32 columns exchange lanes until each has one.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: arith.extf %{{.*}} : vector<64xf16> to vector<64xf32>
// CHECK: scf.for
// CHECK-COUNT-2: arith.mulf %{{.*}} : vector<64xf32>
// CHECK: vector.shuffle %{{.*}} [0, 32, 2, 34
// CHECK: vector.shuffle %{{.*}} [0, 1, 32, 33
// CHECK: vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 32
// CHECK: vector.store %{{.*}}, %arg2[%c0, %{{.*}}]
// CHECK: vector.store %{{.*}}, %arg2[%c1, %{{.*}}]
// CHECK-NOT: linalg
func.func @rows(%a: memref<2x64xf16>, %b: memref<96x64xf16>, %c: memref<2x96xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x64xf16>, memref<96x64xf16>) outs(%c : memref<2x96xf32>) {
    ^bb0(%p: f16, %q: f16, %r: f32):
      %x = arith.extf %p : f16 to f32
      %y = arith.extf %q : f16 to f32
      %0 = arith.mulf %x, %y : f32
      %1 = arith.addf %r, %0 : f32
      linalg.yield %1 : f32
  }
  return
}

// -----
// 9. A filter for each channel: rows of the window are interleaved to words, whose pixels serve all windows.
// CHECK-LABEL: func.func @channels
// CHECK-DAG: memref.alloc() : memref<3x1x640xi8, 1>
// CHECK-DAG: memref.alloc() : memref<1x4736xi8, 1>
// CHECK: vector.bitcast %{{.*}} : vector<128xi8> to vector<64xi16>
// CHECK: arith.muli %{{.*}} : vector<128xi32>
// CHECK: vector.shuffle %{{.*}} [0, 4, 8
// CHECK-NOT: linalg
func.func @channels(%x: memref<6x18x64xi8>, %w: memref<3x3x64xi8>, %y: memref<4x16x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(y, x, c, k, l) -> (y + k, x + l, c)>,
      affine_map<(y, x, c, k, l) -> (k, l, c)>, affine_map<(y, x, c, k, l) -> (y, x, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<6x18x64xi8>, memref<3x3x64xi8>) outs(%y : memref<4x16x64xi32>) {
    ^bb0(%p: i8, %q: i8, %old: i32):
      %u = arith.extui %p : i8 to i32
      %v = arith.extsi %q : i8 to i32
      %m = arith.muli %u, %v : i32
      %s = arith.addi %old, %m : i32
      linalg.yield %s : i32
  }
  return
}

// One number for each row of pairs of rows, in all columns.
// RUN: hexmlir-opt %s --hexagon-pair-reduction --split-input-file | filecheck %s

// 1. A maximum: five rotations of one vector, then the number that was there.
// CHECK-LABEL: func.func @maximum
// CHECK-COUNT-2: scf.for
// CHECK: %[[ROW:.*]] = vector.load {{.*}} vector<64xf16>
// CHECK: vector.shuffle %[[ROW]], %[[ROW]] [32, 33,
// CHECK-COUNT-4: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: %[[OLD:.*]] = vector.load
// CHECK: %[[NEW:.*]] = arith.maxnumf %{{.*}}, %[[OLD]] : vector<64xf16>
// CHECK: vector.store %[[NEW]]
// CHECK-NOT: linalg.generic
func.func @maximum(%rows: memref<3x16x32x2xf16, strided<[2048, 64, 2, 1]>, 1>, %out: memref<3x16x32x2xf16, 1>) {
  linalg.generic {indexing_maps = [affine_map<(a, b, c, p, k) -> (a, b, k, p)>, affine_map<(a, b, c, p, k) -> (a, b, c, p)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%rows : memref<3x16x32x2xf16, strided<[2048, 64, 2, 1]>, 1>) outs(%out : memref<3x16x32x2xf16, 1>) {
  ^bb0(%x: f16, %most: f16):
    %0 = arith.maxnumf %x, %most : f16
    linalg.yield %0 : f16
  }
  return
}

// -----
// 2. A broadcast: the pair is a word.
// CHECK-LABEL: func.func @broadcast
// CHECK: vector.load {{.*}} vector<2xi16>
// CHECK: vector.broadcast {{.*}} : i32 to vector<32xi32>
// CHECK: vector.store {{.*}} vector<64xi16>
func.func @broadcast(%pairs: memref<16x2xi16, 1>, %out: memref<16x32x2xi16, 1>) {
  linalg.generic {indexing_maps = [affine_map<(b, c, p) -> (b, p)>, affine_map<(b, c, p) -> (b, c, p)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%pairs : memref<16x2xi16, 1>) outs(%out : memref<16x32x2xi16, 1>) {
  ^bb0(%x: i16, %old: i16):
    linalg.yield %x : i16
  }
  return
}

// -----
// 3. Rows whose number is known at run time only.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: memref<4x?x32x2xf16, 1>
// CHECK: %[[END:.*]] = memref.dim %[[ROWS]], %c1
// CHECK: scf.for {{.*}} to %c4
// CHECK-NEXT: scf.for {{.*}} to %[[END]]
// CHECK-COUNT-5: vector.shuffle
// CHECK-NOT: linalg.generic
func.func @dynamic(%rows: memref<4x?x32x2xf16, 1>, %out: memref<4x?x32x2xf16, 1>) {
  linalg.generic {indexing_maps = [affine_map<(a, b, c, p, k) -> (a, b, k, p)>, affine_map<(a, b, c, p, k) -> (a, b, c, p)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%rows : memref<4x?x32x2xf16, 1>) outs(%out : memref<4x?x32x2xf16, 1>) {
  ^bb0(%x: f16, %most: f16):
    %0 = arith.maxnumf %x, %most : f16
    linalg.yield %0 : f16
  }
  return
}

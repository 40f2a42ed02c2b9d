// Vectors of offsets in bytes, one call each.
// RUN: hexmlir-opt %s --hexagon-gather-lowering --split-input-file | filecheck %s

// 1. Words: four vectors per iteration, one more, and 5 elements at the end.
// CHECK-LABEL: func.func @words
// CHECK: %[[LAST:.*]] = arith.constant 255 : i32
// CHECK: scf.for
// CHECK-COUNT-4: func.call @hexmlir_gather_words({{.*}}, %[[LAST]], {{.*}}, %c32_i32)
// CHECK: call @hexmlir_gather_words({{.*}}, %c32_i32)
// CHECK: call @hexmlir_gather_words({{.*}}, %c5_i32)
// CHECK: call @hexmlir_gather_done
#map = affine_map<(d0) -> (d0)>
func.func @words(%i: memref<293xi32>) {
  %t = memref.alloc() : memref<64xf32, 1>
  %o = memref.alloc() : memref<293xf32, 1>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : memref<293xi32>) outs(%o : memref<293xf32, 1>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %2 = memref.load %t[%1] : memref<64xf32, 1>
    linalg.yield %2 : f32
  }
  return
}

// -----
// 2. Halfwords of a dynamic number; contiguous rows are collapsed.
// CHECK-LABEL: func.func @halves
// CHECK: memref.collapse_shape {{.*}} : memref<?x33xbf16, 1> into memref<?xbf16, 1>
// CHECK: scf.for
// CHECK: arith.trunci {{.*}} : vector<64xi32> to vector<64xi16>
// CHECK-NEXT: arith.shli
// CHECK: func.call @hexmlir_gather_halfwords
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @halves(%i: memref<?x33xi32>, %n: index) {
  %t = memref.alloc() : memref<64xbf16, 1>
  %o = memref.alloc(%n) : memref<?x33xbf16, 1>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<?x33xi32>) outs(%o : memref<?x33xbf16, 1>) {
  ^bb0(%in: i32, %out: bf16):
    %1 = arith.index_cast %in : i32 to index
    %2 = memref.load %t[%1] : memref<64xbf16, 1>
    linalg.yield %2 : bf16
  }
  return
}

// -----
// 3. Rows with gaps, each aligned to a vector.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK: func.call @hexmlir_gather_words({{.*}}, %c32_i32)
// CHECK: func.call @hexmlir_gather_words({{.*}}, %c8_i32)
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%i: memref<3x40xi32>) {
  %t = memref.alloc() : memref<64xf32, 1>
  %all = memref.alloc() : memref<3x64xf32, 1>
  %o = memref.subview %all[0, 0] [3, 40] [1, 1] : memref<3x64xf32, 1> to memref<3x40xf32, strided<[64, 1]>, 1>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<3x40xi32>) outs(%o : memref<3x40xf32, strided<[64, 1]>, 1>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %2 = memref.load %t[%1] : memref<64xf32, 1>
    linalg.yield %2 : f32
  }
  return
}

// -----
// 4. A thread's share of whole vectors: no partial vector overlaps another thread's share.
// CHECK-LABEL: func.func @shares
// CHECK: scf.forall
// CHECK: scf.for
// CHECK-COUNT-4: func.call @hexmlir_gather_words({{.*}}, %c32_i32)
// CHECK-NOT: hexmlir_gather_words
// CHECK-NOT: vector.maskedload
// CHECK: func.call @hexmlir_gather_done
#map = affine_map<(d0) -> (d0)>
func.func @shares(%i: memref<1024xi32>, %alone: i1) {
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %t = memref.alloc() : memref<64xf32, 1>
  %o = memref.alloc() : memref<1024xf32, 1>
  %n = arith.select %alone, %c1024, %c256 : index
  scf.forall (%k) = (0) to (1024) step (%n) {
    %is = memref.subview %i[%k] [%n] [1] : memref<1024xi32> to memref<?xi32, strided<[1], offset: ?>>
    %os = memref.subview %o[%k] [%n] [1] : memref<1024xf32, 1> to memref<?xf32, strided<[1], offset: ?>, 1>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%is : memref<?xi32, strided<[1], offset: ?>>) outs(%os : memref<?xf32, strided<[1], offset: ?>, 1>) {
    ^bb0(%in: i32, %out: f32):
      %1 = arith.index_cast %in : i32 to index
      %2 = memref.load %t[%1] : memref<64xf32, 1>
      linalg.yield %2 : f32
    }
  }
  return
}

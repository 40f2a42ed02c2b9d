// The border around a copy into a filled buffer is filled in contiguous runs, after the copy.
// RUN: hexmlir-opt %s --hexagon-fill-borders --split-input-file | filecheck %s

// 1. Rows and channels of an image as one dimension: the end of a row and the start of the next are one run.
// CHECK-LABEL: func.func @image
// CHECK: %[[A:.*]] = memref.alloc() : memref<30x2880xf32, 1>
// CHECK: memref.copy
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[A]] {{.*}} into memref<86400xf32, 1>
// CHECK: %[[HEAD:.*]] = memref.subview %[[FLAT]][0] [2976] [1]
// CHECK: linalg.fill ins(%arg1 : f32) outs(%[[HEAD]] :
// CHECK: %[[ROWS:.*]] = memref.subview %[[FLAT]][5664] [77760] [1]
// CHECK: %[[PITCH:.*]] = memref.expand_shape %[[ROWS]] {{.*}} output_shape [27, 2880]
// CHECK: %[[GAPS:.*]] = memref.subview %[[PITCH]][0, 0] [27, 192] [1, 1]
// CHECK: linalg.fill ins(%arg1 : f32) outs(%[[GAPS]] :
// CHECK: %[[TAIL:.*]] = memref.subview %[[FLAT]][83424] [2976] [1]
// CHECK: linalg.fill ins(%arg1 : f32) outs(%[[TAIL]] :
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @image(%x: memref<28x2688xf32>, %c: f32) {
  %a = memref.alloc() : memref<30x2880xf32, 1>
  linalg.fill ins(%c : f32) outs(%a : memref<30x2880xf32, 1>)
  %e = memref.expand_shape %a [[0, 1], [2]] output_shape [1, 30, 2880]
    : memref<30x2880xf32, 1> into memref<1x30x2880xf32, 1>
  %v = memref.subview %e[0, 1, 96] [1, 28, 2688] [1, 1, 1]
    : memref<1x30x2880xf32, 1> to memref<28x2688xf32, strided<[2880, 1], offset: 2976>, 1>
  memref.copy %x, %v : memref<28x2688xf32> to memref<28x2688xf32, strided<[2880, 1], offset: 2976>, 1>
  return
}

// -----
// 2. The copy is one run at the end: only the elements before it are filled. A generic op may be a fill, too.
// CHECK-LABEL: func.func @sequence
// CHECK: memref.copy
// CHECK: %[[HEAD:.*]] = memref.subview %{{.*}}[0] [64] [1]
// CHECK: linalg.fill ins(%{{.*}} : i8) outs(%[[HEAD]] :
// CHECK-NOT: linalg.
// CHECK: return
func.func @sequence(%x: memref<960xi8>, %c: i8) {
  %a = memref.alloc() : memref<1024xi8>
  linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%c : i8) outs(%a : memref<1024xi8>) {
    ^bb0(%in: i8, %out: i8):
      linalg.yield %in : i8
  }
  %v = memref.subview %a[64] [960] [1] : memref<1024xi8> to memref<960xi8, strided<[1], offset: 64>>
  memref.copy %x, %v : memref<960xi8> to memref<960xi8, strided<[1], offset: 64>>
  return
}

// -----
// 3. The copy covers the whole buffer: the fill is erased.
// CHECK-LABEL: func.func @all
// CHECK-NOT: linalg.fill
// CHECK: memref.copy
func.func @all(%x: memref<4x8xf32>, %c: f32) {
  %a = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%c : f32) outs(%a : memref<4x8xf32>)
  memref.copy %x, %a : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----
// 4. Where double buffering has a place for the copy, the fill stays before it.
// CHECK-LABEL: func.func @fetched
// CHECK: linalg.fill
// CHECK: memref.copy
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @fetched(%x: memref<960xi8>, %c: i8) {
  %a = memref.alloc() : memref<1024xi8>
  linalg.fill ins(%c : i8) outs(%a : memref<1024xi8>)
  %v = memref.subview %a[64] [960] [1] : memref<1024xi8> to memref<960xi8, strided<[1], offset: 64>>
  memref.copy %x, %v {hexagon.db_fetch = array<i64: 0, 0, 0>} : memref<960xi8> to memref<960xi8, strided<[1], offset: 64>>
  return
}

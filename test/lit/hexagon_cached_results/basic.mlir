// Loops store results that leave last to DDR, or to TCM where the caller's memory begins within a line.
// RUN: hexmlir-opt %s --hexagon-cached-results --canonicalize --split-input-file | filecheck %s

// 1. A part of an argument, in another shape, from parallel loops: their slices are those of the chosen memory.
// CHECK-LABEL: func.func @part
// CHECK: %[[PART:.*]] = memref.reinterpret_cast %arg1 to offset: [8192], sizes: [4, 2048], strides: [2048, 1]
// CHECK: %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[PART]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[START]], %c32768
// CHECK: %[[WITHIN:.*]] = arith.andi %[[FIRST]], %c127
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[WITHIN]], %c0
// CHECK: %[[CHOSEN:.*]] = arith.select %[[ALIGNED]], %{{.*}}, %{{.*}} : memref<4x2048xf32, strided<[2048, 1], offset: ?>>
// CHECK: %[[OUT:.*]] = memref.assume_alignment %[[CHOSEN]], 128
// CHECK: scf.forall
// CHECK: memref.subview %[[OUT]]
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[WITHIN]], %c0
// CHECK: scf.if %[[OTHER]]
// CHECK-NEXT: memref.copy %alloc, %[[PART]]
// CHECK-NOT: memref.copy
!row = memref<1x2048xf32, strided<[2048, 1], offset: ?>, 1>
func.func @part(%x: memref<4x2048xf32, 1>, %y: memref<16384xf32>) {
  %a = memref.alloc() : memref<4x2048xf32, 1>
  scf.forall (%i) in (4) {
    %s = memref.subview %x[%i, 0] [1, 2048] [1, 1] : memref<4x2048xf32, 1> to !row
    %t = memref.subview %a[%i, 0] [1, 2048] [1, 1] : memref<4x2048xf32, 1> to !row
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%s : !row) outs(%t : !row) {
      ^bb0(%e: f32, %old: f32):
        %n = arith.negf %e : f32
        linalg.yield %n : f32
    }
  }
  %f = memref.collapse_shape %a [[0, 1]] : memref<4x2048xf32, 1> into memref<8192xf32, 1>
  %p = memref.subview %y[8192] [8192] [1] : memref<16384xf32> to memref<8192xf32, strided<[1], offset: 8192>>
  memref.copy %f, %p : memref<8192xf32, 1> to memref<8192xf32, strided<[1], offset: 8192>>
  memref.dealloc %a : memref<4x2048xf32, 1>
  return
}

// -----
// 2. The view that is copied is the one that is written to.
// CHECK-LABEL: func.func @view
// CHECK: %[[OUT:.*]] = memref.assume_alignment
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[OUT]] {{.*}} : memref<64x64xf32> into memref<4096xf32>
// CHECK: linalg.generic {{.*}} outs(%[[FLAT]] : memref<4096xf32>)
func.func @view(%x: memref<4096xf32, 1>, %y: memref<4096xf32>) {
  %a = memref.alloc() : memref<64x64xf32, 1>
  %f = memref.collapse_shape %a [[0, 1]] : memref<64x64xf32, 1> into memref<4096xf32, 1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<4096xf32, 1>) outs(%f : memref<4096xf32, 1>) {
    ^bb0(%e: f32, %old: f32):
      linalg.yield %e : f32
  }
  memref.copy %f, %y : memref<4096xf32, 1> to memref<4096xf32>
  memref.dealloc %a : memref<64x64xf32, 1>
  return
}

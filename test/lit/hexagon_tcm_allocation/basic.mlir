// TCM buffers become views of one arena that is allocated once and freed at the end.
// RUN: hexmlir-opt %s --hexagon-tcm-allocation --split-input-file | filecheck %s

// 1. Each buffer has a slot of its own while TCM suffices; other memory is unchanged.
// CHECK-LABEL: func.func @apart
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 128 : i64} : memref<640xi8, 1>
// CHECK: %[[S0:.*]] = memref.view %[[ARENA]][%{{.*}}][] {hexagon.tcm_slot} : memref<640xi8, 1> to memref<384xi8, 1>
// CHECK: %[[S1:.*]] = memref.view %[[ARENA]][%{{.*}}][] {hexagon.tcm_slot} : memref<640xi8, 1> to memref<256xi8, 1>
// CHECK: %[[A:.*]] = memref.view %[[S1]][%{{.*}}][] : memref<256xi8, 1> to memref<64xf32, 1>
// CHECK: memref.copy %arg0, %[[A]]
// CHECK: memref.alloc() : memref<8xf32>
// CHECK: %[[B:.*]] = memref.view %[[S0]][%{{.*}}][] : memref<384xi8, 1> to memref<65xf32, 1>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[B]]
// CHECK-NOT: memref.dealloc %[[A]]
// CHECK: memref.dealloc %{{.*}} : memref<8xf32>
// CHECK: memref.dealloc %[[ARENA]] : memref<640xi8, 1>
// CHECK-NEXT: return
func.func @apart(%x: memref<64xf32>, %c: f32) {
  %a = memref.alloc() : memref<64xf32, 1>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32, 1>
  %d = memref.alloc() : memref<8xf32>
  linalg.fill ins(%c : f32) outs(%d : memref<8xf32>)
  %b = memref.alloc() : memref<65xf32, 1>
  linalg.fill ins(%c : f32) outs(%b : memref<65xf32, 1>)
  memref.dealloc %a : memref<64xf32, 1>
  memref.dealloc %b : memref<65xf32, 1>
  memref.dealloc %d : memref<8xf32>
  return
}

// -----
// 2. A size that is only bounded gets its bound: 64 of 100 elements at most.
// CHECK-LABEL: func.func @bounded
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 128 : i64} : memref<256xi8, 1>
// CHECK: scf.for
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: memref.view %{{.*}}[%{{.*}}][%[[SIZE]]] : memref<256xi8, 1> to memref<?xf32, 1>
func.func @bounded(%x: memref<100xf32>, %c: f32) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %c100 step %c64 {
    %n = affine.min affine_map<(d0) -> (64, -d0 + 100)>(%i)
    %a = memref.alloc(%n) : memref<?xf32, 1>
    linalg.fill ins(%c : f32) outs(%a : memref<?xf32, 1>)
    memref.dealloc %a : memref<?xf32, 1>
  }
  return
}

// -----
// 3. Every iteration of a forall may run at the same time: 2 x 3 parts of 256 bytes, of a slot of their own.
// CHECK-LABEL: func.func @threads
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 128 : i64} : memref<1536xi8, 1>
// CHECK: %[[SLOT:.*]] = memref.view %[[ARENA]][%c0{{.*}}][] {hexagon.tcm_slot} : memref<1536xi8, 1> to memref<1536xi8, 1>
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (2, 3)
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c3{{.*}} : index
// CHECK: %[[NUMBER:.*]] = arith.addi %[[ROW]], %{{.*}} : index
// CHECK: %[[PART:.*]] = arith.muli %[[NUMBER]], %c256{{.*}} : index
// CHECK: memref.view %[[SLOT]][%{{.*}}][] {hexagon.tcm_slot} : memref<1536xi8, 1> to memref<256xi8, 1>
func.func @threads(%c: f32) {
  scf.forall (%i, %j) in (2, 3) {
    %a = memref.alloc() : memref<64xf32, 1>
    linalg.fill ins(%c : f32) outs(%a : memref<64xf32, 1>)
    memref.dealloc %a : memref<64xf32, 1>
  }
  return
}

// -----
// 4. Nothing in TCM: nothing changes.
// CHECK-LABEL: func.func @ddr
// CHECK-NOT: , 1>
func.func @ddr(%c: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%c : f32) outs(%a : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  return
}

// -----
// 5. The size of a buffer is bounded where it is that of a view that lost a dimension of size one.
// CHECK-LABEL: func.func @collapsed
// CHECK: memref.alloc() {alignment = 128 : i64} : memref<256xi8, 1>
// CHECK-NOT: memref.alloc
func.func @collapsed(%x: memref<1x100xf32>, %c: f32) {
  %zero = arith.constant 0 : index
  %step = arith.constant 64 : index
  %end = arith.constant 100 : index
  scf.for %i = %zero to %end step %step {
    %n = affine.min affine_map<(d0) -> (64, -d0 + 100)>(%i)
    %part = memref.subview %x[0, %i] [1, %n] [1, 1] : memref<1x100xf32> to memref<1x?xf32, strided<[100, 1], offset: ?>>
    %flat = memref.collapse_shape %part [[0, 1]]
        : memref<1x?xf32, strided<[100, 1], offset: ?>> into memref<?xf32, strided<[?], offset: ?>>
    %size = memref.dim %flat, %zero : memref<?xf32, strided<[?], offset: ?>>
    %a = memref.alloc(%size) : memref<?xf32, 1>
    linalg.fill ins(%c : f32) outs(%a : memref<?xf32, 1>)
    memref.dealloc %a : memref<?xf32, 1>
  }
  return
}

// -----
// Branches: buffers of different blocks are never live together; the arena is freed where the function returns.
// CHECK-LABEL: func.func @branches
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 128 : i64} : memref<{{.*}}xi8, 1>
// CHECK: cf.cond_br
// CHECK: memref.view
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
// CHECK: memref.view
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
// CHECK-NOT: memref.alloc
func.func @branches(%c: f32, %few: i1) {
  cf.cond_br %few, ^some, ^all
^some:
  %a = memref.alloc() : memref<64xf32, 1>
  linalg.fill ins(%c : f32) outs(%a : memref<64xf32, 1>)
  memref.dealloc %a : memref<64xf32, 1>
  return
^all:
  %b = memref.alloc() : memref<128xf32, 1>
  linalg.fill ins(%c : f32) outs(%b : memref<128xf32, 1>)
  memref.dealloc %b : memref<128xf32, 1>
  return
}

// Tile loops get ping and pong buffers, a prologue that fetches ahead and exclusive parts.
// RUN: hexmlir-opt %s --hexagon-double-buffer-generic-s1=buffers=2 --split-input-file | filecheck %s

// 1. GELU's listing: 1,048,576 elements in tiles of 262,144. The output is never fetched.
// CHECK-LABEL: func.func @gelu
// CHECK: %[[IN0:.*]] = memref.alloc() : memref<1048576xi8, 1>
// CHECK: %[[IN1:.*]] = memref.alloc() : memref<1048576xi8, 1>
// CHECK: %[[OUT0:.*]] = memref.alloc() : memref<1048576xi8, 1>
// CHECK: %[[OUT1:.*]] = memref.alloc() : memref<1048576xi8, 1>
// CHECK: scf.if
// CHECK: memref.view %[[IN0]]
// CHECK: memref.copy {{.*}} {hexagon.db_fetch = array<i64: 0, 0, 0>}
// CHECK: } {hexagon.db_prologue = 0 : i64}
// CHECK: scf.for %[[I:.*]] = %c0 to %c1048576 step %c262144 iter_args(%[[SET:.*]] = %{{.*}}) -> (index)
// CHECK: %[[PING:.*]] = arith.cmpi eq, %[[SET]], %c0
// CHECK: scf.if %[[PING]] {
// CHECK:   %[[NEXT:.*]] = arith.addi %[[I]], %c262144
// CHECK:   %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %c1048576
// CHECK:   scf.if %[[MORE]] {
// CHECK:     memref.view %[[IN1]]
// CHECK:     memref.subview %arg0[%[[NEXT]]] [262144] [1]
// CHECK:     memref.copy {{.*}} {hexagon.db_fetch = array<i64: 0, 1, 0>}
// CHECK:   } {hexagon.db_prefetch = 0 : i64}
// CHECK:   %[[X:.*]] = memref.view %[[IN0]]
// CHECK:   %[[Y:.*]] = memref.view %[[OUT0]]
// CHECK:   linalg.exp ins(%[[X]] : {{.*}}) outs(%[[Y]] :
// CHECK:   memref.copy %[[Y]], %{{.*}} {hexagon.db_store = array<i64: 0, 0, 0>}
// CHECK: } {hexagon.db_ping_stage = 0 : i64}
// CHECK: memref.view %[[IN0]]
// CHECK: {hexagon.db_fetch = array<i64: 0, 0, 0>}
// CHECK: memref.view %[[IN1]]
// CHECK: memref.view %[[OUT1]]
// CHECK: {hexagon.db_store = array<i64: 0, 1, 0>}
// CHECK: } {hexagon.db_pong_stage = 1 : i64}
// CHECK: } {hexagon.db_loop = 0 : i64}
// CHECK-NOT: memref.copy
func.func @gelu(%x: memref<1048576xf32>, %y: memref<1048576xf32>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 1048576 : index
  %t = arith.constant 262144 : index
  scf.for %i = %c0 to %n step %t {
    %xs = memref.subview %x[%i] [262144] [1] : memref<1048576xf32> to memref<262144xf32, strided<[1], offset: ?>>
    %xt = memref.alloc() : memref<262144xf32, 1>
    memref.copy %xs, %xt : memref<262144xf32, strided<[1], offset: ?>> to memref<262144xf32, 1>
    %yt = memref.alloc() : memref<262144xf32, 1>
    linalg.exp ins(%xt : memref<262144xf32, 1>) outs(%yt : memref<262144xf32, 1>)
    %ys = memref.subview %y[%i] [262144] [1] : memref<1048576xf32> to memref<262144xf32, strided<[1], offset: ?>>
    memref.copy %yt, %ys : memref<262144xf32, 1> to memref<262144xf32, strided<[1], offset: ?>>
  }
  return
}

// -----
// 2. A carried offset is computed ahead; the loop carries it besides the number of the set. Bounds are dynamic, the
// padding of a masked load is part of the fetch, and the loop-invariant operand is fetched once, before the loop.
// CHECK-LABEL: func.func @carried
// CHECK: memref.copy %arg1, %{{.*}} : memref<4096xf32> to memref<4096xf32, 1>
// CHECK: scf.if
// CHECK: {hexagon.db_prologue = 0 : i64}
// CHECK: scf.for %{{.*}} iter_args(%[[SET:.*]] = %c0, %[[AT:.*]] = %c0, %[[SUM:.*]] = %{{.*}}) -> (index, index, f32)
// CHECK: %[[P:.*]]:2 = scf.if %{{.*}} -> (index, f32) {
// CHECK: %[[LATER:.*]] = arith.addi %[[AT]], %arg4
// CHECK: scf.if
// CHECK: memref.reinterpret_cast %arg0 to offset: [%[[LATER]]]
// CHECK: linalg.fill
// CHECK: memref.copy {{.*}} {hexagon.db_fetch = array<i64: 0, 1, 0>}
// CHECK: {hexagon.db_prefetch = 0 : i64}
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[AT]], %[[SUM]]
// CHECK: } {hexagon.db_ping_stage = 0 : i64}
// CHECK: %[[Q:.*]]:2 = scf.if
// CHECK: scf.yield %[[P]]#0, %[[P]]#1
// CHECK: scf.yield %{{.*}}, %[[Q]]#0, %[[Q]]#1
func.func @carried(%x: memref<1xf32>, %w: memref<4096xf32>, %n: index, %m: index, %stride: index, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0, %sum = %z) -> (index, f32) {
    %b = memref.alloc() : memref<4096xf32, 1>
    %part = arith.cmpi ne, %m, %c0 : index
    scf.if %part {
      linalg.fill ins(%z : f32) outs(%b : memref<4096xf32, 1>)
    }
    %xs = memref.reinterpret_cast %x to offset: [%at], sizes: [4096], strides: [1]
      : memref<1xf32> to memref<4096xf32, strided<[1], offset: ?>>
    %xm = memref.subview %xs[0] [%m] [1] : memref<4096xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %bm = memref.subview %b[0] [%m] [1] : memref<4096xf32, 1> to memref<?xf32, strided<[1]>, 1>
    memref.copy %xm, %bm : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1]>, 1>
    %wt = memref.alloc() : memref<4096xf32, 1>
    memref.copy %w, %wt : memref<4096xf32> to memref<4096xf32, 1>
    linalg.mul ins(%b, %wt : memref<4096xf32, 1>, memref<4096xf32, 1>) outs(%b : memref<4096xf32, 1>)
    %v = memref.load %b[%c0] : memref<4096xf32, 1>
    %s = arith.addf %sum, %v : f32
    %next = arith.addi %at, %stride : index
    scf.yield %next, %s : index, f32
  }
  return %r#1 : f32
}

// -----
// 3. A loop-carried buffer, which the next iteration reads while it writes the next one: each part has its
// own and reads that of the previous part, the first iteration the initial one.
// CHECK-LABEL: func.func @loop_carried
// CHECK: %[[PING:.*]] = memref.alloc() : memref<65536xf32, 1>
// CHECK: %[[PONG:.*]] = memref.alloc() : memref<65536xf32, 1>
// CHECK: memref.copy %arg1, %[[PONG]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %c0) -> (index)
// CHECK: linalg.max ins(%{{.*}}, %[[PONG]] : {{.*}}) outs(%[[PING]]
// CHECK: linalg.sub ins(%[[PONG]], %[[PING]]
// CHECK: hexagon.db_ping_stage
// CHECK: linalg.max ins(%{{.*}}, %[[PING]] : {{.*}}) outs(%[[PONG]]
// CHECK: linalg.sub ins(%[[PING]], %[[PONG]]
// CHECK: hexagon.db_pong_stage
// CHECK: scf.if
// CHECK-NEXT: memref.copy %[[PING]], %[[PONG]]
// CHECK: memref.copy %[[PONG]], %arg2
func.func @loop_carried(%x: memref<8x65536xf32>, %first: memref<65536xf32, 1>, %out: memref<65536xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%old = %first) -> (memref<65536xf32, 1>) {
    %v = memref.subview %x[%i, 0] [1, 65536] [1, 1] : memref<8x65536xf32> to memref<65536xf32, strided<[1], offset: ?>>
    %b = memref.alloc() : memref<65536xf32, 1>
    memref.copy %v, %b : memref<65536xf32, strided<[1], offset: ?>> to memref<65536xf32, 1>
    %new = memref.alloc() : memref<65536xf32, 1>
    linalg.max ins(%b, %old : memref<65536xf32, 1>, memref<65536xf32, 1>) outs(%new : memref<65536xf32, 1>)
    linalg.sub ins(%old, %new : memref<65536xf32, 1>, memref<65536xf32, 1>) outs(%b : memref<65536xf32, 1>)
    scf.yield %new : memref<65536xf32, 1>
  }
  memref.copy %last, %out : memref<65536xf32, 1> to memref<65536xf32>
  return
}

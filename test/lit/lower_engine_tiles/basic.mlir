// What is done to tiles in a scope becomes calls of the routines that drive the matrix engine, which is held meanwhile.
// RUN: hexmlir-opt %s --lower-engine-tiles --split-input-file | filecheck %s

// 1. Without a loop, a column at a time: 3 tiles of 2 KiB along the reduction, 2 columns of which the second one's weights
// are 6144 bytes, its table 256 and its results 2048 bytes further.
// CHECK: func.func private @hexmlir_engine_hf(index, index, index, i32, i32, index)
// CHECK-LABEL: func.func @unrolled
// CHECK: call @hexmlir_rt_engine_acquire() : () -> ()
// CHECK: call @hexmlir_engine_hf(%[[A:[^,]*]], %[[W:[^,]*]], %[[O:[^,]*]], %c3_i32, %c1_i32, %[[T:[^)]*]])
// CHECK-DAG: %[[W1:.*]] = arith.addi %[[W]], %c6144
// CHECK-DAG: %[[O1:.*]] = arith.addi %[[O]], %c2048
// CHECK-DAG: %[[T1:.*]] = arith.addi %[[T]], %c256
// CHECK: call @hexmlir_engine_hf(%[[A]], %[[W1]], %[[O1]], %c3_i32{{.*}}, %c1_i32{{.*}}, %[[T1]])
// CHECK-NEXT: call @hexmlir_rt_engine_release() : () -> ()
// CHECK-NOT: hexagon.engine
!column = memref<1x3x16x32x2xf16, strided<[3072, 1024, 64, 2, 1], offset: ?>, 1>
!table = memref<1x2x32xi32, strided<[64, 32, 1], offset: ?>, 1>
!tile = memref<1x1x16x32x2xf16, strided<[2048, 1024, 64, 2, 1], offset: ?>, 1>
func.func @unrolled(%a: memref<1x3x16x32x2xf16, 1>, %w: memref<2x3x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<1x2x16x32x2xf16, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "hexagon.engine_scope"() ({
    %w0 = memref.subview %w[%c0, 0, 0, 0, 0] [1, 3, 16, 32, 2] [1, 1, 1, 1, 1] : memref<2x3x16x32x2xf16, 1> to !column
    %t0 = memref.subview %t[%c0, 0, 0] [1, 2, 32] [1, 1, 1] : memref<2x2x32xi32, 1> to !table
    %o0 = memref.subview %out[0, %c0, 0, 0, 0] [1, 1, 16, 32, 2] [1, 1, 1, 1, 1] : memref<1x2x16x32x2xf16, 1> to !tile
    "hexagon.engine_multiply"(%a, %w0) : (memref<1x3x16x32x2xf16, 1>, !column) -> ()
    "hexagon.engine_convert"(%t0) {to = f16} : (!table) -> ()
    "hexagon.engine_store"(%o0) : (!tile) -> ()
    %w1 = memref.subview %w[%c1, 0, 0, 0, 0] [1, 3, 16, 32, 2] [1, 1, 1, 1, 1] : memref<2x3x16x32x2xf16, 1> to !column
    %t1 = memref.subview %t[%c1, 0, 0] [1, 2, 32] [1, 1, 1] : memref<2x2x32xi32, 1> to !table
    %o1 = memref.subview %out[0, %c1, 0, 0, 0] [1, 1, 16, 32, 2] [1, 1, 1, 1, 1] : memref<1x2x16x32x2xf16, 1> to !tile
    "hexagon.engine_multiply"(%a, %w1) : (memref<1x3x16x32x2xf16, 1>, !column) -> ()
    "hexagon.engine_convert"(%t1) {to = f16} : (!table) -> ()
    "hexagon.engine_store"(%o1) : (!tile) -> ()
  }) : () -> ()
  return
}

// -----
// 2. A loop whose columns share a table is no call of a routine that goes from table to table: a call in each iteration.
// CHECK-LABEL: func.func @shared_table
// CHECK: scf.for %[[J:.*]] = %c0 to %c2 step %c1 {
// CHECK-DAG: arith.muli %[[J]], %c6144
// CHECK-DAG: arith.muli %[[J]], %c2048
// CHECK-NOT: memref.subview
// CHECK: func.call @hexmlir_engine_hf(%{{.*}}, %{{.*}}, %{{.*}}, %c3_i32, %c1_i32, %{{.*}})
!column = memref<1x3x16x32x2xf16, strided<[3072, 1024, 64, 2, 1], offset: ?>, 1>
!tile = memref<1x1x16x32x2xf16, strided<[2048, 1024, 64, 2, 1], offset: ?>, 1>
func.func @shared_table(%a: memref<1x3x16x32x2xf16, 1>, %w: memref<2x3x16x32x2xf16, 1>, %t: memref<2x32xi32, 1>,
    %out: memref<1x2x16x32x2xf16, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  "hexagon.engine_scope"() ({
    scf.for %j = %c0 to %c2 step %c1 {
      %w0 = memref.subview %w[%j, 0, 0, 0, 0] [1, 3, 16, 32, 2] [1, 1, 1, 1, 1] : memref<2x3x16x32x2xf16, 1> to !column
      %o0 = memref.subview %out[0, %j, 0, 0, 0] [1, 1, 16, 32, 2] [1, 1, 1, 1, 1] : memref<1x2x16x32x2xf16, 1> to !tile
      "hexagon.engine_multiply"(%a, %w0) : (memref<1x3x16x32x2xf16, 1>, !column) -> ()
      "hexagon.engine_convert"(%t) {to = f16} : (memref<2x32xi32, 1>) -> ()
      "hexagon.engine_store"(%o0) : (!tile) -> ()
    }
  }) : () -> ()
  return
}

// -----
// 3. A loop that does not begin at 0 is no call for all its columns either.
// CHECK-LABEL: func.func @from_one
// CHECK: scf.for %{{.*}} = %c1 to %c2 step %c1 {
// CHECK: func.call @hexmlir_engine_hf(%{{.*}}, %{{.*}}, %{{.*}}, %c3_i32, %c1_i32, %{{.*}})
!column = memref<1x3x16x32x2xf16, strided<[3072, 1024, 64, 2, 1], offset: ?>, 1>
!table = memref<1x2x32xi32, strided<[64, 32, 1], offset: ?>, 1>
!tile = memref<1x1x16x32x2xf16, strided<[2048, 1024, 64, 2, 1], offset: ?>, 1>
func.func @from_one(%a: memref<1x3x16x32x2xf16, 1>, %w: memref<2x3x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<1x2x16x32x2xf16, 1>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  "hexagon.engine_scope"() ({
    scf.for %j = %c1 to %c2 step %c1 {
      %w0 = memref.subview %w[%j, 0, 0, 0, 0] [1, 3, 16, 32, 2] [1, 1, 1, 1, 1] : memref<2x3x16x32x2xf16, 1> to !column
      %t0 = memref.subview %t[%j, 0, 0] [1, 2, 32] [1, 1, 1] : memref<2x2x32xi32, 1> to !table
      %o0 = memref.subview %out[0, %j, 0, 0, 0] [1, 1, 16, 32, 2] [1, 1, 1, 1, 1] : memref<1x2x16x32x2xf16, 1> to !tile
      "hexagon.engine_multiply"(%a, %w0) : (memref<1x3x16x32x2xf16, 1>, !column) -> ()
      "hexagon.engine_convert"(%t0) {to = f16} : (!table) -> ()
      "hexagon.engine_store"(%o0) : (!tile) -> ()
    }
  }) : () -> ()
  return
}

// -----
// 4. A scope without tiles is acquired and released.
// CHECK-LABEL: func.func @empty
// CHECK-NEXT: call @hexmlir_rt_engine_acquire
// CHECK-NEXT: call @hexmlir_rt_engine_release
func.func @empty() {
  "hexagon.engine_scope"() ({
  }) : () -> ()
  return
}

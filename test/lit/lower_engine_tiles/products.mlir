// Products, as tiles, become calls of the routine that drives the matrix engine: what stands in a loop over columns of
// tiles is one call.
// RUN: hexmlir-opt %s --lower-engine-products --lower-engine-tiles --canonicalize --cse --split-input-file | filecheck %s

// 1. One row of tiles is one call; what is waited for at once is no task.
// CHECK-LABEL: func.func @row
// CHECK-NOT: async.execute
// CHECK: call @hexmlir_rt_engine_acquire() : () -> ()
// CHECK-NOT: scf.for
// CHECK: call @hexmlir_engine_hf(%{{.*}}, %{{.*}}, %{{.*}}, %c5_i32{{.*}}, %c2_i32{{.*}}, %{{.*}})
// CHECK-NEXT: call @hexmlir_rt_engine_release() : () -> ()
// CHECK-NOT: async
// CHECK: return
func.func @row(%a: memref<1x5x16x32x2xf16, 1>, %w: memref<2x5x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<1x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x5x16x32x2xf16, 1>, memref<2x5x16x32x2xf16, 1>,
      memref<2x2x32xi32, 1>, memref<1x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// 2. Several rows are a loop: 5 tiles of 2 KiB from one row of activations to the next, 2 of results.
// CHECK-LABEL: func.func @rows
// CHECK: call @hexmlir_rt_engine_acquire
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c3{{.*}} step %c1
// CHECK: arith.muli %[[I]], %c10240{{.*}} : index
// CHECK: arith.muli %[[I]], %c4096{{.*}} : index
// CHECK: call @hexmlir_engine_hf
// CHECK: }
// CHECK-NEXT: call @hexmlir_rt_engine_release
func.func @rows(%a: memref<3x5x16x32x2xf16, 1>, %w: memref<2x5x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<3x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<3x5x16x32x2xf16, 1>, memref<2x5x16x32x2xf16, 1>,
      memref<2x2x32xi32, 1>, memref<3x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// 4. Results in two pieces: twice the bytes from one row of results to the next, and a routine of their own.
// CHECK-LABEL: func.func @pieces
// CHECK: arith.muli %[[I:.*]], %c10240{{.*}} : index
// CHECK: arith.muli %[[I]], %c8192{{.*}} : index
// CHECK: call @hexmlir_engine_hf_pieces(%{{.*}}, %{{.*}}, %{{.*}}, %c5_i32{{.*}}, %c2_i32{{.*}}, %{{.*}})
func.func @pieces(%a: memref<3x5x16x32x2xf16, 1>, %w: memref<2x5x16x32x2xf16, 1>, %t: memref<640xi32, 1>,
    %out: memref<3x2x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<3x5x16x32x2xf16, 1>, memref<2x5x16x32x2xf16, 1>,
      memref<640xi32, 1>, memref<3x2x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// Windows that share activations: a call for each of 3 x 2 result tiles. 3 rows of the window are runs of 2 taps by 4
// tiles, from one to the next 5 * 4 tiles: 8 + 65536 * 3 and 2 + 65536 * 20. A tile to the right is 4 tiles of
// activations further, 2 of results; a row of tiles 5 * 4 and 2 * 2.
// CHECK-LABEL: func.func @windows
// CHECK: scf.for %[[Y:.*]] = %c0{{.*}} to %c3{{.*}} step
// CHECK: scf.for %[[X:.*]] = %c0{{.*}} to %c2{{.*}} step
// CHECK-DAG: arith.muli %[[Y]], %c40960{{.*}} : index
// CHECK-DAG: arith.muli %[[Y]], %c8192{{.*}} : index
// CHECK-DAG: arith.muli %[[X]], %c8192{{.*}} : index
// CHECK-DAG: arith.muli %[[X]], %c4096{{.*}} : index
// CHECK: call @hexmlir_engine_hf_runs(%{{.*}}, %{{.*}}, %{{.*}}, %c196616_i32{{.*}}, %c1310722_i32{{.*}}, %{{.*}})
// CHECK: call @hexmlir_rt_engine_release
func.func @windows(%a: memref<5x5x4x16x32x2xf16, 1>, %w: memref<2x24x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<6x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) {hexagon.windows = array<i64: 2, 1, 1, 1, 2>} :
      (memref<5x5x4x16x32x2xf16, 1>, memref<2x24x16x32x2xf16, 1>, memref<2x2x32xi32, 1>,
      memref<6x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// Of two groups of channels, each with a column of result tiles: a call for each, whose activations are the next row of 5
// tiles, its weights the next 6 tiles, its results the next tile and its table the next 256 bytes. Rows of the window are 2
// rows of 5 tiles apart: 1 + 65536 * 10.
// CHECK-LABEL: func.func @groups
// CHECK: scf.for %[[G:.*]] = %c0{{.*}} to %c2{{.*}} step
// CHECK-DAG: arith.muli %[[G]], %c10240{{.*}} : index
// CHECK-DAG: arith.muli %[[G]], %c12288{{.*}} : index
// CHECK-DAG: arith.muli %[[G]], %c2048{{.*}} : index
// CHECK-DAG: arith.muli %[[G]], %c256{{.*}} : index
// CHECK: call @hexmlir_engine_hf_runs(%{{.*}}, %{{.*}}, %{{.*}}, %c196610_i32{{.*}}, %c655361_i32{{.*}}, %{{.*}})
func.func @groups(%a: memref<10x5x1x16x32x2xf16, 1>, %w: memref<2x6x16x32x2xf16, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<12x2x16x32x2xf16, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) {hexagon.windows = array<i64: 4, 2, 2, 1, 2, 1>} :
      (memref<10x5x1x16x32x2xf16, 1>, memref<2x6x16x32x2xf16, 1>, memref<2x2x32xi32, 1>,
      memref<12x2x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// The same of bytes, without groups: 3 rows of the window are runs of 2 taps by 2 tiles of 2 KiB, 5 * 2 tiles apart.
// CHECK-LABEL: func.func @byte_windows
// CHECK: scf.for %[[Y:.*]] = %c0{{.*}} to %c3{{.*}} step
// CHECK: scf.for %[[X:.*]] = %c0{{.*}} to %c2{{.*}} step
// CHECK-DAG: arith.muli %[[Y]], %c20480{{.*}} : index
// CHECK-DAG: arith.muli %[[Y]], %c16384{{.*}} : index
// CHECK-DAG: arith.muli %[[X]], %c4096{{.*}} : index
// CHECK-DAG: arith.muli %[[X]], %c8192{{.*}} : index
// CHECK: call @hexmlir_engine_ub_b_runs_planes(%{{.*}}, %{{.*}}, %{{.*}}, %c196612_i32{{.*}}, %c655361_i32{{.*}}, %{{.*}})
func.func @byte_windows(%a: memref<5x5x2x64x32xi8, 1>, %w: memref<1x12x8x32x4xi8, 1>, %t: memref<4x2x32xi32, 1>,
    %out: memref<6x1x4x64x32xi8, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) {hexagon.windows = array<i64: 2, 1, 1, 1, 2>} :
      (memref<5x5x2x64x32xi8, 1>, memref<1x12x8x32x4xi8, 1>, memref<4x2x32xi32, 1>, memref<6x1x4x64x32xi8, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// Bytes of sums: one table and one result tile for each of two columns of tiles.
// CHECK-LABEL: func.func @bytes
// CHECK: call @hexmlir_engine_ub_b(%{{.*}}, %{{.*}}, %{{.*}}, %c3_i32{{.*}}, %c2_i32{{.*}}, %{{.*}})
func.func @bytes(%a: memref<1x3x64x32xi8, 1>, %w: memref<2x3x8x32x4xi8, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<1x2x64x32xi8, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x3x64x32xi8, 1>, memref<2x3x8x32x4xi8, 1>,
      memref<2x2x32xi32, 1>, memref<1x2x64x32xi8, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

// -----
// The same in windows: runs as above, but result tiles of one plane: 1 and 2 * 1 of 2 KiB.
// CHECK-LABEL: func.func @windows_of_bytes
// CHECK-DAG: arith.muli %{{.*}}, %c4096{{.*}} : index
// CHECK-DAG: arith.muli %{{.*}}, %c2048{{.*}} : index
// CHECK: call @hexmlir_engine_ub_b_runs(%{{.*}}, %{{.*}}, %{{.*}}, %c196612_i32{{.*}}, %c655361_i32{{.*}}, %{{.*}})
func.func @windows_of_bytes(%a: memref<5x5x2x64x32xi8, 1>, %w: memref<1x12x8x32x4xi8, 1>, %t: memref<1x2x32xi32, 1>,
    %out: memref<6x1x64x32xi8, 1>) {
  "hexagon.engine_product"(%a, %w, %t, %out) {hexagon.windows = array<i64: 2, 1, 1, 1, 2>} :
      (memref<5x5x2x64x32xi8, 1>, memref<1x12x8x32x4xi8, 1>, memref<1x2x32xi32, 1>, memref<6x1x64x32xi8, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  return
}

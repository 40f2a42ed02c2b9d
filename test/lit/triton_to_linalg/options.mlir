// RUN: not hexmlir-opt %s --triton-to-linalg='block=4' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: hexmlir-opt %s --triton-to-linalg --remarks 2>&1 | filecheck %s

// Whether the engine may be used is its only option; blocks are no option.
// UNKNOWN: unknown option 'block'
// UNKNOWN: options of triton-to-linalg: matrix-engine

// Remarks report dropped operations and loops over elements.
// CHECK-DAG: remark: triton-to-linalg: llvm.intr.assume is dropped
// CHECK-DAG: remark: triton-to-linalg: address or mask is not a block: a loop over 8 elements or rows
// CHECK: func.func @gather
// CHECK: scf.for
// CHECK: memref.load
"tt.func"() <{function_type = (!tt.ptr<f32>, !tt.ptr<i32>, i1) -> (), sym_name = "gather"}> ({
^bb0(%x: !tt.ptr<f32>, %indices: !tt.ptr<i32>, %sure: i1):
  "llvm.intr.assume"(%sure) <{op_bundle_sizes = array<i32>}> : (i1) -> ()
  %i = "tt.make_range"() <{start = 0 : i32, end = 8 : i32}> : () -> tensor<8xi32>
  %p = "tt.splat"(%indices) : (!tt.ptr<i32>) -> tensor<8x!tt.ptr<i32>>
  %p1 = "tt.addptr"(%p, %i) : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8x!tt.ptr<i32>>
  %where = "tt.load"(%p1) : (tensor<8x!tt.ptr<i32>>) -> tensor<8xi32>
  %q = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<8x!tt.ptr<f32>>
  %q1 = "tt.addptr"(%q, %where) : (tensor<8x!tt.ptr<f32>>, tensor<8xi32>) -> tensor<8x!tt.ptr<f32>>
  %v = "tt.load"(%q1) : (tensor<8x!tt.ptr<f32>>) -> tensor<8xf32>
  %q2 = "tt.addptr"(%q, %i) : (tensor<8x!tt.ptr<f32>>, tensor<8xi32>) -> tensor<8x!tt.ptr<f32>>
  "tt.store"(%q2, %v) : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

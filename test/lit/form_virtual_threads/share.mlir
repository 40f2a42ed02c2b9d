// A kernel whose work is spread over threads and whose programs run in parallel: one function or two.
// RUN: hexmlir-opt %s --form-virtual-threads=min-cycles=1 --split-input-file | filecheck %s
// RUN: hexmlir-opt %s --form-virtual-threads=min-cycles=1 --split-input-file --verify-diagnostics

// 1. Blocks cost a program little: NAME and NAME.grid call the same function with the fork permission as an argument.
// CHECK-LABEL: func.func private @long.program(
// CHECK-SAME: %[[LAST:arg9]]: i1 {hexagon.may_fork})
// CHECK-COUNT-1: scf.forall
// CHECK-LABEL: func.func @long(
// CHECK-SAME: i32)
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK-NEXT: call @long.program(%arg0, {{.*}}, %arg8, %[[YES]])
// CHECK-NEXT: return
// CHECK-LABEL: func.func @long.grid(
// CHECK: %[[TASKS:.*]] = arith.constant 4 : index
// CHECK: %[[IDLE:.*]] = arith.cmpi slt, %[[ALL:.*]], %[[TASKS]]
// CHECK: scf.forall ({{.*}}) to (%[[ALL]])
// CHECK: func.call @long.program({{.*}}, %[[IDLE]])
// CHECK: } else {
// CHECK: %[[ALWAYS:.*]] = arith.constant true
// CHECK: func.call @long.program({{.*}}, %[[ALWAYS]])
func.func @long(%x: memref<1xf32>, %out: memref<1xf32>, %n: i32, %nx: i32, %ny: i32, %nz: i32, %i: i32, %j: i32, %k: i32)
    attributes {hexagon.programs = "independent"} {
  %size = arith.constant 262144 : i32
  %start = arith.muli %i, %size : i32
  %at = arith.index_cast %start : i32 to index
  %buffer = memref.alloc() : memref<262144xf32>
  %source = memref.reinterpret_cast %x to offset: [%at], sizes: [262144], strides: [1] : memref<1xf32> to memref<262144xf32, strided<[1], offset: ?>>
  memref.copy %source, %buffer : memref<262144xf32, strided<[1], offset: ?>> to memref<262144xf32>
  %v = bufferization.to_tensor %buffer restrict writable : memref<262144xf32> to tensor<262144xf32>
  %e = tensor.empty() : tensor<262144xf32>
  %w = linalg.exp ins(%v : tensor<262144xf32>) outs(%e : tensor<262144xf32>) -> tensor<262144xf32>
  %target = memref.reinterpret_cast %out to offset: [%at], sizes: [262144], strides: [1] : memref<1xf32> to memref<262144xf32, strided<[1], offset: ?>>
  bufferization.materialize_in_destination %w in restrict writable %target : (tensor<262144xf32>, memref<262144xf32, strided<[1], offset: ?>>) -> ()
  return
}

// -----
// 2. Blocks would cost it more than a hundredth: a copy without blocks is called where all threads have programs.
// CHECK-LABEL: func.func @short(
// CHECK: scf.forall
// CHECK-LABEL: func.func @short.grid(
// CHECK: %[[IDLE:.*]] = arith.cmpi slt
// CHECK: scf.if %[[IDLE]]
// CHECK: func.call @short(
// CHECK: } else {
// CHECK: func.call @short.program(
// CHECK-LABEL: func.func private @short.program(
// CHECK-NOT: may_fork
// CHECK-NOT: scf.forall
// CHECK: linalg.exp
// expected-remark@+1 {{compiled twice, for threads and for programs in parallel}}
func.func @short(%x: memref<1xf32>, %out: memref<1xf32>, %n: i32, %nx: i32, %ny: i32, %nz: i32, %i: i32, %j: i32, %k: i32)
    attributes {hexagon.programs = "independent"} {
  %size = arith.constant 1024 : i32
  %start = arith.muli %i, %size : i32
  %at = arith.index_cast %start : i32 to index
  %buffer = memref.alloc() : memref<1024xf32>
  %source = memref.reinterpret_cast %x to offset: [%at], sizes: [1024], strides: [1] : memref<1xf32> to memref<1024xf32, strided<[1], offset: ?>>
  memref.copy %source, %buffer : memref<1024xf32, strided<[1], offset: ?>> to memref<1024xf32>
  %v = bufferization.to_tensor %buffer restrict writable : memref<1024xf32> to tensor<1024xf32>
  %e = tensor.empty() : tensor<1024xf32>
  %w = linalg.exp ins(%v : tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %target = memref.reinterpret_cast %out to offset: [%at], sizes: [1024], strides: [1] : memref<1xf32> to memref<1024xf32, strided<[1], offset: ?>>
  bufferization.materialize_in_destination %w in restrict writable %target : (tensor<1024xf32>, memref<1024xf32, strided<[1], offset: ?>>) -> ()
  return
}

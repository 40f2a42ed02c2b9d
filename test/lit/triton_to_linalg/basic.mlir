// RUN: hexmlir-opt %s --triton-to-linalg --split-input-file | filecheck %s

// A masked load fills unread elements only when the block is partial; the store writes the valid part.
// CHECK-LABEL: func.func @masked(
// CHECK-SAME: %arg0: memref<1xf32>, %arg1: i32,
// CHECK-SAME: %arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32, %arg6: i32, %arg7: i32)
// CHECK-SAME: attributes {hexagon.programs = "independent"}
// CHECK: [[BOUND:%[0-9a-z_]+]] = arith.subi %arg1, {{.*}} : i32
// CHECK: [[LOW:%[0-9a-z_]+]] = arith.minsi [[BOUND]], %c32_i32
// CHECK: [[CLAMP:%[0-9a-z_]+]] = arith.maxsi [[LOW]], %c0_i32
// CHECK: [[VALID:%[0-9a-z_]+]] = arith.index_cast [[CLAMP]] : i32 to index
// CHECK: memref.alloc() : memref<32xf32>
// CHECK: [[PART:%[0-9a-z_]+]] = arith.cmpi ne, [[VALID]], %c32
// CHECK: scf.if [[PART]]
// CHECK: linalg.fill
// CHECK: memref.reinterpret_cast %arg0 to offset: [{{%.*}}], sizes: [32], strides: [1]
// CHECK: memref.copy {{.*}} : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1]>>
// CHECK: bufferization.to_tensor %alloc restrict writable
// CHECK: tensor.extract_slice {{.*}}[0] [[[VALID]]] [1]
// CHECK: bufferization.materialize_in_destination {{.*}} in restrict writable
"tt.func"() <{function_type = (!tt.ptr<f32>, i32) -> (), sym_name = "masked"}> ({
^bb0(%x: !tt.ptr<f32>, %n: i32):
  %c32 = "arith.constant"() <{value = 32 : i32}> : () -> i32
  %pid = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
  %start = "arith.muli"(%pid, %c32) : (i32, i32) -> i32
  %range = "tt.make_range"() <{start = 0 : i32, end = 32 : i32}> : () -> tensor<32xi32>
  %splat = "tt.splat"(%start) : (i32) -> tensor<32xi32>
  %i = "arith.addi"(%splat, %range) : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  %limit = "tt.splat"(%n) : (i32) -> tensor<32xi32>
  %mask = "arith.cmpi"(%i, %limit) <{predicate = 2 : i64}> : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
  %base = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<32x!tt.ptr<f32>>
  %at = "tt.addptr"(%base, %i) : (tensor<32x!tt.ptr<f32>>, tensor<32xi32>) -> tensor<32x!tt.ptr<f32>>
  %v = "tt.load"(%at, %mask) : (tensor<32x!tt.ptr<f32>>, tensor<32xi1>) -> tensor<32xf32>
  %w = "math.exp"(%v) : (tensor<32xf32>) -> tensor<32xf32>
  "tt.store"(%at, %w, %mask) : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>, tensor<32xi1>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// A row broadcast over a matrix is an indexing map, not data; a reduction starts from its neutral element.
// CHECK-LABEL: func.func @rows(
// CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [8, 16], strides: [16, 1]
// CHECK: memref.reinterpret_cast %arg1 to offset: [0], sizes: [16], strides: [1]
// CHECK: linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME: tensor<8x16xf32>, tensor<16xf32>
// CHECK: linalg.fill ins(%cst : f32) outs({{.*}} : tensor<8xf32>)
// CHECK: linalg.reduce { arith.maxnumf } ins({{.*}} : tensor<8x16xf32>) outs({{.*}} : tensor<8xf32>) dimensions = [1]
"tt.func"() <{function_type = (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>) -> (), sym_name = "rows"}> ({
^bb0(%x: !tt.ptr<f32>, %row: !tt.ptr<f32>, %out: !tt.ptr<f32>):
  %c16 = "arith.constant"() <{value = dense<16> : tensor<8x1xi32>}> : () -> tensor<8x1xi32>
  %i = "tt.make_range"() <{start = 0 : i32, end = 8 : i32}> : () -> tensor<8xi32>
  %j = "tt.make_range"() <{start = 0 : i32, end = 16 : i32}> : () -> tensor<16xi32>
  %i2 = "tt.expand_dims"(%i) <{axis = 1 : i32}> : (tensor<8xi32>) -> tensor<8x1xi32>
  %j2 = "tt.expand_dims"(%j) <{axis = 0 : i32}> : (tensor<16xi32>) -> tensor<1x16xi32>
  %rows = "arith.muli"(%i2, %c16) : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %p = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<8x1x!tt.ptr<f32>>
  %p1 = "tt.addptr"(%p, %rows) : (tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>) -> tensor<8x1x!tt.ptr<f32>>
  %p2 = "tt.broadcast"(%p1) : (tensor<8x1x!tt.ptr<f32>>) -> tensor<8x16x!tt.ptr<f32>>
  %columns = "tt.broadcast"(%j2) : (tensor<1x16xi32>) -> tensor<8x16xi32>
  %p3 = "tt.addptr"(%p2, %columns) : (tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>) -> tensor<8x16x!tt.ptr<f32>>
  %v = "tt.load"(%p3) : (tensor<8x16x!tt.ptr<f32>>) -> tensor<8x16xf32>
  %q = "tt.splat"(%row) : (!tt.ptr<f32>) -> tensor<1x16x!tt.ptr<f32>>
  %q1 = "tt.addptr"(%q, %j2) : (tensor<1x16x!tt.ptr<f32>>, tensor<1x16xi32>) -> tensor<1x16x!tt.ptr<f32>>
  %w = "tt.load"(%q1) : (tensor<1x16x!tt.ptr<f32>>) -> tensor<1x16xf32>
  %wide = "tt.broadcast"(%w) : (tensor<1x16xf32>) -> tensor<8x16xf32>
  %sum = "arith.addf"(%v, %wide) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %m = "tt.reduce"(%sum) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = "arith.maxnumf"(%a, %b) : (f32, f32) -> f32
    "tt.reduce.return"(%c) : (f32) -> ()
  }) : (tensor<8x16xf32>) -> tensor<8xf32>
  %o = "tt.splat"(%out) : (!tt.ptr<f32>) -> tensor<8x!tt.ptr<f32>>
  %o1 = "tt.addptr"(%o, %i) : (tensor<8x!tt.ptr<f32>>, tensor<8xi32>) -> tensor<8x!tt.ptr<f32>>
  "tt.store"(%o1, %m) : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// A loop carries a tensor of pointers as one offset.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for {{.*}} iter_args([[OFFSET:%[0-9a-z_]+]] = %c0, {{.*}}) -> (index, tensor<16xf32>)
// CHECK: memref.reinterpret_cast %arg0 to offset: [[[OFFSET]]], sizes: [16], strides: [1]
// CHECK: [[NEXT:%[0-9a-z_]+]] = arith.addi [[OFFSET]], %c16
// CHECK: scf.yield [[NEXT]], {{.*}} : index, tensor<16xf32>
"tt.func"() <{function_type = (!tt.ptr<f32>, i32) -> (), sym_name = "loop"}> ({
^bb0(%x: !tt.ptr<f32>, %n: i32):
  %c0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
  %c1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
  %zero = "arith.constant"() <{value = dense<0.0> : tensor<16xf32>}> : () -> tensor<16xf32>
  %step = "arith.constant"() <{value = dense<16> : tensor<16xi32>}> : () -> tensor<16xi32>
  %i = "tt.make_range"() <{start = 0 : i32, end = 16 : i32}> : () -> tensor<16xi32>
  %p = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<16x!tt.ptr<f32>>
  %p1 = "tt.addptr"(%p, %i) : (tensor<16x!tt.ptr<f32>>, tensor<16xi32>) -> tensor<16x!tt.ptr<f32>>
  %r:2 = "scf.for"(%c0, %n, %c1, %p1, %zero) ({
  ^bb0(%k: i32, %at: tensor<16x!tt.ptr<f32>>, %acc: tensor<16xf32>):
    %v = "tt.load"(%at) : (tensor<16x!tt.ptr<f32>>) -> tensor<16xf32>
    %sum = "arith.addf"(%acc, %v) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %next = "tt.addptr"(%at, %step) : (tensor<16x!tt.ptr<f32>>, tensor<16xi32>) -> tensor<16x!tt.ptr<f32>>
    "scf.yield"(%next, %sum) : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) -> ()
  }) : (i32, i32, i32, tensor<16x!tt.ptr<f32>>, tensor<16xf32>) -> (tensor<16x!tt.ptr<f32>>, tensor<16xf32>)
  "tt.store"(%p1, %r#1) : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// A product of f16 matrices accumulates in f32, in one operation.
// CHECK-LABEL: func.func @dot(
// CHECK: linalg.matmul ins({{.*}} : tensor<8x16xf16>, tensor<16x8xf16>) outs({{.*}} : tensor<8x8xf32>)
// CHECK-NOT: extf
"tt.func"() <{function_type = (!tt.ptr<f32>, f16) -> (), sym_name = "dot"}> ({
^bb0(%x: !tt.ptr<f32>, %s: f16):
  %a = "tt.splat"(%s) : (f16) -> tensor<8x16xf16>
  %b = "tt.splat"(%s) : (f16) -> tensor<16x8xf16>
  %c = "arith.constant"() <{value = dense<0.0> : tensor<8x8xf32>}> : () -> tensor<8x8xf32>
  %d = "tt.dot"(%a, %b, %c) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}>
      : (tensor<8x16xf16>, tensor<16x8xf16>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %i = "tt.make_range"() <{start = 0 : i32, end = 64 : i32}> : () -> tensor<64xi32>
  %flat = "tt.reshape"(%d) : (tensor<8x8xf32>) -> tensor<64xf32>
  %p = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
  %p1 = "tt.addptr"(%p, %i) : (tensor<64x!tt.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<f32>>
  "tt.store"(%p1, %flat) : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// An early return becomes a branch.
// CHECK-LABEL: func.func @early(
// CHECK: scf.if %arg1 {
// CHECK-NEXT: } else {
// CHECK: memref.store
"tt.func"() <{function_type = (!tt.ptr<f32>, i1) -> (), sym_name = "early"}> ({
^bb0(%x: !tt.ptr<f32>, %stop: i1):
  %one = "arith.constant"() <{value = 1.0 : f32}> : () -> f32
  "cf.cond_br"(%stop)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^bb1:
  "tt.return"() : () -> ()
^bb2:
  "tt.store"(%x, %one) : (!tt.ptr<f32>, f32) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// A module without Triton functions passes through.
// CHECK-LABEL: func.func @plain
// CHECK-SAME: (%arg0: tensor<4xf32>) -> tensor<4xf32>
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// An index that wraps around is copied in contiguous blocks, not element by element.
// CHECK-LABEL: func.func @wrapped(
// CHECK: scf.while ({{.*}}) : (index) -> index
// CHECK: arith.remsi
// CHECK: memref.reinterpret_cast %arg0 to offset: [{{%.*}}], sizes: [32], strides: [1]
// CHECK: memref.copy {{.*}} : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
// CHECK-NOT: memref.load
"tt.func"() <{function_type = (!tt.ptr<f32>, i32) -> (), sym_name = "wrapped"}> ({
^bb0(%x: !tt.ptr<f32>, %n: i32):
  %range = "tt.make_range"() <{start = 0 : i32, end = 32 : i32}> : () -> tensor<32xi32>
  %limit = "tt.splat"(%n) : (i32) -> tensor<32xi32>
  %i = "arith.remsi"(%range, %limit) : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  %base = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<32x!tt.ptr<f32>>
  %at = "tt.addptr"(%base, %i) : (tensor<32x!tt.ptr<f32>>, tensor<32xi32>) -> tensor<32x!tt.ptr<f32>>
  %v = "tt.load"(%at) : (tensor<32x!tt.ptr<f32>>) -> tensor<32xf32>
  %out = "tt.addptr"(%base, %range) : (tensor<32x!tt.ptr<f32>>, tensor<32xi32>) -> tensor<32x!tt.ptr<f32>>
  "tt.store"(%out, %v) : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// A block of a tensor descriptor is clipped on both sides of every dimension.
// CHECK-LABEL: func.func @described(
// CHECK: [[START:%[0-9a-z_]+]] = arith.subi %c0{{.*}} : index
// CHECK: arith.minsi [[START]]
// CHECK: memref.reinterpret_cast %arg0 to offset: [{{%.*}}], sizes: [4, 16], strides: [{{%.*}}, 1]
// CHECK: memref.copy {{.*}} : memref<?x?xf32, {{.*}}> to memref<?x?xf32, {{.*}}>
"tt.func"() <{function_type = (!tt.ptr<f32>, i32, i32, i64) -> (), sym_name = "described"}> ({
^bb0(%x: !tt.ptr<f32>, %m: i32, %n: i32, %pitch: i64):
  %one = "arith.constant"() <{value = 1 : i64}> : () -> i64
  %d = "tt.make_tensor_descriptor"(%x, %m, %n, %pitch, %one) <{padding = 1 : i32}>
    : (!tt.ptr<f32>, i32, i32, i64, i64) -> !tt.tensordesc<4x16xf32>
  %v = "tt.descriptor_load"(%d, %m, %n) : (!tt.tensordesc<4x16xf32>, i32, i32) -> tensor<4x16xf32>
  %w = "math.exp"(%v) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  "tt.descriptor_store"(%d, %w, %n, %m) : (!tt.tensordesc<4x16xf32>, tensor<4x16xf32>, i32, i32) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// Elements of two tensors, up to an index from one and then from the other: a block of each.
// CHECK-LABEL: func.func @concatenated(
// CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [32], strides: [1]
// CHECK: memref.copy {{.*}} : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
// CHECK: memref.reinterpret_cast %arg1 to offset: [{{.*}}], sizes: [32], strides: [1]
// CHECK: memref.copy {{.*}} : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
// CHECK-NOT: memref.load
"tt.func"() <{function_type = (!tt.ptr<f32>, !tt.ptr<f32>, i32) -> (), sym_name = "concatenated"}> ({
^bb0(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32):
  %i = "tt.make_range"() <{start = 0 : i32, end = 32 : i32}> : () -> tensor<32xi32>
  %limit = "tt.splat"(%n) : (i32) -> tensor<32xi32>
  %first = "arith.cmpi"(%i, %limit) <{predicate = 2 : i64}> : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
  %xs = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<32x!tt.ptr<f32>>
  %ys = "tt.splat"(%y) : (!tt.ptr<f32>) -> tensor<32x!tt.ptr<f32>>
  %p = "tt.addptr"(%xs, %i) : (tensor<32x!tt.ptr<f32>>, tensor<32xi32>) -> tensor<32x!tt.ptr<f32>>
  %j = "arith.subi"(%i, %limit) : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  %q = "tt.addptr"(%ys, %j) : (tensor<32x!tt.ptr<f32>>, tensor<32xi32>) -> tensor<32x!tt.ptr<f32>>
  %s = "arith.select"(%first, %p, %q) : (tensor<32xi1>, tensor<32x!tt.ptr<f32>>, tensor<32x!tt.ptr<f32>>)
    -> tensor<32x!tt.ptr<f32>>
  %v = "tt.load"(%s) : (tensor<32x!tt.ptr<f32>>) -> tensor<32xf32>
  "tt.store"(%p, %v) : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// A step of a sorting network: the xor of an element with the xor of both is its neighbour, read from memory.
// CHECK-LABEL: func.func @neighbour(
// CHECK-NOT: linalg.reduce
// CHECK: %[[ROOM:.*]] = memref.alloc() : memref<12xi32>
// CHECK: memref.reinterpret_cast %[[ROOM]] to offset: [2], sizes: [8], strides: [1]
// CHECK: tensor.extract_slice {{.*}}[0] [8] [1] : tensor<12xi32> to tensor<8xi32>
// CHECK: tensor.extract_slice {{.*}}[4] [8] [1] : tensor<12xi32> to tensor<8xi32>
"tt.func"() <{function_type = (!tt.ptr<i32>) -> (), sym_name = "neighbour"}> ({
^bb0(%x: !tt.ptr<i32>):
  %i = "tt.make_range"() <{start = 0 : i32, end = 8 : i32}> : () -> tensor<8xi32>
  %base = "tt.splat"(%x) : (!tt.ptr<i32>) -> tensor<8x!tt.ptr<i32>>
  %at = "tt.addptr"(%base, %i) : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8x!tt.ptr<i32>>
  %v = "tt.load"(%at) : (tensor<8x!tt.ptr<i32>>) -> tensor<8xi32>
  %h = "tt.reshape"(%v) : (tensor<8xi32>) -> tensor<2x2x2xi32>
  %both = "tt.reduce"(%h) <{axis = 1 : i32}> ({
  ^bb1(%a: i32, %b: i32):
    %c = "arith.xori"(%a, %b) : (i32, i32) -> i32
    "tt.reduce.return"(%c) : (i32) -> ()
  }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
  %one = "tt.expand_dims"(%both) <{axis = 1 : i32}> : (tensor<2x2xi32>) -> tensor<2x1x2xi32>
  %two = "tt.broadcast"(%one) : (tensor<2x1x2xi32>) -> tensor<2x2x2xi32>
  %other = "arith.xori"(%h, %two) : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> tensor<2x2x2xi32>
  %flat = "tt.reshape"(%other) : (tensor<2x2x2xi32>) -> tensor<8xi32>
  "tt.store"(%at, %flat) : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// A step as other libraries write it: the sum of a product with 0 and 1 is the second of two, for both of them.
// CHECK-LABEL: func.func @second(
// CHECK-NOT: linalg.reduce
// CHECK-NOT: arith.muli
// CHECK: tensor.extract_slice {{.*}}[2] [8] [1] : tensor<12xi64> to tensor<8xi64>
// CHECK: tensor.extract_slice {{.*}}[4] [8] [1] : tensor<12xi64> to tensor<8xi64>
"tt.func"() <{function_type = (!tt.ptr<i64>) -> (), sym_name = "second"}> ({
^bb0(%x: !tt.ptr<i64>):
  %i = "tt.make_range"() <{start = 0 : i32, end = 8 : i32}> : () -> tensor<8xi32>
  %base = "tt.splat"(%x) : (!tt.ptr<i64>) -> tensor<8x!tt.ptr<i64>>
  %at = "tt.addptr"(%base, %i) : (tensor<8x!tt.ptr<i64>>, tensor<8xi32>) -> tensor<8x!tt.ptr<i64>>
  %v = "tt.load"(%at) : (tensor<8x!tt.ptr<i64>>) -> tensor<8xi64>
  %h = "tt.reshape"(%v) : (tensor<8xi64>) -> tensor<2x2x2xi64>
  %two = "tt.make_range"() <{start = 0 : i32, end = 2 : i32}> : () -> tensor<2xi32>
  %row = "tt.expand_dims"(%two) <{axis = 0 : i32}> : (tensor<2xi32>) -> tensor<1x2xi32>
  %mask = "tt.expand_dims"(%row) <{axis = 2 : i32}> : (tensor<1x2xi32>) -> tensor<1x2x1xi32>
  %wide = "arith.extsi"(%mask) : (tensor<1x2x1xi32>) -> tensor<1x2x1xi64>
  %ones = "tt.broadcast"(%wide) : (tensor<1x2x1xi64>) -> tensor<2x2x2xi64>
  %product = "arith.muli"(%h, %ones) : (tensor<2x2x2xi64>, tensor<2x2x2xi64>) -> tensor<2x2x2xi64>
  %half = "tt.reduce"(%product) <{axis = 1 : i32}> ({
  ^bb1(%a: i64, %b: i64):
    %c = "arith.addi"(%a, %b) : (i64, i64) -> i64
    "tt.reduce.return"(%c) : (i64) -> ()
  }) : (tensor<2x2x2xi64>) -> tensor<2x2xi64>
  %one = "tt.expand_dims"(%half) <{axis = 1 : i32}> : (tensor<2x2xi64>) -> tensor<2x1x2xi64>
  %both = "tt.broadcast"(%one) : (tensor<2x1x2xi64>) -> tensor<2x2x2xi64>
  %flat = "tt.reshape"(%both) : (tensor<2x2x2xi64>) -> tensor<8xi64>
  "tt.store"(%at, %flat) : (tensor<8x!tt.ptr<i64>>, tensor<8xi64>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// Rows of quotients are loaded once each, and repeated; a remainder depends on the index alone.
// CHECK-LABEL: func.func @repeated(
// CHECK-NOT: scf.while
// CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [4, 16], strides: [16, 1]
// CHECK: memref.copy {{.*}} to memref<4x16xi8>
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x16xi8>) outs(%{{.*}} : tensor<4x2x16xi8>)
// CHECK-NOT: arith.remui
// CHECK: arith.shrsi
// CHECK: tensor.collapse_shape {{.*}} : tensor<4x2x16xi8> into tensor<8x16xi8>
"tt.func"() <{function_type = (!tt.ptr<i8>) -> (), sym_name = "repeated"}> ({
^bb0(%x: !tt.ptr<i8>):
  %two = "arith.constant"() <{value = dense<2> : tensor<8x1xi32>}> : () -> tensor<8x1xi32>
  %four = "arith.constant"() <{value = dense<4> : tensor<8x1xi32>}> : () -> tensor<8x1xi32>
  %width = "arith.constant"() <{value = dense<16> : tensor<8x1xi32>}> : () -> tensor<8x1xi32>
  %rows = "tt.make_range"() <{start = 0 : i32, end = 8 : i32}> : () -> tensor<8xi32>
  %columns = "tt.make_range"() <{start = 0 : i32, end = 16 : i32}> : () -> tensor<16xi32>
  %k = "tt.expand_dims"(%rows) <{axis = 1 : i32}> : (tensor<8xi32>) -> tensor<8x1xi32>
  %n = "tt.expand_dims"(%columns) <{axis = 0 : i32}> : (tensor<16xi32>) -> tensor<1x16xi32>
  %half = "arith.divsi"(%k, %two) : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %which = "arith.remsi"(%k, %two) : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %start = "arith.muli"(%half, %width) : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %down = "tt.broadcast"(%start) : (tensor<8x1xi32>) -> tensor<8x16xi32>
  %across = "tt.broadcast"(%n) : (tensor<1x16xi32>) -> tensor<8x16xi32>
  %offset = "arith.addi"(%down, %across) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
  %base = "tt.splat"(%x) : (!tt.ptr<i8>) -> tensor<8x16x!tt.ptr<i8>>
  %at = "tt.addptr"(%base, %offset) : (tensor<8x16x!tt.ptr<i8>>, tensor<8x16xi32>) -> tensor<8x16x!tt.ptr<i8>>
  %v = "tt.load"(%at) : (tensor<8x16x!tt.ptr<i8>>) -> tensor<8x16xi8>
  %bits = "arith.muli"(%which, %four) : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %bits8 = "arith.trunci"(%bits) : (tensor<8x1xi32>) -> tensor<8x1xi8>
  %by = "tt.broadcast"(%bits8) : (tensor<8x1xi8>) -> tensor<8x16xi8>
  %nibble = "arith.shrsi"(%v, %by) : (tensor<8x16xi8>, tensor<8x16xi8>) -> tensor<8x16xi8>
  %row = "arith.muli"(%k, %width) : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi32>
  %wide = "tt.broadcast"(%row) : (tensor<8x1xi32>) -> tensor<8x16xi32>
  %to = "arith.addi"(%wide, %across) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
  %out = "tt.addptr"(%base, %to) : (tensor<8x16x!tt.ptr<i8>>, tensor<8x16xi32>) -> tensor<8x16x!tt.ptr<i8>>
  "tt.store"(%out, %nibble) : (tensor<8x16x!tt.ptr<i8>>, tensor<8x16xi8>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

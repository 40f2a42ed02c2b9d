// Maths operations become arithmetic, in linalg bodies and on vectors of any shape.
// RUN: hexmlir-opt %s --hexagon-math-expansion | filecheck %s

// The exponential inside an elementwise operation: scalars, no call, no divide.
// CHECK-LABEL: func.func @in_generic
// CHECK: linalg.generic
// CHECK-NOT: math.
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK: arith.select %{{.*}} : f32
// CHECK: linalg.yield
#id = affine_map<(d0) -> (d0)>
func.func @in_generic(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%y : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Two dimensions, one expansion: constants are splats of the same shape.
// CHECK-LABEL: func.func @vector_2d
// CHECK: arith.bitcast %arg0 : vector<4x32xf32> to vector<4x32xi32>
// CHECK: arith.constant dense<{{.*}}> : vector<4x32xi32>
// CHECK-NOT: math.rsqrt
// CHECK: return
func.func @vector_2d(%x: vector<4x32xf32>) -> vector<4x32xf32> {
  %0 = math.rsqrt %x : vector<4x32xf32>
  return %0 : vector<4x32xf32>
}

// Half precision is computed in f32 and rounded once.
// CHECK-LABEL: func.func @half
// CHECK: arith.extf %arg0 : vector<64xf16> to vector<64xf32>
// CHECK: arith.extf %arg1 : vector<64xf16> to vector<64xf32>
// CHECK-NOT: arith.divf
// CHECK: arith.truncf %{{.*}} : vector<64xf32> to vector<64xf16>
func.func @half(%x: vector<64xf16>, %y: vector<64xf16>) -> vector<64xf16> {
  %0 = arith.divf %x, %y : vector<64xf16>
  return %0 : vector<64xf16>
}

// x / (1 + exp(-x)) is one function: no check for infinity, one select less than the exponential alone.
// CHECK-LABEL: func.func @silu
// CHECK-NOT: math.exp
// CHECK-NOT: arith.divf
// CHECK: return
func.func @silu(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %n = arith.negf %x : f32
  %e = math.exp %n : f32
  %d = arith.addf %e, %one : f32
  %r = arith.divf %x, %d : f32
  return %r : f32
}

// 8-bit floats are converted by bit operations and a scale.
// CHECK-LABEL: func.func @small
// CHECK: arith.bitcast %arg0 : vector<32xf8E4M3FN> to vector<32xi8>
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @small(%x: vector<32xf8E4M3FN>) -> vector<32xf8E5M2> {
  %0 = arith.extf %x : vector<32xf8E4M3FN> to vector<32xf32>
  %1 = arith.truncf %0 : vector<32xf32> to vector<32xf8E5M2>
  return %1 : vector<32xf8E5M2>
}

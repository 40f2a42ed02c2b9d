// Operations that cannot be expanded stay, with a remark.
// RUN: hexmlir-opt %s --hexagon-math-expansion --remarks 2>&1 | filecheck %s
// RUN: hexmlir-opt %s --hexagon-math-expansion | filecheck %s --check-prefix=KEPT

// CHECK-DAG: remark: hexagon-math-expansion: math.exp on f64; only f16, bf16, f32 are expanded
// CHECK-DAG: remark: hexagon-math-expansion: math.tanh on a tensor; expand it after linalg or vectorization
// CHECK-DAG: remark: hexagon-math-expansion: no expansion for math.ctlz

// KEPT-DAG: math.exp %{{.*}} : f64
// KEPT-DAG: math.tanh %{{.*}} : tensor<8xf32>
// KEPT-DAG: math.ctlz %{{.*}} : i32
func.func @f(%x: f64, %y: tensor<8xf32>, %z: i32) -> (f64, tensor<8xf32>, i32) {
  %0 = math.exp %x : f64
  %1 = math.tanh %y : tensor<8xf32>
  %2 = math.ctlz %z : i32
  return %0, %1, %2 : f64, tensor<8xf32>, i32
}

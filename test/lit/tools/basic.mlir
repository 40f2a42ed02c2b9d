// Our flags run in the order given, and an upstream pass is a flag like any other.
// RUN: hexmlir-opt %s --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @add_zero
// CHECK-NOT: arith.addi
// CHECK: return %{{.*}} : i32
func.func @add_zero(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %sum = arith.addi %a, %zero : i32
  return %sum : i32
}

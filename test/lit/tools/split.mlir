// Each part is a module of its own; diagnostics name lines of the whole file.
// RUN: hexmlir-opt %s --split-input-file --canonicalize | filecheck %s
// RUN: not hexmlir-opt %s --cse 2>&1 | filecheck %s --check-prefix=WHOLE

// CHECK: module {
// CHECK-NEXT: func.func @twice
// CHECK: // -----
// CHECK: module {
// CHECK-NEXT: func.func @twice
// CHECK-NOT: // -----
// WHOLE: split.mlir:[[# @LINE + 7]]:1: error: redefinition of symbol named 'twice'
func.func @twice(%a: i32) -> i32 {
  %sum = arith.addi %a, %a : i32
  return %sum : i32
}

// -----
func.func @twice(%a: i64) -> i64 {
  %sum = arith.addi %a, %a : i64
  return %sum : i64
}

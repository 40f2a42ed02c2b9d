// Expected diagnostics in all their positions; the tool succeeds when all and only these are reported.
// RUN: hexmlir-opt %s --split-input-file --verify-diagnostics --convert-func-to-llvm | filecheck %s

// CHECK: llvm.func @fine
func.func @fine() { return }

// -----
func.func @on_the_line(%a: i32) -> i64 {
  return %a : i32 // expected-error {{type of return operand 0 ('i32') doesn't match function result type ('i64')}}
}

// -----
func.func @next_line(%a: i32) {
  // expected-error @+1 {{'arith.addi' op requires the same type for all operands and results}}
  %0 = "arith.addi"(%a, %a) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i64
  return
}

// -----
// expected-note @below {{see existing symbol definition here}}
func.func private @twin()
// expected-error @below {{redefinition of symbol named 'twin'}}
func.func private @twin()

// -----
func.func private @pattern(%a: tensor<4xf32>, tensor<*xf32>)
// expected-error-re @above {{expected {{type|SSA}}}}

// Passes mixed in one pipeline text; a pass on functions is nested by itself.
// RUN: hexmlir-opt %s --pass-pipeline='builtin.module(func.func(canonicalize{max-iterations=3}),cse)' | filecheck %s
// RUN: hexmlir-opt %s --print-pipeline --buffer-loop-hoisting --cse | filecheck %s --check-prefix=TEXT
// RUN: not hexmlir-opt %s --canonicalize=nonsense=1 2>&1 | filecheck %s --check-prefix=BAD

// TEXT: builtin.module(
// TEXT-NEXT: func.func(buffer-loop-hoisting),
// TEXT-NEXT: cse
// TEXT-NEXT: )
// BAD: error: no such option nonsense in 'canonicalize{nonsense=1}'
// CHECK-LABEL: func.func @same
// CHECK-COUNT-1: arith.muli
// CHECK-NOT: arith.muli
func.func @same(%a: i32) -> (i32, i32) {
  %0 = arith.muli %a, %a : i32
  %1 = arith.muli %a, %a : i32
  return %0, %1 : i32, i32
}

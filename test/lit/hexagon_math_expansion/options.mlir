// `functions` limits the expansion to the operations it names.
// RUN: hexmlir-opt %s --hexagon-math-expansion='functions=sqrt,divf' | filecheck %s
// RUN: not hexmlir-opt %s --hexagon-math-expansion='functions=sqrt,gamma' 2>&1 | filecheck %s --check-prefix=UNKNOWN

// `accuracy=fast` takes the shorter formula, as `fastmath<afn>` does for one operation.
// RUN: hexmlir-opt %s --hexagon-math-expansion='functions=sqrt accuracy=fast' | filecheck %s --check-prefix=FAST
// RUN: not hexmlir-opt %s --hexagon-math-expansion='accuracy=wrong' 2>&1 | filecheck %s --check-prefix=WRONG
// FAST-COUNT-8: arith.mulf
// FAST-NOT: arith.mulf
// WRONG: error: hexagon-math-expansion: option 'accuracy': 'wrong' is not one of accurate, fast

// CHECK-LABEL: func.func @f
// CHECK: math.tanh
// CHECK-NOT: math.sqrt
// CHECK-NOT: arith.divf
// CHECK: return

// UNKNOWN: error: hexagon-math-expansion: unknown function 'gamma'
// UNKNOWN: hint: known: exp, exp2
func.func @f(%x: vector<32xf32>) -> vector<32xf32> {
  %0 = math.tanh %x : vector<32xf32>
  %1 = math.sqrt %0 : vector<32xf32>
  %2 = arith.divf %1, %x : vector<32xf32>
  return %2 : vector<32xf32>
}

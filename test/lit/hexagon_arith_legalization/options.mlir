// `ignore-nan`, for all operations, and `fastmath<nnan>`, for one, omit the tests for NaN.
// RUN: hexmlir-opt %s --hexagon-arith-legalization='ignore-nan=true' | filecheck %s --check-prefix=IGNORE
// RUN: hexmlir-opt %s --hexagon-arith-legalization | filecheck %s --check-prefix=EXACT

// IGNORE-LABEL: func.func @f
// IGNORE-NOT: arith.andi
// IGNORE-COUNT-2: arith.select
// IGNORE-NOT: arith.select

// EXACT-LABEL: func.func @f
// EXACT: arith.andi
// EXACT: %[[FIRST:.*]] = arith.select %{{.*}}, %arg1, %{{.*}} : vector<32xi1>, vector<32xf32>
// EXACT: %[[FIRST_OR:.*]] = arith.select %{{.*}}, %arg0, %[[FIRST]] : vector<32xi1>, vector<32xf32>
// EXACT: %[[LESS:.*]] = arith.cmpf olt, %[[FIRST_OR]], %arg1 fastmath<nnan> : vector<32xf32>
// EXACT-NEXT: arith.select %[[LESS]], %[[FIRST_OR]], %arg1
// EXACT-NEXT: return
func.func @f(%a: vector<32xf32>, %b: vector<32xf32>) -> vector<32xf32> {
  %0 = arith.maxnumf %a, %b : vector<32xf32>
  %1 = arith.minnumf %0, %b fastmath<nnan> : vector<32xf32>
  return %1 : vector<32xf32>
}

// Vector operations that the code generator lowers badly are replaced.
// RUN: hexmlir-opt %s --hexagon-arith-legalization | filecheck %s

// A maximum where NaN wins: one comparison, and a test of the bits for NaN.
// CHECK-LABEL: func.func @maximum
// CHECK: arith.cmpf ogt, %arg0, %arg1 : vector<32xf32>
// CHECK: arith.maxsi
// CHECK: arith.cmpi sgt
// CHECK: arith.select
// CHECK-NOT: arith.maximumf
func.func @maximum(%a: vector<32xf32>, %b: vector<32xf32>) -> vector<32xf32> {
  %0 = arith.maximumf %a, %b : vector<32xf32>
  return %0 : vector<32xf32>
}

// Against a constant only one operand can be NaN.
// CHECK-LABEL: func.func @relu
// CHECK-COUNT-1: arith.andi
// CHECK-NOT: arith.maxsi
// CHECK: return
func.func @relu(%a: vector<32xf32>) -> vector<32xf32> {
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %0 = arith.maximumf %a, %zero : vector<32xf32>
  return %0 : vector<32xf32>
}

// An integer becomes a float by a conversion, which is exact where no sum is.
// CHECK-LABEL: func.func @convert
// CHECK-NOT: arith.addf
// CHECK: arith.sitofp %{{.*}} : vector<2x32xi32> to vector<2x32xf32>
func.func @convert(%a: vector<2x32xi32>) -> vector<2x32xf32> {
  %0 = arith.sitofp %a : vector<2x32xi32> to vector<2x32xf32>
  return %0 : vector<2x32xf32>
}

// Division: a float estimate and an integer correction.
// CHECK-LABEL: func.func @divide
// CHECK-NOT: arith.divsi
// CHECK: arith.mulf
// CHECK: arith.muli
// CHECK: return
func.func @divide(%a: vector<64xi16>, %b: vector<64xi16>) -> vector<64xi16> {
  %0 = arith.divsi %a, %b : vector<64xi16>
  return %0 : vector<64xi16>
}

// bf16 arithmetic goes through f32.
// CHECK-LABEL: func.func @add_bf16
// CHECK: arith.shli %{{.*}} : vector<32xi32>
// CHECK: arith.addf %{{.*}} : vector<32xf32>
// CHECK: arith.trunci %{{.*}} : vector<32xi32> to vector<32xi16>
// CHECK: arith.bitcast %{{.*}} : vector<32xi16> to vector<32xbf16>
func.func @add_bf16(%a: vector<32xbf16>, %b: vector<32xbf16>) -> vector<32xbf16> {
  %0 = arith.addf %a, %b : vector<32xbf16>
  return %0 : vector<32xbf16>
}

// One f16 is widened by its bits: LLVM would call a function, which spills all vectors.
// CHECK-LABEL: func.func @one_half
// CHECK-NOT: arith.extf
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.select %{{.*}} : i32
func.func @one_half(%a: f16) -> f32 {
  %0 = arith.extf %a : f16 to f32
  return %0 : f32
}

// A select of masks, which the code generator does not have. A select of whole masks is a branch.
// CHECK-LABEL: func.func @masks
// CHECK-NOT: arith.select %{{.*}} : vector<32xi1>, vector<32xi1>
// CHECK: %[[A:.*]] = arith.andi %arg0, %arg1 : vector<32xi1>
// CHECK: %[[NOT:.*]] = arith.xori %arg0
// CHECK: %[[B:.*]] = arith.andi %[[NOT]], %arg2 : vector<32xi1>
// CHECK: arith.ori %[[A]], %[[B]] : vector<32xi1>
// CHECK: arith.select %arg3, %{{.*}} : vector<32xi1>
func.func @masks(%c: vector<32xi1>, %a: vector<32xi1>, %b: vector<32xi1>, %s: i1) -> vector<32xi1> {
  %0 = arith.select %c, %a, %b : vector<32xi1>, vector<32xi1>
  %1 = arith.select %s, %0, %a : vector<32xi1>
  return %1 : vector<32xi1>
}

// The upper half of a product of words, where the lower one is not read: two multiplications for each register.
// CHECK-LABEL: func.func @high_product
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.hexagon.V6.vmpyowh.64.acc.128B"
// CHECK-NOT: arith.mulsi_extended
// CHECK: return
func.func @high_product(%a: vector<64xi32>, %b: vector<64xi32>) -> vector<64xi32> {
  %low, %high = arith.mulsi_extended %a, %b : vector<64xi32>
  return %high : vector<64xi32>
}

// Both halves, and vectors that are no whole registers, are left to LLVM.
// CHECK-LABEL: func.func @both_halves
// CHECK-COUNT-2: arith.mulsi_extended
// CHECK: return
func.func @both_halves(%a: vector<32xi32>, %b: vector<32xi32>, %c: vector<16xi32>)
    -> (vector<32xi32>, vector<32xi32>, vector<16xi32>) {
  %low, %high = arith.mulsi_extended %a, %b : vector<32xi32>
  %unused, %short = arith.mulsi_extended %c, %c : vector<16xi32>
  return %low, %high, %short : vector<32xi32>, vector<32xi32>, vector<16xi32>
}

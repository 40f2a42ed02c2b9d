// Small products go to HVX unless ``always``; not without the engine, on a chip whose engine does not give sums of 32 bits,
// or in TCM that has no room for a tile of each.
// RUN: hexmlir-opt %s --pack-constant-weights=always=true | filecheck %s --check-prefix=ALWAYS
// RUN: hexmlir-opt %s --pack-constant-weights --remarks 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --pack-constant-weights='always=true matrix-engine=false' | filecheck %s
// RUN: hexmlir-opt %s --pack-constant-weights=always=true --target=v73 | filecheck %s
// RUN: hexmlir-opt %s --pack-constant-weights='always=true tcm-bytes=4096' --remarks 2>&1 | filecheck %s --check-prefix=FULL

// ALWAYS: hexagon.weight_matrix
// CHECK-NOT: hexagon.weight_matrix
// SMALL: its weights are not packed: about {{[0-9]+}} cycles on HVX, {{[0-9]+}} on the engine
// SMALL-NOT: hexagon.weight_matrix
// FULL: its weights are not packed: one row and one column of tiles exceed the TCM budget
func.func @f(%a: tensor<5x32xi8>) -> tensor<5x40xi32> {
  %b = arith.constant dense<7> : tensor<32x40xi8>
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<5x40xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<5x40xi32>) -> tensor<5x40xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x32xi8>, tensor<32x40xi8>) outs(%sums : tensor<5x40xi32>) -> tensor<5x40xi32>
  return %0 : tensor<5x40xi32>
}

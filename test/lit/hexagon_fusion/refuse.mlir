// Producers that are not fused, and the remark with the reason.
// RUN: hexmlir-opt %s --hexagon-fusion --split-input-file --remarks 2>%t | filecheck %s
// RUN: hexmlir-opt %s --hexagon-fusion --split-input-file --remarks 2>&1 >%t | filecheck %s --check-prefix=WHY

// 1. exp has two readers: computed once.
// CHECK-LABEL: func.func @two_readers
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: return
// WHY: refuse.mlir:[[# @LINE + 3]]:8: remark: hexagon-fusion: not fused: costs 16 operations per element and has 2 consumers
func.func @two_readers(%x: tensor<64xf32>, %y: tensor<8xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.mul ins(%0, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %2 = linalg.sub ins(%0, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}

// -----
// 2. Every row would recompute exp of the same vector.
// CHECK-LABEL: func.func @broadcast_row
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: arith.addf
// WHY: refuse.mlir:[[# @LINE + 3]]:8: remark: hexagon-fusion: not fused: costs 16 operations per element and a broadcast would repeat it 8 times
func.func @broadcast_row(%x: tensor<64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %w = tensor.empty() : tensor<8x64xf32>
  %1 = linalg.broadcast ins(%0 : tensor<64xf32>) outs(%w : tensor<8x64xf32>) dimensions = [0]
  %2 = linalg.add ins(%1, %y : tensor<8x64xf32>, tensor<8x64xf32>) outs(%w : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}

// -----
// 3. A reduction is finished before its result is used.
// CHECK-LABEL: func.func @reduction
// CHECK: "reduction"
// CHECK: arith.divf
// WHY: refuse.mlir:[[# @LINE + 3]]:8: remark: hexagon-fusion: not fused into its consumer: it is a reduction
func.func @reduction(%x: tensor<8x64xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%s : tensor<8xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %a = arith.addf %in, %out : f32
      linalg.yield %a : f32
    }
  %1 = linalg.div ins(%0, %s : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----
// 4. A consumer that reads at a sum of loops (a window) keeps its producer.
// CHECK-LABEL: func.func @window
// CHECK: math.exp
// CHECK: linalg.generic
// WHY: remark: hexagon-fusion: not fused into its consumer: the consumer reads at d0 + d1
func.func @window(%x: tensor<66xf32>, %y: tensor<64xf32>, %w: tensor<3xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<66xf32>
  %0 = linalg.exp ins(%x : tensor<66xf32>) outs(%e : tensor<66xf32>) -> tensor<66xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>,
                                        affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%0, %w : tensor<66xf32>, tensor<3xf32>) outs(%y : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
  } -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----
// 5. A producer outside of the consumer's loop would run in each iteration.
// CHECK-LABEL: func.func @outside_the_loop
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
// WHY: remark: hexagon-fusion: not fused into its consumer: it is outside the consumer's loop
func.func @outside_the_loop(%x: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<64xf32> {
    %2 = linalg.mul ins(%0, %a : tensor<64xf32>, tensor<64xf32>) outs(%a : tensor<64xf32>) -> tensor<64xf32>
    scf.yield %2 : tensor<64xf32>
  }
  return %1 : tensor<64xf32>
}

// -----
// 6. A producer without inputs stays when the consumer would lose the only operand that determines its trip count.
// CHECK-LABEL: func.func @only_operand
// CHECK: linalg.index
// CHECK: iterator_types = ["reduction"]
// WHY: remark: hexagon-fusion: not fused into its consumer: no other operand has the trip counts of the consumer's loops
func.func @only_operand(%x: tensor<16xi32>, %s: tensor<i32>) -> tensor<i32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%x : tensor<16xi32>) {
    ^bb0(%o: i32):
      %i = linalg.index 0 : index
      %c = arith.index_cast %i : index to i32
      linalg.yield %c : i32
  } -> tensor<16xi32>
  %1 = linalg.reduce { arith.addi } ins(%0 : tensor<16xi32>) outs(%s : tensor<i32>) dimensions = [0]
  return %1 : tensor<i32>
}

// 64-bit lanes stay and are reported; other scalars and division by a constant are unchanged.
// RUN: hexmlir-opt %s --hexagon-arith-legalization --remarks 2>&1 | filecheck %s
// RUN: not hexmlir-opt %s --hexagon-arith-legalization='nan=ignore' 2>&1 | filecheck %s --check-prefix=OPTION

// CHECK-DAG: remark: hexagon-arith-legalization: arith.divsi on i64 vectors runs lane by lane; i8, i16 and i32 do not
// CHECK-DAG: remark: hexagon-arith-legalization: arith.maximumf on f64 vectors runs lane by lane; f16, bf16 and f32 do not
// CHECK-DAG: remark: hexagon-arith-legalization: arith.sitofp between i64 and f32 vectors runs lane by lane
// CHECK-DAG: arith.divsi %{{.*}} : vector<16xi64>
// CHECK-DAG: arith.maximumf %{{.*}} : vector<16xf64>
// CHECK-DAG: arith.sitofp %{{.*}} : vector<16xi64> to vector<16xf32>
// CHECK-DAG: arith.maxnumf %{{.*}} : f64
// CHECK-DAG: arith.divsi %{{.*}} : vector<32xi32>

// OPTION: error: hexagon-arith-legalization: unknown option 'nan'
// OPTION: hint: options of hexagon-arith-legalization: ignore-nan
func.func @f(%a: vector<16xi64>, %b: vector<16xf64>, %c: f64, %d: vector<32xi32>)
    -> (vector<16xi64>, vector<16xf64>, vector<16xf32>, f64, vector<32xi32>) {
  %seven = arith.constant dense<7> : vector<32xi32>
  %0 = arith.divsi %a, %a : vector<16xi64>
  %1 = arith.maximumf %b, %b : vector<16xf64>
  %2 = arith.sitofp %a : vector<16xi64> to vector<16xf32>
  %3 = arith.maxnumf %c, %c : f64
  %4 = arith.divsi %d, %seven : vector<32xi32>
  return %0, %1, %2, %3, %4 : vector<16xi64>, vector<16xf64>, vector<16xf32>, f64, vector<32xi32>
}

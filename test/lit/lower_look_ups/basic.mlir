// Look-ups become vlut32 and vlut16.
// RUN: hexmlir-opt %s --lower-look-ups --split-input-file | filecheck %s

// 1. Bytes for two vectors of indices: the table is interleaved once.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[TABLE:.*]] = llvm.call_intrinsic "llvm.hexagon.V6.vshuffb.128B"
// CHECK: vector.shuffle %arg1, %arg1 [0, {{.*}}, 127] : vector<256xi8>, vector<256xi8>
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvvbi.128B"(%{{.*}}, %[[TABLE]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvvb.oracci.128B"(%{{.*}}, %{{.*}}, %[[TABLE]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvvbi.128B"(%{{.*}}, %[[TABLE]], %{{.*}})
// CHECK: vector.shuffle {{.*}} : vector<128xi8>, vector<128xi8>
// CHECK-NOT: hexagon.look_up
func.func @bytes(%t: vector<128xi8>, %i: vector<256xi8>) -> vector<256xi8> {
  %0 = "hexagon.look_up"(%t, %i) {count = 33 : i64} : (vector<128xi8>, vector<256xi8>) -> vector<256xi8>
  return %0 : vector<256xi8>
}

// -----
// 2. Halfwords: a segment's number is an immediate up to the eighth, then in a register.
// CHECK-LABEL: func.func @halfwords
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvwhi.128B"
// CHECK-COUNT-7: llvm.call_intrinsic "llvm.hexagon.V6.vlutvwh.oracci.128B"
// CHECK: %[[NUMBER:.*]] = arith.constant 8 : i32
// CHECK-NEXT: llvm.call_intrinsic "llvm.hexagon.V6.vlutvwh.oracc.128B"({{.*}}, %[[NUMBER]])
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvwh.oracc.128B"
// CHECK-NOT: vlutvwh
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.lo.128B"
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.hi.128B"
func.func @halfwords(%t: vector<256xi16>, %i: vector<128xi8>) -> vector<128xi16> {
  %0 = "hexagon.look_up"(%t, %i) {count = 145 : i64} : (vector<256xi16>, vector<128xi8>) -> vector<128xi16>
  return %0 : vector<128xi16>
}

// -----
// 3. Words in two halves, which are recombined.
// CHECK-LABEL: func.func @words
// CHECK: %[[LOW:.*]] = llvm.call_intrinsic "llvm.hexagon.V6.vshufeh.128B"(%arg0, %arg0)
// CHECK: %[[HIGH:.*]] = llvm.call_intrinsic "llvm.hexagon.V6.vshufoh.128B"(%arg0, %arg0)
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvwhi.128B"(%{{.*}}, %[[LOW]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvwhi.128B"(%{{.*}}, %[[HIGH]], %{{.*}})
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.hexagon.V6.vshuffvdd.128B"
func.func @words(%t: vector<32xi32>, %i: vector<128xi8>) -> vector<128xi32> {
  %0 = "hexagon.look_up"(%t, %i) {count = 16 : i64} : (vector<32xi32>, vector<128xi8>) -> vector<128xi32>
  return %0 : vector<128xi32>
}

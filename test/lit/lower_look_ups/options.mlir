// The pass has no options; the width of a register is the target's.
// RUN: not hexmlir-opt %s --lower-look-ups=pieces=1 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --lower-look-ups --target=v79 | filecheck %s
// BAD: error: lower-look-ups: unknown option 'pieces'
// BAD-NEXT: hint: options of lower-look-ups: none
// CHECK: llvm.call_intrinsic "llvm.hexagon.V6.vlutvvbi.128B"
func.func @f(%t: vector<128xi8>, %i: vector<128xi8>) -> vector<128xi8> {
  %0 = "hexagon.look_up"(%t, %i) {count = 9 : i64} : (vector<128xi8>, vector<128xi8>) -> vector<128xi8>
  return %0 : vector<128xi8>
}

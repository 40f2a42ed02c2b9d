// CSE shares a look-up and drops an unused one: the operation has no effects.
// RUN: hexmlir-opt %s --cse | filecheck %s

// CHECK-LABEL: func.func @twice
// CHECK-COUNT-1: hexagon.look_up
// CHECK-NOT: hexagon.look_up
func.func @twice(%t: vector<128xi8>, %i: vector<128xi8>) -> vector<128xi8> {
  %0 = "hexagon.look_up"(%t, %i) {count = 9 : i64} : (vector<128xi8>, vector<128xi8>) -> vector<128xi8>
  %1 = "hexagon.look_up"(%t, %i) {count = 9 : i64} : (vector<128xi8>, vector<128xi8>) -> vector<128xi8>
  %2 = "hexagon.look_up"(%t, %i) {count = 8 : i64} : (vector<128xi8>, vector<128xi8>) -> vector<128xi8>
  %3 = arith.xori %0, %1 : vector<128xi8>
  return %3 : vector<128xi8>
}

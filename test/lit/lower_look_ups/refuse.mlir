// Look-ups that HVX has no instructions for are errors at their places.
// RUN: not hexmlir-opt %s --lower-look-ups --split-input-file 2>&1 | filecheck %s

// CHECK: refuse.mlir:[[# @LINE + 4]]:8: error: lower-look-ups: a look-up in vector<16xi64> by vector<128xi8>
// CHECK-NEXT: "hexagon.look_up"
// CHECK-NEXT: hint: hexagon-vectorization writes look-ups
func.func @doubles(%t: vector<16xi64>, %i: vector<128xi8>) -> vector<128xi64> {
  %0 = "hexagon.look_up"(%t, %i) {count = 9 : i64} : (vector<16xi64>, vector<128xi8>) -> vector<128xi64>
  return %0 : vector<128xi64>
}

// -----
// CHECK: :[[# @LINE + 2]]:8: error: lower-look-ups: 33 elements in vector<32xi32>
func.func @too_many(%t: vector<32xi32>, %i: vector<128xi8>) -> vector<128xi32> {
  %0 = "hexagon.look_up"(%t, %i) {count = 33 : i64} : (vector<32xi32>, vector<128xi8>) -> vector<128xi32>
  return %0 : vector<128xi32>
}

// -----
// CHECK: :[[# @LINE + 2]]:8: error: lower-look-ups: vector<128xi16> found for vector<128xi8> in vector<32xi32>
func.func @other_type(%t: vector<32xi32>, %i: vector<128xi8>) -> vector<128xi16> {
  %0 = "hexagon.look_up"(%t, %i) {count = 9 : i64} : (vector<32xi32>, vector<128xi8>) -> vector<128xi16>
  return %0 : vector<128xi16>
}

// -----
// CHECK: :[[# @LINE + 2]]:8: error: lower-look-ups: vector<96xi8>, which fills no power of two of registers
func.func @part(%t: vector<128xi8>, %i: vector<96xi8>) -> vector<96xi8> {
  %0 = "hexagon.look_up"(%t, %i) {count = 9 : i64} : (vector<128xi8>, vector<96xi8>) -> vector<96xi8>
  return %0 : vector<96xi8>
}

// -----
// A misspelled operation or attribute is an error of the parser.
// CHECK: error: unregistered operation 'hexagon.lookup' found in dialect ('hexagon')
func.func @unknown(%t: vector<128xi8>, %i: vector<128xi8>) -> vector<128xi8> {
  %0 = "hexagon.lookup"(%t, %i) {count = 9 : i64} : (vector<128xi8>, vector<128xi8>) -> vector<128xi8>
  return %0 : vector<128xi8>
}

// -----
// CHECK: error: 'hexagon.look_up' op attribute "count" is expected but not provided
func.func @no_count(%t: vector<128xi8>, %i: vector<128xi8>) -> vector<128xi8> {
  %0 = "hexagon.look_up"(%t, %i) {size = 9 : i64} : (vector<128xi8>, vector<128xi8>) -> vector<128xi8>
  return %0 : vector<128xi8>
}

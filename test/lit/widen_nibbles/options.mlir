// The pass has no options.
// RUN: not hexmlir-opt %s --widen-nibbles=always=true 2>&1 | filecheck %s
// CHECK: error: widen-nibbles: unknown option 'always'
// CHECK-NEXT: hint: options of widen-nibbles: none
func.func @without_arguments() {
  return
}

// The pass has no options; alignment and the limit of a stack slot are the target's.
// RUN: not hexmlir-opt %s --hexagon-memory-lowering=stack=0 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --hexagon-memory-lowering --target=v68 | filecheck %s
// RUN: hexmlir-opt %s --hexagon-memory-lowering --target=v79 | filecheck %s --check-prefix=LARGE
// BAD: error: hexagon-memory-lowering: unknown option 'stack'
// BAD-NEXT: hint: options of hexagon-memory-lowering: none

// A sixteenth of the L1 data cache is a slot, four bytes more are not.
// CHECK-LABEL: func.func @limit
// CHECK: memref.alloca() {alignment = 128 : i64} : memref<256xf32>
// CHECK: call @aligned_alloc(%c128_i32,
// v79 has twice the cache.
// LARGE-LABEL: func.func @limit
// LARGE: memref.alloca() {alignment = 128 : i64} : memref<257xf32>
// LARGE: memref.alloca() {alignment = 128 : i64} : memref<256xf32>
// LARGE-NOT: call
func.func @limit(%v: f32, %i: index) {
  %a = memref.alloc() : memref<256xf32>
  memref.store %v, %a[%i] : memref<256xf32>
  memref.dealloc %a : memref<256xf32>
  %b = memref.alloc() : memref<257xf32>
  memref.store %v, %b[%i] : memref<257xf32>
  memref.dealloc %b : memref<257xf32>
  return
}

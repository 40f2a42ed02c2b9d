// RUN: hexmlir-opt %s --extend-tcm-arguments --split-input-file | filecheck %s

// No caller has promised room after the argument.
// CHECK-LABEL: func.func @unmarked
// CHECK: memref.copy
func.func @unmarked(%x: memref<30x64xf16, 1>, %y: memref<32x64xf16, 1>) {
  %a = memref.alloc() : memref<32x64xf16, 1>
  %head = memref.subview %a[0, 0] [30, 64] [1, 1] : memref<32x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  memref.copy %x, %head : memref<30x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  linalg.exp ins(%a : memref<32x64xf16, 1>) outs(%y : memref<32x64xf16, 1>)
  return
}

// -----

// More than twice the argument: there is no room.
// CHECK-LABEL: func.func @few_rows
// CHECK: memref.copy
func.func @few_rows(%x: memref<3x64xf16, 1>, %y: memref<32x64xf16, 1>) attributes {hexagon.in_tcm = array<i64: 0>} {
  %a = memref.alloc() : memref<32x64xf16, 1>
  %head = memref.subview %a[0, 0] [3, 64] [1, 1] : memref<32x64xf16, 1> to memref<3x64xf16, strided<[64, 1]>, 1>
  memref.copy %x, %head : memref<3x64xf16, 1> to memref<3x64xf16, strided<[64, 1]>, 1>
  linalg.exp ins(%a : memref<32x64xf16, 1>) outs(%y : memref<32x64xf16, 1>)
  return
}

// -----

// The copy is changed; the argument is not.
// CHECK-LABEL: func.func @changed
// CHECK: memref.copy
func.func @changed(%x: memref<30x64xf16, 1>, %zero: f16) attributes {hexagon.in_tcm = array<i64: 0>} {
  %a = memref.alloc() : memref<32x64xf16, 1>
  %head = memref.subview %a[0, 0] [30, 64] [1, 1] : memref<32x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  memref.copy %x, %head : memref<30x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  %tail = memref.subview %a[29, 0] [3, 64] [1, 1]
    : memref<32x64xf16, 1> to memref<3x64xf16, strided<[64, 1], offset: 1856>, 1>
  linalg.fill ins(%zero : f16) outs(%tail : memref<3x64xf16, strided<[64, 1], offset: 1856>, 1>)
  return
}

// -----

// Two copies with other padding: the first one has the memory after the argument.
// CHECK-LABEL: func.func @twice
// CHECK: memref.reinterpret_cast
// CHECK-NOT: memref.reinterpret_cast
// CHECK: memref.copy
func.func @twice(%x: memref<30x64xf16, 1>, %y: memref<32x64xf16, 1>, %zero: f16, %least: f16)
    attributes {hexagon.in_tcm = array<i64: 0>} {
  %a = memref.alloc() : memref<32x64xf16, 1>
  %head = memref.subview %a[0, 0] [30, 64] [1, 1] : memref<32x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  memref.copy %x, %head : memref<30x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  %tail = memref.subview %a[30, 0] [2, 64] [1, 1]
    : memref<32x64xf16, 1> to memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>
  linalg.fill ins(%zero : f16) outs(%tail : memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>)
  %b = memref.alloc() : memref<32x64xf16, 1>
  %other = memref.subview %b[0, 0] [30, 64] [1, 1] : memref<32x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  memref.copy %x, %other : memref<30x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  %end = memref.subview %b[30, 0] [2, 64] [1, 1]
    : memref<32x64xf16, 1> to memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>
  linalg.fill ins(%least : f16) outs(%end : memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>)
  linalg.add ins(%a, %b : memref<32x64xf16, 1>, memref<32x64xf16, 1>) outs(%y : memref<32x64xf16, 1>)
  return
}

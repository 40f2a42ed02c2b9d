// Fills that stay as they are.
// RUN: hexmlir-opt %s --hexagon-fill-borders --split-input-file | filecheck %s

// 1. The buffer is read before the copy.
// CHECK-LABEL: func.func @read
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : memref<4x96xf32>)
func.func @read(%x: memref<4x64xf32>, %y: memref<4x96xf32>, %c: f32) {
  %a = memref.alloc() : memref<4x96xf32>
  linalg.fill ins(%c : f32) outs(%a : memref<4x96xf32>)
  linalg.exp ins(%a : memref<4x96xf32>) outs(%y : memref<4x96xf32>)
  %v = memref.subview %a[0, 16] [4, 64] [1, 1] : memref<4x96xf32> to memref<4x64xf32, strided<[96, 1], offset: 16>>
  memref.copy %x, %v : memref<4x64xf32> to memref<4x64xf32, strided<[96, 1], offset: 16>>
  return
}

// -----
// 2. The copy is conditional.
// CHECK-LABEL: func.func @branch
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : memref<4x96xf32>)
func.func @branch(%x: memref<4x64xf32>, %p: i1, %c: f32) {
  %a = memref.alloc() : memref<4x96xf32>
  linalg.fill ins(%c : f32) outs(%a : memref<4x96xf32>)
  scf.if %p {
    %v = memref.subview %a[0, 16] [4, 64] [1, 1] : memref<4x96xf32> to memref<4x64xf32, strided<[96, 1], offset: 16>>
    memref.copy %x, %v : memref<4x64xf32> to memref<4x64xf32, strided<[96, 1], offset: 16>>
  }
  return
}

// -----
// 3. The source of the copy is the buffer itself.
// CHECK-LABEL: func.func @itself
// CHECK: linalg.fill {{.*}} outs(%{{.*}} : memref<128xf32>)
func.func @itself(%c: f32) {
  %a = memref.alloc() : memref<128xf32>
  linalg.fill ins(%c : f32) outs(%a : memref<128xf32>)
  %u = memref.subview %a[0] [100] [1] : memref<128xf32> to memref<100xf32, strided<[1]>>
  %v = memref.subview %a[28] [100] [1] : memref<128xf32> to memref<100xf32, strided<[1], offset: 28>>
  memref.copy %u, %v : memref<100xf32, strided<[1]>> to memref<100xf32, strided<[1], offset: 28>>
  return
}

// -----
// 4. The target of the copy is dynamic; every second element; several images; a wide border.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: linalg.fill
// CHECK-NOT: linalg.fill
func.func @others(%x: memref<100xf32>, %y: memref<2x8x40xf32>, %z: memref<60xf32>, %n: index, %c: f32) {
  %a = memref.alloc() : memref<128xf32>
  linalg.fill ins(%c : f32) outs(%a : memref<128xf32>)
  %v = memref.subview %a[%n] [100] [1] : memref<128xf32> to memref<100xf32, strided<[1], offset: ?>>
  memref.copy %x, %v : memref<100xf32> to memref<100xf32, strided<[1], offset: ?>>
  %a1 = memref.alloc() : memref<201xf32>
  linalg.fill ins(%c : f32) outs(%a1 : memref<201xf32>)
  %v1 = memref.subview %a1[0] [100] [2] : memref<201xf32> to memref<100xf32, strided<[2]>>
  memref.copy %x, %v1 : memref<100xf32> to memref<100xf32, strided<[2]>>
  %a2 = memref.alloc() : memref<2x10x42xf32>
  linalg.fill ins(%c : f32) outs(%a2 : memref<2x10x42xf32>)
  %v2 = memref.subview %a2[0, 1, 1] [2, 8, 40] [1, 1, 1]
    : memref<2x10x42xf32> to memref<2x8x40xf32, strided<[420, 42, 1], offset: 43>>
  memref.copy %y, %v2 : memref<2x8x40xf32> to memref<2x8x40xf32, strided<[420, 42, 1], offset: 43>>
  %a3 = memref.alloc() : memref<128xf32>
  linalg.fill ins(%c : f32) outs(%a3 : memref<128xf32>)
  %v3 = memref.subview %a3[4] [60] [1] : memref<128xf32> to memref<60xf32, strided<[1], offset: 4>>
  memref.copy %z, %v3 : memref<60xf32> to memref<60xf32, strided<[1], offset: 4>>
  return
}

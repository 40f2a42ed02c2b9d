// Buffers that cannot be planned: moved to DDR when they do not fit, else allocated separately.
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=300' --split-input-file | filecheck %s
// RUN: hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=300' --split-input-file --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// 1. 512 bytes are too many, the smaller buffer stays; views follow their buffer to DDR.
// CHECK-LABEL: func.func @too_large
// CHECK: memref.alloc() : memref<128xf32>
// CHECK: memref.subview {{.*}} : memref<128xf32> to memref<8xf32, strided<[1]>>
// CHECK: memref.view {{.*}} : memref<128xi8, 1> to memref<8xf32, 1>
// WHY: remark: hexagon-tcm-allocation: moved to DDR: 512 bytes do not fit together with the live buffers into 172 bytes of TCM
func.func @too_large(%c: f32) {
  %a = memref.alloc() : memref<128xf32, 1>
  %v = memref.subview %a[0] [8] [1] : memref<128xf32, 1> to memref<8xf32, strided<[1]>, 1>
  %b = memref.alloc() : memref<8xf32, 1>
  linalg.fill ins(%c : f32) outs(%v : memref<8xf32, strided<[1]>, 1>)
  linalg.fill ins(%c : f32) outs(%b : memref<8xf32, 1>)
  memref.dealloc %a : memref<128xf32, 1>
  memref.dealloc %b : memref<8xf32, 1>
  return
}

// -----
// 2. No bound on the size.
// CHECK-LABEL: func.func @unbounded
// CHECK: memref.alloc(%arg0) : memref<?xf32, 1>
// CHECK: memref.dealloc {{.*}} : memref<?xf32, 1>
// WHY: remark: hexagon-tcm-allocation: keeps its own allocation: a dynamic size without a bound
func.func @unbounded(%n: index, %c: f32) {
  %a = memref.alloc(%n) : memref<?xf32, 1>
  linalg.fill ins(%c : f32) outs(%a : memref<?xf32, 1>)
  memref.dealloc %a : memref<?xf32, 1>
  return
}

// -----
// 3. A loop carries the buffer: its lifetime is unknown.
// CHECK-LABEL: func.func @carried
// CHECK: memref.alloc() : memref<8xf32, 1>
// WHY: remark: hexagon-tcm-allocation: keeps its own allocation: scf.for lets the buffer escape
func.func @carried(%n: index, %c: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32, 1>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> memref<8xf32, 1> {
    linalg.fill ins(%c : f32) outs(%b : memref<8xf32, 1>)
    scf.yield %b : memref<8xf32, 1>
  }
  memref.dealloc %r : memref<8xf32, 1>
  return
}

// -----
// 4. How many iterations run at once is not known.
// CHECK-LABEL: func.func @dynamic_threads
// CHECK: scf.forall
// CHECK-NEXT: memref.alloc() : memref<8xf32, 1>
// WHY: remark: hexagon-tcm-allocation: dynamic bounds: each iteration allocates its own buffers
func.func @dynamic_threads(%n: index, %c: f32) {
  scf.forall (%i) in (%n) {
    %a = memref.alloc() : memref<8xf32, 1>
    linalg.fill ins(%c : f32) outs(%a : memref<8xf32, 1>)
    memref.dealloc %a : memref<8xf32, 1>
  }
  return
}

// -----
// 6. A buffer from which a loop loads scalars is moved to DDR; one filled by a copy from DDR stays.
// CHECK-LABEL: func.func @by_element
// CHECK: memref.alloc() : memref<8xf32>
// CHECK: memref.view {{.*}} to memref<12xf32, 1>
// WHY: remark: hexagon-tcm-allocation: moved to DDR: loops read it element by element, scalar loads from TCM are slow
func.func @by_element(%c: f32, %x: memref<12xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<8xf32, 1>
  %copied = memref.alloc() : memref<12xf32, 1>
  linalg.fill ins(%c : f32) outs(%a : memref<8xf32, 1>)
  memref.copy %x, %copied : memref<12xf32> to memref<12xf32, 1>
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = memref.load %a[%i] : memref<8xf32, 1>
    %1 = memref.load %copied[%i] : memref<12xf32, 1>
    %4 = arith.addf %0, %1 : f32
    memref.store %4, %out[%i] : memref<8xf32>
  }
  memref.dealloc %a : memref<8xf32, 1>
  memref.dealloc %copied : memref<12xf32, 1>
  return
}

// -----
// A buffer that other blocks use.
// CHECK-LABEL: func.func @of_several_blocks
// CHECK: memref.alloc() : memref<8xf32, 1>
// WHY: remark: hexagon-tcm-allocation: buffers of several blocks: they keep their own allocations
func.func @of_several_blocks(%c: f32, %few: i1) {
  %a = memref.alloc() : memref<8xf32, 1>
  cf.cond_br %few, ^some, ^all
^some:
  linalg.fill ins(%c : f32) outs(%a : memref<8xf32, 1>)
  cf.br ^all
^all:
  memref.dealloc %a : memref<8xf32, 1>
  return
}

// Allocations become runtime calls or stack slots, and there is one address space.
// RUN: hexmlir-opt %s --hexagon-memory-lowering --split-input-file | filecheck %s

// 1. TCM: bytes and alignment to the runtime, the view without its memory space, the same pointer to free.
// CHECK-LABEL: func.func @tcm
// CHECK: %[[BYTES:.*]] = arith.index_cast %c4096 : index to i32
// CHECK: %[[RAW:.*]] = call @hexmlir_rt_tcm_alloc(%[[BYTES]], %c128_i32) : (i32, i32) -> memref<1xi8>
// CHECK: %[[ALL:.*]] = memref.reinterpret_cast %[[RAW]] to offset: [0], sizes: [4096], strides: [1]
// CHECK: %[[VIEW:.*]] = memref.view %[[ALL]][%{{.*}}][] : memref<4096xi8> to memref<32x32xf32>
// CHECK: memref.store %arg0, %[[VIEW]]
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[VIEW]]
// CHECK: call @hexmlir_rt_tcm_free(%[[ADDRESS]]) : (index) -> ()
func.func @tcm(%v: f32, %i: index) {
  %t = memref.alloc() : memref<32x32xf32, 1>
  memref.store %v, %t[%i, %i] : memref<32x32xf32, 1>
  memref.dealloc %t : memref<32x32xf32, 1>
  return
}

// -----
// 2. DDR of dynamic size: 8 bytes for each of n rows, and one vector that masked accesses may touch; the
// C function takes the alignment first.
// CHECK-LABEL: func.func @ddr
// CHECK: %[[SIZE:.*]] = arith.muli %c8, %arg0 : index
// CHECK: %[[PADDED:.*]] = arith.addi %[[SIZE]], %c128 : index
// CHECK: %[[BYTES:.*]] = arith.index_cast %[[PADDED]] : index to i32
// CHECK: %[[RAW:.*]] = call @aligned_alloc(%c256_i32, %[[BYTES]]) : (i32, i32) -> memref<1xi8>
// CHECK: memref.view %{{.*}}[%{{.*}}][%arg0] : memref<?xi8> to memref<?x4xf16>
// CHECK: call @free
func.func @ddr(%n: index) {
  %a = memref.alloc(%n) {alignment = 256 : i64} : memref<?x4xf16>
  memref.dealloc %a : memref<?x4xf16>
  return
}

// -----
// 3. A small buffer inside a loop is one stack slot in the entry block, and is not freed.
// CHECK-LABEL: func.func @small
// CHECK-NEXT: %[[SLOT:.*]] = memref.alloca() {alignment = 128 : i64} : memref<8xf32>
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[SLOT]]
// CHECK-NOT: dealloc
// CHECK-NOT: free
func.func @small(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> f32 {
    %a = memref.alloc() : memref<8xf32>
    memref.store %v, %a[%i] : memref<8xf32>
    %w = memref.load %a[%i] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    scf.yield %w : f32
  }
  return %r : f32
}

// -----
// 4. Arguments, results and views lose the memory space, and keep their layout.
// CHECK-LABEL: func.func @spaces
// CHECK-SAME: (%arg0: memref<64xf32>, %arg1: index) -> memref<64xf32>
// CHECK: memref.subview %arg0[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
// CHECK: return %arg0 : memref<64xf32>
func.func @spaces(%x: memref<64xf32, 1>, %n: index) -> memref<64xf32, 1> {
  %s = memref.subview %x[0] [32] [1] : memref<64xf32, 1> to memref<32xf32, strided<[1]>, 1>
  %v = memref.load %s[%n] : memref<32xf32, strided<[1]>, 1>
  memref.store %v, %x[%n] : memref<64xf32, 1>
  return %x : memref<64xf32, 1>
}

// -----
// 5. A small buffer that is returned, and so outlives its block, is no stack slot.
// CHECK-LABEL: func.func @escapes
// CHECK-NOT: alloca
// CHECK: arith.constant 160 : index
// CHECK: call @aligned_alloc
func.func @escapes() -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  return %a : memref<8xf32>
}

// -----
// 6. Two buffers, one declaration of each function.
// CHECK-COUNT-1: func.func private @hexmlir_rt_tcm_alloc
// CHECK-NOT: func.func private @hexmlir_rt_tcm_alloc
// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: call @hexmlir_rt_tcm_alloc
func.func @two() -> (memref<64xi8, 1>, memref<64xi16, 1>) {
  %a = memref.alloc() : memref<64xi8, 1>
  %b = memref.alloc() : memref<64xi16, 1>
  return %a, %b : memref<64xi8, 1>, memref<64xi16, 1>
}

// -----
// 7. A stack slot with vector accesses is padded for all lanes of the last one, masked or not.
// CHECK-LABEL: func.func @masked
// CHECK: %[[SLOT:.*]] = memref.alloca() {alignment = 128 : i64} : memref<160xi8>
// CHECK: memref.view %[[SLOT]]{{.*}} : memref<160xi8> to memref<8xf32>
func.func @masked(%v: vector<32xf32>, %m: vector<32xi1>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  vector.maskedstore %a[%c0], %m, %v : memref<8xf32>, vector<32xi1>, vector<32xf32>
  %x = memref.load %a[%i] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return %x : f32
}

// -----
// 8. So is a small buffer passed to a function that does not capture it; another function may.
// CHECK-LABEL: func.func @lent
// CHECK: %[[SLOT:.*]] = memref.alloca() {alignment = 128 : i64} : memref<160xi8>
// CHECK: %[[LENT:.*]] = memref.view %[[SLOT]]
// CHECK: call @aligned_alloc
// CHECK: call @borrows(%[[LENT]])
// CHECK: call @keeps(
func.func private @borrows(memref<8xf32> {llvm.nocapture})
func.func private @keeps(memref<8xf32>)
func.func @lent() {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  call @borrows(%a) : (memref<8xf32>) -> ()
  call @keeps(%b) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// -----
// A slot of the TCM arena becomes the noalias result of a function.
// CHECK: func.func private @hexmlir_tcm_slot(index) -> (memref<1xi8> {llvm.noalias})
// CHECK-LABEL: func.func @slot
// CHECK: %[[START:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %[[AT:.*]] = arith.addi %[[START]], %c128
// CHECK: %[[SLOT:.*]] = call @hexmlir_tcm_slot(%[[AT]]) : (index) -> memref<1xi8>
// CHECK: %[[BYTES:.*]] = memref.reinterpret_cast %[[SLOT]] to offset: [0], sizes: [128], strides: [1]
// CHECK: memref.view %[[BYTES]][%c0][] : memref<128xi8> to memref<32xf32>
func.func @slot(%c: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %a = memref.alloc() : memref<256xi8, 1>
  %s = memref.view %a[%c128][] {hexagon.tcm_slot} : memref<256xi8, 1> to memref<128xi8, 1>
  %v = memref.view %s[%c0][] : memref<128xi8, 1> to memref<32xf32, 1>
  linalg.fill ins(%c : f32) outs(%v : memref<32xf32, 1>)
  memref.dealloc %a : memref<256xi8, 1>
  return
}

// -----
// A slot of one element is set to poison where the buffer was allocated in a loop: no value is carried.
// CHECK-LABEL: func.func @one
// CHECK: %[[SLOT:.*]] = memref.alloca() {alignment = 128 : i64} : memref<1xi32>
// CHECK: %[[OUTER:.*]] = memref.alloca() {alignment = 128 : i64} : memref<1xi32>
// CHECK-NOT: memref.store %{{.*}}, %[[OUTER]]
// CHECK: scf.for
// CHECK: %[[NOTHING:.*]] = ub.poison : i32
// CHECK: memref.store %[[NOTHING]], %[[SLOT]]
// CHECK: scf.if
func.func @one(%x: i32, %set: i1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %o = memref.alloc() : memref<1xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<1xi32>
    scf.if %set {
      memref.store %x, %a[%c0] : memref<1xi32>
      %w = memref.load %a[%c0] : memref<1xi32>
      memref.store %w, %o[%c0] : memref<1xi32>
    }
    memref.dealloc %a : memref<1xi32>
  }
  memref.dealloc %o : memref<1xi32>
  return
}

// Loops that stay, and why.
// RUN: hexmlir-opt %s --hexagon-masked-copy-lowering --split-input-file --remarks 2>/dev/null | filecheck %s
// RUN: hexmlir-opt %s --hexagon-masked-copy-lowering --split-input-file --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// 1. No predicate selects 8 bytes.
// CHECK-LABEL: func.func @wide
// CHECK: memref.store
// WHY: remark: hexagon-masked-copy-lowering: copied element by element under its mask: elements of 64 bits
func.func @wide(%out: memref<1xi64>, %v: i64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %mask = memref.alloc() : memref<300xi32>
  scf.for %i = %c0 to %n step %c1 {
    %word = memref.load %mask[%i] : memref<300xi32>
    %wanted = arith.cmpi ne, %word, %no : i32
    scf.if %wanted {
      %place = memref.reinterpret_cast %out to offset: [%i], sizes: [1], strides: [1]
        : memref<1xi64> to memref<1xi64, strided<[1], offset: ?>>
      memref.store %v, %place[%c0] : memref<1xi64, strided<[1], offset: ?>>
    }
  }
  return
}

// -----
// 2. Few elements.
// CHECK-LABEL: func.func @few
// CHECK: memref.store
// WHY: remark: hexagon-masked-copy-lowering: copied element by element under its mask: rows of 16 elements are less than a vector
func.func @few(%out: memref<1xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %no = arith.constant 0 : i32
  %mask = memref.alloc() : memref<300xi32>
  scf.for %i = %c0 to %c16 step %c1 {
    %word = memref.load %mask[%i] : memref<300xi32>
    %wanted = arith.cmpi ne, %word, %no : i32
    scf.if %wanted {
      %place = memref.reinterpret_cast %out to offset: [%i], sizes: [1], strides: [1]
        : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
      memref.store %v, %place[%c0] : memref<1xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// -----
// 3. Every second element; from one argument to another, which may overlap; a mask that is an argument, past whose
// end memory may not be mapped.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: memref.store
// WHY-NOT: remark
func.func @others(%x: memref<1xf32>, %out: memref<1xf32>, %given: memref<256xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %no = arith.constant 0 : i32
  %v = arith.constant 1.0 : f32
  %mask = memref.alloc() : memref<256xi32>
  scf.for %i = %c0 to %n step %c1 {
    %word = memref.load %mask[%i] : memref<256xi32>
    %wanted = arith.cmpi ne, %word, %no : i32
    scf.if %wanted {
      %at = arith.muli %i, %c2 : index
      %place = memref.reinterpret_cast %out to offset: [%at], sizes: [1], strides: [1]
        : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
      memref.store %v, %place[%c0] : memref<1xf32, strided<[1], offset: ?>>
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %word = memref.load %mask[%i] : memref<256xi32>
    %wanted = arith.cmpi ne, %word, %no : i32
    scf.if %wanted {
      %place = memref.reinterpret_cast %out to offset: [%i], sizes: [1], strides: [1]
        : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
      %from = memref.reinterpret_cast %x to offset: [%i], sizes: [1], strides: [1]
        : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
      %w = memref.load %from[%c0] : memref<1xf32, strided<[1], offset: ?>>
      memref.store %w, %place[%c0] : memref<1xf32, strided<[1], offset: ?>>
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %word = memref.load %given[%i] : memref<256xi32>
    %wanted = arith.cmpi ne, %word, %no : i32
    scf.if %wanted {
      %place = memref.reinterpret_cast %out to offset: [%i], sizes: [1], strides: [1]
        : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
      memref.store %v, %place[%c0] : memref<1xf32, strided<[1], offset: ?>>
    }
  }
  return
}

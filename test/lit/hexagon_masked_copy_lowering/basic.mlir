// Predicated stores from the first element that is selected to the last.
// RUN: hexmlir-opt %s --hexagon-masked-copy-lowering --split-input-file | filecheck %s

// 1. Halfwords: the words of the mask are narrowed to the size of the selected elements.
// CHECK-LABEL: func.func @halves
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.extract
// CHECK: scf.if
// CHECK: scf.for
// CHECK: arith.trunci {{.*}} : vector<64xi32> to vector<64xi16>
// CHECK: %[[ON:.*]] = arith.cmpi ne, {{.*}} : vector<64xi16>
// CHECK: vector.maskedstore %{{.*}}, %[[ON]], %{{.*}} {alignment = 2 : i64}
// CHECK-NOT: memref.store
func.func @halves(%out: memref<1xf16>, %start: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %mask = memref.alloc() : memref<1000xi32>
  %value = memref.alloc() : memref<1000xf16>
  scf.for %i = %c0 to %n step %c1 {
    %word = memref.load %mask[%i] : memref<1000xi32>
    %wanted = arith.cmpi ne, %word, %no : i32
    scf.if %wanted {
      %at = arith.addi %start, %i : index
      %place = memref.reinterpret_cast %out to offset: [%at], sizes: [1], strides: [1]
        : memref<1xf16> to memref<1xf16, strided<[1], offset: ?>>
      %v = memref.load %value[%i] : memref<1000xf16>
      memref.store %v, %place[%c0] : memref<1xf16, strided<[1], offset: ?>>
    }
  }
  return
}

// -----
// 2. A source allocated elsewhere: elements that the mask leaves out are not read. Two masks.
// CHECK-LABEL: func.func @loaded
// CHECK: scf.if
// CHECK: arith.andi %{{.*}} : vector<32xi32>
// CHECK: vector.maskedload %{{.*}} : memref<32xf32, strided<[1], offset: ?>>
// CHECK: vector.maskedstore %{{.*}} : memref<4x256xf32>
func.func @loaded(%x: memref<1xf32>, %start: i32, %row: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %no = arith.constant 0 : i32
  %mask = memref.alloc() : memref<256xi32>
  %second = memref.alloc() : memref<4x256xi32>
  %value = memref.alloc() : memref<4x256xf32>
  scf.for %i = %c0 to %c256 step %c1 {
    %word = memref.load %mask[%i] : memref<256xi32>
    %first = arith.cmpi ne, %word, %no : i32
    %other = memref.load %second[%row, %i] : memref<4x256xi32>
    %also = arith.cmpi ne, %other, %no : i32
    %wanted = arith.andi %first, %also : i1
    scf.if %wanted {
      %number = arith.index_cast %i : index to i32
      %sum = arith.addi %number, %start : i32
      %at = arith.index_cast %sum : i32 to index
      %place = memref.reinterpret_cast %x to offset: [%at], sizes: [1], strides: [1]
        : memref<1xf32> to memref<1xf32, strided<[1], offset: ?>>
      %v = memref.load %place[%c0] : memref<1xf32, strided<[1], offset: ?>>
      memref.store %v, %value[%row, %i] : memref<4x256xf32>
    }
  }
  return
}

// -----
// 3. One value for all.
// CHECK-LABEL: func.func @same
// CHECK: vector.broadcast %{{.*}} : i8 to vector<128xi8>
// CHECK: vector.maskedstore
func.func @same(%out: memref<1xi8>, %v: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %no = arith.constant 0 : i32
  %mask = memref.alloc() : memref<300xi32>
  scf.for %i = %c0 to %n step %c1 {
    %word = memref.load %mask[%i] : memref<300xi32>
    %wanted = arith.cmpi ne, %word, %no : i32
    scf.if %wanted {
      %place = memref.reinterpret_cast %out to offset: [%i], sizes: [1], strides: [1]
        : memref<1xi8> to memref<1xi8, strided<[1], offset: ?>>
      memref.store %v, %place[%c0] : memref<1xi8, strided<[1], offset: ?>>
    }
  }
  return
}

// Only the step of the loop is selected, no condition says whether a thread is alone: it is compiled.
// RUN: hexmlir-opt %s --form-async-threads | filecheck %s
// CHECK-LABEL: func.func private @shares_thread
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[START:.*]] = arith.muli %[[K]], %[[STEP:.*]] : index
// CHECK: memref.subview %{{.*}}[%[[START]]] [%[[STEP]]]
// CHECK-LABEL: func.func @shares
// CHECK: %[[STEP:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: %[[TRIPS:.*]] = arith.ceildivsi %{{.*}}, %[[STEP]] : index
// CHECK: async.execute
#map = affine_map<(d0) -> (d0)>
func.func @shares(%i: memref<1024xi32>, %alone: i1) {
%c256 = arith.constant 256 : index
%c1024 = arith.constant 1024 : index
%t = memref.alloc() : memref<64xf32, 128>
%o = memref.alloc() : memref<1024xf32, 128>
%n = arith.select %alone, %c1024, %c256 : index
scf.forall (%k) = (0) to (1024) step (%n) {
%is = memref.subview %i[%k] [%n] [128] : memref<1024xi32> to memref<?xi32, strided<[128], offset: ?>>
%os = memref.subview %o[%k] [%n] [128] : memref<1024xf32, 128> to memref<?xf32, strided<[128], offset: ?>, 128>
linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
ins(%is : memref<?xi32, strided<[128], offset: ?>>) outs(%os : memref<?xf32, strided<[128], offset: ?>, 128>) {
^bb0(%in: i32, %out: f32):
%1 = arith.index_cast %in : i32 to index
%2 = memref.load %t[%1] : memref<64xf32, 128>
linalg.yield %2 : f32
}
}
return
}

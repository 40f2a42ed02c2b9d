// Conditions in memory are bytes, compared with zero in lanes of the selected elements' size.
// RUN: hexmlir-opt %s --hexagon-vectorization | filecheck %s

// CHECK-LABEL: func.func @masked
// CHECK: %[[BYTES:.*]] = builtin.unrealized_conversion_cast %arg1 : memref<128xi1> to memref<128xi8>
// CHECK: %[[MADE:.*]] = builtin.unrealized_conversion_cast %arg3 : memref<128xi1> to memref<128xi8>
// CHECK: vector.load %[[BYTES]]{{.*}} vector<128xi8>
// CHECK: arith.cmpi ne, %{{.*}} : vector<128xi32>
// CHECK: arith.select %{{.*}} : vector<128xi1>, vector<128xf32>
// CHECK: vector.store %{{.*}}, %[[MADE]]
// CHECK-NOT: linalg
#map = affine_map<(i) -> (i)>
func.func @masked(%x: memref<128xf32>, %m: memref<128xi1>, %y: memref<128xf32>, %c: memref<128xi1>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %m : memref<128xf32>, memref<128xi1>) outs(%y, %c : memref<128xf32>, memref<128xi1>) {
  ^bb0(%a: f32, %p: i1, %o: f32, %q: i1):
    %0 = arith.select %p, %a, %zero : f32
    %1 = arith.cmpf ogt, %0, %zero : f32
    linalg.yield %0, %1 : f32, i1
  }
  return
}

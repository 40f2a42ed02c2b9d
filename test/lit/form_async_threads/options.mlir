// The number of tasks.
// RUN: hexmlir-opt %s --form-async-threads=threads=3 --canonicalize | filecheck %s --check-prefix=THREE
// RUN: hexmlir-opt %s --form-async-threads=threads=1 | filecheck %s --check-prefix=ONE
// RUN: hexmlir-opt %s --form-async-threads --target=v79 --canonicalize | filecheck %s --check-prefix=V79
// RUN: not hexmlir-opt %s --form-async-threads=threads=-1 2>&1 | filecheck %s --check-prefix=BAD
// BAD: error: form-async-threads: threads=-1

// THREE: async.create_group %c2
// THREE: scf.for %{{.*}} = %c1 to %c3
// ONE-NOT: async
// ONE-LABEL: func.func @f
// ONE: scf.for
// ONE-NEXT: memref.store
// V79: async.create_group %c5
func.func @f(%x: memref<16xf32>, %v: f32) {
  scf.forall (%i) in (16) {
    memref.store %v, %x[%i] : memref<16xf32>
  }
  return
}

// The limit of a loop whose iterations take TCM of their own.
// THREE-LABEL: func.func @limited
// THREE: async.create_group %c1
// V79-LABEL: func.func @limited
// V79: async.create_group %c1
// ONE-LABEL: func.func @limited
// ONE-NOT: async
func.func @limited(%x: memref<16xf32>, %v: f32) {
  scf.forall (%i) in (16) {
    memref.store %v, %x[%i] : memref<16xf32>
  } {hexagon.most_tasks = 2 : i64}
  return
}

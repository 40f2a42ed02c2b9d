// Declarations have no instructions and stay as they are; a function without a location gets none.
// RUN: hexmlir-opt %s --hexagon-line-info --mlir-print-debuginfo | filecheck %s

// CHECK-NOT: name = "declared"
// CHECK: llvm.func @declared()
// CHECK: llvm.func @nowhere
// CHECK-NEXT: llvm.call @declared() : () -> () loc(#[[PLACE:.*]])
// CHECK: #[[PLACE]] = loc("<unknown>":0:0)
llvm.func @declared() loc("k.py":1:1)
llvm.func @nowhere() {
  llvm.call @declared() : () -> () loc(unknown)
  llvm.return loc(unknown)
} loc(unknown)

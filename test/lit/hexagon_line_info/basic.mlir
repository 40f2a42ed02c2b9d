// Functions get a scope of their file and line, calls without a location line 0 of it; existing locations stay.
// RUN: hexmlir-opt %s --hexagon-line-info --mlir-print-debuginfo | filecheck %s

// CHECK: llvm.func @f
// CHECK-NEXT: llvm.call @g() : () -> () loc(#[[NOWHERE:.*]])
// CHECK-NEXT: llvm.call @g() : () -> () loc(#[[SEVEN:.*]])
// CHECK: #[[FILE:.*]] = #llvm.di_file<"k.py" in "">
// CHECK: #[[NOWHERE]] = loc("k.py":0:0)
// CHECK: #[[SEVEN]] = loc("k.py":7:5)
// CHECK: emissionKind = LineTablesOnly
// CHECK: #[[SCOPE:.*]] = #llvm.di_subprogram<{{.*}}name = "f", linkageName = "f", file = #[[FILE]], line = 3
// CHECK: loc(fused<#[[SCOPE]]>[
llvm.func @f() {
  llvm.call @g() : () -> () loc(unknown)
  llvm.call @g() : () -> () loc("k.py":7:5)
  llvm.return loc("k.py":8:5)
} loc("k.py":3:1)
llvm.func @g() attributes {passthrough = ["noinline"]} {
  llvm.return loc("k.py":2:5)
} loc("k.py":1:1)

// The pass takes no options.
// RUN: not hexmlir-opt %s --hexagon-line-info=lines=true 2>&1 | filecheck %s
// CHECK: error: hexagon-line-info: unknown option 'lines'
llvm.func @f() {
  llvm.return
}

// The pass has no options.
// RUN: not hexmlir-opt %s --hexagon-loop-interchange=loops=2 2>&1 | filecheck %s
// CHECK: error: hexagon-loop-interchange: unknown option 'loops'
func.func @f() { return }
func.func @g(%i: index) -> index { return %i : index }

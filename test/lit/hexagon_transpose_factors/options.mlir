// The pass has no options.
// RUN: not hexmlir-opt %s --hexagon-transpose-factors=rows=2 2>&1 | filecheck %s
// CHECK: error: hexagon-transpose-factors: unknown option 'rows'
func.func @f() { return }
func.func @h(%x: f32) -> f32 { return %x : f32 }

// The pass has no options.
// RUN: not hexmlir-opt %s --transpose-few-columns=columns=2 2>&1 | filecheck %s
// CHECK: error: transpose-few-columns: unknown option 'columns'
func.func @columns() { return }

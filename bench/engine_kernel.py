"""LLVM IR of a kernel that calls a routine of the matrix engine for each row of tiles."""

from hexagon_mlir.codegen.matrix_engine.routines import TILE_BYTES

_KERNEL = """
declare void @hexmlir_rt_engine_acquire()
declare void @hexmlir_rt_engine_release()
declare void @{routine}(ptr, ptr, ptr, i32, i32, ptr)
define void @kernel(ptr %a, ptr %w, ptr %o, ptr %t) {{
entry:
  call void @hexmlir_rt_engine_acquire()
  br label %row
row:
  %i = phi i32 [ 0, %entry ], [ %next, %row ]
  %x = mul i32 %i, {row}
  %y = mul i32 %i, {result}
  %p = getelementptr i8, ptr %a, i32 %x
  %q = getelementptr i8, ptr %o, i32 %y
  call void @{routine}(ptr %p, ptr %w, ptr %q, i32 {reduction}, i32 {columns}, ptr %t)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, {rows}
  br i1 %more, label %row, label %end
end:
  call void @hexmlir_rt_engine_release()
  ret void
}}
"""


def engine_kernel(routine: str, result_bytes: int, rows: int, reduction: int, columns: int) -> str:
    """``kernel(activations, weights, results, tables)``, sizes in tiles; a result tile has ``result_bytes`` in all.

    Sizes are constants: arguments beyond six would come from the stack, which is in DDR.
    """
    return _KERNEL.format(routine=routine, row=reduction * TILE_BYTES, result=columns * result_bytes, rows=rows,
                          reduction=reduction, columns=columns)

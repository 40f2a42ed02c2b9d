"""LLVM IR of a kernel that calls a routine of the matrix engine for each row of tiles."""

_KERNEL = """
declare void @hexmlir_rt_engine_acquire()
declare void @hexmlir_rt_engine_release()
declare void @{routine}(ptr, ptr, ptr, i32, i32, ptr)
define void @kernel(ptr %a, ptr %w, ptr %o, ptr %t, i32 %rows, i32 %k, i32 %columns) {{
entry:
  call void @hexmlir_rt_engine_acquire()
  %from = mul i32 %k, 2048
  %to = mul i32 %columns, {result_bytes}
  br label %row
row:
  %i = phi i32 [ 0, %entry ], [ %next, %row ]
  %x = mul i32 %i, %from
  %y = mul i32 %i, %to
  %p = getelementptr i8, ptr %a, i32 %x
  %q = getelementptr i8, ptr %o, i32 %y
  call void @{routine}(ptr %p, ptr %w, ptr %q, i32 %k, i32 %columns, ptr %t)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %rows
  br i1 %more, label %row, label %end
end:
  call void @hexmlir_rt_engine_release()
  ret void
}}
"""


def engine_kernel(routine: str, result_bytes: int) -> str:
    """``kernel(activations, weights, results, tables, rows, reduction, columns)``, sizes in tiles; a result tile has
    ``result_bytes`` in all."""
    return _KERNEL.format(routine=routine, result_bytes=result_bytes)

"""IR that LLVM aborts at."""

from __future__ import annotations

from hexagon_mlir.codegen.faults.record import CAUTIOUS, WORDS, Aborts, Fault, function
from hexagon_mlir.codegen.variants import Variant

_TWICE = ", ".join(f"i32 {lane // 2}" for lane in range(64))

ABORTS = (
    Fault("mask-selects", "a select between two vectors of i1 by a third one cannot be selected", function(f"""
        {WORDS}
        %a = icmp sgt <32 x i32> %x, %y
        %b = icmp eq <32 x i32> %x, splat (i32 7)
        %c = icmp slt <32 x i32> %y, splat (i32 9)
        %m = select <32 x i1> %a, <32 x i1> %b, <32 x i1> %c
        %r = select <32 x i1> %m, <32 x i32> %x, <32 x i32> %y
        store <32 x i32> %r, ptr %out, align 128"""), Aborts("LLVM ERROR: Cannot select"), "22.1"),
    Fault(CAUTIOUS, "the reuse of vectors between iterations expects an instruction after every phi of a vector",
          """define void @f(ptr align 128 %p, ptr align 128 %q, i32 %n) {
entry:
  %start = load <32 x i32>, ptr %q, align 128
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %c = phi <32 x i32> [ %start, %entry ], [ zeroinitializer, %loop ]
  %at = getelementptr <32 x i32>, ptr %p, i32 %i
  %old = load <32 x i32>, ptr %at, align 128
  %new = add <32 x i32> %old, %c
  store <32 x i32> %new, ptr %at, align 128
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
""", Aborts("", "over the backedge"), "22.1", optimized=True),
    Fault(CAUTIOUS, "the search for windows expects live ranges to follow each instruction that it moves on trial",
          f"""declare void @llvm.masked.store.v64i16.p0(<64 x i16>, ptr, <64 x i1>)
define void @f(ptr noalias %p, ptr noalias %out, i32 %n) {{
entry:
  %more = icmp sgt i32 %n, 1
  br i1 %more, label %other, label %loop
other:
  store i32 0, ptr %p, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ 0, %other ], [ %next, %loop ]
  %at = getelementptr i8, ptr %p, i32 %n
  %x = load <64 x i16>, ptr %at, align 2
  %far = getelementptr i8, ptr %at, i32 130
  %y = load <64 x i16>, ptr %far, align 2
  %m = icmp sgt <64 x i16> %x, %y
  %sum = add <64 x i16> %x, %y
  %r = shufflevector <64 x i16> %sum, <64 x i16> poison, <64 x i32> <{_TWICE}>
  call void @llvm.masked.store.v64i16.p0(<64 x i16> %r, ptr align 2 %out, <64 x i1> %m)
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, 3
  br i1 %done, label %exit, label %loop
exit:
  ret void
}}
""", Aborts("", "LR.verify()"), "22.1", variant=Variant(windows=True)),
)

define void @f(ptr %p, ptr %q, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %p, i32 %i
  %other = getelementptr float, ptr %q, i32 %i
  %row = load <32 x i32>, ptr %at, align 4
  %first = load float, ptr %at, align 4
  %alone = load float, ptr %other, align 4
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 4
  br i1 %done, label %exit, label %loop
exit:
  %last = load float, ptr %p, align 4
  ret void
}

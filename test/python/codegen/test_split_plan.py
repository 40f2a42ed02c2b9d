"""In which order of lanes vectors of several registers are computed."""

import re

from text_rewrites import use_native_vectors


def test_a_loop_goes_round_in_the_order_it_computes_in():
    """Products of f16 leave even and odd lanes apart; the sums start from half a vector as it is in memory."""
    text = use_native_vectors(f"""define void @f(ptr %p, ptr %o, <64 x half> %f, i32 %n) {{
entry:
  %bias = load <32 x float>, ptr %o, align 128
  %start = shufflevector <32 x float> %bias, <32 x float> zeroinitializer, <64 x i32> <{", ".join(
      f"i32 {k}" for k in range(64))}>
  %w = fpext <64 x half> %f to <64 x float>
  br label %rows

rows:
  %r = phi i32 [ 0, %entry ], [ %k, %row ]
  %u = phi <64 x float> [ %start, %entry ], [ %t, %row ]
  br label %loop

loop:
  %s = phi <64 x float> [ %u, %rows ], [ %t, %loop ]
  %i = phi i32 [ 0, %rows ], [ %j, %loop ]
  %q = getelementptr <64 x half>, ptr %p, i32 %i
  %x = load <64 x half>, ptr %q, align 128
  %y = fpext <64 x half> %x to <64 x float>
  %m = fmul <64 x float> %y, %w
  %t = fadd <64 x float> %s, %m
  %j = add i32 %i, 1
  %c = icmp eq i32 %j, %n
  br i1 %c, label %row, label %loop

row:
  %k = add i32 %r, 1
  %d = icmp eq i32 %k, %n
  br i1 %d, label %end, label %rows

end:
  store <64 x float> %t, ptr %o, align 128
  ret void
}}
""", True)
    loop = text[text.index("rows:"):text.index("end:")]
    assert len(re.findall(r"@llvm\.hexagon\.V6\.vadd\.qf32\.128B", loop)) == 2
    assert "vshuff" not in loop
    assert "vshuff" in text[text.index("end:"):]

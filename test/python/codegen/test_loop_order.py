"""Which loops are put in order: none whose order matters for more than the values of its instructions."""

import pytest
from text_rewrites import order_loops

V = "<32 x i32>"
ADD = f"call {V} @llvm.hexagon.V6.vaddw.128B({V} %b, {V} %b)"
LOOP = f"""define void @f(ptr %p, ptr %q, i32 %n) {{
entry:
  br label %loop

loop:                                             ; preds = %loop, %entry
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store {V} splat (i32 1), ptr %p, align 128
  %given = CALL
  %a = load {V}, ptr %q, align 128
  %b = load {V}, ptr %p, align 128
  %c = {ADD}
  store {V} %c, ptr %q, align 128
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:                                              ; preds = %loop
  ret void
}}
"""


@pytest.mark.parametrize(("call", "ordered"), [
    (ADD.replace("%b", "zeroinitializer"), True), ("call i32 @memcpy(i32 %to, i32 %from, i32 %n)", False),
    ("tail call i32 @memcpy(i32 %to, i32 %from, i32 %n)", False), ("call i32 %function(i32 %n)", False)])
def test_a_function_that_is_called_stays_between_what_is_stored_and_loaded(call, ordered):
    """memcpy gives a value, and was moved in front of the stores that fill what it copies to."""
    text = LOOP.replace("CALL", call)
    assert (order_loops(text).split() != text.split()) == ordered

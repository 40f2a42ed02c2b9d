"""Conversions out of qfloat in front of calls."""

from text_rewrites import conversions_before_calls, printed

CONVERT = "call <32 x i32> @llvm.hexagon.V6.vconv.sf.qf32.128B(<32 x i32> "
BODY = f"""define <32 x i32> @f(<32 x i32> %a, ptr %p) {{
  %kept = {CONVERT}%a)
  %stored = {CONVERT}%kept)
  store <32 x i32> %stored, ptr %p, align 128
  %moved = bitcast <32 x i32> %kept to <32 x float>
  %m = call ptr @aligned_alloc(i32 128, i32 128)
  %late = {CONVERT}%a)
  br label %next
next:
  %r = bitcast <32 x float> %moved to <32 x i32>
  ret <32 x i32> %r
}}
"""


def test_what_counts_behind_the_call_is_used_in_front_of_it():
    """Not what is stored before the call, nor what is converted behind it."""
    lines = conversions_before_calls(BODY).splitlines()
    assert lines[:3] + lines[4:] == printed(BODY).splitlines(), "a line more"
    assert lines[3] == '  call void asm sideeffect "", "v"(<32 x i32> %kept)'


def test_calls_of_intrinsics_are_none():
    text = BODY.replace("call ptr @aligned_alloc(", "call ptr @llvm.ptrmask(")
    assert conversions_before_calls(text) == text


class Spilling:
    """A library that puts a product on the stack unless the conversion of it has its place."""

    def generate(self, text, *_):
        stored = "" if 'asm sideeffect "", "v"' in text else "\t{\n\t\tvmem(r29+#0) = v0\n\t}\n"
        return "f:\n\t{\n\t\tv0.qf32 = vmpy(v1.sf,v2.sf)\n\t}\n" + stored + "\t{\n\t\tjumpr r31\n\t}\n"

"""Which stores to the stack may hold a qfloat value, along the branches of a function."""


import pytest

from hexagon_mlir.codegen.hvx.qfloat_spills import qfloat_spills

SPILL = "vmem(r29+#1) = v2"


def asm(*lines):
    """Every line a packet of its own, but labels and `` | `` between instructions of one packet."""
    text = ["f:"]
    for line in lines:
        ends = " :" + line.split(" :")[1] if " :endloop" in line else ""
        body = line.split(" :endloop")[0].split(" | ")
        text += [line] if line.endswith(":") else ["\t{", *(f"\t\t{part}" for part in body), "\t}" + ends]
    return "\n".join(text) + "\n"


FOUND = {
    "in a row": ("v2.qf32 = vadd(v0.sf,v1.sf)", SPILL),
    "zero less a value": ("v1 = vxor(v1,v1)", "v2.qf32 = vsub(v1.sf,v2.sf)", SPILL),
    "a pair": ("v3:2.qf32 = vmpy(v0.hf,v1.hf)", SPILL),
    "around a loop": ("loop0(.LBB0_1,r0)", ".LBB0_1:", SPILL, "v2.qf32 = vadd(v0.sf,v1.sf) :endloop0", "jumpr r31"),
    "around the first of two": ("loop1(.LBB0_1,r1)", ".LBB0_1:", SPILL, "loop0(.LBB0_2,r0)", ".LBB0_2:",
                                "v2.qf32 = vadd(v0.sf,v1.sf) :endloop0", "if (p0) jump:nt .LBB0_3", "nop :endloop1",
                                "jumpr r31", ".LBB0_3:", "loop1(.LBB0_4,r1)", ".LBB0_4:", "nop :endloop1",
                                "jumpr r31"),
    "entered with its loop set at once": ("p3 = sp1loop0(.LBB0_1,r0)", ".LBB0_1:", SPILL,
                                          "v2.qf32 = vadd(v0.sf,v1.sf) :endloop0", "jumpr r31"),
    "around two loops": ("loop1(.LBB0_1,r1)", ".LBB0_1:", SPILL, "loop0(.LBB0_2,r0)", ".LBB0_2:",
                         "v0 = vmem(r1+#0) :endloop0", "v2.qf32 = vadd(v0.sf,v1.sf) :endloop1", "jumpr r31"),
    "around loops that end together": ("loop1(.LBB0_1,r1)", ".LBB0_1:", SPILL, "loop0(.LBB0_2,r0)", ".LBB0_2:",
                                       "v2.qf32 = vadd(v0.sf,v1.sf) :endloop01", "jumpr r31"),
    "the packet loads another value": (
        "v0 = vxor(v0,v0)", "v2.qf32 = vadd(v1.sf,v0.sf) | v0.cur = vmem(r29+#3)", SPILL),
    "behind a branch": ("v2.qf32 = vadd(v0.sf,v1.sf)", "if (p0) jump:nt .LBB0_1", "v2 = vmem(r0+#0)", "jumpr r31",
                        ".LBB0_1:", SPILL),
    "on one of two ways": ("v2.qf32 = vadd(v0.sf,v1.sf)", "if (p0) jump:nt .LBB0_1", "v2 = vmem(r0+#0)",
                           ".LBB0_1:", SPILL),
    "a branch with its comparison": (
        "v2.qf32 = vadd(v0.sf,v1.sf)", "p0 = cmp.eq(r0,#1); if (p0.new) jump:nt .LBB0_1", "jumpr r31",
        ".LBB0_1:", SPILL),
    "a table of jumps": ("v2.qf32 = vadd(v0.sf,v1.sf)", "jumpr r0", ".LBB0_1:", "jumpr r31", ".LBB0_2:", SPILL),
    "moved": ("v5.qf32 = vadd(v0.sf,v1.sf)", "v2 = v5", SPILL),
    "moved as a pair": ("v5.qf32 = vadd(v0.sf,v1.sf)", "v3:2 = vcombine(v4,v5)", SPILL),
    "another value is moved over zero": ("v1 = vxor(v1,v1)", "v1 = v4", "v2.qf32 = vadd(v2.sf,v1.sf)", SPILL),
    "zero is moved on a condition": ("v4 = vxor(v4,v4)", "if (p0) v1 = v4", "v2.qf32 = vadd(v2.sf,v1.sf)", SPILL),
    "zero is moved to the other of a pair": ("v4 = vxor(v4,v4)", "v7:6 = vcombine(v4,v0)",
                                             "v2.qf32 = vadd(v2.sf,v6.sf)", SPILL),
    "kept by a condition": ("v2.qf32 = vadd(v0.sf,v1.sf)", "if (p0) v2 = v0", SPILL),
    "the old value": ("v2.qf32 = vadd(v0.sf,v1.sf)", f"v2.sf = v2.qf32 | {SPILL}"),
}
NONE = {
    "an exact value": ("v1 = vxor(v1,v1)", "v2.qf32 = vadd(v2.sf,v1.sf)", SPILL),
    "an exact difference": ("v1 = vxor(v1,v1)", "v2.qf32 = vsub(v2.sf,v1.sf)", SPILL),
    "zero comes from the stack": ("v1 = vxor(v1,v1)", "vmem(r29+#3) = v1", "v1 = vmem(r0+#0)", "v1 = vmem(r29+#3)",
                                  "v2.qf32 = vadd(v2.sf,v1.sf)", SPILL),
    "zero is moved": ("v1 = vxor(v1,v1)", "v4 = v1", "v6 = vmem(r0+#0)", "v7:6 = vcombine(v4,v0)",
                      "v2.qf32 = vadd(v2.sf,v7.sf)", SPILL),
    "no longer an address": ("r1 = add(r29,#2048)", "r1 = add(r0,#128)", "v2.qf32 = vadd(v0.sf,v1.sf)",
                             "vmem(r1+#1) = v2"),
    "an exact value in the same packet": ("v1 = vxor(v1,v1)", "v2.qf32 = vadd(v2.sf,v1.sf) | vmem(r29+#1) = v2.new"),
    "converted": ("v2.qf32 = vadd(v0.sf,v1.sf)", "v2.sf = v2.qf32", SPILL),
    "the new value": ("v2.qf32 = vadd(v0.sf,v1.sf)", "v2.sf = v2.qf32 | vmem(r29+#1) = v2.new"),
    "never reached": ("v2.qf32 = vadd(v0.sf,v1.sf)", "jump .LBB0_2", ".LBB0_1:", SPILL, ".LBB0_2:", "jumpr r31"),
    "loaded before the branch": ("if (p0) jump:nt .LBB0_1", "v2.qf32 = vadd(v0.sf,v1.sf)", "jump .LBB0_2", ".LBB0_1:",
                                 SPILL, ".LBB0_2:", "jumpr r31"),
    "the packet loads what it stores": ("v2.qf32 = vadd(v0.sf,v1.sf)", f"v2.cur = vmem(r0+#0) | {SPILL}"),
    "the packet loads the zero": ("v1 = vxor(v1,v1)", "vmem(r29+#3) = v1",
                                  "v2.qf32 = vadd(v0.sf,v0.sf) | v0.cur = vmem(r29+#3)", SPILL),
    "in an earlier outer loop": ("v2 = vxor(v2,v2)", "loop1(.LBB0_1,r0)", ".LBB0_1:", f"{SPILL} :endloop1",
                                 "loop1(.LBB0_2,r1)", ".LBB0_2:", "v2.qf32 = vadd(v0.sf,v1.sf) :endloop1", "jumpr r31"),
    "in an earlier loop": ("loop0(.LBB0_1,r0)", ".LBB0_1:", f"{SPILL} :endloop0", "loop1(.LBB0_2,r1)", ".LBB0_2:",
                           "v2.qf32 = vadd(v0.sf,v1.sf) :endloop1", "jumpr r31"),
    "the other of a pair": ("v5.qf32 = vadd(v0.sf,v1.sf)", "v3:2 = vcombine(v5,v4)", SPILL),
    "in another function": ("v2.qf32 = vadd(v0.sf,v1.sf)", "dealloc_return", "g:", SPILL),
    "not the stack": ("v2.qf32 = vadd(v0.sf,v1.sf)", "vmem(r1+#1) = v2"),
}


FAR = ("v2.qf32 = vadd(v0.sf,v1.sf)", "r1 = add(r29,#2048)", "vmem(r1+#-2) = v2")


@pytest.mark.parametrize("between", [(), ("if (p0) jump:nt .LBB0_1", "r0 = #1", ".LBB0_1:")])
def test_slots_far_from_the_stack_pointer(between):
    assert qfloat_spills(asm(*FAR[:2], *between, FAR[2])) == [FAR[2]]


@pytest.mark.parametrize("overwrite", [
    ("vmem(r29+#3) = v5",), ("r1 = add(r29,#2048)", "vmem(r1+#-13) = v5"), ("if (p0) vmem(r29+#3) = v5",),
    ("if (p0) jump:nt .LBB0_1", "vmem(r29+#3) = v5", ".LBB0_1:")])
def test_a_slot_that_zero_was_in_once(overwrite):
    lines = ("v1 = vxor(v1,v1)", "vmem(r29+#3) = v1", *overwrite, "v1 = vmem(r29+#3)", "v2.qf32 = vadd(v2.sf,v1.sf)")
    assert qfloat_spills(asm(*lines, SPILL)) == [SPILL]


def test_zero_on_one_of_two_ways_is_not_exact():
    lines = ("if (p0) jump:nt .LBB0_1", "v1 = vxor(v1,v1)", ".LBB0_1:", "v2.qf32 = vadd(v2.sf,v1.sf)", SPILL)
    assert qfloat_spills(asm(*lines)) == [SPILL]


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    (spill,) = qfloat_spills(asm(*FOUND[name]))
    assert spill == SPILL


@pytest.mark.parametrize("name", NONE)
def test_none(name):
    assert qfloat_spills(asm(*NONE[name])) == []


IR = """define void @f(ptr %x) {
  %a = load <32 x float>, ptr %x, align 128
  %b = fmul <32 x float> %a, %a
  %c = fadd <32 x float> %b, %a
  store <32 x float> %c, ptr %x, align 128
  ret void
}
"""

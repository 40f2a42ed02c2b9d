"""What instructions take of a packet, and the packets that a loop needs at least."""

from collections import Counter

import pytest

from hexagon_mlir.isa.packets import instructions, lines_naming, same_form
from hexagon_mlir.isa.resources import OCCUPIES, PER_PACKET, needed_packets, occupied_by


@pytest.mark.parametrize(("line", "taken"), [
    ("r1 = add(r2,#4)", {"slot": 1}),
    ("r1 = memw(r2+#4)", {"slot": 1, "load": 1}),
    ("v1 = vmem(r2+#0)", {"slot": 1, "load": 1, "pipe": 1}),
    ("v1.cur = vmem(r2+#0)", {"slot": 1, "load": 1, "pipe": 1}),
    ("v1.tmp = vmem(r2+#0)", {"slot": 1, "load": 1}),
    ("v1 = vmemu(r2+#0)", {"slot": 1, "load": 1, "store": 1, "pipe": 1, "permute": 1}),
    ("vmem(r2+#0) = v1", {"slot": 1, "store": 1, "pipe": 1}),
    ("vmem(r2+#0) = v1.new", {"slot": 1, "store": 1}),
    ("v1.qf32 = vmpy(v2.sf,v3.sf)", {"slot": 1, "pipe": 2, "multiply": 2}),
    ("v1.h = vmpy(v2.h,v3.h):<<1:rnd:sat", {"slot": 1, "pipe": 1, "multiply": 1}),
    ("v1.qf32 = vadd(v2.qf32,v3.qf32)", {"slot": 1, "pipe": 1, "shift": 1}),
    ("v1 = vdelta(v2,v3)", {"slot": 1, "pipe": 1, "permute": 1}),
    ("v1:0 = vshuff(v2,v3,r4)", {"slot": 1, "pipe": 2, "shift": 1, "permute": 1}),
    ("if (q0) v1.w += v2.w", {"slot": 1, "pipe": 1}),
    ("v1 = vxor(v2,v3)", {"slot": 1, "pipe": 1}),
    ("p0 = cmp.gt(r1,r2); if (p0.new) jump:t .LBB0_1", {"slot": 2}),
    ("no instruction", {"slot": 1}),
])
def test_taken(line, taken):
    assert occupied_by(line) == Counter(taken)


def test_an_unknown_line_beside_known_ones():
    assert needed_packets([occupied_by("no instruction"), occupied_by("v1.tmp = vmem(r2+#0)")]) == {
        "slot": 0.5, "load": 1.0}


@pytest.mark.parametrize(("line", "form"), [
    ("if (!p2.new) v17.cur = vmem(r5+#-3)", "if (!p0.new) v0.cur = vmem(r0+#0)"),
    ("v21:20.qf32 = vmpy(v2.hf,v3.hf)", "v1:0.qf32 = vmpy(v0.hf,v0.hf)"),
    ("v2 = vmem(r29+#4)", "v0 = vmem(r29+#0)"),
    ("r5 = add(r30,##-4096)", "r0 = add(r30,##0)"),
    ("r31:30 = dealloc_return(r30):raw", "r31:30 = dealloc_return(r30):raw"),
    ("p0 = cmp.gt(r1,#17); if (p0.new) jump:t .LBB0_17", "p0 = cmp.gt(r0,#0); if (p0.new) jump:t .LBB0_17"),
    ("v3.h = vmpy(v12.h,v7.h):<<1:rnd:sat", "v0.h = vmpy(v0.h,v0.h):<<1:rnd:sat"),
    ("r3:2 = combine(##.LCPI0_1,#4)", "r1:0 = combine(##.LCPI0_1,#0)"),
    ("vmem(r7++#1) = v6.new", "vmem(r0++#0) = v0.new"), ("v0 = vmemu(r11++m1)", "v0 = vmemu(r0++m1)")])
def test_lines_of_the_same_form_occupy_the_same(line, form):
    assert same_form(line) == form
    assert occupied_by(form) == occupied_by(line) and len(instructions(form)) == len(instructions(line)) > 0


def test_lines_that_name_a_register():
    lines = ["r1 = r12", "v2 = vmem(r2+#0)", "r3:2 = combine(r4,r5)", "allocframe(r29,#16):raw", "r23 = #2"]
    assert lines_naming(lines, {2}) == lines[1:4]
    assert lines_naming(lines, {1, 23}) == [lines[0], lines[3], lines[4]]


def test_the_busiest_resource_bounds():
    adds, products = occupied_by("v1.qf32 = vadd(v2.qf32,v3.qf32)"), occupied_by("v1.qf32 = vmpy(v2.sf,v3.sf)")
    assert needed_packets([adds] * 3 + [products]) == {"slot": 1.0, "pipe": 1.25, "shift": 3.0, "multiply": 1.0}
    assert needed_packets([]) == {}


def test_every_resource_is_in_a_packet():
    assert {resource for taken in OCCUPIES.values() for resource in taken} == set(PER_PACKET)

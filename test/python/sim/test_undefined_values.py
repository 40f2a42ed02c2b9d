"""Bytes without a value that vector loads meet: reported where a different content of them makes a difference."""

import pytest

from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.checking.rules import Rule
from hexagon_mlir.sim.translation import code

BEFORE = ("r17 = r0; r18 = r31", "r1 = #128; r0 = #512", "call hexmlir_rt_tcm_alloc", "r16 = r0; r0 = r17",
          "r2 = #-1; r3 = #8; r4 = #0", "r5 = #252; r6 = #4", "q0 = vsetq(r3); v1 = vsplat(r2)", "v2 = vsplat(r4)",
          "vmem(r16+#1) = v1")
AFTER = ("r0 = r16", "call hexmlir_rt_tcm_free", "r31 = r18", "jumpr r31")
"""r0: 256 bytes of the caller; r16: 512 bytes of TCM, of which the second vector is written; q0: the first 8 bytes;
v1: ones, v2: zeros, v0: without a value."""


def program(packets, before=BEFORE, after=AFTER):
    body = "".join(line + "\n" if line.endswith(":") else "\t{\n\t\t" + line.replace("; ", "\n\t\t") + "\n\t}\n"
                   for line in (*before, *packets, *after))
    return "\t.text\n\t.globl\tf\n\t.type\tf,@function\nf:\n" + body


def reports(text):
    machine = Machine(text, check=True)
    return machine.run("f", [machine.alloc_ddr(256)]).reports


LOAD = "v0 = vmem(r16+#0)"
USED = {
    "stored": [LOAD, "vmem(r0+#0) = v0"],
    "stored unaligned": [LOAD, "vmemu(r0+#0) = v0"],
    "sum": [LOAD, "v3.w = vadd(v0.w,v1.w)", "vmem(r0+#0) = v3"],
    "new": [LOAD, "v3.w = vadd(v0.w,v1.w); vmem(r0+#0) = v3.new"],
    "cur": ["v0.cur = vmem(r16+#0); v3 = vxor(v0,v1)", "vmem(r0+#0) = v3"],
    "tmp": ["v0.tmp = vmem(r16+#0); v3 = vxor(v0,v1)", "vmem(r0+#0) = v3"],
    "pair": [LOAD, "v5:4 = vcombine(v0,v1)", "vmem(r0+#0) = v5"],
    "lanes without a value": [LOAD, "q0 = not(q0)", "if (q0) vmem(r0+#0) = v0"],
    "chosen": [LOAD, "v3 = vmux(q0,v1,v0)", "vmem(r0+#0) = v3"],
    "some lanes of a sum": [LOAD, "v3 = v1", "if (q0) v3.w += v0.w", "vmem(r0+#0) = v3"],
    "a mask": [LOAD, "q1 = vcmp.gt(v0.w,v1.w)", "if (q1) vmem(r0+#0) = v1"],
    "joined, shifted too little": [LOAD, "v3 = vmem(r16+#1)", "v3 = valign(v3,v0,r6)", "vmem(r0+#0) = v3"],
    "through TCM": [LOAD, "vmem(r16+#2) = v0", "v3 = vmem(r16+#2)", "vmem(r0+#0) = v3"],
    "a word": [LOAD, "r7 = vextract(v0,r4)", "memw(r0+#0) = r7"],
    "a sum of words": [LOAD, "r7 = vextract(v0,r4)", "r8 = add(r7,#4)", "r9 = combine(r8.l,r4.l)",
                       "memd(r0+#8) = r9:8"],
    "an address": [LOAD, "r7 = vextract(v0,r4)", "r7 = and(r7,#124)", "r8 = memw(r0+r7<<#0)"],
    "a branch": [LOAD, "r7 = vextract(v0,r4)", "p0 = cmp.eq(r7,#0)", "if (p0) jump:nt .LBB0_1", ".LBB0_1:"],
    "a compared branch": [LOAD, "r7 = vextract(v0,r4)", "p0 = cmp.eq(r7,#0); if (p0.new) jump:nt .LBB0_1",
                          ".LBB0_1:"],
    "chosen by a scalar condition": [LOAD, "r7 = vextract(v0,r4)", "p0 = cmp.eq(r7,#0)",
                                     "if (p0) r8 = #1; if (!p0) r8 = #2", "memw(r0+#0) = r8"],
    "splat again": [LOAD, "r7 = vextract(v0,r4)", "v3 = vsplat(r7)", "vmem(r0+#0) = v3"],
    "predicated": ["p0 = cmp.eq(r0,r0)", "if (p0) v0 = vmem(r16+#0)", "vmem(r0+#0) = v0"],
    "on a condition": [LOAD, "p0 = cmp.eq(r0,r4)", "if (p0) v0 = v1", "vmem(r0+#0) = v0"],
    "behind data": ["v0 = vmemu(r16+#1)".replace("#1", "#2"), "v3.w = vadd(v0.w,v1.w)", "vmem(r0+#0) = v3"],
    "pairs": ["v0 = vmem(r16+#2)", "v5:4.w = vadd(v1:0.w,v1:0.w)", "vmem(r0+#0) = v4"],
    "offsets of a gather": [LOAD, "r7 = #127; r8 = add(r16,#128)", "m0 = r7",
                            "vtmp.w = vgather(r8,m0,v0.w).w; vmem(r16+#2) = vtmp.new"],
    "scattered": [LOAD, "r7 = #127; r8 = add(r16,#128)", "m0 = r7", "vscatter(r8,m0,v2.w).w = v0"],
    "counted": ["v0.tmp = vmem(r16+#0); vhist"],
    "in a loop": [LOAD, "loop0(.LBB0_1,#3)", ".LBB0_1:", "v3.w = vadd(v3.w,v0.w); nop", "r9 = #0", "p0 = cmp.eq(r9,#0)",
                  "vmem(r0+#0) = v3"],
}
UNUSED = {
    "not used": [LOAD],
    "kept in TCM": [LOAD, "vmem(r16+#2) = v0"],
    "lanes with a value": [LOAD, "v3 = vmux(q0,v1,v0)", "if (q0) vmem(r0+#0) = v3"],
    "no lanes": [LOAD, "q1 = and(q0,!q0)", "if (q1) vmem(r0+#0) = v0"],
    "no lanes of a sum": [LOAD, "q1 = and(q0,!q0)", "v3 = v1", "if (q1) v3.w += v0.w", "vmem(r0+#0) = v3"],
    "masked to zero": [LOAD, "v3 = vand(v0,v2)", "vmem(r0+#0) = v3"],
    "every bit set": [LOAD, "v3 = vor(v0,v1)", "vmem(r0+#0) = v3"],
    "joined, shifted away": [LOAD, "v3 = vmem(r16+#1)", "v3 = vlalign(v3,v0,r4)", "vmem(r0+#0) = v3"],
    "not scattered": [LOAD, "r7 = #127; r8 = add(r16,#128)", "m0 = r7; q0 = and(q0,!q0)",
                      "if (q0) vscatter(r8,m0,v2.w).w = v0"],
    "counted data": ["v0.tmp = vmem(r16+#1); vhist"],
    "not loaded": ["v0 = v1; p0 = cmp.eq(r0,r4)", "if (p0) v0 = vmem(r16+#0)", "vmem(r0+#0) = v0"],
    "replaced on a condition": [LOAD, "p0 = cmp.eq(r0,r0)", "if (p0) v0 = v1", "vmem(r0+#0) = v0"],
    "written again": [LOAD, "v0 = v1", "vmem(r0+#0) = v0"],
    "written by lanes": [LOAD, "q1 = or(q0,!q0)", "if (q1) v0.w += v1.w", "q0 = not(q1)", "v0 = vmux(q0,v0,v1)",
                         "vmem(r0+#0) = v0"],
    "a half that counts": [LOAD, "v3 = vmux(q0,v1,v0)", "r7 = vextract(v3,r4)", "memw(r0+#0) = r7"],
    "a word's byte": ["memb(r16+#0) = r6", LOAD, "r7 = vextract(v0,r4)", "memb(r0+#0) = r7"],
    "lanes in scalars": [LOAD, "r7 = vextract(v0,r4)", "r7 = add(r7,#4)", "v3 = vsplat(r7)", "v3 = vmux(q0,v1,v3)",
                         "if (q0) vmem(r0+#0) = v3"],
    "spilled": ["allocframe(#8)", LOAD, "r7 = vextract(v0,r4)", "memw(r29+#0) = r7", "r8 = memw(r29+#0)",
                "r8 = and(r8,#0)", "memw(r0+#0) = r8", "r31:30 = deallocframe(r30):raw"],
    "a constant condition": [LOAD, "r7 = vextract(v0,r4)", "r7 = and(r7,#0)", "p0 = cmp.eq(r7,#0)",
                             "if (p0) jump:nt .LBB0_1", ".LBB0_1:"],
    "the second choice": [LOAD, "r7 = vextract(v0,r4)", "p0 = cmp.eq(r4,#0)", "if (p0) r8 = #1; if (!p0) r8 = r7",
                          "memw(r0+#0) = r8"],
    "stored over": [LOAD, "vmem(r0+#0) = v0", "vmem(r0+#0) = v1"],
    "loaded before the store": [LOAD, "vmem(r16+#0) = v1", "v0 = vmem(r16+#0)", "vmem(r0+#0) = v0"],
}


@pytest.mark.parametrize("level", ["quick", "fast"])
@pytest.mark.parametrize(("packets", "reported"), [
    *(pytest.param(packets, True, id=name) for name, packets in USED.items()),
    *(pytest.param(packets, False, id=name) for name, packets in UNUSED.items()),
])
def test_bytes_without_a_value(packets, reported, level, monkeypatch):
    if level == "fast":
        monkeypatch.setattr(code, "obtain", lambda *args, **kwargs: obtain(*args, **{**kwargs, "level": 1}))
    found = reports(program(packets))
    assert {report.rule for report in found} == ({Rule.UNINITIALISED} if reported else set())
    load = "v3 = vmem(r16+#2)" if "v3 = vmem(r16+#2)" in packets else "v0"
    assert all(load in report.packet and "asm line" in report.detail for report in found)


obtain = code.obtain


@pytest.mark.parametrize(("load", "reported"), [
    ("r7 = memw(r16+#0)", True), ("p0 = cmp.eq(r0,r0); if (p0.new) r7 = memw(r16+#0)", True),
    ("p0 = cmp.eq(r0,r4); if (p0.new) r7 = memw(r16+#0)", False)])
def test_a_scalar_load_is_reported_at_once(load, reported):
    found = reports(program([load]))
    assert [report.rule for report in found] == ([Rule.UNINITIALISED] if reported else [])


def test_the_report_names_the_load_the_byte_and_the_use():
    (report,) = reports(program(["vmem(r16+#0) = v1", "r7 = add(r16,#200)", "v0 = vmemu(r7+#0)",
                                 "v3 = vadd(v0.w,v1.w)".replace("v3 =", "v3.w ="), "vmemu(r0+#0) = v3"]))
    assert report.packet == "{ v0 = vmemu(r7+#0) }" and report.address % 2048 == 256
    assert report.region.endswith("+ 256 of 512 bytes")
    assert report.detail.startswith("what is loaded is left to the caller by asm line")
    assert report.detail.endswith("{ vmemu(r0+#0) = v3 }")


@pytest.mark.parametrize(("store", "rules"), [("vmemu(r0+#0) = v0", [Rule.OUT_OF_BOUNDS]),
                                              ("if (q0) vmem(r0+#0) = v0", [])])
def test_what_is_behind_an_allocation(store, rules):
    """A load that ends beyond the caller's memory is right as long as nobody uses what is there."""
    assert [report.rule for report in reports(program(["r7 = add(r0,#192)", "v0 = vmemu(r7+#0)", store]))] == rules


def test_memory_of_the_program_keeps_bytes_without_a_value():
    """malloc's memory is the program's: what it stores there without a value is reported when it is used."""
    packets = ["r19 = r0", "r0 = #256", "call malloc", "r20 = r0", LOAD, "vmem(r20+#0) = v0", "r7 = memw(r20+#4)",
               "r0 = r20", "call free"]
    found = reports(program(packets))
    assert [(report.rule, report.packet) for report in found] == [(Rule.UNINITIALISED, "{ r7 = memw(r20+#4) }")]
    assert reports(program([packet for packet in packets if "memw" not in packet])) == []


def test_a_vector_kept_over_a_call_keeps_its_second_value():
    text = program([LOAD, "call g", "vmem(r0+#0) = v0"])
    text += "\t.type\tg,@function\ng:\n\t{\n\t\tv5 = v0\n\t}\n\t{\n\t\tjumpr r31\n\t}\n"
    assert [report.rule for report in reports(text)] == [Rule.UNINITIALISED]

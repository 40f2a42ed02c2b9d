"""The checked build: every seeded fault is found by its rule and by no other; sound programs are clean."""

from pathlib import Path

import numpy as np
import pytest
from sim.forms_harness import function
from sim.kernels import assembly

from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.checking.rules import Rule

HERE = Path(__file__).parent
FAULTS = sorted((HERE / "faults").glob("*.s"))


def marks(text):
    """The ``// key: value`` lines of a faulty program."""
    return dict(line[3:].split(": ", 1) for line in text.splitlines() if line.startswith("// ") and ": " in line)


def run_fault(text):
    machine = Machine(text, check=True)
    ddr, tcm, descriptor = machine.alloc_ddr(256), machine.alloc_tcm(256), machine.alloc_ddr(64)
    return machine.run("f", [ddr, tcm, descriptor, 0])


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.stem)
def test_seeded_fault(path):
    text = path.read_text()
    want = marks(text)
    result = run_fault(text)
    assert {report.rule.value for report in result.reports} == {want["rule"]}
    report = result.reports[0]
    assert want.get("packet", "").strip() in report.packet
    if report.line:
        assert text.split("\n")[report.line - 1].strip() in report.packet
        assert report.function in text
    assert report.region
    assert report.rule.value in str(report) and report.packet in str(report)


def test_every_rule_has_a_fault():
    assert {marks(path.read_text())["rule"] for path in FAULTS} == {rule.value for rule in Rule}


def test_reports_name_the_region_and_the_first_bad_byte():
    result = run_fault((HERE / "faults" / "tcm_bounds.s").read_text())
    (report,) = result.reports
    assert report.region.startswith("0 bytes past TCM allocation") and report.region.endswith("of 256 bytes")
    assert report.address % 2048 == 256


def test_source_lines():
    text = function("f", [["r1 = memw(r0+#2)"]]).replace("f:\n", '\t.file 1 "src" "k.c"\nf:\n\t.loc 1 42 3\n')
    (report,) = Machine(text, check=True).run("f", [0]).reports
    assert (report.source, report.function, report.region) == ("src/k.c:42", "f", "null page")


@pytest.mark.parametrize(("offset", "rules"), [(0, []), (256, [Rule.OUT_OF_BOUNDS])])
@pytest.mark.parametrize("access", ["vscatter(r0,m0,v1.w).w = v1", "vtmp.w = vgather(r0,m0,v1.w).w"])
def test_gather_and_scatter(access, offset, rules):
    """Every lane goes to the same word of a TCM buffer of 256 bytes."""
    lines = [access] + (["vmem(r2+#0) = vtmp.new"] if "gather" in access else [])
    machine = Machine(function("f", [["m0 = r3"], ["v1 = vsplat(r1)"], lines]), check=True)
    buffer = machine.alloc_tcm(256)
    machine.write(buffer, np.zeros(256, np.uint8))
    result = machine.run("f", [buffer, offset, machine.alloc_tcm(128), 1023])
    assert [report.rule for report in result.reports] == rules
    assert all(access in report.packet for report in result.reports)


@pytest.mark.parametrize("mode", ["cur", "tmp"])
def test_a_loaded_operand_of_the_same_packet_has_no_float_kind(mode):
    """The register holds a qfloat sum before; the packet reads what it loads itself."""
    packets = [["v1.qf32 = vadd(v0.sf,v0.sf)"], ["v2.qf32 = vadd(v1.sf,v0.sf)", f"v1.{mode} = vmem(r0+#0)"]]
    assert run_fault(function("f", [["r3 = #1"], *packets])).reports == []


BITS = {
    "splat": [["v1 = vsplat(r1)"]], "splat of halfwords": [["v1.h = vsplat(r1)"]], "load": [["v1 = vmem(r0+#0)"]],
    "logic": [["v1 = vxor(v2,v3)"]], "copy": [["v3 = vsplat(r1)"], ["v1 = v3"]],
    "lanes of both": [["q0 = vcmp.eq(v2.w,v3.w)"], ["v1 = vmux(q0,v2,v3)"]],
    "some lanes": [["v1 = vsplat(r1)"], ["q0 = vcmp.eq(v2.w,v3.w)"], ["if (q0) v1.w += v2.w"]],
    "pair": [["v1:0 = vcombine(v2,v3)"]],
}  # fmt: skip
"""Ways to put a constant's bits in v1."""
AS_FLOAT = {
    "qf32": "v4.qf32 = vadd(v1.qf32,v1.qf32)", "qf16": "v4.qf16 = vadd(v1.qf16,v1.qf16)",
    "product": "v5:4.qf32 = vmpy(v1.qf16,v1.qf16)", "sf": "v4.qf32 = vadd(v1.sf,v1.sf)",
    "hf": "v4.qf16 = vadd(v1.hf,v1.hf)", "converted": "v4.sf = v1.qf32",
}  # fmt: skip


@pytest.mark.parametrize("use", AS_FLOAT)
@pytest.mark.parametrize("way", BITS)
@pytest.mark.parametrize("before", ["v1.qf32 = vadd(v2.sf,v3.sf)", "v1.qf16 = vadd(v2.hf,v3.hf)", "v1 = v2"])
def test_a_constant_given_as_bits_is_of_any_kind(before, way, use):
    """What writes bits says no kind, and takes away the one that the register had: a qf16 constant is one."""
    machine = Machine(function("f", [[before], *BITS[way], [AS_FLOAT[use]]]), check=True)
    assert machine.run("f", [machine.alloc_ddr(128), 0x3C003C00]).reports == []


def test_a_splat_of_a_sum_in_another_register_keeps_its_kind():
    """The constant is of any kind, what it is added to is not."""
    text = function("f", [["v2.qf16 = vadd(v3.hf,v3.hf)", "v1 = vsplat(r1)"], ["v4.qf16 = vadd(v1.qf16,v2.hf)"]])
    (report,) = Machine(text, check=True).run("f", [0, 0x3C003C00]).reports
    assert (report.rule, report.detail) == (Rule.FLOAT_KIND, "v2 holds qf16 and is read as hf")


def test_cycles_of_a_checked_run_are_the_same():
    text = function("f", [["loop0(.LL,#100)"], ["v0 = vmem(r0++#1)"], ["jumpr r31"]])
    text = text.replace("\t{\n\t\tv0", ".LL:\n\t{\n\t\tv0").replace("vmem(r0++#1)\n\t}", "vmem(r0++#1)\n\t} :endloop0")
    results = []
    for check in (False, True):
        machine = Machine(text, check=check)
        results.append(machine.run("f", [machine.alloc_ddr(12800)]))
    assert results[0] == results[1]


def test_async_tasks_are_clean():
    machine = Machine(assembly((HERE / "async" / "tasks.ll").read_text()), check=True)
    n = 4096
    data = np.random.default_rng(0).standard_normal(4 * n).astype(np.float32)
    address = machine.alloc_ddr(data.nbytes)
    for name in ("tasks", "chain"):
        machine.write(address, data)
        assert machine.run(name, [address, n]).reports == []


def test_tasks_on_overlapping_parts_race():
    text = (HERE / "async" / "tasks.ll").read_text()
    assert text.count("%19 = mul i32 %18, %1") == 1
    machine = Machine(assembly(text.replace("%19 = mul i32 %18, %1", "%19 = mul i32 %18, 32")), check=True)
    n = 4096
    address = machine.alloc_ddr(16 * n)
    reports = machine.run("tasks", [address, n]).reports
    assert {(report.rule, report.function) for report in reports} == {(Rule.RACE, "scale"), (Rule.VECTOR_RACE, "scale")}


# two threads share the bytes at r0: one loads a vector there, the other stores one of SIZE bytes at +OFFSET, then joins
SHARED = """
define void @reader(ptr %p) {
  %v = load volatile <32 x i32>, ptr %p, align 128
  ret void
}
define void @f(ptr %p) {
  %t = call i32 @hexmlir_rt_thread_create(ptr @reader, ptr %p)
  %q = getelementptr i8, ptr %p, i32 OFFSET
  STORE
  call void @hexmlir_rt_thread_join(i32 %t)
  ret void
}
declare i32 @hexmlir_rt_thread_create(ptr, ptr)
declare void @hexmlir_rt_thread_join(i32)
"""


@pytest.mark.parametrize(("offset", "store", "races"), [
    (0, "store volatile <32 x i32> zeroinitializer, ptr %q, align 128", True),
    (64, "store volatile <32 x i32> zeroinitializer, ptr %q, align 4", False),  # the load may not use that half
    (124, "store volatile i32 0, ptr %q", False),
])
@pytest.mark.parametrize("late", [False, True])
def test_what_a_vector_load_need_not_use(offset, store, races, late):
    """Whoever comes first: a store races with a vector load when it overwrites all that the load reads."""
    text = SHARED.replace("OFFSET", str(offset)).replace("STORE", store)
    if late:
        text = text.replace("  %v = load", "  %c = call i32 @hexmlir_rt_thread_id()\n  %v = load")
        text += "declare i32 @hexmlir_rt_thread_id()\n"
    machine = Machine(assembly(text), check=True)
    reports = machine.run("f", [machine.alloc_ddr(512)]).reports
    assert {report.rule for report in reports} == ({Rule.VECTOR_RACE} if races else set())


# two threads share the bytes at r0: one does FIRST with some of them, the other SECOND, then joins
NEIGHBOURS = """
define void @other(ptr %p) {
  %c = call i32 @hexmlir_rt_thread_id()
  FIRST
  ret void
}
define void @f(ptr %p) {
  %t = call i32 @hexmlir_rt_thread_create(ptr @other, ptr %p)
  SECOND
  call void @hexmlir_rt_thread_join(i32 %t)
  ret void
}
declare i32 @hexmlir_rt_thread_create(ptr, ptr)
declare void @hexmlir_rt_thread_join(i32)
declare i32 @hexmlir_rt_thread_id()
declare ptr @memcpy(ptr, ptr, i32)
"""


def touched(kind, offset):
    """LLVM IR that touches some bytes from ``offset`` on."""
    at = f"getelementptr (i8, ptr %p, i32 {offset})".replace("getelementptr (", "getelementptr ").replace("32)", "32")
    at = at.rstrip(")")
    place = f"%q{offset} = {at}\n  "
    q = f"ptr %q{offset}"
    return place + {"byte": f"store volatile i8 1, {q}", "half": f"store volatile i16 1, {q}",
                    "read": f"%v{offset} = load volatile i8, {q}",
                    "copy": f"%z{offset} = getelementptr i8, ptr %p, i32 256\n  "
                            f"%m{offset} = call ptr @memcpy({q}, ptr %z{offset}, i32 5)"}[kind]


@pytest.mark.parametrize(("first", "second", "races"), [
    (("byte", 0), ("byte", 1), False), (("byte", 5), ("byte", 5), True), (("byte", 3), ("half", 2), True),
    (("half", 0), ("half", 2), False), (("byte", 6), ("read", 7), False), (("read", 6), ("byte", 6), True),
    (("read", 1), ("byte", 2), False), (("copy", 0), ("byte", 5), False), (("copy", 0), ("byte", 4), True),
    (("byte", 7), ("copy", 8), False), (("copy", 1), ("copy", 6), False)])
@pytest.mark.parametrize("turned", [False, True])
def test_races_are_about_bytes(first, second, races, turned):
    """Rows of odd sizes share words: that threads write neighbouring bytes of one is no race."""
    first, second = (second, first) if turned else (first, second)
    text = NEIGHBOURS.replace("FIRST", touched(*first)).replace("SECOND", touched(*second))
    machine = Machine(assembly(text), check=True)
    address = machine.alloc_ddr(512)
    machine.write(address, np.zeros(512, np.uint8))
    reports = machine.run("f", [address]).reports
    assert {report.rule for report in reports} == ({Rule.RACE} if races else set())


@pytest.mark.parametrize(("load", "rules"), [
    ("v0 = vmem(r0+#0)", {Rule.VECTOR_RACE}), ("if (p0) v0 = vmem(r0+#0)", set()),
    ("if (p0) r1 = memw(r0+#0)", {Rule.RACE})])
def test_a_predicated_vector_load_is_no_reader(load, rules):
    """It may be the last of a row of joined loads, with nothing in it before the end of a mask."""
    store = "store volatile <32 x i32> zeroinitializer, ptr %q, align 128"
    text = SHARED.replace("OFFSET", "0").replace("STORE", store)
    main = assembly("define void @f" + text.split("define void @f")[1] + "declare void @reader(ptr)\n")
    reader = "".join(f"\t{{\n\t\t{line}\n\t}}\n" for line in ("p0 = cmp.eq(r0,r0)", load, "jumpr r31"))
    machine = Machine(main + "\t.text\n\t.type\treader,@function\nreader:\n" + reader, check=True)
    reports = machine.run("f", [machine.alloc_ddr(512)]).reports
    assert {report.rule for report in reports} == rules


def test_a_thread_that_nobody_waits_for():
    """Its data may be there after the return, or not: what it writes is reported, what a joined one writes is not."""
    text = SHARED.replace("OFFSET", "256").replace("STORE", "").replace(
        "%v = load volatile <32 x i32>, ptr %p, align 128", "store volatile i32 7, ptr %p")
    forgotten = text.replace("  call void @hexmlir_rt_thread_join(i32 %t)\n", "")
    for left, rules in ((text, set()), (forgotten, {Rule.RACE})):
        machine = Machine(assembly(left), check=True)
        reports = machine.run("f", [machine.alloc_ddr(512)]).reports
        assert {report.rule for report in reports} == rules, left
        assert all("nobody waited for" in str(report) for report in reports)


def test_what_the_host_places_for_a_pointer_is_no_leak():
    """A kernel that got an address of host memory as an integer; its own allocation is still one."""
    text = assembly("""declare i32 @hexmlir_rt_pointer(i64)
declare ptr @malloc(i32)
define i32 @f(i32 %own) {
  %p = call i32 @hexmlir_rt_pointer(i64 81985529216486895)
  %q = call ptr @malloc(i32 %own)
  store volatile i32 %p, ptr %q
  ret i32 %p
}""")
    machine = Machine(text, check=True)
    machine.host_pointer = lambda address: machine.alloc_ddr(4096)
    reports = machine.run("f", [256]).reports
    assert [(report.rule, "256 bytes" in str(report)) for report in reports] == [(Rule.LEAK, True)]


@pytest.mark.parametrize(("load", "reported"), [("v0 = vmem(r1+#0)", True), ("if (p0) v0 = vmem(r1+#0)", False)])
def test_a_predicated_vector_load_may_find_data_on_its_way(load, reported):
    text = (HERE / "faults" / "dma_use.s").read_text().replace("dmstart(r2)", "dmstart(r2)\n\t\tp0 = cmp.eq(r0,r0)")
    result = run_fault(text.replace("\t\tv0 = vmem(r1+#0)", f"\t\t{load}"))
    assert {report.rule for report in result.reports} == ({Rule.USE_BEFORE_WAIT} if reported else set())


@pytest.mark.parametrize(("store", "load", "reported"), [
    ("memh(r29+#0) = r3", "r5:4 = memd(r29+#0)", False),
    ("memh(r29+#0) = r3", "r4 = memw(r29+#4)", True),
    ("memh(r29+#0) = r3", "r5:4 = memd(r29+#8)", True),
    ("memh(r1+#0) = r3", "r5:4 = memd(r1+#0)", True),
], ids=["in part", "beside it", "behind it", "not on the stack"])
def test_a_scalar_load_from_the_stack_may_find_a_value_in_part(store, load, reported):
    """LLVM narrows a vector load of which two bytes are used to a doubleword."""
    text = function("f", [["allocframe(#16)"], [store], [load], ["r31:30 = dealloc_return(r30):raw"]])
    assert {report.rule for report in run_fault(text).reports} == ({Rule.UNINITIALISED} if reported else set())

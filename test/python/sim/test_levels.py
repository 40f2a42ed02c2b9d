"""Quick and fast code of one program: the same values, cycles and stalls; fast code comes when it is earned."""

import re

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.translation import cached, code, host, lower
from hexagon_mlir.sim.translation.cached import obtain
from hexagon_mlir.sim.translation.translate import translate

PROGRAM = """\t.text
\t.type\tf,@function
f:
\t{
\t\tallocframe(#8)
\t\tr7 = #-4
\t}
\t{
\t\tloop0(.Ltop,r2)
\t}
.Ltop:
\t{
\t\tv0 = vmem(r0++#1)
\t\tv1.cur = vmem(r1+#0)
\t\tv2 = vdelta(v0,v1)
\t}
\t{
\t\tv5:4 = vshuff(v2,v0,r7)
\t\tq0 = vcmp.gt(v2.w,v0.w)
\t}
\t{
\t\tv6 = vmux(q0,v4,v5)
\t\tv7.b = vlut32(v0.b,v1.b,r2)
\t}
\t{
\t\tv8.w = vadd(v6.w,v7.w)
\t\tvmem(r3++#1) = v8.new
\t} :endloop0
\t{
\t\tr0 = r3
\t\tdealloc_return
\t}
"""


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path))


def run(machine: Machine, count: int = 40):
    """Result and output bytes of ``count`` vectors of pseudo-random input."""
    machine.reset()
    generator = np.random.default_rng(7)
    source, control, out = (machine.alloc_ddr(128 * n) for n in (count, 1, count))
    machine.write(source, generator.integers(0, 256, 128 * count, np.uint8))
    machine.write(control, generator.integers(0, 256, 128, np.uint8))
    result = machine.run("f", [source, control, count, out])
    return result, machine.read(out, np.uint8, 128 * count)


@pytest.mark.parametrize("memory", ["exact", "fast"])
def test_both_levels_agree(empty_cache, monkeypatch, memory):
    quick = Machine(PROGRAM, "v75", memory=memory)
    monkeypatch.setattr(code, "QUICK_PACKETS", -1)
    fast = Machine(PROGRAM, "v75", memory=memory)
    run(fast)  # earns it
    assert fast._code.level == host.FAST and quick._code.level == host.QUICK
    (first, values), (second, others) = run(quick), run(fast)
    assert values.any() and np.array_equal(values, others)
    assert first == second


def test_fast_code_is_kept(empty_cache, monkeypatch):
    machine = Machine(PROGRAM, "v75")
    assert obtain(PROGRAM, machine.target).level == host.QUICK
    monkeypatch.setattr(code, "QUICK_PACKETS", 100)
    for _ in range(2):
        run(machine)
    assert obtain(PROGRAM, machine.target).level == host.FAST
    assert Machine(PROGRAM, "v75")._code.level == host.FAST


def test_change_between_the_programs_of_a_grid(empty_cache, monkeypatch):
    whole = Machine(PROGRAM, "v75")
    _, expected = run(whole, 8)
    monkeypatch.setattr(code, "QUICK_PACKETS", 20)
    machine = Machine(PROGRAM, "v75")
    generator = np.random.default_rng(7)
    source, control, out = (machine.alloc_ddr(128 * n) for n in (8, 1, 8))
    machine.write(source, generator.integers(0, 256, 128 * 8, np.uint8))
    machine.write(control, generator.integers(0, 256, 128, np.uint8))
    machine.run("f", [source, control, 8, out], grid=(3, 1, 1))
    assert machine._code.level == host.FAST
    np.testing.assert_array_equal(machine.read(out, np.uint8, 128 * 8), expected)


LONG = """\t.text
\t.type\tf,@function
f:
\t{
\t\tallocframe(#8)
\t\tr7 = #0
\t}
\t{
\t\tloop1(.Louter,r2)
\t\tv0 = vxor(v0,v0)
\t}
.Louter:
\t{
\t\tr6 = r0
\t\tr8 = #5
\t}
\t{
\t\tloop0(.Linner,r1)
\t}
.Linner:
\t{
\t\tv1.cur = vmem(r6++#1)
\t\tv0.w = vadd(v0.w,v1.w)
\t\tr7 = add(r7,#3)
\t\tp0 = tstbit(r7,#2)
\t}
\t{
\t\tif (p0) r8 = add(r8,r7)
\t\tif (!p0) jump:nt .Lskip
\t}
\t{
\t\tcall g
\t}
.Lskip:
\t{
\t\tif (p3) r8 = add(r8,#1)
\t} :endloop0
\t{
\t\tvmem(r3++#1) = v0
\t} :endloop1
\t{
\t\tr1:0 = combine(r8,r7)
\t\tdealloc_return
\t}
\t.type\tg,@function
g:
\t{
\t\tr7 = xor(r7,r2)
\t\tjumpr r31
\t}
"""


@pytest.mark.parametrize(("memory", "check", "loop"), [
    ("exact", False, "loop0"), ("fast", False, "p3 = sp2loop0"), ("exact", True, "p3 = sp3loop0"),
])  # fmt: skip
def test_a_long_call_goes_on_in_fast_code(empty_cache, monkeypatch, memory, check, loop):
    """In the second pass of the inner of two loops: fast code takes over their registers, counters and stages."""
    text = LONG.replace("loop0(", loop + "(")

    def long(machine: Machine):
        machine.reset()
        source, out = machine.alloc_ddr(128 * 42), machine.alloc_ddr(128 * 40)
        machine.write(source, np.random.default_rng(1).integers(0, 1 << 30, 32 * 42, np.int32))
        machine.write(out, np.zeros(32 * 40, np.int32))
        return machine.run("f", [source, 42, 40, out]), machine.read(out, np.int32, 32 * 40)

    whole = Machine(text, "v75", memory=memory, check=check)
    first, values = long(whole)
    assert whole._code.level == host.QUICK and values.any()
    monkeypatch.setattr(lower, "HOT_RUNS", 1 << 7)
    monkeypatch.setattr(cached, "_sources", lambda: "with HOT_RUNS changed")
    monkeypatch.setattr(code, "QUICK_PACKETS", 300)
    machine = Machine(text, "v75", memory=memory, check=check)
    second, others = long(machine)
    assert machine._code.level == host.FAST and machine._code._hot
    np.testing.assert_array_equal(values, others)
    assert first == second and first.blocks == second.blocks and first.functions == second.functions


@pytest.mark.parametrize("check", [False, True])
def test_the_second_translation_of_a_function_has_the_numbers_of_the_first(check):
    """Of messages, branches, packets and groups of accesses: the tables of the quick program explain both."""
    _, one = translate(LONG, targets.get("v75"), True, check)
    other, again = translate(LONG, targets.get("v75"), True, check, hot=2)
    one.code = again.code = b""
    assert one == again
    first, second = (re.search(f"void @.?{name}.?\\(.*?\n}}", other, re.DOTALL)[0] for name in ("g_0", "r_2"))
    for number in (r"%branches, i32 (\d+)", r"@ck_\w+\(ptr %st, i32 %\w+, i32 (\d+)", r"%counts, i32 (\d+)"):
        assert re.findall(number, first) == re.findall(number, second)

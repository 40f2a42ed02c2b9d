"""Quick and fast code of one program: the same values, cycles and stalls; fast code comes when it is earned."""

import numpy as np
import pytest

from hexagon_mlir.sim import Machine, code, host
from hexagon_mlir.sim.program import obtain

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

"""Fast against exact memory timing, and the costs of gather and scatter."""

import numpy as np
import pytest
from sim.forms_harness import function
from sim.kernels import assembly, elementwise

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine, SimError
from hexagon_mlir.sim.memory_system import cache_model as cache

V75 = targets.get("v75")
COMPUTE = """
  %x2 = fmul fast T %a, %b
  %x3 = fadd fast T %x2, %a
  %x4 = fmul fast T %x3, %x3
  %r = fadd fast T %x4, %b"""


def run(text, mode, region, lanes=1024):
    machine = Machine(text, memory=mode)
    allocate = machine.alloc_tcm if region == "tcm" else machine.alloc_ddr
    addresses = [allocate(4 * lanes) for _ in range(3)]
    rng = np.random.default_rng(5)
    for address in addresses[:2]:
        machine.write(address, rng.standard_normal(lanes).astype(np.float32))
    result = machine.run("kernel", [*addresses, lanes // 32])
    return result, machine.read(addresses[2], np.float32, lanes)


def test_both_modes_agree_on_compute_bound_code():
    text = assembly(elementwise("kernel", "float", 32, COMPUTE))
    (exact, one), (fast, two) = (run(text, mode, "tcm") for mode in ("exact", "fast"))
    np.testing.assert_array_equal(one, two)
    assert (exact.cycles, exact.stalls, exact.packets) == (fast.cycles, fast.stalls, fast.packets)
    assert exact.cycles > 1024 // 32 * 2


def test_they_differ_by_the_memory_stalls_on_data_in_ddr():
    text = assembly(elementwise("kernel", "float", 32, COMPUTE))
    (exact, one), (fast, two) = (run(text, mode, "ddr") for mode in ("exact", "fast"))
    np.testing.assert_array_equal(one, two)
    memory = {cause: cycles for cause, cycles in exact.stalls.items() if cause.startswith("memory")}
    assert set(memory) == {"memory-ddr"}
    assert exact.cycles - fast.cycles == memory["memory-ddr"]
    per_line = 128 / float(V75.ddr_bytes_per_cycle.value)
    # two input streams: first lines at full latency, the rest by bandwidth
    assert memory["memory-ddr"] == pytest.approx(2 * float(V75.ddr_latency_cycles.value) + 62 * per_line, abs=1)
    assert fast.ddr_read_bytes == 0


def test_a_block_copy_touches_no_line_in_fast_mode():
    text = function("f", [["allocframe(#8)"], ["call memcpy"], ["deallocframe"]])
    results = []
    for mode in ("exact", "fast"):
        machine = Machine(text, memory=mode)
        to, source = machine.alloc_ddr(4096), machine.alloc_ddr(4096)
        machine.write(source, np.arange(1024, dtype=np.uint32))
        results.append(machine.run("f", [to, source, 4096]))
        np.testing.assert_array_equal(machine.read(to, np.uint32, 1024), np.arange(1024))
    exact, fast = results
    assert (exact.ddr_read_bytes, fast.ddr_read_bytes) == (4096 + 128, 0)  # the saved frame is a line of its own
    assert exact.cycles - fast.cycles == exact.stalls["memory-ddr"] + exact.stalls["memory-l2"]


def test_unknown_mode():
    with pytest.raises(SimError, match="'exact' or 'fast'"):
        Machine(function("f", [["r0 = r1"]]), memory="slow")


GATHER = ["vtmp.w = vgather(r0,m0,v1.w).w", "vmem(r2+#0) = vtmp.new"]
SCATTER = ["vscatter(r0,m0,v1.w).w = v3"]
LOAD = ["v4 = vmem(r2+#0)"]


def packet_stalls(*packets):
    machine = Machine(function("f", [["m0 = r1", "v1 = vxor(v1,v1)"], *packets]), memory="fast")
    base = machine.alloc_tcm(4096)
    return machine.run("f", [base, 4095, base + 2048]).stalls.get("gather-scatter", 0)


def test_a_load_waits_for_a_gather():
    # the wait counts from the gather's packet; the issue interval is charged first
    latency, issue = int(V75.vgather_cycles.value), int(V75.hvx_issue_interval_cycles.value)
    assert packet_stalls(GATHER) == 0
    assert packet_stalls(GATHER, LOAD) == latency - issue
    assert packet_stalls(GATHER, GATHER, LOAD) == latency - issue
    assert packet_stalls(GATHER, *[["v5 = vxor(v6,v7)"]] * (latency // issue), LOAD) == 0


def test_a_scatter_keeps_the_unit():
    busy, issue = int(V75.vscatter_cycles.value), int(V75.hvx_issue_interval_cycles.value)
    assert packet_stalls(SCATTER, SCATTER) == busy - issue
    assert packet_stalls(SCATTER, GATHER) == busy - issue
    assert packet_stalls(SCATTER, ["v5 = vxor(v6,v7)"]) == 0


@pytest.mark.parametrize(("level", "expected"), [
    ("l1", 0), ("l2", int(V75.scalar_l2_latency_cycles.value)), ("tcm", int(V75.scalar_tcm_latency_cycles.value)),
    ("ddr", int(V75.ddr_latency_cycles.value)),
])  # fmt: skip
def test_a_scalar_load_costs_its_level(level, expected):
    """The second load is the one measured; the first brings the line to where the test wants it."""
    geometry = cache.Geometry(V75)
    first = {"l1": "r2 = memw(r0+#4)", "l2": "v0 = vmem(r0+#0)"}.get(level, "r2 = #0")
    machine = Machine(function("f", [[first], ["r3 = memw(r0+#0)"]]))
    address = machine.alloc_tcm(128) if level == "tcm" else machine.alloc_ddr(128)
    stalls = machine.run("f", [address]).stalls
    memory = sum(cycles for cause, cycles in stalls.items() if cause.startswith("memory"))
    warm = int(V75.ddr_latency_cycles.value) if level in ("l1", "l2") else 0
    assert memory - warm == expected
    assert geometry.l2_line == int(V75.l2_line_bytes.value)

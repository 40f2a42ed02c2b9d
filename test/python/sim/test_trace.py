"""Annotated assembly, cycles by source line, PMU counters, the Perfetto timeline."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from sim.forms_harness import function
from sim.kernels import BODY, CALLER, assembly

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine, trace

HERE = Path(__file__).parent
V75 = targets.get("v75")
LOOP = """
	.text
	.file	1 "src" "k.c"
	.globl	f
	.type	f,@function
f:
	.loc	1 10 1
	{
		loop0(.LB,#100)
	}
	.loc	1 11 1
.LB:
	{
		v1 = vmem(r0++#1)
	}
	.loc	1 12 1
	{
		v2.w = vadd(v1.w,v1.w)
	} :endloop0
	.loc	1 13 1
	{
		jumpr r31
	}
"""


@pytest.fixture(scope="module")
def looped():
    machine = Machine(LOOP)
    return machine, machine.run("f", [machine.alloc_ddr(12800)])


def test_packets_add_up(looped):
    machine, result = looped
    stats = trace.packets(machine)
    assert [stat.count for stat in stats] == [1, 100, 100, 1]
    static = sum(block.cycles for block in result.blocks)
    assert sum(stat.cycles for stat in stats) == static
    # HVX packets one after the other: each waits a cycle
    assert [stat.cycles for stat in stats][1:3] == [200, 200]


def test_annotated_assembly(looped):
    machine, _ = looped
    text = trace.annotate(machine)
    (line,) = [line for line in text.splitlines() if "vadd" in line]
    assert line.split()[:4] == ["100", "200", "hvx-issue", "100"]
    assert [line[56:].strip() for line in text.splitlines()[1:]] == [
        line.expandtabs(4).strip() for line in LOOP.split("\n")
    ]


def test_cycles_by_source_line(looped):
    machine, _ = looped
    cycles = {11: 200, 12: 200, 13: 2, 10: 1}
    assert trace.by_source_line(machine) == {f"src/k.c:{line}": spent for line, spent in cycles.items()}


def test_merged_code_counts_with_the_line_before():
    machine = Machine(LOOP.replace(".loc\t1 12", ".loc\t1 0"))
    machine.run("f", [machine.alloc_ddr(12800)])
    assert trace.by_source_line(machine) == {"src/k.c:11": 400, "src/k.c:13": 2, "src/k.c:10": 1}


def test_counters(looped):
    machine, result = looped
    counts = trace.counters(machine, result)
    assert counts["HVX_PKT"] == result.hvx_packets == 200
    assert counts["CU_BUSY"] == result.stalls["hvx-issue"] == 200
    assert counts["COMMITTED_PKT_ANY"] == 202
    assert counts["LD_L2_OUTSTANDING"] == result.stalls["memory-ddr"]
    v79 = Machine(LOOP, "v79")
    assert trace.counters(v79, v79.run("f", [v79.alloc_ddr(12800)]))["HVX_PKT"] == 400


def of(events, process, phase="X"):
    return [e for e in events if e["pid"] == process and e["ph"] == phase]


def test_timeline_of_tasks():
    machine = Machine(assembly((HERE / "async" / "tasks.ll").read_text()))
    address = machine.alloc_ddr(4 * 4 * 4096)
    untraced = machine.run("tasks", [address, 4096])
    result = machine.run("tasks", [address, 4096], trace=True)
    assert result.cycles == untraced.cycles
    events = json.loads(json.dumps(trace.timeline(machine)))["traceEvents"]
    slices = of(events, 1)
    assert {e["args"]["thread"] for e in slices} == {0, 1, 2, 3, 4}
    micro = 1e6 / float(V75.clock_hz.value)
    assert max(e["ts"] + e["dur"] for e in slices) == pytest.approx(result.cycles * micro, rel=1e-3)
    for hardware in {e["tid"] for e in slices}:  # one thread at a time on each
        own = sorted((e["ts"], e["ts"] + e["dur"]) for e in slices if e["tid"] == hardware)
        assert all(a[1] <= b[0] + 1e-5 for a, b in itertools.pairwise(own))
    names = {e["args"]["name"] for e in of(events, 1, "M")}
    assert {"hardware threads", "hardware thread 0"} <= names


def test_timeline_of_dma_and_tcm():
    frame = ["allocframe(#16)"]
    text = function("f", [frame, ["memd(r29+#0) = r17:16"], ["r17 = r1"], ["r1 = #128"], ["call hexmlir_rt_tcm_alloc"],
                          ["r16 = r0"], ["r1 = r17", "r2 = #2048"], ["r3 = #1", "r4 = #0"], ["r5 = #0"],
                          ["call hexmlir_rt_copy_2d"], ["r0 = r16"], ["call hexmlir_rt_tcm_free"],
                          ["r17:16 = memd(r29+#0)"], ["r31:30 = dealloc_return(r30):raw"]])  # fmt: skip
    machine = Machine(text)
    result = machine.run("f", [4096, machine.alloc_ddr(4096)], trace=True)
    events = trace.timeline(machine)["traceEvents"]
    (transfer,) = of(events, 2)
    assert transfer["args"]["bytes"] == 2048 and transfer["args"]["waited for"]
    micro = 1e6 / float(V75.clock_hz.value)
    assert transfer["dur"] == pytest.approx(2048 / float(V75.dma_bytes_per_cycle.value) * micro, abs=1e-4)
    assert [e["args"]["bytes"] for e in of(events, 3, "C")] == [0, 4096, 0]
    times = [e["ts"] for e in of(events, 3, "C")]
    assert 0 == times[0] < times[1] < transfer["ts"] < times[2]
    assert np.isclose(sum(e["dur"] for e in of(events, 1)), result.cycles * micro, rtol=0.01)
    machine.run("f", [4096, machine.alloc_ddr(4096)])
    assert not of(trace.timeline(machine)["traceEvents"], 3, "C")


def test_threads_take_tcm_in_the_order_of_time():
    """An allocation each, amid vector work: the host runs thread after thread, the chip all of them at once."""
    task = CALLER.replace("ptr @work", "ptr @task") + """
define void @task(ptr %size) {
  call void @work(ptr %size)
  %tcm = call ptr @hexmlir_rt_tcm_alloc(i32 4096, i32 128)
  call void @work(ptr %size)
  call void @hexmlir_rt_tcm_free(ptr %tcm)
  ret void
}
declare ptr @hexmlir_rt_tcm_alloc(i32, i32)
declare void @hexmlir_rt_tcm_free(ptr)
"""
    machine = Machine(assembly(task) + BODY)
    sizes = machine.alloc_ddr(16)
    machine.write(sizes, np.array([50_000, 70_000, 40_000, 60_100], np.int32).view(np.uint8))
    plain, traced = (machine.run("f", [sizes, 4], trace=wanted) for wanted in (False, True))
    assert plain.cycles == traced.cycles
    assert plain.tcm_high_water == traced.tcm_high_water == 4 * 4096
    used = [(e["ts"], e["args"]["bytes"]) for e in of(trace.timeline(machine)["traceEvents"], 3, "C")]
    assert [size for _, size in used] == [0, 4096, 8192, 12288, 16384, 12288, 8192, 4096, 0]
    assert used == sorted(used, key=lambda use: use[0])
